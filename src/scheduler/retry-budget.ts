/** Retries that an endpoint may have at once, and that each of its successes earns. */
const OWN = 9;
const EARNED_BY_SUCCESS = 0.2;

/** The time in which the client earns a retry for all endpoints, in milliseconds. */
const EARNED_MS = 1_000;

/** Retries that all endpoints have in common: one, and one a second, so that a spent budget delays a retry, and spaces all that follow. */
export class CommonBudget {
  /** Below 0: retries that are promised and not yet earned. */
  #left = 1;
  #at = -Infinity;

  /**
   * Takes one retry from the budget.
   *
   * @param patienceMs - how long the retry may wait, in milliseconds.
   * @returns how long it has to wait until the budget has a retry for it, in milliseconds; undefined: longer than that, and nothing is taken.
   */
  pay(now: number, patienceMs: number): number | undefined {
    this.#left = Math.min(1, this.#left + (now - this.#at) / EARNED_MS);
    this.#at = now;
    const waitMs = (1 - this.#left) * EARNED_MS;
    if (waitMs > patienceMs) return undefined;
    this.#left--;
    return waitMs;
  }

  /** Gives back a retry that has not waited to the end. */
  giveBack(): void {
    this.#left++;
  }
}

/**
 * One budget of retries for all calls of an endpoint, so that retries add little to the load of a service that fails, and those of an endpoint that fails
 * delay none of another. Once it is spent, the common one pays.
 */
export class RetryBudget {
  readonly #common: CommonBudget;
  #left = OWN;

  constructor(common: CommonBudget) {
    this.#common = common;
  }

  /** Called for each success. */
  earn(): void {
    this.#left = Math.min(OWN, this.#left + EARNED_BY_SUCCESS);
  }

  /** See {@link CommonBudget.pay}. */
  pay(now: number, patienceMs: number): number | undefined {
    if (this.#left < 1) return this.#common.pay(now, patienceMs);
    this.#left--;
    return 0;
  }
}
