/** The gap after the first request, in milliseconds: the n-th is an n-th of it. */
const FIRST_GAP_MS = 25;

/** Shorter gaps are none, in milliseconds. */
const SHORTEST_GAP_MS = 1;

/** After a pause requests follow each other ever faster, so that not all that waited for its end arrive at once. */
export class Ramp {
  /** Requests sent since the pause; Infinity: requests are no longer spaced. */
  #sent = Infinity;
  #nextAt = -Infinity;

  /** A pause has ended. */
  begin(): void {
    this.#sent = 0;
  }

  /** A request is sent. */
  onSent(now: number): void {
    const gapMs = FIRST_GAP_MS / ++this.#sent;
    this.#nextAt = gapMs < SHORTEST_GAP_MS ? -Infinity : now + gapMs;
  }

  /** The instant until which the next request waits; `now`: it need not. */
  heldUntil(now: number): number {
    return Math.max(now, this.#nextAt);
  }
}
