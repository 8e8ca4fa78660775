import { Alarm } from '../../alarm.ts';
import type { Clock } from '../../clock.ts';
import { Heap } from './heap.ts';
import type { Bound, PendingCall } from './pending-call.ts';
import type { WaitingCall } from './waiting-call.ts';

/** What is known of calls that wait and are late. */
export interface LateOutlook {
  /** The errors of those calls that would be sent after their instant. */
  readonly lateErrors: (calls: ReadonlyMap<PendingCall, Bound>) => ReadonlyMap<PendingCall, Error>;
  /** When to ask for them again if no answer comes before, in monotonic milliseconds; Infinity: then only. */
  readonly recheckAt: number;
  /** Whether the client is paused without an end: that makes no call late. */
  readonly isPaused: boolean;
  /** The error of a call that still waits although its time is over. */
  readonly overdueError: (call: PendingCall, bound: Bound) => Error;
}

/** So long a call may wait in any case, in milliseconds: for an answer of the service or of a store that is under way and may let it go. */
const LEAST_MS = 250;

interface BoundedCall extends Bound {
  readonly waiting: WaitingCall;
}

/** Calls with a `maxQueueMs` that wait, in the order they came. Those that are late are rejected: as soon as an estimate says so, and at the latest when their time is over. */
export class BoundedCalls {
  readonly #outlook: LateOutlook;
  readonly #clock: Clock;
  readonly #reject: (waiting: WaitingCall, error: Error) => void;
  readonly #bounds = new Map<PendingCall, BoundedCall>();
  readonly #nextDue = new Heap<BoundedCall>(
    (one, other) => one.by < other.by,
    (bound) => this.#bounds.get(bound.waiting.call) !== bound,
  );
  readonly #alarm: Alarm;

  constructor(outlook: LateOutlook, clock: Clock, reject: (waiting: WaitingCall, error: Error) => void) {
    this.#outlook = outlook;
    this.#clock = clock;
    this.#reject = reject;
    this.#alarm = new Alarm(clock, (at) => {
      this.#rejectOverdue(at);
      this.rejectLate();
    });
  }

  add(waiting: WaitingCall, maxQueueMs: number): void {
    const since = this.#clock.now();
    const bound = { by: since + Math.max(maxQueueMs, LEAST_MS), since, waiting };
    this.#nextDue.tidy(this.#bounds.size);
    this.#bounds.set(waiting.call, bound);
    this.#nextDue.push(bound);
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

  /** Something changed outside: a pause without an end may be over. */
  onWake(): void {
    this.#setTimer();
  }

  #rejectOverdue(now: number): void {
    for (let first = this.#nextDue.first; first && first.by <= now; first = this.#nextDue.first) {
      if (this.#outlook.isPaused) return;
      this.#reject(first.waiting, this.#outlook.overdueError(first.waiting.call, first));
    }
  }

  #setTimer(): void {
    const { recheckAt, isPaused } = this.#outlook;
    const { by = Infinity } = (isPaused ? undefined : this.#nextDue.first) ?? {};
    const at = Math.min(recheckAt, by);
    // To look too early costs less than to set it for each call that comes first.
    if (this.#bounds.size === 0) this.#alarm.set(Infinity);
    else if (at < this.#alarm.at) this.#alarm.set(at);
  }
}
