/**
 * The source of time. Everything that waits takes a `Clock`, so tests can pass one that they move by hand (`virtualClock()` of
 * `stacks-quota/testing`).
 */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary origin. All pacing uses it. */
  now(): number;
  /** The wall clock, in milliseconds since the Unix epoch. Only used to tell people instants. */
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

/**
 * The real clock: `performance.now()`, `Date.now()` and `setTimeout`, without its limit of 24.8 days.
 *
 * @example
 * ```ts
 * const slow: Clock = { ...systemClock, timer: (ms, fire) => systemClock.timer(ms * 2, fire) };
 * const client = createClient({ clock: slow });
 * ```
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  timer(ms, fire) {
    const due = performance.now() + Math.max(0, ms);
    let nap: ReturnType<typeof setTimeout>;
    const rest = (): void => {
      const left = due - performance.now();
      if (left <= 0) fire();
      else nap = setTimeout(rest, Math.min(Math.ceil(left), LONGEST_NAP_MS));
    };
    nap = setTimeout(rest, Math.min(Math.ceil(Math.max(0, ms)), LONGEST_NAP_MS));
    return () => clearTimeout(nap);
  },
};
