import type { Clock } from '../clock.ts';
import { Failure } from './transport.ts';

/** The end of one attempt: its caller's abort, or its time being up. */
export interface Deadline {
  /** Aborts with the reason of the caller's signal, or with a Failure when the time is up. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left now. */
  readonly leftMs: () => number;
  /** Clears the timer and the listener. */
  readonly end: () => void;
}

/** Sets a deadline so many milliseconds from now. */
export function setDeadline(clock: Clock, ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const due = clock.now() + ms;
  const cancel = clock.timer(ms, () => controller.abort(new Failure('TIMEOUT', false)));
  const abort = (): void => controller.abort(caller?.reason);
  caller?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => due - clock.now(),
    end() {
      cancel();
      caller?.removeEventListener('abort', abort);
    },
  };
}
