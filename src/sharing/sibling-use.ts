import { type Period, periodMsOf } from '../quota/time/periods.ts';
import type { Answer, WindowAsk } from './store/store.ts';

/** Time constant of the smoothed rate, in milliseconds. */
const MEMORY_MS = 30_000;

/** Shortest time over which a rate is measured, in milliseconds. */
const SHORTEST_MS = 500;

interface Measured {
  readonly name: string;
  readonly used: number;
  readonly own: number;
  readonly at: number;
}

/** The rate at which the other processes of a share use the quota, from the usage that the store states at each trip. */
export class SiblingUse {
  #own = 0;
  #last: Measured | undefined;
  /** Units a millisecond. */
  #rate = 0;
  #heardAt = -Infinity;
  /** When the other processes were last seen to use units. */
  usedAt: number = -Infinity;

  /** A request of this process is sent, of so many units. */
  onSent(units: number): void {
    this.#own += units;
  }

  /** Records the answer to an ask that named these windows: it tells most of the one that lasts longest. */
  onAnswer(windows: readonly WindowAsk[], { used }: Answer, now: number): void {
    const ends = windows.map(({ ttlMs }) => ttlMs);
    const longest = ends.indexOf(Math.max(...ends));
    const window = windows[longest];
    if (window) this.hear(window.name, used[longest] ?? 0, now);
  }

  /** Records the units used of the present instance of a window, by the store. */
  hear(name: string, used: number, now: number): void {
    const last = this.#last;
    if (last?.name === name && now - last.at < SHORTEST_MS) return;
    const own = this.#own;
    this.#last = { name, used, own, at: now };
    const before = last?.name === name ? last.used : 0;
    const theirs = Math.max(0, used - before - (own - (last?.own ?? own)));
    if (last && theirs > 0) this.usedAt = now;
    if (last?.name !== name) return;
    const rate = theirs / (now - last.at);
    // After a rest it begins anew.
    const weight = now - this.#heardAt > MEMORY_MS ? 1 : 1 - Math.exp((last.at - now) / MEMORY_MS);
    this.#rate += weight * (rate - this.#rate);
    this.#heardAt = now;
  }

  /** Units that the other processes will use in a window of this period, at their recent rate. */
  unitsOf(period: Period, now: number): number {
    return now - this.#heardAt > 2 * MEMORY_MS ? 0 : this.#rate * periodMsOf(period);
  }
}
