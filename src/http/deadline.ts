import type { Clock } from '../clock.ts';
import { Failure } from './transport.ts';

/** The end of one attempt: its caller's abort, or its time being up. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #caller: AbortSignal | undefined;
  readonly #abort: (() => void) | undefined;
  readonly #clear: (deadline: Deadline) => void;
  /** When the time is up: monotonic milliseconds. */
  readonly at: number;

  /** @param clear - called when the attempt has ended. */
  constructor(clock: Clock, ms: number, caller: AbortSignal | undefined, clear: (deadline: Deadline) => void) {
    this.#clock = clock;
    this.at = clock.now() + ms;
    this.#clear = clear;
    this.#caller = caller;
    if (!caller) return;
    this.#abort = () => this.#controller.abort(caller.reason);
    caller.addEventListener('abort', this.#abort, { once: true });
  }

  /** Aborts with the reason of the caller's signal, or with a Failure when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds that are left now. */
  get leftMs(): number {
    return this.at - this.#clock.now();
  }

  /** The time is up. */
  expire(): void {
    this.#controller.abort(new Failure('TIMEOUT', false));
  }

  /** The attempt has ended. */
  end(): void {
    this.#clear(this);
    if (this.#abort) this.#caller?.removeEventListener('abort', this.#abort);
  }
}

/** Sets deadlines. Those of the usual length end in the order in which they were set, so that one timer does for all. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #usualMs: number;
  /** Those of the usual length, the earliest first. */
  readonly #usual = new Set<Deadline>();
  readonly #clearUsual = (deadline: Deadline): void => {
    this.#usual.delete(deadline);
    if (this.#usual.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  };
  #cancel: (() => void) | undefined;

  /** @param usualMs - how long most attempts may take, in milliseconds. */
  constructor(clock: Clock, usualMs: number) {
    this.#clock = clock;
    this.#usualMs = usualMs;
  }

  /** Sets a deadline so many milliseconds from now. */
  set(ms: number, caller: AbortSignal | undefined): Deadline {
    if (ms !== this.#usualMs) {
      const deadline = new Deadline(this.#clock, ms, caller, () => cancel());
      const cancel = this.#clock.timer(ms, () => deadline.expire());
      return deadline;
    }
    const deadline = new Deadline(this.#clock, ms, caller, this.#clearUsual);
    this.#usual.add(deadline);
    if (!this.#cancel) this.#ringAt(deadline.at);
    return deadline;
  }

  #ringAt(instant: number): void {
    this.#cancel = this.#clock.timer(instant - this.#clock.now(), () => {
      this.#cancel = undefined;
      const now = Math.max(instant, this.#clock.now());
      for (const deadline of this.#usual) {
        if (deadline.at > now) {
          this.#ringAt(deadline.at);
          return;
        }
        this.#usual.delete(deadline);
        deadline.expire();
      }
    });
  }
}
