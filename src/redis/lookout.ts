/** While limits are unknown, who does not look waits for who does, but no longer than this, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Who looks has the quota to itself for so long after each trip, less what clocks and wires may take off. */
const SCOUT_MS = 900;

/** Who looks says every so often that it still does. */
export const RENEW_MS = 300;

/** Who waits asks again after this time: sooner while limits are unknown, for which one answer is enough. */
const LOOK_AGAIN_MS = 300;
const LOOK_SOON_MS = 60;

/** Who looks: nobody, we, or another process. */
export type Scout = 'nobody' | 'we' | 'another';

/**
 * The first look at a service: of all processes one looks, so that N that start together send one request and not N, and
 * so that what it sees of a short window's shape is not blurred by what others spend. The others wait for what it finds;
 * Redis sees to it that nobody looks for long.
 */
export class Lookout {
  #waitsSince: number | undefined;
  #scout: Scout = 'nobody';
  #until = Number.NEGATIVE_INFINITY;
  #since = Number.POSITIVE_INFINITY;

  /** Whether we look, and the others surely wait. */
  isScout(now: number): boolean {
    return this.#scout === 'we' && now < this.#until;
  }

  /** For how long we have looked, in milliseconds. */
  lasted(now: number): number {
    return now - this.#since;
  }

  /** Redis said, on a trip that began at `sentAt`, who looks. */
  hear(scout: Scout, sentAt: number): void {
    if (scout !== 'we') this.#since = Number.POSITIVE_INFINITY;
    else if (this.#scout !== 'we') this.#since = sentAt;
    this.#scout = scout;
    this.#until = sentAt + SCOUT_MS;
  }

  /** Nothing more is to be found out. */
  end(): void {
    this.#scout = 'nobody';
  }

  /** How long who waits does so before it asks again, in milliseconds. */
  patience(areLimitsKnown: boolean): number {
    return areLimitsKnown ? LOOK_AGAIN_MS : LOOK_SOON_MS;
  }

  /** Whether to wait for what another finds. */
  mustWait(now: number, areLimitsKnown: boolean): boolean {
    if (this.isScout(now)) return false;
    if (areLimitsKnown) return this.#scout === 'another' && now < this.#until;
    this.#waitsSince ??= now;
    return now < this.#waitsSince + PATIENCE_MS;
  }
}
