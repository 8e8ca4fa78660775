import type { Clock } from '../../clock.ts';
import { ClosedError } from '../../errors.ts';
import { AbortListeners } from './abort-listeners.ts';

/** A call that is delayed. */
interface DelayedCall {
  /** The endpoint whose success ends the delay; undefined: only time does. */
  readonly endpoint: string | undefined;
  readonly resume: () => void;
  readonly refuse: (error: unknown) => void;
}

/** The delays of calls before their next attempts. */
export class Delays {
  readonly #clock: Clock;
  readonly #abortListeners = new AbortListeners();
  readonly #delayed = new Set<DelayedCall>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls that are delayed. */
  get size(): number {
    return this.#delayed.size;
  }

  /**
   * Resolves after `ms` milliseconds. Rejects as soon as the signal aborts, or {@link close} is called.
   *
   * @param endpoint - {@link hasten} may end the delay sooner, if it is called with this endpoint.
   */
  wait(ms: number, signal: AbortSignal | undefined, endpoint?: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        cancel();
        unlisten?.();
        this.#delayed.delete(delayed);
      };
      const resume = (): void => {
        leave();
        resolve();
      };
      const refuse = (error: unknown): void => {
        leave();
        reject(error);
      };
      const delayed = { endpoint, resume, refuse };
      const cancel = this.#clock.timer(ms, resume);
      const unlisten = signal && this.#abortListeners.listen(signal, refuse);
      this.#delayed.add(delayed);
    });
  }

  /**
   * Ends the delay of the call that was delayed first of those that gave this endpoint.
   *
   * @returns whether there was one.
   */
  hasten(endpoint: string): boolean {
    for (const one of this.#delayed) {
      if (one.endpoint !== endpoint) continue;
      one.resume();
      return true;
    }
    return false;
  }

  /** Rejects the calls that are delayed. */
  close(): void {
    for (const { refuse } of this.#delayed) refuse(new ClosedError());
  }
}
