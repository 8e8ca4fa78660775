import type { Clock } from '../../clock.ts';
import { ClosedError } from '../../errors.ts';
import { AbortListeners } from './abort-listeners.ts';

/** The delays of calls before their next attempts. */
export class Delays {
  readonly #clock: Clock;
  readonly #abortListeners = new AbortListeners();
  /** Rejects each call that is delayed. */
  readonly #refusals = new Set<(error: unknown) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls that are delayed. */
  get size(): number {
    return this.#refusals.size;
  }

  /** Resolves after `ms` milliseconds. Rejects as soon as the signal aborts, or {@link close} is called. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        cancel();
        unlisten?.();
        this.#refusals.delete(refuse);
      };
      const refuse = (error: unknown): void => {
        leave();
        reject(error);
      };
      const cancel = this.#clock.timer(ms, () => {
        leave();
        resolve();
      });
      const unlisten = signal && this.#abortListeners.listen(signal, refuse);
      this.#refusals.add(refuse);
    });
  }

  /** Rejects the calls that are delayed. */
  close(): void {
    for (const refuse of this.#refusals) refuse(new ClosedError());
  }
}
