import { isAnyWindowFull, type QuotaSnapshot } from '../quota/headers/snapshot.ts';
import { doubled } from '../quota/recovery/backoff.ts';

/** How one attempt of a call ended: answered, or failed on its way. */
export type AttemptOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Refused because of a limit, see {@link isLimitation}. */
      readonly isLimited: boolean;
      /** Whether a refusal says that a window is full: others that share the quota may have been sooner. */
      readonly isFull?: boolean;
      /** The target, if the answer is a redirect that may be followed. */
      readonly redirect?: URL | undefined;
    }
  | { readonly kind: 'failed'; readonly code: string };

/** The attempts of a call so far, this one included. */
export interface AttemptCounts {
  /** Attempts that count: sent, and not refused because of a limit. */
  readonly attempts: number;
  /** Refusals because of a limit. */
  readonly refusals: number;
  /** Redirects followed. */
  readonly hops: number;
  /** Whether the key was asked for already, but the request was admitted for another one. */
  readonly isKeyAsked?: boolean;
}

/** Limits for retrying a call. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  /** Whether the request is safe to send twice. */
  readonly isSafe: boolean;
  /** Returns a number from 0 up to but not including 1. */
  readonly random: () => number;
}

/** The decision after an attempt. */
export type RetryDecision =
  /** The answer is the caller's. */
  | { readonly kind: 'deliver' }
  /** The call is queued again. `isPaid`: the retry budget pays for it. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly isPaid: boolean; readonly url?: URL }
  /** The failure is the caller's. */
  | { readonly kind: 'fail' };

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;

/** After this many refusals because of a limit, each after waiting as told, the call fails. */
const MOST_REFUSALS = 5;

/** The same where the last refusal says that a window is full: one that ends may have room for the call. */
const MOST_REFUSALS_FULL = 25;
const MOST_HOPS = 3;

/** Statuses that a gateway sends for a service that does not answer: those of HTTP, and 520 to 527 and 530 of Cloudflare. */
const DOWN: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530]);

/** A server that would not risk processing the request yet, as while it restarts: it did nothing, and may do so in a moment. */
const TOO_EARLY = 425;

/** Statuses that may be temporary (RFC 9110); each was seen from gateways under load. */
const PASSING: ReadonlySet<number> = new Set([408, TOO_EARLY, 500, ...DOWN]);

/** Failures that a retry cannot fix: a certificate error, a rejected redirect, a body beyond the size limit. */
const LASTING =
  /^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|REDIRECT|TOO_LARGE|INVALID|KEY_REFUSED)/;

/** Statuses that edge gateways use for a limit, and that have other meanings, too. */
const AMBIGUOUS: ReadonlySet<number> = new Set([403, 503]);

/**
 * Whether an answer refuses a request because of a limit: a 429, or `retry-after` on any status that is no success.
 *
 * A 403 or 503 whose headers say that nothing remains is taken for such a refusal, too. It may be an ordinary failure of the
 * request that used the last unit, so a request that is unsafe to repeat is not.
 */
export function isLimitation(
  { status, ok }: Pick<Response, 'status' | 'ok'>,
  quota: QuotaSnapshot,
  isSafe: boolean,
): boolean {
  if (status === 429 || (!ok && quota.retryAfterMs !== undefined)) return true;
  return isSafe && AMBIGUOUS.has(status) && (quota.remaining === 0 || isAnyWindowFull(quota));
}

/**
 * Whether a call that was refused because of a limit is queued again. A call that is unsafe to repeat is queued only if its
 * request was certainly not executed.
 *
 * @param refusals - how often it was refused, this time included.
 */
export function mayRetryRefusal(
  { status, isFull = false }: { readonly status: number; readonly isFull?: boolean },
  refusals: number,
  isSafe: boolean,
): boolean {
  return refusals < (isFull ? MOST_REFUSALS_FULL : MOST_REFUSALS) && (isSafe || isSurelyUndone(status));
}

/** Whether a status guarantees that the request was not executed: a gateway time-out (504, 408) does not. */
function isSurelyUndone(status: number): boolean {
  return status === 503 || (status >= 400 && status < 500 && status !== 408);
}

/** Whether a status says that only a gateway answered, or a service that does not serve yet. */
export function isGatewayFailure(status: number): boolean {
  return status === TOO_EARLY || DOWN.has(status);
}

/** Decides what follows an attempt: the answer, another attempt and how soon, or the failure. */
export function decideRetry(outcome: AttemptOutcome, counts: AttemptCounts, policy: RetryPolicy): RetryDecision {
  if (outcome.kind === 'answered' && outcome.isLimited) {
    const isAgain = mayRetryRefusal(outcome, counts.refusals, policy.isSafe);
    return isAgain ? { kind: 'retry', afterMs: 0, isPaid: false } : { kind: 'fail' };
  }
  if (outcome.kind === 'answered' && outcome.redirect) {
    const { redirect: url } = outcome;
    return counts.hops <= MOST_HOPS ? { kind: 'retry', afterMs: 0, isPaid: false, url } : { kind: 'fail' };
  }
  const isPassing = outcome.kind === 'answered' ? PASSING.has(outcome.status) : !LASTING.test(outcome.code);
  if (isPassing && policy.isSafe && counts.attempts < policy.maxAttempts) {
    const longest = doubled(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS, counts.attempts);
    return { kind: 'retry', afterMs: policy.random() * longest, isPaid: true };
  }
  return withoutRetry(outcome);
}

/** What the caller has of an attempt that is not retried: the answer or, if there is none, the failure. */
export function withoutRetry(outcome: AttemptOutcome): RetryDecision {
  return { kind: outcome.kind === 'answered' ? 'deliver' : 'fail' };
}

/** Retries that a client may make at once, that each success earns, and that a second earns. */
const BUDGET = 10;
const EARNED_BY_SUCCESS = 0.2;
const EARNED_IN_A_SECOND = 1;

/**
 * One budget of retries for all calls of a client, so that a dying service is not hammered. A spent budget delays a retry until it
 * has been refilled, and so spaces all that follow.
 */
export class RetryBudget {
  /** Below 0: retries that are promised and not yet earned. */
  #left = BUDGET;
  #at = -Infinity;

  /** Called for each success. */
  earn(): void {
    this.#left = Math.min(BUDGET, this.#left + EARNED_BY_SUCCESS);
  }

  /**
   * Takes one retry from the budget.
   *
   * @param patienceMs - how long the retry may wait, in milliseconds.
   * @returns how long it has to wait until the budget has a retry for it, in milliseconds; undefined: longer than that, and nothing is taken.
   */
  pay(now: number, patienceMs: number): number | undefined {
    this.#left = Math.min(BUDGET, this.#left + ((now - this.#at) / 1_000) * EARNED_IN_A_SECOND);
    this.#at = now;
    const waitMs = (Math.max(0, 1 - this.#left) / EARNED_IN_A_SECOND) * 1_000;
    if (waitMs > patienceMs) return undefined;
    this.#left--;
    return waitMs;
  }
}

/** Whether a method is safe to send twice. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
