import type { QuotaSnapshot } from '../headers/snapshot.ts';
import { endOf, startOf } from '../time/periods.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What the present pace is measured over: a day, or what is over of the month, but never less than an hour. */
const LONGEST_MS = DAY_MS;
const SHORTEST_MS = HOUR_MS;

/** What the service had counted in the month at an instant of its clock. */
interface Mark {
  readonly at: number;
  readonly used: number;
}

/** What is left of the month, and how long it will last. Instants are milliseconds since the Unix epoch, by the service's clock. */
export interface MonthOutlook {
  /** When this is said. */
  readonly now: number;
  /** Units that the month holds in all. */
  readonly limit: number;
  /** Units that the service has counted in it, those of other consumers included. */
  readonly used: number;
  /** Units that are left. */
  readonly remaining: number;
  /** When the next month begins. */
  readonly resetsAt: number;
  /** Units per day over the last 24 hours, other consumers included; usage before this client started is assumed to be even. */
  readonly perDay: number;
  /** Units a day that would just last until then. */
  readonly affordablePerDay: number;
  /** When the month will be out at the present pace; undefined if it lasts. */
  readonly runsOutAt: number | undefined;
}

/** What answers said of the month, kept as far back as the present pace reaches. */
export class MonthUsage {
  #start = -Infinity;
  #limit: number | undefined;
  #used = 0;
  /** One an hour, the oldest first; the first of the month stays as long as it is within reach. */
  #marks: Mark[] = [];

  /** Takes in what an answer said. Answers may come in any order. */
  observe({ stacks, date, receivedAt }: Pick<QuotaSnapshot, 'stacks' | 'date' | 'receivedAt'>): void {
    const { limit, remaining } = stacks.month ?? {};
    if (limit === undefined || remaining === undefined) return;
    const at = date ?? receivedAt;
    const start = startOf('month', at);
    if (start < this.#start) return;
    if (start > this.#start) {
      this.#start = start;
      this.#used = 0;
      this.#marks = [];
    }
    this.#limit = limit;
    // Within a month the count only grows, so a smaller one is of an earlier answer.
    this.#used = Math.max(this.#used, limit - remaining);
    const last = this.#marks.at(-1);
    if (last && at < last.at + HOUR_MS) return;
    this.#marks.push({ at, used: this.#used });
    // Drop the oldest mark once the second-oldest also precedes the averaging period.
    while ((this.#marks[1]?.at ?? at) < at - LONGEST_MS) this.#marks.shift();
  }

  /** What is left at an instant; undefined if no answer has named a month. */
  outlook(instant: number): MonthOutlook | undefined {
    const limit = this.#limit;
    if (limit === undefined) return undefined;
    // The least that the service's clock may show may precede the month that an answer has named.
    const now = Math.max(instant, this.#start);
    const resetsAt = endOf('month', now);
    const isPast = startOf('month', now) > this.#start;
    const used = isPast ? 0 : this.#used;
    const remaining = Math.max(0, limit - used);
    const perDay = isPast ? 0 : this.#perDay(now);
    const lastsMs = remaining === 0 ? 0 : (remaining / perDay) * DAY_MS;
    return {
      now,
      limit,
      used,
      remaining,
      resetsAt,
      perDay,
      affordablePerDay: (remaining / Math.max(1, resetsAt - now)) * DAY_MS,
      runsOutAt: now + lastsMs < resetsAt ? now + lastsMs : undefined,
    };
  }

  #perDay(now: number): number {
    const over = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, now - this.#start));
    return ((this.#used - this.#usedBy(now - over)) / over) * DAY_MS;
  }

  /** What was counted by an instant: evenly between two marks, and from the beginning of the month to the first of them. */
  #usedBy(at: number): number {
    let before: Mark = { at: this.#start, used: 0 };
    for (const mark of this.#marks) {
      if (mark.at > at) return between(before, mark, at);
      before = mark;
    }
    return before.used;
  }
}

function between(before: Mark, after: Mark, at: number): number {
  if (at <= before.at) return before.used;
  return before.used + ((after.used - before.used) * (at - before.at)) / (after.at - before.at);
}
