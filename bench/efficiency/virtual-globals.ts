import type { Place } from './contenders/contender.ts';

/** Longest delay of `setTimeout`; a longer one becomes one millisecond. */
const LONGEST_MS = 2 ** 31 - 1;

/** A timer as returned by Node. */
class Timeout {
  cancel: () => void = () => {};

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Runs work while the global clocks and timers are those of a simulated machine, with the limits of Node's timers: whole milliseconds,
 * at least one, at most 24.8 days. The wall clock and the monotonic clock run at the same rate.
 */
export async function withGlobals<T>({ clock, random }: Place, work: () => Promise<T>): Promise<T> {
  const real = {
    Date: globalThis.Date,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
  };
  const { random: realRandom } = Math;
  const realNow = performance.now;
  const wait = (ms: number | undefined): number => (ms && ms >= 1 && ms <= LONGEST_MS ? Math.trunc(ms) : 1);
  const cancel = (timeout?: Timeout): void => timeout?.cancel();

  class VirtualDate extends Date {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [clock.wall()] : given) as [number]));
    }

    static override now(): number {
      return Math.floor(clock.wall());
    }
  }

  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout(fire: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): Timeout {
      const timeout = new Timeout();
      timeout.cancel = clock.timer(wait(ms), () => fire(...given));
      return timeout;
    },
    clearTimeout: cancel,
    setInterval(fire: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): Timeout {
      const timeout = new Timeout();
      const go = (): void => {
        timeout.cancel = clock.timer(wait(ms), () => {
          go();
          fire(...given);
        });
      };
      go();
      return timeout;
    },
    clearInterval: cancel,
  });
  Math.random = random;
  performance.now = () => clock.now();
  try {
    return await work();
  } finally {
    Object.assign(globalThis, real);
    Math.random = realRandom;
    performance.now = realNow;
  }
}
