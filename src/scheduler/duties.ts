import { Alarm } from '../alarm.ts';
import type { Clock } from '../clock.ts';
import type { Books } from '../quota/books.ts';
import { TRIAL_MS } from '../quota/recovery/hourly-trial.ts';
import type { KeyTurns } from './key-turns.ts';
import type { CallQueue } from './queue/call-queue.ts';

/** Options of {@link Duties}. */
export interface DutiesOptions {
  readonly clock: Clock;
  readonly queue: Pick<CallQueue, 'length' | 'wake'>;
  readonly books: { readonly present: Pick<Books['present'], 'triesAt'> };
  readonly keyTurns: Pick<KeyTurns, 'dueAt' | 'askWhileWaiting'>;
}

/** Recurring work while calls wait: asks for the key, and wakes the queue for the hourly trial. Without calls that wait no timer is left. */
export class Duties {
  readonly #options: DutiesOptions;
  readonly #alarm: Alarm;
  /** When the queue was woken last for the hourly trial. */
  #triedAt = -Infinity;

  constructor(options: DutiesOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => this.#onRing());
  }

  /** Called when a call begins to wait. */
  start(): void {
    const dueAt = Math.min(this.#options.keyTurns.dueAt, this.#trialAt);
    if (dueAt < this.#alarm.at) this.#alarm.set(dueAt);
  }

  /** Called when no call is left: sets no more timers. */
  stop(): void {
    this.#alarm.set(Infinity);
  }

  get #trialAt(): number {
    return Math.max(this.#options.books.present.triesAt, this.#triedAt + TRIAL_MS);
  }

  #onRing(): void {
    const { clock, queue, keyTurns } = this.#options;
    if (queue.length === 0) return;
    const now = clock.now();
    // What was put off meanwhile is not due yet.
    if (keyTurns.dueAt <= now) keyTurns.askWhileWaiting();
    if (this.#trialAt <= now) {
      this.#triedAt = now;
      queue.wake();
    }
    this.start();
  }
}
