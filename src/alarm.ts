import type { Clock } from './clock.ts';

/** A timer that is set to an instant, and may be set to another one instead. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: (at: number) => void;
  #cancel: (() => void) | undefined;
  /** When it rings; Infinity: it is not set. */
  at: number = Infinity;

  /** @param ring - called once the clock has reached the instant `at`, although it may read a little less because of rounding. */
  constructor(clock: Clock, ring: (at: number) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Sets it to another instant; Infinity: it does not ring. */
  set(at: number): void {
    if (at === this.at) return;
    this.#cancel?.();
    this.at = at;
    if (at === Infinity) return;
    this.#cancel = this.#clock.timer(Math.max(0, at - this.#clock.now()), () => {
      this.at = Infinity;
      this.#ring(at);
    });
  }
}
