import type { Clock } from '../../src/clock.ts';
import type { Scenario } from './scenario.ts';

/** Maximum lateness of timers, in milliseconds. */
const LAG_MS = 2;
/** Maximum drift of a clock. */
const DRIFT = 50e-6;
/** Maximum error of a wall clock, in milliseconds. */
const WALL_MS = 30_000;

/** The clock of a simulated machine: with an arbitrary origin, drift, a wrong wall time, late timers and suspension. */
export interface MachineClock extends Clock {
  /** Resolves at once, or when the machine is resumed. */
  awake(): Promise<void>;
}

/** Derives a machine's clock from true time. */
export function machineClock(truth: Clock, random: () => number, suspended: Scenario['suspended']): MachineClock {
  const origin = 1e6 * random();
  const rate = 1 + DRIFT * (2 * random() - 1);
  const lead = WALL_MS * (2 * random() - 1);
  const { fromMs = Infinity, toMs = Infinity, standsStill = false } = suspended ?? {};

  const now = (): number => {
    const at = truth.now();
    const slept = standsStill ? Math.max(0, Math.min(at, toMs) - Math.min(at, fromMs)) : 0;
    return origin + rate * (at - slept);
  };
  const untilAwake = (): number => (truth.now() >= fromMs ? Math.max(0, toMs - truth.now()) : 0);

  return {
    now,
    wall: () => truth.wall() + lead,
    timer(ms, fire) {
      const due = now() + Math.max(0, ms);
      let cancel = (): void => {};
      const wait = (atLeastMs: number): void => {
        cancel = truth.timer(atLeastMs + LAG_MS * random(), () => {
          const asleep = untilAwake();
          const left = (due - now()) / rate;
          if (asleep > 0) wait(asleep);
          else if (left > 0) wait(left);
          else fire();
        });
      };
      wait(Math.max(0, ms) / rate);
      return () => cancel();
    },
    async awake() {
      const asleep = untilAwake();
      if (asleep > 0) await new Promise<void>((resolve) => void truth.timer(asleep, resolve));
    },
  };
}
