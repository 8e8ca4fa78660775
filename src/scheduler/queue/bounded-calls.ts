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
  /** The errors of calls that are turned away, as those that still wait although their time is over. */
  readonly turnAway: (calls: ReadonlyMap<PendingCall, Bound>) => ReadonlyMap<PendingCall, Error>;
}

/** A call may wait for at least this time, in milliseconds: an answer of the service or of a store that is under way may allow it to be sent. */
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
  /** Since when the client is paused without an end, if it is. */
  #pausedSince: number | undefined;

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
    // One that waits anew, because there is another key, has its time from its first wait.
    const since = waiting.call.trace.calledAt;
    this.#nextDue.tidy(this.#bounds.size);
    this.#put({ by: Math.max(since + maxQueueMs, this.#clock.now() + LEAST_MS), since, waiting });
    this.#setTimer();
  }

  delete(call: PendingCall): void {
    this.#bounds.delete(call);
    this.#setTimer();
  }

  /** An answer came: rejects the calls that are late by the estimate that it changes. */
  rejectLate(): void {
    if (this.#bounds.size === 0) return;
    this.#rejectThose(this.#outlook.lateErrors(this.#bounds), this.#bounds);
    this.#setTimer();
  }

  /** Something changed outside: a pause without an end may have begun, or be over, and then its time is not counted. */
  onWake(): void {
    const now = this.#clock.now();
    const pausedSince = this.#pausedSince ?? now;
    this.#pausedSince = this.#outlook.isPaused ? pausedSince : undefined;
    if (!this.#outlook.isPaused && pausedSince < now) {
      for (const { by, since, waiting } of this.#bounds.values()) {
        const pausedMs = now - Math.max(pausedSince, since);
        this.#put({ by: by + pausedMs, since: since + pausedMs, waiting });
      }
    }
    this.#setTimer();
  }

  #put(bound: BoundedCall): void {
    this.#bounds.set(bound.waiting.call, bound);
    this.#nextDue.push(bound);
  }

  #rejectOverdue(at: number): void {
    if (this.#outlook.isPaused) return;
    // Rejects together all whose instants are past: a timer for each would lag behind, because a timer takes a millisecond.
    const now = Math.max(at, this.#clock.now());
    const overdue = new Map<PendingCall, BoundedCall>();
    for (let first = this.#nextDue.first; first && first.by <= now; first = this.#nextDue.first) {
      this.#bounds.delete(first.waiting.call);
      overdue.set(first.waiting.call, first);
    }
    this.#rejectThose(this.#outlook.turnAway(overdue), overdue);
  }

  #rejectThose(errors: ReadonlyMap<PendingCall, Error>, bounds: ReadonlyMap<PendingCall, BoundedCall>): void {
    for (const [call, error] of errors) {
      const waiting = bounds.get(call)?.waiting;
      // An earlier rejection may have made way for this call, so that it was granted.
      if (waiting && !waiting.isOver) this.#reject(waiting, error);
    }
  }

  #setTimer(): void {
    const { recheckAt, isPaused } = this.#outlook;
    const { by = Infinity } = (isPaused ? undefined : this.#nextDue.first) ?? {};
    const at = Math.min(recheckAt, by);
    // The alarm is never set to a later instant: ringing too early costs less than setting it anew for each call that leaves.
    if (this.#bounds.size === 0) this.#alarm.set(Infinity);
    else if (at < this.#alarm.at) this.#alarm.set(at);
  }
}
