import type { Slot, Slots } from '../slots/slots.ts';
import type { Timeline } from '../slots/timeline.ts';
import type { SharedWindows } from '../slots/windows.ts';
import { WISH_ANY, WISH_PART, WISH_SPARING, type Wish } from '../store/store.ts';
import type { AskPolicy } from './ask-policy.ts';
import type { Book } from './book.ts';
import type { Demand } from './call-needs.ts';
import { ExpectedCalls } from './expected-calls.ts';
import { CHUNK, type SlotChoice } from './slot-choice.ts';

/** What to ask for. */
export interface AskPlan {
  /** Units to ask for, how many of them are not for calls that are only expected, and what the first call needs of these. */
  readonly want: number;
  readonly needed: number;
  readonly need: number;
  /** The slots to ask for, earliest first. */
  readonly slots: readonly Slot[];
  /** What is wished of the first slot. */
  readonly wish: Wish;
  /** Held units that no call needs. */
  readonly surplus: number;
  /** Whether it is for a unit that shows the shape of the second. */
  readonly isProbe: boolean;
  /** Whether the beginnings of seconds are left empty. */
  readonly isCalm: boolean;
  /** Whether it is only for calls that are expected. */
  readonly isAhead: boolean;
}

/** What {@link AskPlanner} decides by. */
export interface AskGrounds {
  readonly windows: SharedWindows;
  readonly timeline: Timeline;
  readonly slots: Slots;
  readonly book: Book;
  readonly policy: AskPolicy;
  readonly choice: SlotChoice;
}

/** Decides how many units to ask for, and of which slots. */
export class AskPlanner {
  /** See {@link ShareStore.isNear}. */
  isNear = false;
  readonly expected: ExpectedCalls = new ExpectedCalls();
  readonly #grounds: AskGrounds;

  constructor(grounds: AskGrounds) {
    this.#grounds = grounds;
  }

  /** The instant at which to ask for units ahead of any call; Infinity: none is expected, or the store is not near. */
  asksAheadAt(now: number): number {
    const { timeline, book } = this.#grounds;
    if (!this.isNear || !this.#spare(now)) return Infinity;
    const arrival = timeline.arrival(now);
    const until = book.usableUntil(arrival);
    return Math.max(now, until === undefined ? this.expected.askFrom : now + until - arrival.most);
  }

  /** What to ask for now, where the answer is expected after `tripMs`. */
  plan(demand: Demand, now: number, tripMs: number): AskPlan {
    const { want, need, isUrgent, isAlone = false, concurrency } = demand;
    const { timeline, slots, book, policy, choice } = this.#grounds;
    const answeredAt = now + tripMs;
    const arrival = timeline.arrival(now);
    const held = book.held(arrival);
    // What is held of several slots is not enough for a call that needs as much of one.
    const isCovered = want <= 0 || book.holds(need, arrival);
    const lacking = Math.max(isCovered ? 0 : need, want - held);
    // Units of a later slot do not help an urgent call: it asks for the present slot.
    const isImpatient = isUrgent && held >= want && book.left(arrival) < need;
    const probe = !isUrgent && lacking > 0 ? choice.probing(answeredAt) : undefined;
    const isCalm = probe === undefined && choice.isCalm(demand, now);
    const aheadAt = isAlone ? Infinity : this.asksAheadAt(now);
    const isAhead = want <= 0 && now >= aheadAt;
    const spare = probe || isUrgent || (lacking !== need && !isAhead) ? undefined : this.#spare(answeredAt);
    const only = probe ?? spare?.slot ?? (isImpatient ? slots.at(timeline.arrival(answeredAt)) : undefined);
    const wished = only ? [only] : choice.wished(demand, isCalm, answeredAt);
    // At most what `concurrency` allows to be sent before the last of these slots ends.
    const lastMs = (wished.at(-1)?.to ?? 0) - arrival.least;
    const sendable = need * Math.ceil((concurrency * lastMs) / Math.max(1, timeline.roundTripMs)) - held;
    const least = isImpatient || !isCovered ? need : 0;
    const usual = want <= 0 ? 0 : Math.max(least, Math.min(lacking, Math.max(CHUNK, sendable)));
    const late = policy.isLate(now) ? WISH_ANY : WISH_PART;
    const needed = probe ? need : usual;
    return {
      want: needed + (spare?.units ?? 0),
      needed,
      need: Math.min(need, Math.max(1, needed)),
      slots: wished,
      wish: spare ? WISH_SPARING : late,
      // What was asked for ahead is kept for the calls that are expected.
      surplus: aheadAt < Infinity ? 0 : Math.max(0, held + (isCovered ? 0 : lacking) - want),
      isProbe: probe !== undefined,
      isCalm,
      isAhead,
    };
  }

  /** Units of the calls that will likely follow, and the slot of all of them; none where a process lacks units. */
  #spare(now: number): { readonly units: number; readonly slot: Slot } | undefined {
    const { windows, policy, choice } = this.#grounds;
    const { units, forMs } = this.expected.demand(this.isNear, windows.smallest, now);
    // A store that is near is asked whether there is room: what the last answer said may be of a second that is over.
    const isFree = this.isNear ? !policy.isBusy(now) : policy.isAmple(now);
    if (units <= 0 || policy.others(now) > 0 || !isFree) return undefined;
    const slot = choice.expected(forMs, now);
    return slot && { units, slot };
  }
}
