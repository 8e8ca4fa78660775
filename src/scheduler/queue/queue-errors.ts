import type { Clock } from '../../clock.ts';
import { duration, type ErrorFacts, QuotaExhaustedError } from '../../errors.ts';
import type { Ask, Reason } from '../../quota/admission.ts';
import { LAST_INSTANT, type QuotaSnapshot } from '../../quota/headers/snapshot.ts';

/** Time after which to retry if nothing says when the call can be sent, in milliseconds. */
const UNKNOWN_MS = 1_000;

/** The end of the queue, for the error of a call that the queue does not accept. */
export interface QueueEnd {
  /** Calls that wait. */
  readonly waiting: number;
  /** When a call would be sent behind them: monotonic milliseconds. */
  readonly sentAt: number;
  /** The window that binds, if one does. */
  readonly window?: string | undefined;
  /** What the last answer said of the quota. */
  readonly quota: QuotaSnapshot | undefined;
}

/** A call that would be sent too late. */
interface LateCall {
  readonly endpoint: string;
  readonly maxQueueMs: number;
  /** Since when it waits, in monotonic milliseconds. */
  readonly since: number;
}

/** The error of a call that would be sent later than its `maxQueueMs` allows. */
export function latenessError({ endpoint, maxQueueMs, since }: LateCall, end: QueueEnd, clock: Clock): Error {
  const { waiting, window = 'queue', quota } = end;
  const now = clock.now();
  const about = Number.isFinite(end.sentAt) ? `after about ${duration(end.sentAt - since)}` : 'never';
  const wait = since < now && end.sentAt <= now ? `after more than ${duration(now - since)}` : about;
  const why = `the call would be sent ${wait}, with ${waiting} waiting`;
  const bound = { window, limit: undefined, remaining: undefined, maxQueueMs };
  return quotaError({ endpoint, quota, ...bound, why }, end.sentAt, clock);
}

/** What holds a call back for longer than it may wait. */
interface LongHold {
  readonly reason: Reason;
  /** When the call may come back, in monotonic milliseconds; Infinity: never. */
  readonly until: number;
  /** What the last answer said of the quota. */
  readonly quota: QuotaSnapshot | undefined;
}

/** The error of a call that would have to wait for quota for longer than its `maxWaitMs`, or for ever. */
export function exhaustedError(
  { ask, request }: { readonly ask: Ask; readonly request?: { readonly url: string } | undefined },
  { reason, until, quota }: LongHold,
  clock: Clock,
): Error {
  const { kind, why, window = kind, limit, headroom: remaining } = reason;
  const { endpoint, maxWaitMs } = ask;
  const bound = { window, limit, remaining, maxWaitMs };
  return quotaError({ endpoint, url: request?.url, quota, ...bound, why }, until, clock);
}

/** The error of a call that is one more than may wait. */
export function overflowError(
  endpoint: string,
  { waiting, sentAt, quota }: QueueEnd,
  maxWaiting: number,
  clock: Clock,
): Error {
  const why = `${waiting} calls wait already, which is the maximum (option maxWaiting)`;
  return quotaError({ endpoint, quota, window: 'queue', limit: maxWaiting, remaining: 0, why }, sentAt, clock);
}

/**
 * The error of a call that can be sent from an instant on. Its time to retry is rounded up, because a moment sooner the call is refused again. If the
 * instant is past, it is after `UNKNOWN_MS`.
 */
export function quotaError(
  facts: Omit<ErrorFacts<QuotaExhaustedError>, 'retryAfterMs' | 'retryAt'>,
  instant: number,
  clock: Clock,
): Error {
  const inMs = Math.max(0, instant - clock.now()) || UNKNOWN_MS;
  const retryAt = new Date(Math.min(Math.ceil(clock.wall() + inMs), LAST_INSTANT));
  return new QuotaExhaustedError({ ...facts, retryAfterMs: Math.ceil(inMs), retryAt });
}
