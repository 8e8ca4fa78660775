import { Alarm } from '../../alarm.ts';
import type { Clock } from '../../clock.ts';
import type { PendingCall } from './pending-call.ts';
import type { WaitingCall } from './waiting-call.ts';

/** When a waiting call is to be sent at the latest, and since when it waits, in monotonic milliseconds. */
export interface Bound {
  readonly by: number;
  readonly since: number;
}

/** What is known of calls that wait and are late. */
export interface LateOutlook {
  /** The errors of those calls that would be sent after their instant. */
  readonly lateErrors: (calls: ReadonlyMap<PendingCall, Bound>) => ReadonlyMap<PendingCall, Error>;
  /** When to ask for them again if no answer comes before, in monotonic milliseconds; Infinity: then only. */
  readonly recheckAt: number;
}

/** Calls with a `maxQueueMs` that wait for their first request, in the order they came. Those that are late are rejected. */
export class BoundedCalls {
  readonly #outlook: LateOutlook;
  readonly #clock: Clock;
  readonly #reject: (waiting: WaitingCall, error: Error) => void;
  readonly #bounds = new Map<PendingCall, Bound & { readonly waiting: WaitingCall }>();
  readonly #alarm: Alarm;

  constructor(outlook: LateOutlook, clock: Clock, reject: (waiting: WaitingCall, error: Error) => void) {
    this.#outlook = outlook;
    this.#clock = clock;
    this.#reject = reject;
    this.#alarm = new Alarm(clock, () => this.rejectLate());
  }

  add(waiting: WaitingCall, maxQueueMs: number): void {
    const since = this.#clock.now();
    this.#bounds.set(waiting.call, { by: since + maxQueueMs, since, waiting });
    this.#setTimer();
  }

  delete(call: PendingCall): void {
    this.#bounds.delete(call);
    this.#setTimer();
  }

  /** An answer came: rejects the calls that are late by the estimate that it changes. */
  rejectLate(): void {
    if (this.#bounds.size === 0) return;
    for (const [call, error] of this.#outlook.lateErrors(this.#bounds)) {
      // An earlier rejection may have made way for this call, so that it was granted.
      const bound = this.#bounds.get(call);
      if (bound) this.#reject(bound.waiting, error);
    }
    this.#setTimer();
  }

  #setTimer(): void {
    this.#alarm.set(this.#bounds.size > 0 ? this.#outlook.recheckAt : Infinity);
  }
}
