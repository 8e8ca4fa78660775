import type { Call } from '../http/call.ts';
import {
  type AttemptCounts,
  type AttemptOutcome,
  decideRetry,
  isSafe,
  type RetryDecision,
  refusalsWith,
  withoutRetry,
} from '../http/retry-policy.ts';
import { EachEndpoint } from '../quota/limits/each-endpoint.ts';
import { FailingCalls } from './failing-calls.ts';
import { CommonBudget, RetryBudget } from './retry-budget.ts';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A request of a call that has ended. */
export interface EndedRequest {
  readonly call: Call;
  readonly method: string;
  readonly outcome: AttemptOutcome;
  /** The requests of the call before it, in which it is counted. */
  readonly counts: Mutable<AttemptCounts>;
  /** Whether it went although the limits forbade it. */
  readonly isExempt: boolean | undefined;
  /** Whether it found the service, or its endpoint, down. */
  readonly wasDown: boolean;
  /** When it ended, in monotonic milliseconds. */
  readonly now: number;
}

/** What follows an attempt, by the retry policy and the retry budget of its endpoint. */
export class Retries {
  readonly #maxAttempts: number;
  readonly #random: () => number;
  /** Pays for the retries of endpoints that have spent their own budgets. */
  readonly common: CommonBudget = new CommonBudget();
  /** One for each endpoint, so that retries of one that fails delay none of another. */
  readonly #budgets = new EachEndpoint(() => new RetryBudget(this.common));
  readonly #failing = new FailingCalls();

  constructor(maxAttempts: number, random: () => number) {
    this.#maxAttempts = maxAttempts;
    this.#random = random;
  }

  /** Whether the next request of a call only probes an endpoint that serves none: a failure of it counts as no attempt, for as long as the call may wait. */
  isProbe(call: Call, counts: AttemptCounts, now: number): boolean {
    return mayKeepFailing(call, counts, now) && this.#failing.isProbe(call.ask.endpoint);
  }

  /**
   * Counts a request that has ended, and decides what follows. A retry waits for the budget, if the call may wait that long. A refused
   * inspection has read the quota, too.
   */
  decide(request: EndedRequest): RetryDecision {
    const { call, method, outcome, counts, now } = request;
    const { endpoint, isInspection, isOneShot, maxWaitMs } = call.ask;
    const { maxQueueMs = Infinity } = call;
    countIn(request);
    if (isInspection && outcome.kind === 'answered' && outcome.isLimited) return withoutRetry(outcome);
    const policy = { maxAttempts: this.#maxAttempts, isSafe: isSafe(method), random: this.#random };
    const decision = decideRetry(outcome, counts, policy);
    if (decision.kind === 'deliver' && outcome.kind === 'answered' && outcome.status < 500) {
      this.#budgets.get(endpoint)?.earn();
      this.#failing.onServed(endpoint);
    }
    if (decision.kind !== 'retry') return decision;
    if (isOneShot) return withoutRetry(outcome);
    const waitMs = decision.isPaid ? this.#budgets.of(endpoint).pay(now, Math.min(maxWaitMs, maxQueueMs)) : 0;
    if (waitMs === undefined) return withoutRetry(outcome);
    const retry = { ...decision, fallsBehind: this.#onFailing(request) };
    return waitMs > decision.afterMs ? { ...retry, afterMs: waitMs, isPromised: true } : retry;
  }

  /** A call has ended. */
  onEnded(call: Call, counts: AttemptCounts): void {
    this.#failing.end(call.ask.endpoint, counts);
  }

  /**
   * A request was in vain, and its call goes on.
   *
   * @returns whether that goes behind the calls of its priority that have come so far: it found the service down, or was refused again although no window is full.
   */
  #onFailing({ call, outcome, counts, wasDown, now }: EndedRequest): boolean {
    if (outcome.kind === 'answered' && (outcome.redirect || outcome.isFull)) return false;
    const isAgain = mayKeepFailing(call, counts, now);
    this.#failing.onFailed(call.ask.endpoint, counts);
    counts.failingSince ??= now;
    return wasDown || (isAgain && outcome.kind === 'answered' && outcome.isLimited);
  }
}

/** Counts a request as what it was: a refusal, a redirect or an attempt. A refusal of what the limits forbade does not count, nor does a probe that fails. */
function countIn({ outcome, counts, isExempt, wasDown }: EndedRequest): void {
  const isAnswered = outcome.kind === 'answered';
  if (isAnswered && outcome.isLimited) counts.refusals = isExempt ? counts.refusals : refusalsWith(outcome, counts);
  else if (isAnswered && outcome.redirect) counts.hops++;
  else if (!(wasDown && counts.isProbe)) counts.attempts++;
}

/** Whether a call fails, and has for no longer than it may wait. */
function mayKeepFailing({ ask }: Call, { failingSince }: AttemptCounts, now: number): boolean {
  return failingSince !== undefined && now - failingSince <= ask.maxWaitMs;
}
