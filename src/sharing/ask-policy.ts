import type { Slot } from './slots.ts';
import type { Instance } from './windows.ts';

/** An ask that was not granted in full is repeated after a random part of this part of a slot, so that no process is always first. */
const SPREAD = 0.3;

/** A window that is full is asked for again after this time, then after three times as long, in milliseconds. */
const RETRY_MS = 5_000;
const RETRY_FACTOR = 3;

/** What is kept for urgent calls has shrunk noticeably after this time, in milliseconds. */
const RELEASE_MS = 2_000;

/** Urgent calls ask no more often than this, in milliseconds. */
const URGENT_MS = 100;

/** A process is busy for this long after an ask that the present slot could not serve, in milliseconds. */
const BUSY_MS = 1_500;

/** A window longer than a minute is full if two answers say so that lie this far apart: others may give something back. In milliseconds. */
const SURE_MS = 5_000;

/** What an ask was about. */
export interface Asked {
  readonly want: number;
  readonly need: number;
  /** The slots that were wished for, earliest first. */
  readonly slots: readonly Slot[];
  readonly kept: (instance: Instance, isFirst: boolean) => number;
}

/** What came of an ask. */
export interface Outcome {
  /** Units granted of a slot. */
  readonly granted: (slot: Slot) => number;
  /** Units of an instance that are claimed by any process or used by strangers. */
  readonly used: (instance: Instance) => number;
  /** The instant at which the timeline surely shows a time. */
  readonly surely: (time: number) => number;
}

/** A window that has no room before its end. */
export interface FullWindow {
  readonly instance: Instance;
  /** When the first answer said so, and the last. */
  readonly since: number;
  readonly at: number;
}

/** When it is worth asking the store for more. */
export class AskPolicy {
  readonly #random: () => number;
  #isLimited = false;
  #crowdedAt = Number.NEGATIVE_INFINITY;
  #retryAt = Number.NEGATIVE_INFINITY;
  #lateAt = Number.POSITIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #fruitless = 0;
  #full: FullWindow | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Whether the last ask was not granted in full. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** Whether this process has lately waited for units, so that it will use what it has under way over again. */
  isBusy(now: number): boolean {
    return now < this.#crowdedAt + BUSY_MS;
  }

  /** Whether the second half of a slot has begun whose room was not given away in the first. */
  isLate(now: number): boolean {
    return now >= this.#lateAt;
  }

  /** When it is worth asking next; -Infinity: at once. `held`: units for the present and later slots. */
  nextAt(held: number, isUrgent: boolean): number {
    if (isUrgent) return held > 0 ? this.#askedAt + URGENT_MS : Math.min(this.#askedAt + URGENT_MS, this.#retryAt);
    if (this.#isLimited && held > 0) return this.#lateAt;
    return Math.min(this.#retryAt, this.#lateAt);
  }

  /** The window that has no room before its end, if it is sure; `time`: by the timeline. */
  full(time: number): FullWindow | undefined {
    const full = this.#full;
    if (!full || time >= full.instance.end) return undefined;
    return !full.instance.window.isLong || full.at - full.since >= SURE_MS ? full : undefined;
  }

  /** Nothing that is held is left: where it was not enough, the next ask waits a little. */
  spent(now: number, quantum: number): void {
    if (this.#isLimited) this.#retryAt = Math.max(this.#retryAt, now + this.#random() * quantum * SPREAD);
  }

  /** Forgets what was found, because something else changed: a limit, a shape, or the share. */
  reset(): void {
    this.#isLimited = false;
    this.#retryAt = Number.NEGATIVE_INFINITY;
    this.#lateAt = Number.POSITIVE_INFINITY;
    this.#fruitless = 0;
    this.#full = undefined;
  }

  /** Takes in the answer to an ask. */
  hear(asked: Asked, { granted, used, surely }: Outcome, now: number): void {
    const { want, slots } = asked;
    const [first] = slots;
    if (want <= 0 || !first) return;
    this.#askedAt = now;
    const given = slots.reduce((units, slot) => units + granted(slot), 0);
    this.#isLimited = given < want;
    if (granted(first) < want) this.#crowdedAt = now;
    this.#lateAt = Number.POSITIVE_INFINITY;
    this.#retryAt = Number.NEGATIVE_INFINITY;
    if (given > 0) {
      this.#fruitless = 0;
      this.#full = undefined;
    }
    if (!this.#isLimited) return;
    const length = first.to - first.from;
    const spread = this.#random() * length * SPREAD;
    const room = (slot: Slot): number =>
      Math.min(
        ...slot.instances.map((instance) => instance.limit - asked.kept(instance, slot === first) - used(instance)),
      );
    // Room that was left for the sake of fairness is free for all in the second half of its slot.
    const half = surely((first.from + first.to) / 2);
    if (room(first) > 0 && now < half) this.#lateAt = half + spread;
    if (given > 0) return;
    this.#retryAt = this.#nextRoom(asked, { granted, used, surely }, now) + spread;
    if (this.#retryAt - now <= RETRY_MS) return;
    this.#retryAt = Math.min(this.#retryAt, now + RETRY_MS * RETRY_FACTOR ** Math.min(5, this.#fruitless++) + spread);
  }

  /** When something may be had that was not in reach of this ask. */
  #nextRoom({ slots, need, kept }: Asked, { used, surely }: Outcome, now: number): number {
    const first = slots[0] as Slot;
    const last = slots[slots.length - 1] as Slot;
    const step = (last.from - first.from) / Math.max(1, slots.length - 1) || first.to - first.from;
    let at = surely(first.from + step);
    let full: Instance | undefined;
    for (const instance of last.instances) {
      const { window, limit, end, slides } = instance;
      const room = limit - used(instance);
      const least = Math.min(need, limit);
      if (room - kept(instance, slots.length === 1) >= least) continue;
      // A full window of the calendar ends; of one that slides something may be free with the next step, and what is kept
      // for urgent calls shrinks.
      const isFull = room < least && slides === undefined;
      const reach = isFull ? surely(end - (last.from - first.from)) : now + (slides ?? RELEASE_MS) / 2;
      if (reach <= at) continue;
      at = reach;
      full = isFull && !window.isShort ? instance : undefined;
    }
    const known = this.#full;
    if (!full) this.#full = undefined;
    else this.#full = { instance: full, since: known?.instance.name === full.name ? known.since : now, at: now };
    return at;
  }
}
