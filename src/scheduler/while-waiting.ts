import type { Clock } from '../clock.ts';

/** Options of {@link WhileWaiting}. */
export interface WhileWaitingOptions {
  readonly clock: Clock;
  /** Whether a call waits. */
  readonly isWaiting: () => boolean;
  /** When to act next, in monotonic milliseconds; Infinity: never. */
  readonly dueAt: () => number;
  /** Acts, and puts off when it is due. */
  readonly act: () => void;
}

/** Does something whenever it is due, but only while calls wait: without them no timer is left. */
export class WhileWaiting {
  readonly #options: WhileWaitingOptions;
  #cancel: (() => void) | undefined;

  constructor(options: WhileWaitingOptions) {
    this.#options = options;
  }

  /** Called when a call begins to wait. */
  start(): void {
    const { clock, dueAt } = this.#options;
    if (this.#cancel || dueAt() === Infinity) return;
    this.#cancel = clock.timer(Math.max(0, dueAt() - clock.now()), () => {
      this.#cancel = undefined;
      if (!this.#options.isWaiting()) return;
      if (dueAt() <= clock.now()) this.#options.act();
      this.start();
    });
  }

  /** Called when no call is left. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
