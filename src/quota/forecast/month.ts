import type { QuotaSnapshot } from '../headers/snapshot.ts';
import { endOf, startOf } from '../time/periods.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What the present pace is measured over: a day, or the time since the month began in which the first answer came, but never less than an hour. */
const LONGEST_MS = DAY_MS;
const SHORTEST_MS = HOUR_MS;

/** What the service had counted at an instant of its clock, earlier months included. */
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
  /** What was counted in all months since the first answer, and by the beginning of this one. */
  #used = 0;
  #usedBefore = 0;
  /** The oldest first: the beginning of each month, and readings, no three of them within an hour; the last is the latest. */
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
      this.#usedBefore = this.#used;
      this.#marks.push({ at: start, used: this.#used });
    }
    this.#limit = limit;
    // Within a month the count only grows, so a smaller one is of an earlier answer.
    this.#used = Math.max(this.#used, this.#usedBefore + limit - remaining);
    // A reading before a pause stays: what a job of each night uses is not spread over the day that follows.
    if (at < (this.#marks.at(-2)?.at ?? -Infinity) + HOUR_MS) this.#marks.pop();
    this.#marks.push({ at, used: this.#used });
    // Drop the oldest mark once the second-oldest also precedes the averaging period.
    if ((this.#marks[1]?.at ?? at) < at - LONGEST_MS) this.#marks.shift();
  }

  /** What is left at an instant; undefined if no answer has named a month. */
  outlook(instant: number): MonthOutlook | undefined {
    const limit = this.#limit;
    if (limit === undefined) return undefined;
    // The least that the service's clock may show may precede the month that an answer has named.
    const now = Math.max(instant, this.#start);
    const resetsAt = endOf('month', now);
    const isPast = startOf('month', now) > this.#start;
    const used = isPast ? 0 : this.#used - this.#usedBefore;
    const remaining = Math.max(0, limit - used);
    const perDay = this.#perDay(now);
    const lastsMs = remaining && (remaining / perDay) * DAY_MS;
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
    const [before] = this.#marks as [Mark];
    const over = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, now - before.at));
    return ((this.#used - this.#usedBy(Math.max(before.at, now - over))) / over) * DAY_MS;
  }

  /** What was counted by an instant, no earlier than the first mark: evenly between two marks. */
  #usedBy(at: number): number {
    let [before] = this.#marks as [Mark];
    for (const mark of this.#marks) {
      const { used } = before;
      if (mark.at > at) return used + ((mark.used - used) * (at - before.at)) / (mark.at - before.at);
      before = mark;
    }
    return this.#used;
  }
}
