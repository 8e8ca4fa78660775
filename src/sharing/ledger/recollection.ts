import { Expiring } from '../store/expiring.ts';
import type { Answer, WindowAsk } from '../store/store.ts';
import { STATE_LASTS_MS, STATE_RENEWED_MS } from '../store/store-rules.ts';

/** Tolerance when comparing two statements of the age of the store's memory, in milliseconds. */
const SLACK_MS = 2_000;

/** Units used of a window instance by an answer, and when that arrived. */
interface Heard {
  readonly units: number;
  readonly at: number;
}

/**
 * What the store said last of each window instance. A store that has lost its memory is told it again, as a reading: the store keeps the highest
 * one of all processes.
 */
export class Recollection {
  readonly #used = new Expiring<Heard>();
  /** The age of the store's memory by the last answer, and when that arrived. */
  #age: { readonly forMs: number; readonly at: number } | undefined;
  /** When it was first heard that the store has lost it. What it has granted since, it knows. */
  #lostAt = -Infinity;
  /** When the slots are over that other processes may hold. */
  #gathersUntil = -Infinity;
  /** The number of live processes before the loss. */
  #processes = Infinity;

  /**
   * Records an answer.
   *
   * @param processes - how many were live before.
   * @param aheadMs - slots that begin within this time may have been granted to them.
   * @returns whether the store has lost its memory: it is younger than the last answer implies.
   */
  hear(
    windows: readonly WindowAsk[],
    { urgent: { forMs }, used, facts }: Answer,
    { processes, aheadMs }: { readonly processes: number; readonly aheadMs: number },
    now: number,
  ): boolean {
    const age = this.#age;
    this.#age = { forMs, at: now };
    const isYoung = age !== undefined && forMs + SLACK_MS < age.forMs + now - age.at;
    // Where no process has asked for so long, the store may only have dropped its age: then it knows the facts still.
    const isDropped = isYoung && now - age.at >= STATE_LASTS_MS - STATE_RENEWED_MS && facts?.size !== 0;
    const isLost = isYoung && !isDropped;
    if (isLost) {
      [this.#lostAt, this.#gathersUntil, this.#processes] = [now, now + aheadMs, processes];
    } else
      windows.forEach(({ name, ttlMs }, index) => {
        this.#used.set(name, { units: used[index] ?? 0, at: now }, ttlMs, now);
      });
    return isLost;
  }

  /** Whether an ask must only tell, because other processes may not have told yet. */
  isGathering(now: number): boolean {
    return now < this.#gathersUntil;
  }

  /** Records how many processes have told since the loss. @returns whether these are all. */
  told(processes: number): boolean {
    const isAll = processes >= this.#processes;
    if (isAll) this.#gathersUntil = -Infinity;
    return isAll;
  }

  /** The windows of an ask, with what the store has forgotten of them: of all processes, the one that was granted units last heard of all of them. */
  remind(windows: readonly WindowAsk[], now: number): readonly WindowAsk[] {
    if (this.#lostAt === -Infinity) return windows;
    return windows.map((window) => {
      const heard = this.#used.get(window.name, now);
      // Of a step that drains, what counted in it with those before is no less than what it counts alone.
      if (!heard || heard.at > this.#lostAt || window.drain === 0) return window;
      const isKnown = window.bounds !== 'above' && window.reading >= heard.units;
      return isKnown ? window : { ...window, reading: Math.min(window.limit, heard.units), bounds: 'below' };
    });
  }
}
