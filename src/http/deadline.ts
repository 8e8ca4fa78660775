import { Alarm } from '../alarm.ts';
import type { Clock } from '../clock.ts';
import type { Cancellation } from './cancellation.ts';
import { Failure } from './failure.ts';

/** Ends one attempt early: when its caller aborts it, or at its time-out. */
export class Deadline implements Cancellation {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #unlisten: (() => void) | undefined;
  readonly #clear: (deadline: Deadline) => void;
  /** Rejects what {@link during} has started last. */
  #reject: ((reason: unknown) => void) | undefined;
  /** The instant of the time-out, in monotonic milliseconds. */
  readonly at: number;

  /** @param clear - called when the attempt has ended. */
  constructor(clock: Clock, ms: number, caller: AbortSignal | undefined, clear: (deadline: Deadline) => void) {
    this.#clock = clock;
    this.at = clock.now() + ms;
    this.#clear = clear;
    if (!caller) return;
    const abort = (): void => this.#abort(caller.reason);
    caller.addEventListener('abort', abort);
    this.#unlisten = () => caller.removeEventListener('abort', abort);
  }

  /** Aborts with the reason of the caller's signal, or with a Failure on time-out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  during<T>(start: () => Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.#reject = reject;
      start().then(resolve, reject);
    });
  }

  /** Remaining time, in milliseconds. */
  get leftMs(): number {
    return this.at - this.#clock.now();
  }

  /** Called at the time-out. */
  expire(): void {
    this.#abort(new Failure('TIMEOUT'));
  }

  /** Called when the attempt has ended. */
  end(): void {
    this.#clear(this);
    // A deadline is freed only by a full garbage collection, and the promise that this rejects holds the body.
    this.#reject = undefined;
    this.#unlisten?.();
  }

  #abort(reason: unknown): void {
    this.#controller.abort(reason);
    // Not `reason`: where that is `undefined`, the signal has an `AbortError`.
    this.#reject?.(this.signal.reason);
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
    if (this.#usual.size === 0) this.#alarm.set(Infinity);
  };
  readonly #alarm: Alarm;

  /** @param usualMs - the time-out of most attempts, in milliseconds. */
  constructor(clock: Clock, usualMs: number) {
    this.#clock = clock;
    this.#usualMs = usualMs;
    this.#alarm = new Alarm(clock, (at) => this.#onRing(at));
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
    if (deadline.at < this.#alarm.at) this.#alarm.set(deadline.at);
    return deadline;
  }

  #onRing(at: number): void {
    const now = Math.max(at, this.#clock.now());
    for (const deadline of this.#usual) {
      if (deadline.at > now) {
        this.#alarm.set(deadline.at);
        return;
      }
      this.#usual.delete(deadline);
      deadline.expire();
    }
  }
}
