import type { WindowNews } from '../../quota/share-limit.ts';
import { type Period, periodMsOf, startOf } from '../../quota/time/periods.ts';
import type { ServerClock } from '../../quota/time/server-clock.ts';
import { ARRIVES_WITHIN_MS } from '../../quota/usage/in-flight.ts';
import { URGENT } from '../../share.ts';
import { type Slot, Slots } from '../slots/slots.ts';
import { Timeline, type TimeRange } from '../slots/timeline.ts';
import { type Instance, MISSING_MS, REACH_MS, type SharedWindow } from '../slots/window.ts';
import { SharedWindows } from '../slots/windows.ts';
import { type Answer, type ShareAsk, WISH_SPARING } from '../store/store.ts';
import { type AskPlan, AskPlanner } from './ask-planner.ts';
import { AMPLE, AskPolicy, type FullWindow, STAY_MS } from './ask-policy.ts';
import { Book, type Entry, type Sent, SOONER_MS, type Told } from './book.ts';
import type { Demand } from './call-needs.ts';
import { Recollection } from './recollection.ts';
import { type Asked, mayKeep, renounce } from './room.ts';
import { ShapeProbe } from './shape-probe.ts';
import { ShareReserve } from './share-reserve.ts';
import { CHUNK, SlotChoice } from './slot-choice.ts';
import { StrangersReserve } from './strangers-reserve.ts';
import { UnheardReading } from './unheard-reading.ts';

/** Unspent units are returned this long after the end of their slot, to a store that is near sooner, unless an earlier trip did so. In milliseconds. */
const GIVE_BACK_MS = 1_000;
const GIVE_BACK_NEAR_MS = 100;

/** While other processes tell a store that has lost its memory, waiting calls ask again at this interval, in milliseconds. */
const GATHER_MS = 100;

/** An ask, and the demand it was composed for. */
export interface Composed extends Told, Pick<ShareAsk, 'want' | 'need' | 'size' | 'chunk' | 'stayMs' | 'recentSince'> {
  readonly asked: Asked;
}

/** What a request was charged, in units, and of which claim; `undefined`: no window was known when it was sent. */
export interface Charged {
  readonly units: number;
  readonly entry: Entry | undefined;
}

/**
 * The state of this process in a share: windows, slots, claims, and what to ask for next. It does no I/O: time is an argument,
 * asks are composed here and sent elsewhere.
 */
export class Ledger {
  readonly windows: SharedWindows;
  readonly timeline: Timeline;
  readonly book: Book = new Book();
  readonly policy: AskPolicy;
  readonly #slots: Slots;
  readonly #probe: ShapeProbe;
  readonly choice: SlotChoice;
  readonly planner: AskPlanner;
  /** For calls of the ranks above the lowest, and above the usual one. */
  readonly #reserves = [new ShareReserve(), new ShareReserve()] as const;
  readonly strangers: StrangersReserve = new StrangersReserve();
  readonly #recollection = new Recollection();
  readonly #unheard = new UnheardReading();
  /** Whether a request was answered long before its slot ends while processes lack units: the next ask frees what it does not count in. */
  #narrows = false;

  constructor(clock: ServerClock, random: () => number) {
    this.windows = new SharedWindows(clock);
    this.#slots = new Slots(this.windows);
    this.#probe = new ShapeProbe(this.windows);
    this.timeline = new Timeline(clock);
    this.policy = new AskPolicy(random);
    const { windows, timeline, policy, book } = this;
    this.choice = new SlotChoice(this.#slots, windows, timeline, policy, this.#probe);
    this.planner = new AskPlanner({ windows, timeline, slots: this.#slots, book, policy, choice: this.choice });
  }

  /** Whether no window is known. */
  get isNew(): boolean {
    return this.windows.size === 0;
  }

  /** Time since the calendar's window of a period began, in milliseconds. */
  elapsed(period: Period, now: number): number {
    const time = this.timeline.at(now).least;
    return time - startOf(period, time);
  }

  /** Whether a window longer than a second is full until its end, by the last answer. */
  seemsFull(now: number): boolean {
    return this.policy.seemsFull(this.timeline.at(now).least) !== undefined;
  }

  /** The window that is full until its end, if that is certain. */
  full(now: number): FullWindow | undefined {
    return this.policy.full(this.timeline.at(now).least);
  }

  /** Whole units charged to each window: at most what can be granted together, so that a request that costs more takes all of it. */
  units(charge: number): number {
    return Math.min(Math.ceil(charge), this.windows.smallest);
  }

  /** Whether strangers explain a refusal by this window. */
  isForStrangers(period: Period, now: number): boolean {
    const window = this.windows.of(period);
    return window !== undefined && this.strangers.units(window, now) > 0 && !window.isExceeded(now);
  }

  /** Units available for a request that is sent now. */
  left(now: number): number {
    const left = this.book.left(this.timeline.arrival(now));
    return left && left - this.heldUp(now);
  }

  /** Units of the present slot that are kept for requests which are held up: one for each that may not have arrived yet. */
  heldUp(now: number): number {
    const time = this.timeline.at(now);
    return this.book.heldUp(time, now - ARRIVES_WITHIN_MS, this.#slotAt(time));
  }

  /** Units held for requests that are sent now or later. */
  held(now: number): number {
    return this.book.held(this.timeline.arrival(now));
  }

  /** Whether so many units are held of one slot, for a request that is sent now or later. */
  holds(units: number, now: number): boolean {
    return this.book.holds(units, this.timeline.arrival(now));
  }

  /** The slot in which a request that is sent now arrives. */
  slot(now: number): Slot {
    return this.#slots.at(this.timeline.arrival(now));
  }

  /** The instant at which the next slot with held units begins. */
  nextHeld(now: number): number {
    return this.timeline.surely(this.book.nextHeld(this.timeline.arrival(now)), now);
  }

  /** The instant at which unspent units are to be returned; Infinity: there are none. */
  givesBackAt(now: number): number {
    const afterMs = this.planner.isNear ? GIVE_BACK_NEAR_MS : GIVE_BACK_MS;
    return this.timeline.surely(this.book.unspentSince(this.timeline.arrival(now)), now) + afterMs;
  }

  /** The instant at which to tell the last reading or, at once, that a request was answered early, although there is nothing else to say; Infinity: never. */
  get tellsAt(): number {
    return this.#narrows ? -Infinity : this.#unheard.tellsAt;
  }

  /** The instant at which the slot of a request that is sent now ends. */
  nextSlot(now: number): number {
    return Math.max(now + 1, this.timeline.surely(this.slot(now).to, now));
  }

  /**
   * The earliest instant for a request whose units are granted, if the last one was sent at `sentAt`; `now`: it is not spaced. Where strangers use the
   * second, too, the requests of a slot are spaced evenly over the rest of it, so that all consumers see each other's usage in time. Not where even steps
   * do that, nor where no part of a second can be met, as where responses are slow: units can be spent for a small part of such a slot only, and most
   * would be lost.
   */
  spacedFrom(units: number, sentAt: number, now: number): number {
    const second = this.windows.of('second');
    if (!second || second.isEven || this.strangers.units(second, now) === 0) return now;
    if (!this.timeline.isGuess(now) && !this.timeline.isSharp(now)) return now;
    return sentAt + ((this.nextSlot(now) - sentAt) * units) / (this.left(now) + units);
  }

  /** Charges a request that is sent now, to a claim if any window is known. */
  charge(units: number, now: number): Charged {
    return { units, entry: this.isNew ? undefined : this.spend(units, now) };
  }

  /** Charges a request that is sent now to a claim. */
  spend(units: number, now: number): Entry {
    const arrival = this.timeline.arrival(now);
    this.planner.expected.onSent(units, now);
    this.strangers.onSent(units, now);
    const isGuess = this.timeline.isGuess(now);
    const entry = this.book.spend(units, arrival, this.#slotAt(arrival), now, isGuess);
    if (this.book.held(arrival) === 0) this.policy.spent(now, this.#slots.quantum);
    return entry;
  }

  /** Ends a request that was charged so much of a claim, and has cost `units`. */
  settle({ entry, units: charged }: Charged, units: number, isServed: boolean, now: number): void {
    if (!entry) {
      if (!this.isNew) this.book.settle(this.spend(units, now), 0);
      return;
    }
    const time = this.timeline.at(now);
    if (isServed) this.book.chargeLate(entry, units, time, this.#slotAt(time));
    this.book.settle(entry, units - charged, isServed ? now : undefined);
    const isEarly = isServed && entry.slot.to - time.most >= Math.max(SOONER_MS, this.#slots.quantum);
    const isScarce = this.policy.isBusy(now) || (this.policy.others(now) > 0 && !this.policy.isAmple(now));
    if (isEarly && isScarce && entry.open === 0 && this.windows.of('second')) this.#narrows = true;
  }

  /** The slot of a range, made when it is first asked for: it names an instance of each window. */
  #slotAt(range: TimeRange): () => Slot {
    let slot: Slot | undefined;
    return () => (slot ??= this.#slots.at(range));
  }

  /** Records a reading. */
  read(news: WindowNews): void {
    const { period, limit, shapes, sentAt, receivedAt } = news;
    this.timeline.addRoundTrip(receivedAt - sentAt);
    const window = this.windows.open(period, limit, shapes);
    this.strangers.read(news, this.#countedFrom(window, sentAt));
    window.read(news, this.timeline.at(sentAt), this.timeline.at(receivedAt), this.timeline.vagueMs(receivedAt));
    if (!window.isShort) this.#unheard.read(news, this.held(receivedAt), !window.isLong && !window.isCalendar);
    if (this.timeline.isSharp(receivedAt)) this.#probe.read(news, this.timeline.at(sentAt));
  }

  /** Since when a reading of a request that was sent at `sentAt` counts all that this process has sent; if that is not known, it counts that request. */
  #countedFrom({ period, isCalendar, maySlide }: SharedWindow, sentAt: number): number {
    if (isCalendar) return sentAt - this.elapsed(period, sentAt);
    return maySlide ? sentAt - periodMsOf(period) : sentAt;
  }

  /** Whether a process that sends alone for a moment is needed to find out the shape of a short window. */
  needsLook(now: number): boolean {
    return this.windows.isInDoubt && !this.choice.isProbed(now);
  }

  /** The share has used up its looks. */
  looksOver(): void {
    this.#probe.replaceLooks();
  }

  /** Whether an ask must only tell: the store has lost its memory. */
  isGathering(now: number): boolean {
    return this.#recollection.isGathering(now);
  }

  /** Records how many processes have told the store theirs. */
  told(processes: number): void {
    if (this.#recollection.told(processes)) this.choice.trust();
  }

  /** Composes an ask whose answer is expected after `tripMs`. `isSilent`: it may say nothing if there is no news. */
  compose(demand: Demand, now: number, tripMs: number, isSilent = true): Composed {
    this.#refine(now);
    this.#narrows = false;
    const plan = this.planner.plan(demand, now, tripMs);
    const { want, need, slots, wish, surplus } = plan;
    const arrival = this.timeline.arrival(now);
    const time = arrival.least;
    const kept = this.#keptBy(plan, demand, now);
    const { tellsAt } = this.#unheard;
    const isReading = tellsAt < Infinity && (now >= tellsAt || !isSilent);
    const also = this.#alwaysNamed(slots, arrival);
    if (isReading) also.push(...this.slot(now).instances);
    const told = this.book.compose(
      { want, need, slots, wish, kept, also, surplus, isSilent: isSilent && !isReading },
      arrival,
      time,
      now,
    );
    if (told.windows.length > 0) this.#unheard.tell();
    const asked = {
      want: plan.needed,
      need,
      slots: want > 0 ? slots : [],
      kept,
      also,
      isSparing: wish === WISH_SPARING,
      isNear: this.planner.isNear,
    };
    const divided = this.#divided(now);
    const { storeOffset } = this.timeline;
    return {
      ...told,
      // A unit that shows a shape is no part of what this process may hold.
      held: plan.isProbe ? 0 : told.held,
      windows: this.#recollection.remind(told.windows, now),
      recentSince: storeOffset ? now + storeOffset.least - told.oldestMs - MISSING_MS : 0,
      want,
      // More than it needs a store grants of what is free beyond half, which such an ask leaves free already.
      need: plan.isAhead ? want : need,
      size: divided,
      chunk: Math.min(CHUNK, Math.ceil(divided / 2)),
      stayMs: STAY_MS,
      asked,
    };
  }

  /**
   * Records the answer to an ask that was sent at `sentAt`. `processes`: how many were live before it.
   *
   * @returns whether the store has lost its memory.
   */
  receive(
    { asked, slots, windows }: Composed,
    answer: Answer,
    processes: number,
    sentAt: number,
    now: number,
  ): boolean {
    // A store that lost its memory so long ago that all slots of that time are over knows what other processes hold.
    const unknownMs = Math.max(0, REACH_MS - answer.urgent.forMs);
    const heldMs = Math.min(this.choice.heldAheadMs(now), unknownMs);
    const before = { processes, aheadMs: this.policy.isAmple(now) ? 0 : heldMs };
    this.timeline.hearStore(answer.now, sentAt, now);
    const used = new Map(windows.map(({ name }, index) => [name, answer.used[index] ?? 0]));
    const isLost = this.#recollection.hear(windows, answer, before, now);
    for (const instance of [...asked.also, ...asked.slots.flatMap(({ instances }) => instances)]) {
      const units = used.get(instance.name);
      // What the store has forgotten was used all the same.
      if (units === undefined || isLost) continue;
      instance.window.hearUsed(instance, units, this.timeline.at(now).least);
      if (instance.drain === undefined) this.#unheard.count(instance.window.period, units);
    }
    for (const window of this.windows) window.hearAll(used);
    const { urgent, usual = 0 } = answer;
    this.#reserves[0].hear(urgent.units + usual, answer);
    this.#reserves[1].hear(urgent.units, answer);
    const granted = new Map(slots.map(({ name }, index) => [name, answer.granted[index] ?? 0]));
    renounce(asked, granted, used);
    const outcome = {
      granted: ({ name }: Slot): number => granted.get(name) ?? 0,
      used: ({ name }: Instance): number => used.get(name) ?? 0,
      surely: (time: number): number => this.timeline.surely(time, now),
      others: answer.others,
      freesAt: answer.freeMs > 0 ? this.timeline.at(now).least + answer.freeMs : undefined,
    };
    this.policy.hear(asked, outcome, now);
    if (asked.isSparing && !answer.granted.some(Boolean)) this.planner.expected.askedInVain(now);
    // Units that other processes hold are not booked until each has made a trip, so no slot is used that they may have asked for.
    if (isLost && before.aheadMs > 0) this.choice.mistrust(now + before.aheadMs);
    if (this.isGathering(now)) this.policy.hasten(now + GATHER_MS);
    const usableFrom = isLost ? this.choice.unknownUntil : -Infinity;
    this.book.grant(answer, this.timeline.arrival(now), ({ name, from }) =>
      from < usableFrom ? 0 : (granted.get(name) ?? 0),
    );
    return isLost;
  }

  /** The fewest units of a window that needy processes divide: all but those that are left to strangers. */
  #divided(now: number): number {
    const parts = [...this.windows].map((window) => {
      const { limit, divided } = window;
      return divided - (this.strangers.units(window, now) * divided) / limit;
    });
    return Math.min(...parts);
  }

  /** Moves what was sent to narrower slots, as far as they are known now. */
  #refine(now: number): void {
    const isGuess = this.timeline.isGuess(now);
    const isExact = !isGuess && !this.policy.isAmple(now);
    this.book.refine((sent) => this.#slotOf(sent, isExact), isGuess);
  }

  /** Units of an instance that an ask must leave free: for what the service carries over, for other calls, and for requests that show a shape. */
  #keptBy({ slots, isCalm, isAhead }: AskPlan, demand: Demand, now: number): (instance: Instance) => number {
    const time = this.timeline.at(now).least;
    const from = slots[0]?.from ?? time;
    const vagueMs = this.timeline.vagueMs(now);
    const keptForOthers = (instance: Instance): number =>
      this.#reserves[demand.rank as 0 | 1].kept(instance, time) +
      instance.window.keptForProbe(from, time + demand.maxWaitMs) +
      (isCalm ? this.#probe.kept(instance) : 0);
    // Of what slides, processes with a smaller reserve take all that is left to strangers: one that is granted nothing leaves them none.
    const leavesUnits = ({ units, window }: Instance): boolean =>
      units === undefined && (window.isCalendar || !this.policy.isLacking);
    const leftToOthers = (instance: Instance): number =>
      (leavesUnits(instance) ? this.strangers.units(instance.window, now) : 0) +
      (demand.rank === URGENT ? 0 : keptForOthers(instance));
    return (instance) =>
      instance.window.carried(instance, from) +
      instance.window.spare(instance, demand.need, vagueMs) +
      (isAhead ? Math.ceil(instance.limit * AMPLE) : 0) +
      Math.min(mayKeep(instance, demand.need), leftToOthers(instance));
  }

  /** The instances that an ask names whether or not a slot counts in them. */
  #alwaysNamed(slots: readonly Slot[], { least, most }: TimeRange): Instance[] {
    const from = slots[0]?.from ?? least;
    const until = slots.at(-1)?.to ?? 0;
    return [...this.windows].flatMap((window) => {
      const steps = window.steps({ least, most: Math.max(until, most + window.reachMs) });
      return [window.previous(from) ?? [], steps].flat();
    });
  }

  /** The slot in which requests arrived. `isExact`: it ends where the last of them was answered at the latest. */
  #slotOf({ first, last, answered }: Sent, isExact: boolean): Slot {
    const { least } = this.timeline.arrival(first);
    const { most } = this.timeline.arrival(last);
    const vagueMs = this.timeline.vagueMs(last);
    if (!isExact || answered === Infinity) return this.#slots.at({ least, most }, vagueMs);
    const latest = Math.min(most, this.timeline.at(answered).most);
    const slot = this.#slots.at({ least, most: latest }, vagueMs);
    return { ...slot, to: Math.min(slot.to, latest + 1) };
  }
}
