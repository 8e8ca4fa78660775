import { type Charge, type Hold, holdUntil, type Lease, type Reason } from '../quota/admission.ts';
import { TRIAL_MS } from '../quota/recovery/hourly-trial.ts';
import type { ShareLimit, WindowNews } from '../quota/share-limit.ts';
import type { Period } from '../quota/time/periods.ts';
import type { Member } from '../share.ts';
import { Discovery } from './facts/discovery.ts';
import { FactSync } from './facts/fact-sync.ts';
import { LEAD_LASTS_MS } from './facts/facts.ts';
import { CallNeeds } from './ledger/call-needs.ts';
import { type Charged, type Composed, Ledger } from './ledger/ledger.ts';
import { StatedRoom } from './ledger/stated-room.ts';
import { reasonOf } from './reason.ts';
import { Shortage } from './shortage.ts';
import { SiblingUse } from './sibling-use.ts';
import type { SharedWindow } from './slots/window.ts';
import type { Answer, ShareStore, StoreCall } from './store/store.ts';
import { TrialTurn } from './trial-turn.ts';
import { TripSchedule } from './trip-schedule.ts';
import { Absence } from './trips/absence.ts';
import type { FailureMode } from './trips/fallback.ts';
import { Resumption } from './trips/resumption.ts';
import { Standstill } from './trips/standstill.ts';
import { Trips } from './trips/trips.ts';

/** Options of {@link SharedQuota}. */
export interface SharedQuotaOptions {
  /** Returns the store of the API key's share. */
  readonly store: () => Promise<ShareStore>;
  readonly mode: FailureMode;
  /** The number of processes to assume while the store has never been reached. */
  readonly processes: number;
  /** The store's time-out, in milliseconds. */
  readonly timeoutMs: number;
  /** See {@link TripListener.problem}. */
  readonly problem?: (() => unknown) | undefined;
  /** The part of each limit that the processes of the store may use. Default: 1. */
  readonly part?: number | undefined;
}

/** What holds back a call whose units are granted. */
interface GrantedHold {
  readonly until: number;
  /** The window of which too little is left, as responses say; `undefined`: requests are spaced. */
  readonly window?: SharedWindow;
  /** The period of that window, where a request under way is to show what is left of it. */
  readonly unknown?: Period;
}

/** The units that a store grants to this process, as a limit of the pacer: units of the next seconds, asked for as calls need them. */
export class SharedQuota implements ShareLimit {
  readonly isShared = true;
  readonly #member: Member;
  readonly #needs: CallNeeds;
  readonly #ledger: Ledger;
  readonly #facts: FactSync;
  readonly #discovery = new Discovery();
  readonly #shortage: Shortage;
  readonly #stated: StatedRoom;
  readonly #resumption: Resumption;
  readonly #trips: Trips;
  readonly #schedule: TripSchedule;
  readonly #absence: Absence;
  readonly #siblings = new SiblingUse();
  readonly #standstill = new Standstill();
  readonly #leases = new WeakMap<Lease, Charged>();
  readonly #trialTurn: TrialTurn;
  /** Units spent without a grant that the last trip told. */
  #debt = 0;
  #answeredAt = -Infinity;
  #leaving: Promise<void> | undefined;

  constructor(member: Member, options: SharedQuotaOptions) {
    this.#member = member;
    this.#needs = new CallNeeds(member);
    this.#ledger = new Ledger(member.time, member.random);
    this.#facts = new FactSync(member, this.#ledger, options.part);
    this.#stated = new StatedRoom(this.#ledger.strangers, this.#needs.underWay);
    this.#shortage = new Shortage(this.#needs, this.#ledger, this.#discovery);
    this.#resumption = new Resumption(member.random);
    this.#trialTurn = new TrialTurn(member);
    this.#trips = new Trips(member, options.store, options.timeoutMs, {
      travel: (store) => this.#travel(store),
      forgotten: () => this.#ledger.book.forgetAccount(),
      problem: options.problem,
      lost: (code) => member.tell({ type: 'share-lost', code, mode: options.mode }),
      regained: (afterMs) => member.tell({ type: 'share-regained', afterMs, debited: this.#debt }),
      done: () => {
        if (!this.#schedule.isClosed && this.#resumption.tellsPause(member.clock.now())) this.#trips.start();
        member.wake();
        this.#schedule.setTimer();
      },
    });
    this.#schedule = new TripSchedule(member, this.#trips, {
      ledger: this.#ledger,
      facts: this.#facts,
      discovery: this.#discovery,
      shortage: this.#shortage,
      resumption: this.#resumption,
    });
    this.#absence = new Absence(this.#trips, this.#ledger, member.random, options.mode, options.processes);
  }

  get isAlone(): boolean {
    return this.#discovery.isAlone(this.#member.clock.now());
  }

  /** Whether a process may have sent without a grant recently, or strangers may have used what was granted. */
  isOverdrawn(period: Period, now: number): boolean {
    return this.#absence.isOverdrawn(now) || this.#ledger.isForStrangers(period, now);
  }

  /** False until an answer has shown the service's clock: the first request is sent alone, because it may be counted in another second. */
  get isGranting(): boolean {
    return this.#covers && (this.#member.time.known || this.#answeredAt > -Infinity);
  }

  get #covers(): boolean {
    return !this.#ledger.isNew && !this.#absence.isUngranted && !this.isAlone;
  }

  /** Whether the store grants units of this window: its grants then account for the usage of all processes. */
  covers(period: Period): boolean {
    return this.#covers && this.#ledger.windows.of(period) !== undefined;
  }

  /** Units of a window that this process is likely to get: what the others leave by their recent rate, at least an equal part. */
  likely(period: Period, limit: number, now: number): number {
    const processes = Math.max(this.#ledger.policy.others(now) + 1, this.#trips.live ?? 1);
    const units = this.#facts.partOf(limit);
    return Math.max(units / processes, units - this.#siblings.unitsOf(period, now));
  }

  check(charge: Charge, now: number): Hold | undefined {
    const unitsAt = this.#unitsAt(charge, now);
    const granted = unitsAt === undefined ? this.#grantedHold(now) : undefined;
    const until = unitsAt ?? granted?.until ?? now;
    if (until <= now) {
      this.#standstill.end();
      return undefined;
    }
    // It fails for no lack of units, and no cheaper call spends them.
    const isSpaced = granted !== undefined && !granted.window;
    const isFull = !isSpaced && !this.#trips.isUnderWay && !this.#absence.isUngranted && this.#shortage.isCertain(now);
    const { closedSince } = this.#absence;
    const isFirm = isFull || closedSince !== undefined || this.#standstill.hold(until, now);
    const isPassed = !isSpaced && this.#shortage.isPassed(now);
    if (isPassed) this.#needs.pass(until);
    return holdUntil(until, () => this.#explain(isSpaced, granted, now), {
      isFirm,
      failingSince: closedSince,
      ...(isPassed && { passableUnits: this.#needs.first.units }),
    });
  }

  /**
   * When units for the charge may be there; `now` or earlier: it needs none; `undefined`: they are granted. Begins a trip where they must be asked for.
   */
  #unitsAt(charge: Charge, now: number): number | undefined {
    if (charge.units <= 0 || this.#facts.isUnlimited) return now;
    const units = this.#ledger.units(charge.units);
    this.#needs.ask(charge, units);
    const { windows, timeline } = this.#ledger;
    const sendsAt = windows.isInDoubt ? this.#discovery.sendsAt(timeline.roundTripMs, now) : now;
    if (sendsAt > now || this.#discovery.isAlone(now)) return sendsAt;
    const isAbsent = this.#absence.isNow(now);
    const resumesAt = isAbsent ? now : this.#resumption.until(now);
    if (resumesAt > now) {
      if (this.#resumption.mayAsk(now)) this.#trips.start();
      return this.#trips.isUnderWay ? this.#trips.awaits(now) : resumesAt;
    }
    if (this.#ledger.isNew) return isAbsent || this.#discovery.isOver ? now : this.#lookAt(now);
    if (!isAbsent && this.#discovery.waitsUntil > now) return this.#discovery.waitsUntil;
    if (this.#awaitsClock(now)) return this.#ledger.nextSlot(now);
    if (this.#resumption.mayProbe(now)) return now;
    if (this.#ledger.left(now) >= units) return undefined;
    this.#schedule.startIfDue(now);
    if (this.#absence.goesUngranted(now)) return this.#absence.earliest(units, now);
    return this.#nextAt(now);
  }

  /** What holds the first call back although its units are granted, if anything does. */
  #grantedHold(now: number): GrantedHold | undefined {
    const { windows, policy } = this.#ledger;
    const { first, underWay } = this.#needs;
    const stated = this.#stated.hold(windows, first.units, policy.isAmple(now), now);
    const until = this.#ledger.spacedFrom(first.units, underWay.sentAt, now);
    return until > (stated?.until ?? now) ? { until } : stated;
  }

  /** Whether it waits for a first answer after so long that the service's clock is vague: in which second it sends is a guess. */
  #awaitsClock(now: number): boolean {
    if (this.#needs.underWay.requests === 0 || now - this.#answeredAt < LEAD_LASTS_MS) return false;
    return this.#member.time.isDated && this.#ledger.timeline.isGuess(now);
  }

  #explain(isSpaced: boolean, granted: GrantedHold | undefined, now: number): Reason {
    return reasonOf({
      lost: this.#absence.why,
      isLearning: this.#discovery.waitsUntil > now || this.#ledger.isNew,
      isResuming: this.#resumption.until(now) > now,
      isSpaced,
      unknown: granted?.unknown,
      full: granted?.window ?? this.#shortage.full(now)?.instance.window,
    });
  }

  onSent(lease: Lease, now: number): void {
    const units = this.#ledger.units(lease.units);
    this.#needs.onSent(units, now);
    this.#resumption.onSent();
    this.#discovery.onSent(this.#member.waiting(), now);
    const held = this.#ledger.left(now);
    this.#leases.set(lease, this.#ledger.charge(units, now));
    if (this.#ledger.isNew) return;
    if (held < units) this.#absence.onSent(now);
    this.#siblings.onSent(units);
    // Not at once, because the request goes first.
    if (this.#shortage.asksAheadAt(now) <= now) this.#schedule.setTimer();
  }

  onEnded(lease: Lease, units: number, isServed: boolean, now: number): void {
    const charged = this.#leases.get(lease);
    if (charged) {
      this.#needs.onEnded(charged.units);
      this.#ledger.settle(charged, Math.ceil(units), isServed, now);
    }
    if (isServed) {
      this.#answeredAt = now;
      this.#facts.answered(now);
      this.#resumption.onServed(lease.sentAt, now);
    }
    const isFound = !this.#ledger.isNew && !this.#ledger.needsLook(now);
    if (this.#needs.isIdle || isFound) this.#discovery.end();
    this.#schedule.startIfDue(now);
    this.#schedule.setTimer();
  }

  read(news: WindowNews): void {
    this.#facts.read(news);
    this.#stated.read(news);
    this.#absence.read(news);
  }

  tellCost(endpoint: string, units: number): void {
    this.#facts.tellCost(endpoint, units);
  }

  tellPause(until: number): void {
    // Calls that wait for the end of the pause ask for nothing, and so cause no trip.
    if (this.#resumption.order(until) && !this.#schedule.isClosed) this.#trips.start();
  }

  mayTry(now: number, isFollowing: boolean): boolean {
    if (!isFollowing && now < this.#siblings.usedAt + TRIAL_MS) return false;
    if (!this.#trialTurn.hasCome(now)) return false;
    if (!this.#trips.hasJoined || this.#absence.isNow(now) || this.#facts.isRecent(now)) return true;
    this.#facts.request();
    this.#trips.start();
    return false;
  }

  tellTrial(isServed: boolean): void {
    this.#facts.tellTrial(isServed);
    this.#schedule.startIfDue(this.#member.clock.now());
  }

  /** Returns unspent units. */
  leave(): Promise<void> {
    this.#schedule.close();
    this.#trialTurn.cancel();
    // Only once: to a store that has removed the account, the totals would be new.
    this.#leaving ??= this.#trips.leave();
    return this.#leaving;
  }

  /** The instant at which to ask again whether the first request may be sent, while no window is known. */
  #lookAt(now: number): number {
    if (this.#discovery.mayAsk(now)) this.#trips.start();
    return this.#trips.isUnderWay ? this.#trips.awaits(now) : Math.max(now + 1, this.#discovery.asksAt);
  }

  /** The instant at which units may be available. */
  #nextAt(now: number): number {
    if (this.#trips.isUnderWay) return Math.min(this.#trips.awaits(now), this.#absence.beginsAt(now));
    return this.#shortage.endsAt(now);
  }

  /** Makes the calls of a trip. */
  async #travel(store: ShareStore): Promise<void> {
    const now = (): number => this.#member.clock.now();
    this.#ledger.planner.isNear = store.isNear === true && !this.#schedule.isClosed;
    const call: StoreCall = (work) => this.#trips.call(work);
    this.#debt = this.#ledger.book.owed;
    if (this.#ledger.isNew || this.#facts.isDue(now())) await this.#facts.share(store, call);
    await this.#resumption.tell(store, call, this.#trips.name, now);
    if (this.#ledger.isNew && this.#schedule.isLookDue(now())) await this.#look(store, call);
    if (!this.#ledger.isNew) await this.#ask(store);
    // Only now, because the others may have told what a look would show.
    if (this.#schedule.isLookDue(now())) await this.#look(store, call);
    // Only now, because what was sent during the look is told: the others must not be granted it.
    await this.#discovery.tellEnd(store, call, this.#trips.name);
  }

  /** Asks for a look. */
  async #look(store: ShareStore, call: StoreCall): Promise<void> {
    const { clock } = this.#member;
    this.#discovery.ask(this.#ledger.isNew, clock.now());
    const answer = await call(() => store.look(this.#trips.name, this.#facts.version));
    // Another process has told what it saw.
    if (answer === 'stale') return this.#facts.share(store, call);
    if (answer === 'over') this.#ledger.looksOver();
    this.#discovery.hear(answer, this.#ledger.windows.isAnySmall, clock.now());
  }

  /** Asks for units, and a second time if nothing was granted because the facts have changed. */
  async #ask(store: ShareStore, isSecond = false): Promise<void> {
    const { clock } = this.#member;
    const sentAt = clock.now();
    this.#absence.ask(sentAt);
    const isGathering = this.#ledger.isGathering(sentAt);
    // Where there is nothing to say, only an answer shows whether the store is back, or which processes are live.
    const isSilent = this.#trips.failures === 0 && !isGathering && !this.#schedule.isClosed;
    if (isSilent && !this.#schedule.statesTotals(sentAt)) return;
    const composed = this.#ledger.compose(this.#shortage.demand(sentAt), sentAt, this.#trips.tripMs, isSilent);
    const { asked, ...told } = composed;
    if (isSilent && told.windows.length === 0) return;
    const sent = this.#needs.toTell;
    const ask = {
      member: this.#trips.name,
      sequence: this.#trips.nextSequence(),
      version: isGathering ? -1 : this.#facts.version,
      ...sent,
      isSign: isGathering || this.#trips.isSignDue(sentAt),
      isLeaving: this.#trips.isLast,
      ...told,
    };
    const answer = await this.#trips.call(() => store.take(ask));
    if (answer === 'stale') return this.#trips.rename();
    this.#needs.tell(sent);
    this.#receive(composed, answer, sentAt);
    if (this.#facts.tellsClock(clock.now())) await this.#facts.share(store, (work) => this.#trips.call(work));
    const isOutdated = answer.facts !== undefined && !answer.granted.some(Boolean);
    if (isOutdated && ask.want > 0 && !isGathering && !ask.isLeaving && !isSecond) await this.#ask(store, true);
  }

  /** Records the answer to an ask. */
  #receive(composed: Composed, answer: Answer, sentAt: number): void {
    const now = this.#member.clock.now();
    if (this.#ledger.receive(composed, answer, this.#trips.live ?? 1, sentAt, now)) this.#stated.lose(now);
    this.#absence.answered(sentAt, now);
    this.#standstill.end();
    this.#trips.mend();
    // Only now, because the number of processes before this answer tells how many have to tell a store that has lost its memory.
    if (answer.live > 0) {
      // A store that has lost its memory counts only those that have told it since.
      if (this.#ledger.isGathering(now)) this.#ledger.told(answer.live);
      else this.#trips.counted(answer.live, answer.urgent.forMs, now);
    }
    if (answer.version !== this.#facts.version) this.#facts.hear(answer);
    this.#siblings.onAnswer(composed.windows, answer, now);
    if (answer.lookMs > 0) this.#discovery.hearOther(answer.lookMs, now);
    const pausedUntil = this.#resumption.hear(answer.pauseMs, now);
    if (pausedUntil !== undefined) this.#member.learn({ pausedUntil });
  }
}
