import type { Lease } from '../quota/admission.ts';
import type { CallTrace } from '../trace/call-trace.ts';
import type { QueueEntry } from './fair-queue.ts';
import type { PendingCall } from './gate.ts';

/** A call as the queue sees it. */
export interface QueueableCall extends PendingCall {
  readonly trace: Pick<CallTrace, 'number' | 'waiting' | 'keepContext' | 'isRetrying'>;
}

/** A call that waits for its lease. There may be very many, so it holds no more than it must. */
export class WaitingCall {
  readonly call: QueueableCall;
  /** Its promise resolves with the call itself, granted or refused, so that neither needs functions of its own. */
  readonly #resolve: (ended: WaitingCall) => void;
  #lease: Lease | undefined = undefined;
  #error: unknown = undefined;
  /** Whether it was chosen for the time that it waited, and not for its rank. */
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

  /** Its place in the order of arrival, which a call keeps over all its attempts. */
  get ticket(): number {
    return this.call.trace.number;
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

  /** Ends the wait. */
  grant(lease: Lease): void {
    this.#lease = lease;
    this.#resolve(this);
  }

  /** Ends the wait with an error. */
  refuse(error: unknown): void {
    this.#error = error;
    this.#resolve(this);
  }
}
