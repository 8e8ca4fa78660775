import { type Cancellation, untilAborted } from '../../src/http/cancellation.ts';

/** Ends a request when a signal aborts. */
export function cancelledBy(signal: AbortSignal): Cancellation {
  return { signal, during: (start) => untilAborted(start, signal) };
}
