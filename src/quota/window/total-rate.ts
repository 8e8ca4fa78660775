import { HIDDEN, type WindowReading } from '../models/model.ts';

/** A rate is that of so many milliseconds at least: the length of the windows that it is for. */
const SPAN_MS = 1_000;

/** Of the readings in it so many are kept. */
const KEPT = 10;

/** A window that was watched for so many of its lengths and never seen to start anew does not. */
const WATCHED = 3;

interface Mark {
  /** When its request arrived, as a guess: half-way. */
  readonly at: number;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly used: number;
}

/** The rate at which all consumers together were served. */
export interface ServedRate {
  readonly perMs: number;
  /** Whether none of it can have left the window meanwhile; else it is the least. */
  readonly isExact: boolean;
}

/** What a reading says of the usage of all. */
type UsageReading = Pick<WindowReading, 'used' | 'limit' | 'sentAt' | 'receivedAt'>;

/**
 * The rate at which all consumers together are served: how much more one reading of a long window counts than an earlier one. It tells
 * a client that asks rarely what the others did in between, which no reading of a second does.
 *
 * In a window that slides or drains, units leave meanwhile. So a rate is the least until the window was seen to start anew.
 */
export class TotalRate {
  readonly #periodMs: number;
  /** The latest readings, the first of them at least {@link SPAN_MS} old. */
  #latest: Mark[] = [];
  /** Two readings, half a window apart or more. */
  #marks: readonly Mark[] = [];
  #watchedFrom: number | undefined;
  #startsAnew = false;
  /** Whether the last reading showed that the window had started anew. */
  #hasStartedAnew = false;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Whether the last reading counts less than any window that slides or drains can hold: it has started anew. */
  get hasStartedAnew(): boolean {
    return this.#hasStartedAnew;
  }

  /** Whether units are free again one by one, and not all at the window's end, as far as readings show. */
  isContinuous(now: number): boolean {
    return !this.#startsAnew && now >= (this.#watchedFrom ?? now) + WATCHED * this.#periodMs;
  }

  /** Takes in a reading. @returns the rate; undefined: it is not known. */
  observe(reading: UsageReading): ServedRate | undefined {
    const { used, sentAt, receivedAt } = reading;
    const mark = { at: (sentAt + receivedAt) / 2, sentAt, receivedAt, used };
    const { at } = mark;
    this.#watchedFrom ??= at;
    this.#hasStartedAnew = false;
    const last = this.#latest.at(-1);
    // An answer that was overtaken says nothing new.
    const isOvertaken = last && used < last.used && (sentAt < last.receivedAt || used >= last.used - HIDDEN);
    if (last && (at < last.at || isOvertaken)) return undefined;
    if (last && used < last.used) this.#onDrop(last, mark, reading.limit);
    this.#remember(mark);
    const [from] = this.#latest;
    if (!from || from.at > at - SPAN_MS) return undefined;
    return { perMs: (used - from.used) / (at - from.at), isExact: this.#startsAnew };
  }

  /** Less is counted than before. What was added within a window's length has not slid away, and no more has drained than does. */
  #onDrop(last: Mark, { at, receivedAt, used }: Mark, limit: number): void {
    const mark = this.#marks.find((one) => one.sentAt >= receivedAt - this.#periodMs);
    const hasSlid = !mark || last.used - mark.used <= used + HIDDEN;
    const hasDrained = last.used - used <= (limit * (at - last.at)) / this.#periodMs + HIDDEN;
    this.#hasStartedAnew = !hasSlid && !hasDrained;
    this.#startsAnew ||= this.#hasStartedAnew;
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
