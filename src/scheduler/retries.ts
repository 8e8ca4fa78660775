import type { Call } from '../http/call.ts';
import {
  type AttemptCounts,
  type AttemptOutcome,
  decideRetry,
  isSafe,
  type RetryDecision,
  withoutRetry,
} from '../http/retry-policy.ts';
import { keepLast } from '../keep-last.ts';
import { CommonBudget, RetryBudget } from './retry-budget.ts';

/** So many endpoints have budgets of their own. */
const MOST_ENDPOINTS = 64;

/** What follows an attempt, by the retry policy and the retry budget of its endpoint. */
export class Retries {
  readonly #maxAttempts: number;
  readonly #random: () => number;
  /** Pays for the retries of endpoints that have spent their own budgets. */
  readonly common: CommonBudget = new CommonBudget();
  /** One for each endpoint, so that retries of one that fails delay none of another. */
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(maxAttempts: number, random: () => number) {
    this.#maxAttempts = maxAttempts;
    this.#random = random;
  }

  /**
   * Decides what follows an attempt of a call that ended at `now`. A retry waits for the budget, if the call may wait that long. A refused
   * inspection has read the quota, too.
   */
  decide(call: Call, method: string, outcome: AttemptOutcome, counts: AttemptCounts, now: number): RetryDecision {
    const { endpoint, isInspection, isOneShot, maxWaitMs } = call.ask;
    const { maxQueueMs = Infinity } = call;
    if (isInspection && outcome.kind === 'answered' && outcome.isLimited) return withoutRetry(outcome);
    const policy = { maxAttempts: this.#maxAttempts, isSafe: isSafe(method), random: this.#random };
    const decision = decideRetry(outcome, counts, policy);
    if (decision.kind === 'deliver' && outcome.kind === 'answered' && outcome.status < 500)
      this.#budgets.get(endpoint)?.earn();
    if (decision.kind !== 'retry') return decision;
    if (isOneShot) return withoutRetry(outcome);
    const waitMs = decision.isPaid ? this.#budgetOf(endpoint).pay(now, Math.min(maxWaitMs, maxQueueMs)) : 0;
    if (waitMs === undefined) return withoutRetry(outcome);
    return waitMs > decision.afterMs ? { ...decision, afterMs: waitMs, isPromised: true } : decision;
  }

  #budgetOf(endpoint: string): RetryBudget {
    const budget = this.#budgets.get(endpoint) ?? new RetryBudget(this.common);
    this.#budgets.set(endpoint, budget);
    keepLast(this.#budgets, MOST_ENDPOINTS);
    return budget;
  }
}
