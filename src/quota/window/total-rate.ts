import { HIDDEN, type WindowReading } from '../models/model.ts';

/** A rate is that of so many milliseconds at least: the length of the windows that it is for. */
const SPAN_MS = 1_000;

/** Of the readings in it so many are kept. */
const KEPT = 10;

interface Mark {
  readonly at: number;
  readonly used: number;
}

/** What a reading says of the usage of all. */
type UsageReading = Pick<WindowReading, 'used' | 'limit' | 'sentAt' | 'receivedAt'>;

/**
 * The rate at which all consumers together are served: how much more one reading of a long window counts than an earlier one. It tells
 * a client that asks rarely what the others did in between, which no reading of a second does.
 *
 * In a window that slides or drains, units leave meanwhile. So a rate is known only once the window was seen to start anew.
 */
export class TotalRate {
  readonly #periodMs: number;
  /** The latest readings, the first of them at least {@link SPAN_MS} old. */
  #latest: Mark[] = [];
  /** Two readings, half a window apart or more. */
  #marks: readonly Mark[] = [];
  #startsAnew = false;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Whether the window was seen to lose at once what a window that slides or drains loses little by little. */
  get startsAnew(): boolean {
    return this.#startsAnew;
  }

  /** Takes in a reading. @returns the rate in units per millisecond; undefined: it is not known. */
  observe(reading: UsageReading): number | undefined {
    const { used } = reading;
    const at = (reading.sentAt + reading.receivedAt) / 2;
    const last = this.#latest.at(-1);
    // An answer that was overtaken says nothing new.
    if (last && (at < last.at || (used < last.used && used >= last.used - HIDDEN))) return undefined;
    if (last && used < last.used) this.#onDrop(last, { at, used }, reading.limit);
    this.#remember({ at, used });
    const [from] = this.#latest;
    return this.#startsAnew && from && from.at <= at - SPAN_MS ? (used - from.used) / (at - from.at) : undefined;
  }

  /** Less is counted than before. What was added within a window's length has not slid away, and no more has drained than does. */
  #onDrop(last: Mark, { at, used }: Mark, limit: number): void {
    const mark = this.#marks.find((one) => one.at >= at - this.#periodMs);
    const hasSlid = !mark || last.used - mark.used <= used + HIDDEN;
    const hasDrained = last.used - used <= (limit * (at - last.at)) / this.#periodMs + HIDDEN;
    if (!hasSlid && !hasDrained) this.#startsAnew = true;
    this.#latest = [];
  }

  #remember(mark: Mark): void {
    const latest = this.#latest;
    const isDue = mark.at >= (latest.at(-2)?.at ?? Number.NEGATIVE_INFINITY) + SPAN_MS / KEPT;
    if (isDue) latest.push(mark);
    else latest[latest.length - 1] = mark;
    while ((latest[1]?.at ?? Number.POSITIVE_INFINITY) <= mark.at - SPAN_MS) latest.shift();
    const half = this.#marks.at(-1);
    if (!half || mark.at >= half.at + this.#periodMs / 2) this.#marks = half ? [half, mark] : [mark];
  }
}
