import type { WindowNews } from '../quota/part.ts';
import { lengthOf, type Period } from '../quota/windows.ts';
import type { Slot } from './slots.ts';
import type { Instance } from './windows.ts';

/** The part of the quota that all processes together aim at while they cannot ask the store. */
const AIM = 0.9;

/** The part that a process of so many begins with. */
const FIRST = 0.8;

/** How often the part is adapted, in milliseconds, and by how much at once. */
const ADAPT_MS = 2_000;
const LEAST_STEP = 0.5;
const LARGEST_STEP = 1.6;

/** Smaller parts are of no use. */
const LEAST_PART = 0.002;

/** A part that was used less than this is not what holds calls back, and does not grow. */
const BUSY = 0.7;

/** Budgets of so many instances are remembered. */
const REMEMBERED = 64;

interface Budget {
  left: number;
  readonly whole: number;
}

/**
 * What a process may send while it cannot ask the store: a part of each window. It begins with the part that is due to one
 * of so many processes, and adapts: readings count what all processes together spend, and all of them correct their parts
 * by the same factor.
 */
export class Fallback {
  readonly #random: () => number;
  /** Units that were used of an instance when the store was last heard. */
  readonly #usedBefore: ReadonlyMap<string, number>;
  readonly #isAdaptive: boolean;
  #part: number;
  readonly #budgets = new Map<string, Budget>();
  /** The reading with which the present stretch of adapting began, by window. */
  readonly #since = new Map<Period, { readonly used: number; readonly at: number }>();
  #adaptAt: number;
  #utilisation = 0;

  constructor(options: {
    readonly mode: 'partial' | 'open' | 'closed';
    readonly processes: number;
    readonly usedBefore: ReadonlyMap<string, number>;
    readonly random: () => number;
    readonly now: number;
  }) {
    const { mode, processes, usedBefore, random, now } = options;
    this.#random = random;
    this.#usedBefore = usedBefore;
    this.#isAdaptive = mode === 'partial';
    this.#part = { partial: FIRST / processes, open: 1, closed: 0 }[mode];
    this.#adaptAt = now + ADAPT_MS;
  }

  /** Whether `units` may be sent in this slot. */
  allows(units: number, { instances }: Slot): boolean {
    // A request that takes more than the whole part goes alone.
    return instances.every((instance) => {
      const { left, whole } = this.#budget(instance);
      return left >= units || (whole > 0 && left >= whole);
    });
  }

  /** Units were sent. */
  spend(units: number, { instances }: Slot): void {
    for (const instance of instances) this.#budget(instance).left -= units;
  }

  /** Takes in what all processes together have spent. */
  hear({ period, used, limit, receivedAt: now }: WindowNews): void {
    if (!this.#isAdaptive) return;
    const length = lengthOf(period);
    const since = this.#since.get(period);
    if (!since || used < since.used || length <= ADAPT_MS) this.#since.set(period, { used, at: now });
    else if (now - since.at >= ADAPT_MS / 2) this.#note(((used - since.used) / (now - since.at)) * (length / limit));
    if (length <= ADAPT_MS) this.#note(used / limit);
    if (now < this.#adaptAt) return;
    this.#adapt();
    this.#adaptAt = now + ADAPT_MS;
    this.#since.clear();
    this.#utilisation = 0;
  }

  #note(utilisation: number): void {
    this.#utilisation = Math.max(this.#utilisation, utilisation);
  }

  #adapt(): void {
    if (this.#utilisation <= 0) return;
    const step = Math.min(LARGEST_STEP, Math.max(LEAST_STEP, AIM / this.#utilisation));
    if (step > 1 && !this.#isBusy) return;
    this.#part = Math.min(AIM, Math.max(LEAST_PART, this.#part * step));
    for (const [name, { left, whole }] of this.#budgets) {
      const more = whole * (step - 1);
      this.#budgets.set(name, { left: left + more, whole: whole + more });
    }
  }

  /** Whether some budget is nearly spent. */
  get #isBusy(): boolean {
    for (const { left, whole } of this.#budgets.values()) if (left <= whole * (1 - BUSY)) return true;
    return false;
  }

  #budget({ name, window }: Instance): Budget {
    let budget = this.#budgets.get(name);
    if (!budget) {
      const due = Math.max(0, window.limit - (this.#usedBefore.get(name) ?? 0)) * this.#part;
      // Of a part of less than one unit a whole one is due now and then.
      const whole = Math.floor(due) + (this.#random() < due % 1 ? 1 : 0);
      budget = { left: whole, whole };
      this.#budgets.set(name, budget);
      for (const oldest of this.#budgets.keys()) {
        if (this.#budgets.size <= REMEMBERED) break;
        this.#budgets.delete(oldest);
      }
    }
    return budget;
  }
}
