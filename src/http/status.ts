import { type QuotaSnapshot, saysFull } from '../quota/headers/snapshot.ts';

/** Statuses that a gateway sends for a service that does not answer: those of HTTP, and 520 to 527 and 530 of Cloudflare. */
const DOWN: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530]);

/** A server that would not risk processing the request yet, as while it restarts: it did nothing, and may do so in a moment. */
const TOO_EARLY = 425;

/** Statuses that may be temporary (RFC 9110); each was seen from gateways under load. */
const PASSING: ReadonlySet<number> = new Set([408, TOO_EARLY, 500, ...DOWN]);

/** Statuses that edge gateways use for a limit, and that have other meanings, too. */
const AMBIGUOUS: ReadonlySet<number> = new Set([403, 503]);

/** Whether a status is that of a success. A custom `fetch` may leave `ok` out, which says the same. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Whether an answer refuses a request because of a limit: a 429, or `retry-after` on any status that is no success.
 *
 * A 403 or 503 whose headers say that nothing remains is taken for such a refusal, too. It may be an ordinary failure of the
 * request that used the last unit, so a request that is unsafe to repeat is not.
 */
export function isLimitation(status: number, quota: QuotaSnapshot, isSafe: boolean): boolean {
  if (status === 429 || (!isSuccess(status) && quota.retryAfterMs !== undefined)) return true;
  return isSafe && AMBIGUOUS.has(status) && saysFull(quota);
}

/** Whether a status may be temporary, so that another attempt may succeed. */
export function isPassing(status: number): boolean {
  return PASSING.has(status);
}

/** Whether a status guarantees that the request was not executed: a gateway time-out (504, 408) does not. */
export function isSurelyUndone(status: number): boolean {
  return status === 503 || (status >= 400 && status < 500 && status !== 408);
}

/** Whether a status says that only a gateway answered, or a service that does not serve yet. */
export function isGatewayFailure(status: number): boolean {
  return status === TOO_EARLY || DOWN.has(status);
}
