import { doubled } from '../quota/recovery/backoff.ts';
import { REFUSED_HERE } from './failure.ts';
import { isPassing } from './status.ts';

/** How one attempt of a call ended: answered, or failed on its way. */
export type AttemptOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Refused because of a limit, and certainly not executed or safe to repeat. */
      readonly isLimited: boolean;
      /** Whether a refusal says that a window is full: others that share the quota may have been sooner. */
      readonly isFull?: boolean;
      /** The target, if the answer is a redirect that may be followed. */
      readonly redirect?: URL | undefined;
    }
  | { readonly kind: 'failed'; readonly code: string };

/** The requests of a call so far. {@link decideRetry} counts the one that has just ended among them. */
export interface AttemptCounts {
  /** Attempts that count: sent, and not refused because of a limit. */
  readonly attempts: number;
  /** Refusals because of a limit. */
  readonly refusals: number;
  /** Redirects followed. */
  readonly hops: number;
  /** Whether the key was asked for already, but the request was admitted for another one. */
  readonly isKeyAsked?: boolean;
  /** Since when its requests fail, or are refused although no window is full, in monotonic milliseconds; undefined: none was. */
  readonly failingSince?: number | undefined;
  /** Whether the present request only probes an endpoint that serves no call: where it fails, too, it is not counted. */
  readonly isProbe?: boolean;
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
  /**
   * The call is queued again. `isPaid`: the retry budget pays for it. `isPromised`: it waits until the budget has earned it, unless a success of its
   * endpoint ends the wait. `fallsBehind`: it goes behind the calls of its priority that have come so far, so that the next probe is another call's.
   */
  | {
      readonly kind: 'retry';
      readonly afterMs: number;
      readonly isPaid: boolean;
      readonly isPromised?: boolean;
      readonly fallsBehind?: boolean;
      readonly url?: URL;
    }
  /** The failure is the caller's. */
  | { readonly kind: 'fail' };

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;

/** After this many refusals because of a limit, each after the wait that the service asked for, the call fails. */
const MOST_REFUSALS = 5;

/** The same where the last refusal says that a window is full: one that ends may have room for the call. */
const MOST_REFUSALS_FULL = 25;

const MOST_HOPS = 3;

/** Failures that a retry cannot fix: a certificate error, a rejected redirect, a body beyond the size limit. */
const LASTING = /^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|REDIRECT|TOO_LARGE|INVALID)/;

/** A refusal. */
type Refused = Pick<AttemptOutcome & { readonly kind: 'answered' }, 'isFull'>;

/** How often a call was refused, this refusal included. */
export function refusalsWith({ isFull }: Refused, { refusals, isProbe }: AttemptCounts): number {
  return isProbe && !isFull ? refusals : refusals + 1;
}

/**
 * Whether a call that was refused because of a limit is queued again.
 *
 * @param refusals - how often it was refused, this time included.
 */
export function mayRetryRefusal({ isFull }: Refused, refusals: number): boolean {
  return refusals < (isFull ? MOST_REFUSALS_FULL : MOST_REFUSALS);
}

/** Decides what follows an attempt: the answer, another attempt and how soon, or the failure. */
export function decideRetry(outcome: AttemptOutcome, counts: AttemptCounts, policy: RetryPolicy): RetryDecision {
  if (outcome.kind === 'answered' && outcome.isLimited) {
    const isAgain = mayRetryRefusal(outcome, counts.refusals);
    return isAgain ? { kind: 'retry', afterMs: 0, isPaid: false } : { kind: 'fail' };
  }
  if (outcome.kind === 'answered' && outcome.redirect) {
    const { redirect: url } = outcome;
    return counts.hops <= MOST_HOPS ? { kind: 'retry', afterMs: 0, isPaid: false, url } : { kind: 'fail' };
  }
  const mayPass =
    outcome.kind === 'answered'
      ? isPassing(outcome.status)
      : !LASTING.test(outcome.code) && !REFUSED_HERE.test(outcome.code);
  if (mayPass && policy.isSafe && counts.attempts < policy.maxAttempts) {
    const longest = doubled(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS, counts.attempts);
    return { kind: 'retry', afterMs: policy.random() * longest, isPaid: true };
  }
  return withoutRetry(outcome);
}

/** What the caller has of an attempt that is not retried: the answer or, if there is none, the failure. */
export function withoutRetry(outcome: AttemptOutcome): RetryDecision {
  return { kind: outcome.kind === 'answered' ? 'deliver' : 'fail' };
}

/** Whether a method is safe to send twice. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
