import { type Charge, type Hold, holdUntil, type Lease, type Reason } from '../quota/admission.ts';
import type { ShareLimit, WindowNews } from '../quota/share-limit.ts';
import type { Period } from '../quota/time/periods.ts';
import type { Member } from '../share.ts';
import { Absence } from './absence.ts';
import type { Entry } from './book.ts';
import { Discovery } from './discovery.ts';
import { FactSync } from './fact-sync.ts';
import type { FailureMode } from './fallback.ts';
import { type Composed, type Demand, Ledger } from './ledger.ts';
import { Notice } from './notice.ts';
import { Resumption } from './resumption.ts';
import { SiblingUse } from './sibling-use.ts';
import { type Answer, LONGEST_PAUSE_MS, type ShareStore } from './store.ts';
import { Trips } from './trips.ts';
import { URGENT_ABOVE } from './urgent.ts';

/** Unspent units are returned this long after the end of their slot, unless an earlier trip did so. In milliseconds. */
const GIVE_BACK_MS = 1_000;

/** From this many requests in flight, half of them are expected to be followed by another call. */
const MANY = 8;

/** Weight of the latest call in the mean units of a call. */
const FRESHNESS = 0.05;

/** Waiting calls that a process must have to look at a window in doubt: fewer reveal nothing. */
const BACKLOG = 4;

/** Ends of a pause that differ by no more than this are the same pause, in milliseconds. */
const SAME_PAUSE_MS = 50;

/** Options of {@link SharedQuota}. */
export interface SharedQuotaOptions {
  /** Returns the store of the present API key's share. */
  readonly store: () => Promise<ShareStore>;
  readonly mode: FailureMode;
  /** The number of processes to assume while the store has never been reached. */
  readonly processes: number;
  /** The store's time-out, in milliseconds. */
  readonly timeoutMs: number;
}

/** The units that a store grants to this process, as a limit of the pacer: units of the next seconds, asked for as calls need them. */
export class SharedQuota implements ShareLimit {
  readonly isShared = true;
  readonly #member: Member;
  readonly #ledger: Ledger;
  readonly #facts: FactSync;
  readonly #discovery = new Discovery();
  readonly #resumption: Resumption;
  readonly #trips: Trips;
  readonly #absence: Absence;
  readonly #siblings = new SiblingUse();
  readonly #leases = new WeakMap<Lease, { readonly entry: Entry; readonly units: number }>();
  #underWay = 0;
  /** Mean units of a call. */
  #usual = 1;
  /** The first waiting call. */
  #first = { units: 1, isUrgent: false };
  /** Units that urgent calls have taken, and those that the store was told of, which includes calls that wait. */
  #urgentSent = 0;
  #urgentTold = 0;
  /** The end of a pause, until the store is told. */
  #pauseToTell = Number.NEGATIVE_INFINITY;
  readonly #resumed = new Notice();
  readonly #lookEnded = new Notice();
  #debt = 0;
  /** Whether the service answers without naming a window, so that there is no quota to share. */
  #isUnlimited = false;
  #isAnswered = false;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(member: Member, options: SharedQuotaOptions) {
    this.#member = member;
    this.#ledger = new Ledger(member.time, member.random);
    this.#facts = new FactSync(member, this.#ledger, this.#discovery);
    this.#resumption = new Resumption(member.random);
    this.#trips = new Trips(member, options.store, options.timeoutMs, {
      travel: (store) => this.#travel(store),
      rejoin: () => this.#rejoin(),
      forgotten: () => this.#ledger.book.forgetAccount(),
      lost: (code) => member.tell({ type: 'share-lost', code, mode: options.mode }),
      regained: (afterMs) => member.tell({ type: 'share-regained', afterMs, debited: this.#debt }),
      done: () => {
        if (!this.#isClosed && this.#pauseToTell > member.clock.now()) this.#trips.start();
        member.wake();
        this.#schedule();
      },
    });
    this.#absence = new Absence(this.#trips, this.#ledger, member.random, options.mode, options.processes);
  }

  get isAlone(): boolean {
    return this.#discovery.isAlone(this.#member.clock.now());
  }

  /** Whether a process may have sent without a grant recently. */
  isOverdrawn(now: number): boolean {
    return this.#absence.isOverdrawn(now);
  }

  /** False until an answer has shown the service's clock: the first request is sent alone, because it may be counted in another second. */
  get isGranting(): boolean {
    return this.#covers && (this.#member.time.known || this.#isAnswered);
  }

  get #covers(): boolean {
    return (
      this.#ledger.windows.size > 0 && !this.#absence.isAlone && !this.#discovery.isAlone(this.#member.clock.now())
    );
  }

  /** Whether the store grants units of this window: its grants then account for the usage of all processes. */
  covers(period: Period): boolean {
    return this.#covers && this.#ledger.windows.of(period) !== undefined;
  }

  /** Units of a window that this process is likely to get: what the others leave by their recent rate, at least an equal part. */
  likely(period: Period, limit: number, now: number): number {
    return Math.max(limit / (this.#ledger.others(now) + 1), limit - this.#siblings.unitsOf(period, now));
  }

  check(charge: Charge, now: number): Hold | undefined {
    const until = this.#earliest(charge, now);
    if (until <= now) return undefined;
    const isFirm = !this.#trips.isUnderWay && !this.#absence.isAlone && this.#full(now) !== undefined;
    return holdUntil(until, isFirm, () => this.#explain(now));
  }

  /** The instant at which the charge may be covered; `now` or earlier: it is. Begins a trip where units must be asked for. */
  #earliest(charge: Charge, now: number): number {
    if (charge.units <= 0 || this.#isUnlimited) return now;
    const units = this.#ledger.units(charge.units);
    this.#first = { units, isUrgent: charge.priority > URGENT_ABOVE };
    if (this.#discovery.isAlone(now)) return now;
    const isAbsent = this.#absence.isNow(now);
    const resumesAt = isAbsent ? now : this.#resumption.until(now);
    if (resumesAt > now) {
      if (this.#resumption.mayAsk(now)) this.#trips.start();
      return this.#trips.isUnderWay ? this.#trips.awaits(now) : resumesAt;
    }
    if (this.#ledger.windows.size === 0) return isAbsent || this.#discovery.isOver ? now : this.#lookAt(now);
    if (!isAbsent && this.#discovery.waitsUntil > now) return this.#discovery.waitsUntil;
    if (this.#ledger.left(now) >= units || this.#resumption.mayProbe(now)) return now;
    this.#consider(now);
    if (this.#absence.goesAlone(now)) return this.#absence.earliest(units, now);
    return this.#nextAt(now);
  }

  #explain(now: number): Reason {
    if (this.#discovery.waitsUntil > now || this.#ledger.windows.size === 0)
      return { kind: 'share', why: 'another process sends alone for a moment, to learn the limits' };
    if (this.#resumption.until(now) > now)
      return { kind: 'share', why: 'another process sends the first request after a pause' };
    const full = this.#full(now);
    if (!full) return { kind: 'share', why: 'the store has not granted units of the next second yet' };
    const { period, limit } = full.instance.window;
    const why = `the ${period} of ${limit} units is used up by all processes that share it`;
    return { kind: 'share', why, window: period, limit: limit, headroom: 0 };
  }

  take(lease: Lease, now: number): void {
    this.#underWay++;
    this.#resumption.take(now);
    if (this.#ledger.windows.size === 0) return;
    const units = this.#ledger.units(lease.units);
    const held = this.#ledger.left(now);
    const entry = this.#ledger.spend(units, now);
    if (held < units) this.#absence.take(now);
    this.#leases.set(lease, { entry, units });
    this.#usual += FRESHNESS * (units - this.#usual);
    this.#siblings.spend(units);
    if (this.#first.isUrgent) this.#urgentSent += units;
  }

  settle(lease: Lease, units: number, isServed: boolean, now: number): void {
    const taken = this.#leases.get(lease);
    this.#underWay--;
    if (taken) this.#ledger.book.settle(taken.entry, Math.ceil(units) - taken.units);
    // The request was sent before any window was known.
    else if (this.#ledger.windows.size > 0) this.#ledger.book.settle(this.#ledger.spend(Math.ceil(units), now), 0);
    if (isServed) {
      this.#isAnswered = true;
      this.#facts.answered(now);
      this.#isUnlimited = this.#ledger.windows.size === 0;
      if (this.#resumption.served(lease.sentAt, now)) this.#resumed.raise();
    }
    const isIdle = this.#member.waiting() === 0 && this.#underWay === 0;
    const isFound = this.#ledger.windows.size > 0 && !this.#isInDoubt;
    if ((isIdle || isFound) && this.#discovery.end()) this.#lookEnded.raise();
    this.#consider(now);
    this.#schedule();
  }

  read(news: WindowNews): void {
    this.#isUnlimited = false;
    this.#facts.read(news);
    this.#absence.hear(news);
  }

  tellCost(endpoint: string, units: number): void {
    this.#facts.tellCost(endpoint, units);
  }

  tellPause(until: number): void {
    if (!this.#resumption.pause(until)) return;
    this.#pauseToTell = until;
    // Calls that wait for the end of the pause ask for nothing, and so cause no trip.
    if (!this.#isClosed) this.#trips.start();
  }

  /** Returns unspent units. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#trips.leave();
  }

  get #isInDoubt(): boolean {
    return [...this.#ledger.windows].some(({ isInDoubt }) => isInDoubt);
  }

  /** The instant at which to ask again whether the first request may be sent, while no window is known. */
  #lookAt(now: number): number {
    if (this.#discovery.mayAsk(now)) this.#trips.start();
    return this.#trips.isUnderWay ? this.#trips.awaits(now) : Math.max(now + 1, this.#discovery.asksAt);
  }

  /** The instant at which units may be available. */
  #nextAt(now: number): number {
    if (this.#trips.isUnderWay) return this.#trips.awaits(now);
    const full = this.#full(now);
    const held = this.#ledger.held(now);
    const asksAt = full
      ? this.#ledger.timeline.surely(full.instance.end, now)
      : this.#ledger.policy.nextAt(held, this.#first.isUrgent);
    const at = Math.max(now + 1, Math.min(this.#ledger.nextHeld(now), asksAt));
    return at === Number.POSITIVE_INFINITY ? this.#ledger.nextSlot(now) : at;
  }

  /** Units of the urgent calls that wait: told at once, so that the other processes leave room for them. */
  get #urgentWaiting(): number {
    return Math.ceil(this.#member.urgentWaiting() * this.#usual);
  }

  #full(now: number): ReturnType<Ledger['policy']['full']> {
    return this.#ledger.policy.full(this.#ledger.timeline.at(now).least);
  }

  /** Starts a trip if there is something to ask for or to tell. */
  #consider(now: number): void {
    if (this.#isClosed || this.#trips.isUnderWay) return;
    const { policy, windows } = this.#ledger;
    const held = windows.size > 0 ? this.#ledger.held(now) : 0;
    const isShort =
      windows.size > 0 &&
      this.#demand().want > held - (this.#first.isUrgent && this.#ledger.left(now) < this.#first.units ? held : 0);
    const isDue =
      (isShort && now >= policy.nextAt(held, this.#first.isUrgent)) ||
      now >= this.#givesBackAt(now) ||
      (this.#trips.hasJoined && this.#facts.isDue(now)) ||
      this.#pauseToTell > now ||
      this.#resumed.isDue ||
      (this.#discovery.isLooking(now) && this.#wantsLook(now)) ||
      this.#lookEnded.isDue;
    if (isDue) this.#trips.start();
  }

  /** Whether a trip asks to look alone: calls wait that a window unknown or in doubt holds back. */
  #wantsLook(now: number): boolean {
    if (!this.#discovery.mayAsk(now)) return false;
    const waiting = this.#member.waiting();
    if (this.#ledger.windows.size === 0) return !this.#isUnlimited && waiting > 0;
    // While a longer window is full a look reveals nothing, and its first request would be refused.
    if (!this.#isInDoubt || this.#full(now)?.instance.window.isShort === false) return false;
    return this.#discovery.isLooking(now) ? waiting > 0 : this.#ledger.policy.isLimited && waiting >= BACKLOG;
  }

  #givesBackAt(now: number): number {
    const since = this.#ledger.book.unspentSince(this.#ledger.timeline.arrival(now));
    return since === Number.POSITIVE_INFINITY ? since : this.#ledger.timeline.surely(since, now) + GIVE_BACK_MS;
  }

  /** Sets the timer for a trip that no call will start. */
  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isClosed || this.#trips.isUnderWay) return;
    const now = this.#member.clock.now();
    const asksAt =
      this.#member.waiting() > 0 && this.#full(now) ? this.#ledger.policy.nextAt(0, false) : Number.POSITIVE_INFINITY;
    const wanted = Math.min(this.#givesBackAt(now), asksAt, this.#discovery.renewsAt(now));
    if (wanted === Number.POSITIVE_INFINITY) return;
    // Until the store may be tried again no trip starts, however due it is.
    const at = Math.max(wanted, this.#trips.pausedUntil);
    this.#cancelTimer = this.#member.clock.timer(Math.max(1, at - now), () => {
      this.#consider(this.#member.clock.now());
      this.#schedule();
    });
  }

  #demand(): Demand {
    const { units: need, isUrgent } = this.#first;
    const { clock, concurrency } = this.#member;
    // During a look this process sends without units, so it returns those that it holds: both together would be too many.
    if (this.#discovery.isAlone(clock.now())) return { need, want: 0, isUrgent, concurrency };
    const waiting = isUrgent ? this.#member.urgentWaiting() : this.#member.waiting();
    // Calls expected to follow: one for each request in flight of a busy process, one for half of many requests in flight.
    const isBusy = this.#ledger.policy.isBusy(clock.now());
    const following = isBusy ? this.#underWay : this.#underWay >= MANY ? Math.floor(this.#underWay / 2) : 0;
    const calls = waiting > 0 ? waiting + following : 0;
    const want = calls === 0 ? 0 : need + Math.ceil((calls - 1) * this.#usual);
    return { need, want, isUrgent, concurrency };
  }

  async #travel(store: ShareStore): Promise<void> {
    const { clock } = this.#member;
    const now = (): number => clock.now();
    const call = <T>(work: () => Promise<T>): Promise<T> => this.#trips.call(work);
    this.#debt = this.#ledger.book.owed;
    const isNew = this.#ledger.windows.size === 0;
    if (isNew || this.#facts.isDue(now())) await this.#facts.share(store, call);
    const pauseToTell = this.#pauseToTell;
    if (pauseToTell > now()) await call(() => store.pause(pauseToTell - now()));
    // A longer pause that began meanwhile is told by the next trip.
    if (this.#pauseToTell === pauseToTell) this.#pauseToTell = Number.NEGATIVE_INFINITY;
    await this.#resumed.tell(() => call(() => store.resumed()));
    if (this.#resumption.mayAsk(now())) await call(() => this.#resumption.ask(store, this.#trips.name, now));
    if (this.#wantsLook(now()))
      await call(() => this.#discovery.ask(store, this.#trips.name, this.#ledger.windows.size === 0, now));
    await this.#lookEnded.tell(() => call(() => store.endLook(this.#trips.name)));
    if (this.#ledger.windows.size > 0) await this.#ask(store);
  }

  /** Asks for units, and a second time if the facts have changed. */
  async #ask(store: ShareStore, isSecond = false): Promise<void> {
    const { clock } = this.#member;
    const sentAt = clock.now();
    this.#absence.ask(sentAt);
    const composed = this.#ledger.compose(this.#demand(), sentAt, this.#trips.tripMs);
    const { asked, ...told } = composed;
    if (told.slots.length === 0) return;
    const urgent = Math.max(0, this.#urgentSent + this.#urgentWaiting - this.#urgentTold);
    const ask = {
      member: this.#trips.name,
      sequence: this.#trips.nextSequence(),
      // With another version nothing is granted.
      version: this.#ledger.isGathering(sentAt) ? -1 : this.#facts.version,
      urgent,
      ...told,
    };
    const answer = await this.#trips.call(() => store.take({ ...ask, isLeaving: this.#isClosed }));
    if (answer === 'stale') return this.#trips.rename();
    this.#urgentTold += urgent;
    this.#receive(composed, answer, sentAt);
    if (answer.version === this.#facts.version || isSecond) return;
    await this.#facts.share(store, (work) => this.#trips.call(work));
    await this.#ask(store, true);
  }

  #receive(composed: Composed, answer: Answer, sentAt: number): void {
    const now = this.#member.clock.now();
    this.#ledger.receive(composed, answer, sentAt, now);
    this.#absence.answered(sentAt, now);
    const longest = composed.windows.at(-1);
    if (longest) this.#siblings.hear(longest.name, answer.used.at(-1) ?? 0, now);
    if (answer.lookMs > 0) this.#discovery.hearOther(answer.lookMs, now);
    const pauseMs = Math.min(answer.pauseMs, LONGEST_PAUSE_MS);
    if (pauseMs === 1) this.#resumption.hearOver();
    else if (pauseMs > 1 && this.#resumption.pause(now + pauseMs - SAME_PAUSE_MS))
      this.#member.learn({ pausedUntil: now + pauseMs });
  }

  /** Drops the state of the old share: another key has another quota. */
  #rejoin(): void {
    this.#ledger.book.clear();
    this.#ledger.policy.reset();
    this.#facts.rejoin();
    this.#absence.end();
  }
}
