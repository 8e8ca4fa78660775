import type { Clock } from './clock.ts';

/** A signal for one piece of work, and how to let go of what it hangs on. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** A signal that aborts with the caller's, or with `late()` after so many milliseconds. */
export function deadlineOf(clock: Clock, signal: AbortSignal | undefined, ms: number, late: () => Error): Deadline {
  const controller = new AbortController();
  const cancel = clock.timer(ms, () => controller.abort(late()));
  const abort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const end = (): void => {
    cancel();
    signal?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, end };
}
