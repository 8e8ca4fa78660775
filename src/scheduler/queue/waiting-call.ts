import type { Lease } from '../../quota/admission.ts';
import type { CallTrace } from '../../trace/call-trace.ts';
import type { QueueEntry } from './fair-queue.ts';
import type { AskingCall } from './gate.ts';
import { type PendingCall, priorityOf } from './pending-call.ts';

/** A call as the queue sees it. */
export interface QueueableCall extends PendingCall {
  readonly trace: Pick<
    CallTrace,
    'ticket' | 'waiting' | 'returned' | 'keepContext' | 'isRetrying' | 'attempts' | 'calledAt' | 'queuedAt'
  >;
}

/** A call that waits for its lease. There may be very many, so it holds no more than it must, and has no private method: each instance would hold its brand. */
export class WaitingCall implements AskingCall {
  readonly call: QueueableCall;
  /** Its promise resolves with the call itself, granted or refused, so that neither needs functions of its own. */
  #resolve: ((ended: WaitingCall) => void) | undefined;
  #lease: Lease | undefined = undefined;
  #error: unknown = undefined;
  byAge = false;
  /** The parked group that it was released from, which awaits its result. */
  wasParkedIn: string | undefined = undefined;
  /** The queue that it waits in, and its entry there. */
  queue: { remove(entry: QueueEntry<WaitingCall>): void } | undefined = undefined;
  entry: QueueEntry<WaitingCall> | undefined = undefined;
  unlisten: (() => void) | undefined = undefined;

  constructor(call: QueueableCall, resolve: (ended: WaitingCall) => void) {
    this.call = call;
    this.#resolve = resolve;
  }

  /** See {@link CallTrace.ticket}. */
  get ticket(): number {
    return this.call.trace.ticket;
  }

  /**
   * Its lease, once the wait is over.
   *
   * @throws the error with which it was refused.
   */
  get lease(): Lease {
    if (this.#lease) return this.#lease;
    throw this.#error;
  }

  /** Whether the wait is over. */
  get isOver(): boolean {
    return this.#resolve === undefined;
  }

  /** Ends the wait, with a lease or an error. */
  end(lease: Lease | undefined, error?: unknown): void {
    this.#lease = lease;
    this.#error = error;
    this.#resolve?.(this);
    this.#resolve = undefined;
  }
}

/** Whether one is turned away before another: it has a lower priority, or the same and came later. */
export function isLower(one: WaitingCall, other: WaitingCall): boolean {
  const [priority, others] = [priorityOf(one.call), priorityOf(other.call)];
  return priority < others || (priority === others && one.ticket > other.ticket);
}
