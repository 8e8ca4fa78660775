import type { Lease } from '../quota/admission.ts';
import type { CallTrace } from '../trace/call-trace.ts';
import type { QueueEntry } from './fair-queue.ts';
import type { PendingCall } from './gate.ts';

/** A call as the queue sees it. */
export interface QueueableCall extends PendingCall {
  readonly trace: Pick<CallTrace, 'waiting' | 'keepContext' | 'isRetrying'>;
}

/** A call that waits for its lease. There may be very many, so it holds no more than it must. */
export class WaitingCall {
  readonly call: QueueableCall;
  readonly ticket: number;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it was chosen for the time that it waited, and not for its rank. */
  byAge = false;
  /** The parked group that it was released from, which awaits its result. */
  wasParkedIn: string | undefined = undefined;
  /** The queue that it waits in, and its entry there. */
  queue: { remove(entry: QueueEntry<WaitingCall>): void } | undefined = undefined;
  entry: QueueEntry<WaitingCall> | undefined = undefined;
  unlisten: (() => void) | undefined = undefined;

  constructor(call: QueueableCall, ticket: number, resolve: WaitingCall['resolve'], reject: WaitingCall['reject']) {
    this.call = call;
    this.ticket = ticket;
    this.resolve = resolve;
    this.reject = reject;
  }
}
