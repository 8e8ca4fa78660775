import type { Clock } from '../clock.ts';
import type { Books } from '../quota/books.ts';
import { TRIAL_MS } from '../quota/recovery/hourly-trial.ts';
import type { KeyTurns } from './key-turns.ts';
import type { CallQueue } from './queue/call-queue.ts';
import { WhileWaiting } from './while-waiting.ts';

/** Options of {@link Duties}. */
export interface DutiesOptions {
  readonly clock: Clock;
  readonly queue: Pick<CallQueue, 'length' | 'wake'>;
  readonly books: Books;
  readonly keyTurns: KeyTurns;
}

/** Recurring work while calls wait: asks for the key, and wakes the queue for the hourly trial. */
export class Duties {
  readonly #all: readonly WhileWaiting[];

  constructor({ clock, queue, books, keyTurns }: DutiesOptions) {
    let triedAt = -Infinity;
    const trial = {
      dueAt: () => Math.max(books.present.triesAt, triedAt + TRIAL_MS),
      act: () => {
        triedAt = clock.now();
        queue.wake();
      },
    };
    const key = { dueAt: () => keyTurns.dueAt, act: () => keyTurns.askWhileWaiting() };
    const isWaiting = (): boolean => queue.length > 0;
    this.#all = [key, trial].map((duty) => new WhileWaiting({ clock, isWaiting, ...duty }));
  }

  /** Called when a call begins to wait. */
  start(): void {
    for (const duty of this.#all) duty.start();
  }

  /** Called when no call is left: sets no more timers. */
  stop(): void {
    for (const duty of this.#all) duty.stop();
  }
}
