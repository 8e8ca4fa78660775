import type { Clock } from '../clock.ts';
import type { Lease } from '../quota/admission.ts';
import type { Books } from '../quota/books.ts';
import { TRIAL_MS } from '../quota/recovery/hourly-trial.ts';
import type { CallQueue } from './call-queue.ts';
import type { KeyTurns } from './key-turns.ts';
import type { QueueableCall, WaitingCall } from './waiting-call.ts';
import { WhileWaiting } from './while-waiting.ts';

/** Options of {@link Leases}. */
export interface LeasesOptions {
  readonly clock: Clock;
  readonly queue: CallQueue;
  readonly books: Books;
  readonly keyTurns: KeyTurns;
}

/** Acquires leases from the queue. While calls wait, it asks for the key and wakes the queue for the hourly trial. */
export class Leases {
  readonly #queue: CallQueue;
  readonly #keyCheck: WhileWaiting;
  readonly #trial: WhileWaiting;
  #triedAt = Number.NEGATIVE_INFINITY;
  #urgentWaiting = 0;

  constructor({ clock, queue, books, keyTurns }: LeasesOptions) {
    this.#queue = queue;
    const isWaiting = (): boolean => queue.length > 0;
    this.#trial = new WhileWaiting({
      clock,
      isWaiting,
      dueAt: () => Math.max(books.present.triesAt, this.#triedAt + TRIAL_MS),
      act: () => {
        this.#triedAt = clock.now();
        queue.wake();
      },
    });
    this.#keyCheck = new WhileWaiting({
      clock,
      isWaiting,
      dueAt: () => keyTurns.dueAt,
      act: () => keyTurns.askWhileWaiting(),
    });
  }

  /** Calls with a priority above 0 that wait: processes that share a quota reserve units for them. */
  get urgentWaiting(): number {
    return this.#urgentWaiting;
  }

  /** A lease at once if possible, or else a promise of the call that has waited: see {@link Leases.leaseOf}. */
  acquire(call: QueueableCall): Lease | Promise<WaitingCall> {
    const lease = this.#queue.acquire(call);
    if (!(lease instanceof Promise)) return lease;
    this.#keyCheck.start();
    this.#trial.start();
    if (isUrgent(call)) this.#urgentWaiting++;
    return lease;
  }

  /** A lease at once, if possible. */
  atOnce(call: QueueableCall): Lease | undefined {
    call.signal?.throwIfAborted();
    return this.#queue.acquireAtOnce(call);
  }

  /**
   * The lease of a call that has waited.
   *
   * @throws the error with which it was refused.
   */
  leaseOf(waiting: WaitingCall): Lease {
    if (isUrgent(waiting.call)) this.#urgentWaiting--;
    return waiting.lease;
  }

  /** A lease, after waiting where that is needed. */
  async get(call: QueueableCall): Promise<Lease> {
    const lease = this.acquire(call);
    return lease instanceof Promise ? this.leaseOf(await lease) : lease;
  }

  /** Called when no call is left: sets no more timers. */
  stop(): void {
    this.#keyCheck.stop();
    this.#trial.stop();
  }
}

function isUrgent({ ask }: QueueableCall): boolean {
  return (ask.priority ?? 0) > 0;
}
