/** Retries that an endpoint may have at once, that each success earns, and that a second earns. */
const BUDGET = 10;
const EARNED_BY_SUCCESS = 0.2;
const EARNED_IN_A_SECOND = 1;

/**
 * One budget of retries for all calls of an endpoint, so that retries add little to the load of a service that fails. A spent budget delays a retry until it
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
