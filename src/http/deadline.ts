import type { Clock } from '../clock.ts';
import { Failure } from './transport.ts';

/** The abort signal of one attempt: aborted by its caller or by its time-out. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #caller: AbortSignal | undefined;
  readonly #abort: (() => void) | undefined;
  readonly #clear: (deadline: Deadline) => void;
  /** The instant of the time-out, in monotonic milliseconds. */
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

  /** Aborts with the reason of the caller's signal, or with a Failure on time-out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Remaining time, in milliseconds. */
  get leftMs(): number {
    return this.at - this.#clock.now();
  }

  /** Called at the time-out. */
  expire(): void {
    this.#controller.abort(new Failure('TIMEOUT', false));
  }

  /** Called when the attempt has ended. */
  end(): void {
    this.#clear(this);
    if (this.#abort) this.#caller?.removeEventListener('abort', this.#abort);
  }
}

/** Creates deadlines. Those of the usual length end in the order of their creation, so one timer serves all of them. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #usualMs: number;
  /** Deadlines of the usual length, earliest first. */
  readonly #usual = new Set<Deadline>();
  readonly #clearUsual = (deadline: Deadline): void => {
    this.#usual.delete(deadline);
    if (this.#usual.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  };
  #cancel: (() => void) | undefined;

  /** @param usualMs - the time-out of most attempts, in milliseconds. */
  constructor(clock: Clock, usualMs: number) {
    this.#clock = clock;
    this.#usualMs = usualMs;
  }

  /** Creates a deadline `ms` milliseconds from now. */
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
