import type { WindowReading } from '../../models/model.ts';

/** A rate is that of so many milliseconds at least: the length of the windows that it is for. */
const SPAN_MS = 1_000;

/** Of the readings in it so many are kept. */
const KEPT = 10;

interface Mark {
  /** When its request arrived, as a guess: half-way. */
  readonly at: number;
  readonly receivedAt: number;
  readonly used: number;
}

/** The rate at which all consumers together were served. */
export interface ServedRate {
  readonly perMs: number;
  /** What the window that tells the rate allows in the long run. */
  readonly mostPerMs: number;
  /** Whether none of it can have left the window meanwhile, because that only fills until it ends; else it is the least. */
  readonly isExact: boolean;
  /** When the window last showed other consumers. */
  readonly othersAt: number;
}

/** What an answer says of the shortest of the long windows, beside its reading of a short one. */
export interface LongerWindow {
  /** Units that it counts. */
  readonly used: number;
  /** The rate at which all consumers together were served lately; undefined: it is not known. */
  readonly rate?: ServedRate | undefined;
}

/** Whether consumers whose first units a short window counts began together: a longer window counts no more, so it was empty before. */
export function beganTogether(used: number, longer: LongerWindow | undefined): boolean {
  return longer !== undefined && longer.used <= used;
}

/** What a reading says of the usage of all. */
type UsageReading = Pick<WindowReading, 'used' | 'sentAt' | 'receivedAt'>;

/**
 * The rate at which all consumers together are served: how much more one reading of a long window counts than an earlier one. It tells
 * a client that asks rarely what the others did in between, which no reading of a second does.
 *
 * In a window that slides or drains, units leave meanwhile: of one that may do so, the rate is the least.
 */
export class TotalRate {
  /** The latest readings, the first of them at least {@link SPAN_MS} old. */
  #latest: Mark[] = [];

  /** Takes in a reading. @returns the rate in units per millisecond; undefined: it is not known. */
  observe({ used, sentAt, receivedAt }: UsageReading): number | undefined {
    const mark = { at: (sentAt + receivedAt) / 2, receivedAt, used };
    const { at } = mark;
    const last = this.#latest.at(-1);
    // An answer that was overtaken says nothing new.
    const isLess = last && used < last.used;
    if (last && (at < last.at || (isLess && sentAt < last.receivedAt))) return undefined;
    if (isLess) this.#latest = [];
    this.#remember(mark);
    const [from] = this.#latest;
    if (!from || from.at > at - SPAN_MS) return undefined;
    return (used - from.used) / (at - from.at);
  }

  #remember(mark: Mark): void {
    const latest = this.#latest;
    const isDue = mark.at >= (latest.at(-2)?.at ?? -Infinity) + SPAN_MS / KEPT;
    if (isDue) latest.push(mark);
    else latest[latest.length - 1] = mark;
    while ((latest[1]?.at ?? Infinity) <= mark.at - SPAN_MS) latest.shift();
  }
}
