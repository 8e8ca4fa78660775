import type { WindowNews } from '../quota/share-limit.ts';
import { type Period, periodMsOf, startOf } from '../quota/time/periods.ts';
import type { ServerClock } from '../quota/time/server-clock.ts';
import { type Asked, AskPolicy, type FullWindow } from './ask-policy.ts';
import { Book, type Entry, type Told } from './book.ts';
import type { Demand } from './call-needs.ts';
import { Recollection } from './recollection.ts';
import { ShapeProbe } from './shape-probe.ts';
import { type Slot, Slots } from './slots.ts';
import type { Answer, ShareAsk } from './store.ts';
import { Timeline } from './timeline.ts';
import { UrgentReserve } from './urgent.ts';
import { type Instance, SharedWindows } from './windows.ts';

/** The smallest part of a slot granted to a needy process, in units. */
const CHUNK = 4;

/** How long a process counts as needy after an ask that was not granted in full, in milliseconds. */
const STAY_MS = 1_500;

/** Unspent units are returned this long after the end of their slot, to a store that is near sooner, unless an earlier trip did so. In milliseconds. */
const GIVE_BACK_MS = 1_000;
const GIVE_BACK_NEAR_MS = 100;

/** How far ahead slots are asked for, and how far ahead any process of the share may hold units, in milliseconds. */
const LONGEST_AHEAD_MS = 3_000;
const REACH_MS = 5_000;

/**
 * If at least this part of every window is free when the store is lost, calls go on without a grant at once. After this time, in
 * milliseconds, an answer is no evidence of usage any more.
 */
const AMPLE = 0.5;
const TELLS_MS = 10_000;

/** While other processes tell a store that has lost its memory, waiting calls ask again at this interval, in milliseconds. */
const GATHER_MS = 100;

/**
 * A trip for one call asks for those, too, that are expected within `forMs` by the rate of the last `RATE_MS`, if these are at least `likely`;
 * for no more of them than a part of the smallest limit. From a store that is near fewer are asked for, of a shorter time and sooner, because
 * more can be had at once. In milliseconds.
 */
const SPARE = { forMs: 2_000, likely: 0.7, part: 1 };
const SPARE_NEAR = { forMs: 1_000, likely: 0.3, part: 0.05 };
const RATE_MS = 5_000;

/** After an ask ahead of any call that was granted nothing, the next one is made this much later at the earliest, in milliseconds. */
const IN_VAIN_MS = 2_000;

/** Maximum number of slots in one ask. */
const MOST_SLOTS = 12;

/** An ask, and the demand it was composed for. */
export interface Composed extends Told, Pick<ShareAsk, 'want' | 'need' | 'size' | 'chunk' | 'stayMs'> {
  readonly asked: Asked;
  /** Instances that are named whether or not a slot counts in them. */
  readonly also: readonly Instance[];
}

/**
 * The state of this process in a share: windows, slots, claims, and what to ask for next. It does no I/O: time is an argument,
 * asks are composed here and sent elsewhere.
 */
export class Ledger {
  readonly windows: SharedWindows = new SharedWindows();
  /** See {@link ShareStore.isNear}. */
  isNear = false;
  readonly timeline: Timeline;
  readonly book: Book = new Book();
  readonly policy: AskPolicy;
  readonly #slots = new Slots(this.windows);
  readonly #probe = new ShapeProbe(this.windows);
  readonly #reserve = new UrgentReserve();
  #others = 0;
  /** Free part of the tightest window, by the last answer. */
  #room = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  readonly #recollection = new Recollection();
  /** Units spent, which decay by a factor of e in {@link RATE_MS}. */
  readonly #spent = { units: 0, at: 0 };
  /** Nothing is asked for ahead of any call before this instant. */
  #aheadFrom = Number.NEGATIVE_INFINITY;
  #askFrom = Number.NEGATIVE_INFINITY;
  /** Slots that begin before it may have been granted to other processes by a store that has lost its memory. */
  #unknownUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: ServerClock, random: () => number) {
    this.timeline = new Timeline(clock);
    this.policy = new AskPolicy(random);
  }

  /** How many other processes are needy, by the last answer. A process that spends units of later slots does not ask for a while. */
  others(now: number): number {
    return now - this.#heardAt > LONGEST_AHEAD_MS + STAY_MS ? 0 : this.#others;
  }

  /** Time since the calendar's window of a period began, in milliseconds. */
  elapsed(period: Period, now: number): number {
    const time = this.timeline.at(now).least;
    return time - startOf(period, time);
  }

  /**
   * Whether calls without a grant are likely to fit: every ask was granted in full lately, and the last answer showed ample room
   * or is older than {@link TELLS_MS}.
   */
  isAmple(now: number): boolean {
    if (this.#heardAt === Number.NEGATIVE_INFINITY || this.policy.isBusy(now)) return false;
    return now - this.#heardAt > TELLS_MS || this.#room >= AMPLE;
  }

  /** Whether a window longer than a second is full until its end, by the last answer. */
  seemsFull(now: number): boolean {
    return this.policy.seemsFull(this.timeline.at(now).least) !== undefined;
  }

  /** The window that is full until its end, if that is certain. */
  full(now: number): FullWindow | undefined {
    return this.policy.full(this.timeline.at(now).least);
  }

  /** The smallest length of a slot, in milliseconds. */
  get quantum(): number {
    return this.#slots.quantum;
  }

  /** Whole units charged to each window: at most what can be granted together, so that a request that costs more takes all of it. */
  units(charge: number): number {
    let units = Math.ceil(charge);
    for (const { most } of this.windows) units = Math.min(units, most);
    return units;
  }

  /** Units available for a request that is sent now. */
  left(now: number): number {
    return this.book.left(this.timeline.arrival(now));
  }

  /** Units held for requests that are sent now or later. */
  held(now: number): number {
    return this.book.held(this.timeline.arrival(now));
  }

  /** The slot in which a request that is sent now arrives. */
  slot(now: number): Slot {
    return this.#slots.at(this.timeline.arrival(now));
  }

  /** The instant at which to ask for units ahead of any call; Infinity: none is expected, or the store is not near. */
  asksAheadAt(now: number): number {
    if (!this.isNear || !this.#spare(now)) return Number.POSITIVE_INFINITY;
    const arrival = this.timeline.arrival(now);
    const until = this.book.usableUntil(arrival);
    return Math.max(now, until === undefined ? this.#aheadFrom : now + until - arrival.most);
  }

  /** The instant at which the next slot with held units begins. */
  nextHeld(now: number): number {
    return this.timeline.surely(this.book.nextHeld(this.timeline.arrival(now)), now);
  }

  /** The instant at which unspent units are to be returned; Infinity: there are none. */
  givesBackAt(now: number): number {
    const afterMs = this.isNear ? GIVE_BACK_NEAR_MS : GIVE_BACK_MS;
    return this.timeline.surely(this.book.unspentSince(this.timeline.arrival(now)), now) + afterMs;
  }

  /** The instant at which the slot of a request that is sent now ends. */
  nextSlot(now: number): number {
    return Math.max(now + 1, this.timeline.surely(this.slot(now).to, now));
  }

  /** Charges a request that is sent now. */
  spend(units: number, now: number): Entry {
    const arrival = this.timeline.arrival(now);
    Object.assign(this.#spent, { units: this.#spentLately(now) + units, at: now });
    const entry = this.book.spend(units, arrival, () => this.#slots.at(arrival), now);
    if (this.book.held(arrival) === 0) this.policy.spent(now, this.quantum);
    return entry;
  }

  /** Records a reading. */
  read(news: WindowNews): void {
    const { period, limit, shapes, sentAt, receivedAt } = news;
    this.timeline.hearRoundTrip(receivedAt - sentAt);
    const window = this.windows.open(period, limit, shapes);
    window.hear(news, this.timeline.at(sentAt), this.timeline.at(receivedAt));
    if (this.timeline.isSharp(receivedAt)) this.#probe.read(news, this.timeline.at(sentAt));
  }

  /** Whether a process that sends alone for a moment is needed to find out the shape of a short window. */
  needsLook(now: number): boolean {
    return this.windows.isInDoubt && !this.#isProbed(now);
  }

  /** The share has used up its looks. */
  looksOver(): void {
    this.#probe.replaceLooks();
  }

  /** Whether units are to be asked for that show the shape of the second. */
  isProbing(now: number): boolean {
    return this.policy.isBusy(now) && this.#probe.isDue(this.timeline.arrival(now));
  }

  /** From now on, only slots that begin at this instant or later are asked for. */
  askFrom(now: number): void {
    this.#askFrom = this.timeline.at(now).most;
  }

  /** Whether an ask must only tell: the store has lost its memory. */
  isGathering(now: number): boolean {
    return this.#recollection.isGathering(now);
  }

  /** Records how many processes have told the store theirs. */
  told(processes: number): void {
    if (this.#recollection.told(processes)) this.#unknownUntil = Number.NEGATIVE_INFINITY;
  }

  /** Composes an ask whose answer is expected after `tripMs`. `isSilent`: it may say nothing if there is no news. */
  compose(demand: Demand, now: number, tripMs: number, isSilent = true): Composed {
    const { need, isUrgent, isAlone = false, concurrency, maxWaitMs } = demand;
    const arrival = this.timeline.arrival(now);
    this.book.refine((first, last) =>
      this.#slots.at({ least: this.timeline.arrival(first).least, most: this.timeline.arrival(last).most }),
    );
    const held = this.book.held(arrival);
    const size = this.#size;
    // Units of a later slot do not help an urgent call: it asks for the present slot.
    const isImpatient = isUrgent && held >= demand.want && this.book.left(arrival) < need;
    const probe = !isUrgent && demand.want > held ? this.#probeSlot(now + tripMs) : undefined;
    const isCalm = probe === undefined && this.#isCalm(demand, now);
    const waiting = Math.max(0, demand.want - held);
    const aheadAt = isAlone ? Number.POSITIVE_INFINITY : this.asksAheadAt(now);
    const isAhead = demand.want <= 0 && now >= aheadAt;
    const spare = probe || isUrgent || (waiting !== need && !isAhead) ? undefined : this.#spare(now + tripMs);
    const only =
      probe ?? spare?.slot ?? (isImpatient ? this.#slots.at(this.timeline.arrival(now + tripMs)) : undefined);
    const slots = only ? [only] : this.#wished(demand, isCalm, now + tripMs);
    // At most what `concurrency` allows to be sent before the last of these slots ends.
    const lastMs = (slots.at(-1)?.to ?? 0) - arrival.least;
    const sendable = Math.ceil((concurrency * lastMs) / Math.max(1, this.timeline.roundTripMs));
    const needed =
      demand.want <= 0 ? 0 : Math.max(isImpatient ? need : 0, Math.min(waiting, Math.max(CHUNK, sendable - held)));
    const want = probe ? need : needed + (spare?.units ?? 0);
    const time = arrival.least;
    const from = slots[0]?.from ?? time;
    const kept = (instance: Instance): number =>
      instance.window.carried(instance, from) +
      (isAhead ? Math.ceil(instance.limit * AMPLE) : 0) +
      (isUrgent
        ? 0
        : this.#reserve.kept(instance, time) +
          instance.window.keptForProbe(from, time + maxWaitMs) +
          (isCalm ? this.#probe.kept(instance) : 0));
    const reach = { least: time, most: Math.max(slots.at(-1)?.to ?? 0, arrival.most + REACH_MS) };
    const also = [...this.windows].flatMap((window) => [window.previous(from) ?? [], window.steps(reach)].flat());
    // What was asked for ahead is kept for the calls that are expected.
    const isKept = !isAhead && aheadAt < Number.POSITIVE_INFINITY;
    const surplus = isKept ? 0 : Math.max(0, held - demand.want);
    const wish = this.policy.isLate(now) ? 2 : 1;
    const told = this.book.compose(
      { want, need, slots, wish: spare ? 3 : wish, kept, also, surplus, isSilent },
      arrival,
      time,
      now,
    );
    const asked = {
      want: spare ? needed : want,
      need,
      slots: want > 0 ? slots : [],
      kept,
      also,
      isSparing: spare !== undefined,
      isNear: this.isNear,
    };
    const rate = Math.min(...[...this.windows].map(({ limit, period }) => limit / periodMsOf(period)));
    const windows = this.#recollection.remind(told.windows, rate, now);
    // A unit that shows a shape is no part of what this process may hold.
    return {
      ...told,
      held: probe ? 0 : told.held,
      windows,
      want,
      need,
      size,
      chunk: CHUNK,
      stayMs: STAY_MS,
      asked,
      also,
    };
  }

  /** Records the answer to an ask that was sent at `sentAt`. `processes`: how many were live before it. */
  receive(
    { asked, also, slots, windows }: Composed,
    answer: Answer,
    processes: number,
    sentAt: number,
    now: number,
  ): void {
    // A store that lost its memory so long ago that all slots of that time are over knows what other processes hold.
    const unknownMs = Math.max(0, REACH_MS - answer.urgent.forMs);
    const before = { processes, aheadMs: this.isAmple(now) ? 0 : Math.min(this.#aheadMs(now), unknownMs) };
    this.timeline.hearStore(answer.now, sentAt, now);
    this.#others = answer.others;
    this.#heardAt = now;
    const used = new Map(windows.map(({ name }, index) => [name, answer.used[index] ?? 0]));
    for (const instance of [...also, ...asked.slots.flatMap(({ instances }) => instances)]) {
      const units = used.get(instance.name);
      if (units !== undefined) instance.window.hearUsed(instance, units);
    }
    this.#reserve.hear(answer);
    const granted = new Map(slots.map(({ name }, index) => [name, answer.granted[index] ?? 0]));
    const outcome = {
      granted: ({ name }: Slot): number => granted.get(name) ?? 0,
      used: ({ name }: Instance): number => used.get(name) ?? 0,
      surely: (time: number): number => this.timeline.surely(time, now),
      others: answer.others,
    };
    this.policy.hear(asked, outcome, now);
    if (asked.isSparing && answer.granted.every((units) => units === 0)) this.#aheadFrom = now + IN_VAIN_MS;
    const parts = asked.slots.flatMap(({ instances }) => instances.map((each) => 1 - outcome.used(each) / each.limit));
    if (parts.length > 0) this.#room = Math.min(...parts);
    // Units that other processes hold are not booked until each has made a trip, so no slot is used that they may have asked for.
    const isLost = this.#recollection.hear(windows, answer, before, now);
    if (isLost && before.aheadMs > 0) this.#unknownUntil = this.timeline.at(now + before.aheadMs).most;
    if (this.isGathering(now)) this.policy.hasten(now + GATHER_MS);
    this.book.grant(answer, this.timeline.arrival(now), isLost ? this.#unknownUntil : Number.NEGATIVE_INFINITY);
  }

  /** The smallest limit of all windows, in units. */
  get #size(): number {
    return Math.min(...[...this.windows].map(({ limit }) => limit));
  }

  #spentLately(now: number): number {
    return this.#spent.units * Math.exp((this.#spent.at - now) / RATE_MS);
  }

  /** Units of the calls that will likely follow, and the slot of all of them; none where a process lacks units. */
  #spare(now: number): { readonly units: number; readonly slot: Slot } | undefined {
    const { forMs, likely, part } = this.isNear ? SPARE_NEAR : SPARE;
    const expected = (this.#spentLately(now) * forMs) / RATE_MS;
    const units = Math.min(Math.floor(expected + 1 - likely), CHUNK, Math.ceil(this.#size * part));
    // A store that is near is asked whether there is room: what the last answer said may be of a second that is over.
    const isFree = this.isNear ? !this.policy.isBusy(now) : this.isAmple(now);
    if (units <= 0 || this.others(now) > 0 || !isFree) return undefined;
    const { least, most } = this.timeline.arrival(now);
    const slot = this.#slots.at({ least, most: most + forMs });
    return slot.from < this.#heldBackUntil(most) ? undefined : { units, slot };
  }

  /** No slot that begins before this time is asked for. One that no process can hold yet does not count: the clock was set back. */
  #heldBackUntil(latest: number): number {
    const until = Math.max(this.#askFrom, this.#unknownUntil);
    return until > latest + REACH_MS ? Number.NEGATIVE_INFINITY : until;
  }

  /** How far ahead the present number of needy processes asks for slots, in milliseconds. */
  #aheadMs(now: number): number {
    const processes = this.others(now) + 1;
    const part = Math.max(CHUNK, Math.ceil(this.#size / processes));
    return Math.min(LONGEST_AHEAD_MS, Math.ceil((processes * part) / Math.max(1, this.#size)) * 1_000);
  }

  /**
   * The slots to ask for. A single call asks for the slot it arrives in, even if that slot spans a boundary, and for the next one unless
   * the first surely has room; after a grant that was too small, a slot wider than the following ones is skipped, because its units
   * count in more windows.
   */
  #wished(demand: Demand, isCalm: boolean, now: number): readonly Slot[] {
    const arrival = this.timeline.arrival(now);
    const present = this.#slots.at(arrival);
    const from = this.#heldBackUntil(arrival.most);
    const isMany = this.#isMany(demand);
    if (!isMany && present.from >= from && this.isAmple(now)) return [present];
    const { quantum } = this;
    const count = isMany ? Math.min(MOST_SLOTS, Math.ceil(this.#aheadMs(now) / quantum)) : 1;
    const following = this.#slots.after(arrival, count);
    const isWide = present.to - present.from > (following[0]?.to ?? 0) - (following[0]?.from ?? 0);
    const slots = this.policy.isLimited && isWide ? following : [present, ...following];
    if (present.from < from)
      return this.#slots.after({ least: from, most: from + arrival.most - arrival.least }, count);
    return isCalm ? this.#probe.filter(slots) : slots;
  }

  #isMany({ want, need }: Demand): boolean {
    return want > need || this.policy.isLimited;
  }

  /** Whether the beginnings of seconds are left empty: only by a process whose calls wait anyway. */
  #isCalm(demand: Demand, now: number): boolean {
    return this.#isMany(demand) && this.policy.isBusy(now) && this.#isProbed(now);
  }

  /** Whether the shape of the second may be found out while all processes send. */
  #isProbed(now: number): boolean {
    return this.timeline.isSharp(now) && this.#probe.isOn(this.timeline.at(now).least);
  }

  #probeSlot(now: number): Slot | undefined {
    const arrival = this.timeline.arrival(now);
    return this.isProbing(now) ? this.#probe.slot(this.#slots.after(arrival, MOST_SLOTS), arrival) : undefined;
  }
}
