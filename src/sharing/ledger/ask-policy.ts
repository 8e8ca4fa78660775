import type { Slot } from '../slots/slots.ts';
import type { Instance } from '../slots/window.ts';
import { BATCHES } from '../store/batches.ts';
import {
  type Asked,
  fullUntil,
  isFull,
  isFullByProbe,
  lacksRoom,
  type Outcome,
  probesOf,
  roomOf,
  slidesOutAt,
} from './room.ts';

/** A repeated ask is delayed by a random time up to this part of a slot, so that no process is always first. */
const SPREAD = 0.3;

/**
 * Interval at which a full window is asked for again, in milliseconds, and the factor by which it grows, a number of times. Units that
 * were held and not used are returned within the first one; later ones come of readings that remove unused claims.
 */
const RETRY_MS = 5_000;
const RETRY_FACTOR = 6;
const RETRY_GROWS = 3;

/** A store that is near is asked that much sooner, until a full window is sure to be full: units that were held are back sooner. */
const RETRY_NEAR_MS: number = RETRY_MS / 2;

/** Time in which the reserve for urgent calls shrinks noticeably, in milliseconds. */
const RELEASE_MS = 2_000;

/** Minimum interval between asks for urgent calls, and for one that has units of a later slot, in milliseconds. */
const URGENT_MS = 100;
const LATER_HELD_MS = 500;

/** A process is busy for this long after an ask whose first slot was not granted in full, in milliseconds. */
const BUSY_MS = 1_500;

/**
 * A window longer than a minute counts as full after two such answers this far apart: processes may return units. So does a minute for
 * a call that can wait so long. In milliseconds.
 */
export const SURE_MS = 5_000;

/** Answers that are further apart are not in a row, in milliseconds. */
const ROW_MS: number = 2 * SURE_MS;

/** How far ahead slots are asked for, and how long a process counts as needy after an ask that was not granted in full, in milliseconds. */
export const LONGEST_AHEAD_MS = 3_000;
export const STAY_MS = 1_500;

/**
 * If at least this part of every window is free when the store is lost, calls go on without a grant at once. After this time, in
 * milliseconds, an answer is no evidence of usage any more.
 */
export const AMPLE = 0.5;
const TELLS_MS = 10_000;

/** An instance that is full until its end. */
export interface FullWindow {
  readonly instance: Instance;
  /** When that is, by the timeline; for what slides sooner, if a request at the beginning of the calendar's next window may show that it does not. */
  readonly end: number;
  /** When the first and the last answer showed it full. */
  readonly since: number;
  readonly at: number;
  /** Whether what is left of it was kept for a request that shows its shape, and the call may get that. */
  readonly isKept: boolean;
  /** Units of the call that found it full, if what is left is of no use to that: cheaper ones may get it. Else 0. */
  readonly need: number;
}

/** Decides when to ask the store for units. */
export class AskPolicy {
  readonly #random: () => number;
  #isLimited = false;
  #crowdedAt = -Infinity;
  #retryAt = -Infinity;
  #lateAt = Infinity;
  #askedAt = -Infinity;
  #fruitless = 0;
  #full: FullWindow | undefined;
  /**
   * The first and the last of the latest answers in a row that granted nothing, beginning with one by which a window longer than a second had
   * nothing left for the first call; `isNow`: that is so by the last one, too.
   */
  #lacking: { readonly since: number; readonly at: number; readonly isNow: boolean } | undefined;
  #heardAt = -Infinity;
  #others = 0;
  /** Free part of the tightest window, by the last answer. */
  #room = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Whether the last ask was not granted in full. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** Whether an ask was not granted in full in the last {@link BUSY_MS}: each answered call is then likely followed by another. */
  isBusy(now: number): boolean {
    return now < this.#crowdedAt + BUSY_MS;
  }

  /** How many other processes are needy, by the last answer. A process that spends units of later slots does not ask for a while. */
  others(now: number): number {
    return now - this.#heardAt > LONGEST_AHEAD_MS + STAY_MS ? 0 : this.#others;
  }

  /**
   * Whether calls without a grant are likely to fit: every ask was granted in full lately, and the last answer showed ample room
   * or is older than {@link TELLS_MS}.
   */
  isAmple(now: number): boolean {
    if (this.#heardAt === -Infinity || this.isBusy(now)) return false;
    return now - this.#heardAt > TELLS_MS || this.#room >= AMPLE;
  }

  /** Whether the second half of a slot has begun whose room was withheld for fairness in the first. */
  isLate(now: number): boolean {
    return now >= this.#lateAt;
  }

  /** When to ask next; -Infinity: at once. `held`: units held for the present and later slots. */
  nextAt(held: number, isUrgent: boolean): number {
    if (isUrgent) return held > 0 ? this.#askedAt + LATER_HELD_MS : Math.min(this.#askedAt + URGENT_MS, this.#retryAt);
    if (this.#isLimited && held > 0) return this.#lateAt;
    return Math.min(this.#retryAt, this.#lateAt);
  }

  /** The instance that is full until its end, by the last answer; `time`: by the timeline. */
  seemsFull(time: number): FullWindow | undefined {
    return this.#full && time < this.#full.end ? this.#full : undefined;
  }

  /** The instance that is full until its end, if that is certain. */
  full(time: number): FullWindow | undefined {
    const full = this.seemsFull(time);
    return full && (!full.instance.window.isLong || full.at - full.since >= SURE_MS) ? full : undefined;
  }

  /** Whether nothing but a second was too full for the first call lately: it need not wait for long. */
  isPassing(now: number): boolean {
    return this.isBusy(now) && this.#lacking === undefined;
  }

  /** Whether a window has nothing left for the first call, if that is certain: it is full, or what is left is kept for other calls. */
  get isLacking(): boolean {
    return this.#lacking?.isNow === true && this.#lacking.at - this.#lacking.since >= SURE_MS;
  }

  /** Called when all held units are spent: after a grant that was too small, the next ask is delayed by a random time. */
  spent(now: number, quantum: number): void {
    if (this.#isLimited) this.#retryAt = Math.max(this.#retryAt, now + this.#random() * quantum * SPREAD);
  }

  /** The next ask is due then at the latest. */
  hasten(at: number): void {
    this.#isLimited = true;
    this.#retryAt = Math.min(this.#retryAt, at);
  }

  /** Drops what earlier answers showed, because a limit, a shape or the share has changed. */
  reset(): void {
    this.#isLimited = false;
    this.#retryAt = -Infinity;
    this.#lateAt = Infinity;
    this.#fruitless = 0;
    this.#full = undefined;
    this.#lacking = undefined;
  }

  /** Learns from the answer to an ask. */
  hear(asked: Asked, outcome: Outcome, now: number): void {
    const { want, slots } = asked;
    const { granted, used, surely, others } = outcome;
    [this.#heardAt, this.#others] = [now, others];
    const parts = slots.flatMap(({ instances }) => instances.map((each) => 1 - used(each) / each.limit));
    if (parts.length > 0) this.#room = Math.min(...parts);
    const [first] = slots;
    if (want <= 0 || !first) return;
    this.#askedAt = now;
    const given = slots.reduce((units, slot) => units + granted(slot), 0);
    this.#isLimited = given < want;
    if (granted(first) < want) this.#crowdedAt = now;
    this.#lateAt = Infinity;
    this.#retryAt = -Infinity;
    if (given > 0) {
      this.#full = undefined;
      this.#lacking = undefined;
    }
    if (!this.#isLimited) return;
    // At once, for the present slot alone.
    if (asked.isSparing) return;
    const length = first.to - first.from;
    const spread = this.#random() * length * SPREAD;
    const room = Math.min(...first.instances.map((instance) => roomOf(instance, asked, outcome)));
    // Room withheld for fairness is available to every process in the second half of its slot.
    const half = surely((first.from + first.to) / 2);
    if (room >= (given > 0 ? 1 : asked.need) && now < half) this.#lateAt = half + spread;
    if (given > 0) return;
    this.#noteFull(asked, outcome, now);
    this.#noteLacking(asked, outcome, now);
    this.#retryAt = this.#nextRoom(asked, outcome, spread, now);
    const full = this.#full;
    // Answers that follow each other within moments, as for urgent calls, are no reason to ask later.
    const isSure = this.isLacking || (full !== undefined && full.at - full.since >= SURE_MS);
    this.#fruitless = isSure ? this.#fruitless + 1 : 0;
    this.#retryAt = Math.min(this.#retryAt, now + this.#retryMs(asked.isNear) + spread);
  }

  /** After how long to ask again for a window that is full. */
  #retryMs(isNear: boolean): number {
    if (isNear && this.#fruitless === 0) return RETRY_NEAR_MS;
    return RETRY_MS * RETRY_FACTOR ** Math.min(RETRY_GROWS, this.#fruitless);
  }

  /** Which window longer than a second is full, and since when: of several the one that is so until later. */
  #noteFull(asked: Asked, outcome: Outcome, now: number): void {
    const { instances = [] } = asked.slots.at(-1) ?? {};
    const all = instances.filter(
      (each) => !each.window.isShort && lacksRoom(each, asked, outcome) && isFull(each, asked, outcome),
    );
    const isKept = all.every((each) => isFullByProbe(each, asked, outcome));
    const known = this.#full;
    this.#full = undefined;
    for (const instance of all) {
      const end = fullUntil(instance, asked, outcome);
      if (this.#full && end <= this.#full.end) continue;
      // What slides is full until a later end as soon as a unit of it is granted to another process.
      const isSame = known?.instance.window === instance.window && outcome.surely(known.end) > now;
      const need = instance.window.isCalendar ? asked.need : 0;
      this.#full = { instance, end, since: isSame ? known.since : now, at: now, isKept, need };
    }
  }

  /** Whether a window longer than a second has nothing left for the first call, and since when answers in a row say so. */
  #noteLacking(asked: Asked, outcome: Outcome, now: number): void {
    const { slots, also } = asked;
    const from = slots[0]?.from ?? 0;
    // A unit of a step counts in those after it, of which more is kept for urgent calls.
    const later = also.filter(({ drain, end }) => drain !== undefined && end > from);
    const isNow = [...slots.flatMap(({ instances }) => instances), ...later].some(
      (each) => !each.window.isShort && lacksRoom(each, asked, outcome),
    );
    const row = this.#lacking;
    const isRow = row !== undefined && now - row.at <= ROW_MS;
    this.#lacking = isNow || isRow ? { since: isRow ? row.since : now, at: now, isNow } : undefined;
  }

  /** When slots or units that this ask could not reach become available. */
  #nextRoom(asked: Asked, outcome: Outcome, spread: number, now: number): number {
    const { slots } = asked;
    const { surely, others, freesAt } = outcome;
    const first = slots[0] as Slot;
    const last = slots[slots.length - 1] as Slot;
    const aheadMs = last.from - first.from;
    const nextAt = surely(first.from + (aheadMs / Math.max(1, slots.length - 1) || first.to - first.from)) + spread;
    let at = freesAt === undefined ? nextAt : Math.min(nextAt, surely(freesAt));
    // A unit that is kept for the beginning of the calendar's next window is there for the first process that asks then.
    const probesAt = Math.min(...probesOf(asked).map(({ end }) => surely(end))) + spread;
    for (const instance of last.instances) {
      if (!lacksRoom(instance, asked, outcome)) continue;
      const { window, slides } = instance;
      const isAllUsed = isFull(instance, asked, outcome);
      // The processes that wait for the same steps or batches, or for what is kept to shrink, ask in turn, so that all of them together
      // ask twice in that time. What a window holds that slides is known until some of it has slid out, so that one of them asks soon after that.
      const stepMs = isAllUsed && slides !== undefined ? slides : Math.min(slides ?? RELEASE_MS, RELEASE_MS);
      const turnMs = Math.min(RETRY_MS, (stepMs / 2) * (window.isShort && slides === undefined ? 1 : others + 1));
      const soonMs = Math.min(turnMs, ((slides ?? 0) / BATCHES / 2) * (others + 1));
      const knownUntil = slidesOutAt(instance, outcome);
      const chanceMs = slides === undefined ? spread : (this.#random() * soonMs) / 2;
      // Before an instance ends a slot is asked for that begins then; what slides out is of the slot of that time.
      const endsAt = surely(knownUntil ?? instance.end - aheadMs) + chanceMs;
      const isKnown = window.isLong || knownUntil !== undefined;
      const turnAt = isAllUsed && isKnown ? Infinity : now + turnMs + spread;
      const asksAt = Math.min(turnAt, window.isShort ? Infinity : endsAt, probesAt);
      // A full calendar window has room after its end, and so has a second that slides for a slot after the stretch. A longer one, or what is in doubt, may
      // have room at its next step, and the reserve for urgent calls shrinks.
      const isOver = slides === undefined || (window.isShort && !window.isInDoubt);
      at = Math.max(at, isAllUsed && isOver ? endsAt : asksAt);
    }
    return at;
  }
}
