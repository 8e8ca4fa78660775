import type { Clock } from '../../clock.ts';
import { checkFields, checkValue, FUNCTION, type Rule } from '../rules.ts';
import { settle, settleUntil } from './settle.ts';
import { Timers } from './timers.ts';

/** A clock that stands still until it is advanced, for code that takes a {@link Clock}. No global is patched. */
export interface VirtualClock extends Clock {
  /** Number of timers that are set. */
  readonly timers: number;
  /**
   * Advances time by `ms` milliseconds and fires due timers in order; timers for the same instant fire in the order in which they
   * were set. Promises, `nextTick`s and body reads settle before the first timer and after each.
   */
  advance(ms: number): Promise<void>;
  /**
   * Advances time from timer to timer until the work settles, and settles as it does. Time does not wait for real I/O, such as a
   * socket, as long as timers are set.
   *
   * @throws Error - "stuck", if the work is pending although no timer is set and nothing settles any more.
   */
  run<T>(work: Promise<T> | (() => Promise<T>)): Promise<T>;
  /** Resolves after `ms` milliseconds of this clock, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Sets the wall clock, forward or back, in milliseconds since the Unix epoch. `now()` is unaffected. */
  setWall(wall: number): void;
}

/** Options of {@link virtualClock}. */
export interface VirtualClockOptions {
  /** Initial wall time, in milliseconds since the Unix epoch. Default: 2026-01-01T00:00:00Z. */
  readonly wall?: number | undefined;
}

const SIGNAL: Rule = [
  (value) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function',
  'an AbortSignal',
];

/**
 * Creates a clock that stands at 0 until it is advanced.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * await clock.run(() => clock.sleep(60_000)); // takes no time
 * clock.now(); // 60_000
 * ```
 */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  if (typeof options === 'number') throw new Error(`virtualClock takes { wall: ${options} }, not ${options}.`);
  checkFields(options, { wall: [() => true, 'a time'] }, 'the options of a virtual clock');
  const alarms = new Timers();
  let now = 0;
  let lead = options.wall ?? Date.UTC(2026, 0);
  checkWall(lead);

  const timer = (ms: number, fire: () => void): (() => void) => {
    if (!(ms >= -Infinity))
      throw new RangeError(`The delay of a timer must be a number of milliseconds, not ${String(ms)}.`);
    checkValue('What a timer calls', fire, FUNCTION);
    return alarms.set(now + Math.max(0, ms), fire);
  };

  const ringNext = async (): Promise<void> => {
    now = Math.max(now, alarms.due);
    alarms.ring();
    await settle();
  };

  return {
    now: () => now,
    wall: () => now + lead,
    timer,
    get timers() {
      return alarms.size;
    },
    async advance(ms) {
      if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`Time cannot be advanced by ${String(ms)} ms.`);
      const end = now + ms;
      await settle();
      while (alarms.due <= end) await ringNext();
      now = Math.max(now, end);
    },
    async run(work) {
      const promise = typeof work === 'function' ? work() : work;
      if (typeof promise?.then !== 'function')
        throw new Error(`run takes a promise, or a function that returns one, not ${String(promise)}.`);
      let isSettled = false;
      const onSettled = (): void => {
        isSettled = true;
      };
      promise.then(onSettled, onSettled);
      const goesOn = (): boolean => isSettled || alarms.due < Infinity;
      for (await settle(); !isSettled; await ringNext()) {
        if (!goesOn()) await settleUntil(goesOn);
        if (isSettled) break;
        if (!goesOn()) throw stuckError(now);
      }
      return promise;
    },
    async sleep(ms, signal) {
      if (signal !== undefined && signal !== null) checkValue('The signal', signal, SIGNAL);
      return sleep(timer, ms, signal);
    },
    setWall(wall) {
      checkWall(wall);
      lead = wall - now;
    },
  };
}

function checkWall(wall: number): void {
  if (!Number.isFinite(wall))
    throw new RangeError(`wall must be milliseconds since the Unix epoch, not ${String(wall)}.`);
}

function stuckError(now: number): Error {
  return new Error(`The work is stuck at ${now} ms: it is pending, but no timer is set and nothing settles any more.`);
}

function sleep(timer: Clock['timer'], ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = timer(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
