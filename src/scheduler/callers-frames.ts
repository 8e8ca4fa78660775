import { ClosedError, ConnectionError, QuotaExhaustedError } from '../errors.ts';

/**
 * Turns until every promise between a call that is refused at once and its caller is awaited. An async function more on that way needs
 * one turn more; `test/scheduler/callers-frames.test.ts` fails if they are too few.
 */
const AWAITING_TURNS = 3;

/** Rejects once the caller awaits the call, so that its frames can be captured. */
export async function rejectionForCaller(error: unknown): Promise<never> {
  for (let turn = 0; turn < AWAITING_TURNS; turn++) await undefined;
  throw withCallersFrames(error);
}

/**
 * Captures the stack of an error of the queue anew, where its caller awaits it: the queue made it in a turn of a timer or of another
 * call's answer, which says nothing of the caller. Costs nothing unless a call fails.
 */
export function withCallersFrames(error: unknown): unknown {
  const isOwn =
    error instanceof QuotaExhaustedError || error instanceof ConnectionError || error instanceof ClosedError;
  if (isOwn) Error.captureStackTrace?.(error, withCallersFrames);
  return error;
}
