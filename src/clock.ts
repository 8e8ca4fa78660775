/**
 * The source of time. Everything that waits takes a `Clock`, so tests can pass one that they move by hand (`virtualClock()` of
 * `stacks-quota/testing`).
 */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary origin. All pacing uses it. */
  now(): number;
  /** The wall clock, in milliseconds since the Unix epoch. Only used to show instants to people. */
  wall(): number;
  /**
   * Calls `fire` once, no earlier than `ms` milliseconds from now, however long that is.
   *
   * @returns a function that cancels it.
   */
  timer(ms: number, fire: () => void): () => void;
}

/** `setTimeout` fires at once beyond 2^31 - 1 ms (24.8 days), so longer waits are split. */
const LONGEST_NAP_MS = 2 ** 31 - 1;

/** A timer that is overdue by more, in milliseconds, finds that the process was suspended, and waits for another `READING_MS`. */
const OVERDUE_MS = 1_000;

/** Time for reading what arrived while the process was suspended, in milliseconds. */
const READING_MS = 100;

/**
 * The real clock: `performance.now()`, `Date.now()` and `setTimeout`, without its limit of 24.8 days.
 *
 * @example
 * ```ts
 * const slow: Clock = { ...systemClock, timer: (ms, fire) => systemClock.timer(ms * 2, fire) };
 * const client = createClient({ clock: slow });
 * ```
 */
export const systemClock: Clock = { now, wall, timer: (ms, fire) => realTimer(ms, fire, () => {}) };

/**
 * The real clock, whose timers do not keep a Node process alive: a process ends although calls wait, if it has nothing else to do.
 *
 * @example
 * ```ts
 * const client = createClient({ clock: backgroundClock });
 * ```
 */
export const backgroundClock: Clock = { now, wall, timer: (ms, fire) => realTimer(ms, fire, (nap) => nap.unref?.()) };

/** The clock with timers that do not keep a Node process alive, if it is the real one. */
export function inBackground(clock: Clock): Clock {
  return clock === systemClock ? backgroundClock : clock;
}

/** An instant of the monotonic clock, by the wall clock. */
export function dateOf(instant: number, clock: Clock): Date {
  return new Date(clock.wall() + instant - clock.now());
}

function now(): number {
  return performance.now();
}

function wall(): number {
  return Date.now();
}

type Nap = ReturnType<typeof setTimeout> & { unref?(): void };

function realTimer(ms: number, fire: () => void, begin: (nap: Nap) => void): () => void {
  const due = now() + Math.max(0, ms);
  let nap: Nap;
  const sleep = (left: number, then = wake): void => {
    nap = setTimeout(then, Math.min(Math.ceil(left), LONGEST_NAP_MS));
    begin(nap);
  };
  const wake = (): void => {
    const left = due - now();
    if (left > 0) sleep(left);
    else if (left < -OVERDUE_MS) sleep(READING_MS, fire);
    else fire();
  };
  sleep(Math.max(0, ms));
  return () => clearTimeout(nap);
}
