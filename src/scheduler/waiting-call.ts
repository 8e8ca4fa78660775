import type { QueueEntry } from './fair-queue.ts';
import type { PendingCall } from './gate.ts';

/** The turn of a call at the gate. */
export interface Turn {
  /** Whether the call was chosen for the time that it waited, and not for its rank. */
  readonly byAge: boolean;
  /** Whether the call was released from its parked group, which awaits its result. */
  readonly wasParked: boolean;
  /** To be called when the call has left the gate. */
  readonly end: () => void;
}

/** A call that waits for its turn. There may be very many, so it holds no more than it must. */
export class WaitingCall {
  readonly call: PendingCall;
  readonly ticket: number;
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: unknown) => void;
  wasParked: boolean;
  /** The queue that it waits in, and its entry there. */
  queue: { remove(entry: QueueEntry<WaitingCall>): void } | undefined;
  entry: QueueEntry<WaitingCall> | undefined;
  unlisten: (() => void) | undefined;

  constructor(
    call: PendingCall,
    ticket: number,
    wasParked: boolean,
    resolve: WaitingCall['resolve'],
    reject: WaitingCall['reject'],
  ) {
    this.call = call;
    this.ticket = ticket;
    this.wasParked = wasParked;
    this.resolve = resolve;
    this.reject = reject;
  }
}
