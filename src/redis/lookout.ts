/** While limits are unknown, who does not look waits for who does, but no longer than this, in milliseconds. */
const FIRST_PATIENCE_MS = 1_000;

/** …and while a shape is in doubt, no longer than this. */
const PATIENCE_MS = 3_000;

/** Who looks has the quota to itself for so long after each trip, less what clocks and wires may take off. */
const SCOUT_MS = 900;

/** …and in all. */
const LONGEST_SCOUT_MS = 2_500;

/** Who waits asks again after this time. */
export const LOOK_AGAIN_MS = 60;

/**
 * The first look at a service: of all processes one looks, so that N that start together send one request and not N, and
 * so that what it sees of a short window's shape is not blurred by what others spend. The others wait for what it finds.
 */
export class Lookout {
  #waitsSince: number | undefined;
  #scoutSince: number | undefined;
  #scoutUntil = Number.NEGATIVE_INFINITY;
  #isOver = false;

  /** Whether we look, and the others surely wait. */
  isScout(now: number): boolean {
    return now < this.#scoutUntil;
  }

  /** Redis said, on a trip that began at `sentAt`, whether it is us who look. */
  hear(isScout: boolean, sentAt: number): void {
    if (!isScout) return;
    this.#scoutSince ??= sentAt;
    this.#scoutUntil = Math.min(sentAt + SCOUT_MS, this.#scoutSince + LONGEST_SCOUT_MS);
  }

  /** Nothing more is to be found out, or not in this way. */
  end(): void {
    this.#isOver = true;
    this.#scoutUntil = Number.NEGATIVE_INFINITY;
  }

  /** Whether to wait for what another finds. */
  mustWait(now: number, areLimitsKnown: boolean): boolean {
    if (this.#isOver || this.isScout(now)) return false;
    this.#waitsSince ??= now;
    const patience = areLimitsKnown ? PATIENCE_MS : FIRST_PATIENCE_MS;
    if (now < this.#waitsSince + patience) return true;
    // Whoever waited long enough does not begin again when the limits are known at last.
    if (areLimitsKnown) this.#isOver = true;
    return false;
  }
}
