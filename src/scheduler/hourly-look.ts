import type { Clock } from '../clock.ts';
import { WhileWaiting } from './while-waiting.ts';

/** Without an answer for so long, the quota is looked at, in milliseconds: a month may have been raised, or paid for. */
const LOOK_MS = 3_600_000;

/** Options of {@link HourlyLook}. */
export interface HourlyLookOptions {
  readonly clock: Clock;
  readonly isWaiting: () => boolean;
  readonly isPaused: () => boolean;
  /** Whether the quota is what calls wait for, and not the pace at which it is spent: a look would use what they wait for. */
  readonly isExhausted: () => boolean;
  /** When the last answer came, in monotonic milliseconds: now, if one is under way; undefined: none has come. */
  readonly answeredAt: () => number | undefined;
  /** Sends one request that only reads the quota. */
  readonly inspect: () => Promise<unknown>;
}

/**
 * Looks at the quota by one request when there was no answer for an hour, but only if it matters: a call waits, or one was refused just
 * now.
 */
export class HourlyLook {
  readonly #options: HourlyLookOptions;
  readonly #whileWaiting: WhileWaiting;
  #lookedAt: number;

  constructor(options: HourlyLookOptions) {
    const { clock, isWaiting } = options;
    this.#options = options;
    this.#lookedAt = clock.now();
    this.#whileWaiting = new WhileWaiting({ clock, isWaiting, dueAt: () => this.#dueAt, act: () => this.#look() });
  }

  /** A call waits. */
  start(): void {
    this.#whileWaiting.start();
  }

  /** No call is left. */
  stop(): void {
    this.#whileWaiting.stop();
  }

  /** A call was refused without having been sent. */
  onRefusal(): void {
    if (this.#dueAt <= this.#options.clock.now()) this.#look();
  }

  get #dueAt(): number {
    return Math.max(this.#options.answeredAt() ?? this.#lookedAt, this.#lookedAt) + LOOK_MS;
  }

  #look(): void {
    this.#lookedAt = this.#options.clock.now();
    const { isPaused, isExhausted, inspect } = this.#options;
    // What comes of it is in the books; a failure is no news.
    if (!isPaused() && isExhausted()) inspect().catch(() => {});
  }
}
