import { HIDDEN, type WindowReading } from '../models/model.ts';

/** A rate is that of so many milliseconds at least: the length of the windows that it is for. */
const SPAN_MS = 1_000;

/** Of the readings in it so many are kept. */
const KEPT = 10;

interface Mark {
  readonly at: number;
  readonly used: number;
}

/**
 * The rate at which all consumers together are served: how much more one reading of a long window counts than an earlier one. It tells
 * a client that asks rarely what the others did in between, which no reading of a second does.
 *
 * In a window that slides, units leave meanwhile. So a rate is known only once the window was seen to start anew.
 */
export class TotalRate {
  /** The length of the window that is read. */
  #periodMs = Number.NaN;
  /** The latest readings, the first of them at least {@link SPAN_MS} old. */
  #latest: Mark[] = [];
  /** Two readings, half a window apart or more. */
  #marks: readonly Mark[] = [];
  #startsAnew = false;

  /** Takes in a reading of a window of this length; undefined: the rate is not known. In units per millisecond. */
  observe(
    periodMs: number,
    { used, sentAt, receivedAt }: Pick<WindowReading, 'used' | 'sentAt' | 'receivedAt'>,
  ): number | undefined {
    const at = (sentAt + receivedAt) / 2;
    if (periodMs !== this.#periodMs) this.#restart(periodMs);
    const last = this.#latest.at(-1);
    // An answer that was overtaken says nothing new.
    if (last && (at < last.at || (used < last.used && used >= last.used - HIDDEN))) return undefined;
    if (last && used < last.used) this.#onDrop(last.used, at, used);
    this.#remember({ at, used });
    const [from] = this.#latest;
    return this.#startsAnew && from && from.at <= at - SPAN_MS ? (used - from.used) / (at - from.at) : undefined;
  }

  #restart(periodMs: number): void {
    this.#periodMs = periodMs;
    this.#latest = [];
    this.#marks = [];
    this.#startsAnew = false;
  }

  /** Less is counted than before. If it is less than was added within a window's length, the window does not slide. */
  #onDrop(before: number, at: number, used: number): void {
    const mark = this.#marks.find((one) => one.at >= at - this.#periodMs);
    if (mark && before - mark.used > used + HIDDEN) this.#startsAnew = true;
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
