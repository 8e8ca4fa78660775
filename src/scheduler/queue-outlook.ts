import type { Clock } from '../clock.ts';
import type { Call } from '../http/call.ts';
import type { Ask } from '../quota/admission.ts';
import type { Books } from '../quota/books.ts';
import type { ClientWide } from '../quota/client-wide.ts';
import type { Plan } from '../quota/forecast/estimate.ts';
import type { Backlog, BackloggedCall } from './backlog.ts';
import type { Bound, QueueLine } from './call-queue.ts';
import { NO_ERRORS, type PendingCall } from './gate.ts';
import { excessError, latenessError, overflowError, type QueueEnd } from './queue-errors.ts';
import { type QueueEstimate, RecentEstimates } from './recent-estimates.ts';

/** Options of {@link QueueOutlook}. */
export interface QueueOutlookOptions {
  readonly clock: Clock;
  readonly books: Books;
  readonly clientWide: ClientWide;
  readonly backlog: Backlog;
  /** How many calls wait. */
  readonly waiting: () => number;
  /** How many may. */
  readonly maxWaiting: number;
}

/** The estimate of calls that are never sent. */
const NEVER = { at: Number.POSITIVE_INFINITY, sentAt: Number.POSITIVE_INFINITY };

type CostOf = (ask: Ask) => number;

/**
 * Calls that wait are looked at again only after so many milliseconds for each of them: that takes a microsecond a call, and a service may tell
 * something new with each answer.
 */
const RECHECK_MS = 0.01;

/** When calls would be sent behind those that wait, and the errors of calls for which that is too late or too many. */
export class QueueOutlook implements QueueLine {
  readonly #options: QueueOutlookOptions;
  readonly #estimates = new RecentEstimates();
  /** What {@link lateErrors} was told last. */
  #surprises = 0;
  #terms = '';
  /** No earlier does it look at the calls again. */
  #mayCheckAt = Number.NEGATIVE_INFINITY;

  constructor(options: QueueOutlookOptions) {
    this.#options = options;
  }

  /**
   * Estimate for a plan behind the calls waiting with that priority or a higher one; undefined while no limit is known.
   *
   * @param costOf - what calls cost of which no cost is stated, those of the plan included. Omitted: what they cost on average.
   */
  estimate(plan: Plan, priority: number, costOf?: CostOf): QueueEstimate | undefined {
    const { clock, books, clientWide, backlog } = this.#options;
    const { present, key } = books;
    const now = clock.now();
    const excess = !costOf && plan.cost !== undefined && present.excess(plan.cost, now);
    if (excess) return { ...NEVER, window: excess.window };
    const subject = {
      endpoint: plan.endpoint,
      priority,
      count: plan.count,
      size: Math.ceil(Math.log2(present.costs.mean(plan))),
      isSure: !!costOf,
      key,
      pausedUntil: present.pausedUntil,
      concurrency: clientWide.concurrency.limit,
    };
    const basis = { now, moved: backlog.moved, ahead: backlog.weightAheadOf(priority) };
    return this.#estimates.of(subject, basis, () =>
      present.estimate([...backlog.aheadOf(priority, costOf), plan], now),
    );
  }

  leave(call: PendingCall): void {
    this.#options.backlog.leave(call as PendingCall & BackloggedCall);
  }

  sentAt({ ask }: PendingCall): number {
    const isBehind = this.#options.backlog.weightAheadOf(ask.priority ?? 0) > 0;
    return isBehind ? this.#endFor(ask).sentAt : Number.NEGATIVE_INFINITY;
  }

  lateErrors(bounds: ReadonlyMap<PendingCall, Bound>): ReadonlyMap<PendingCall, Error> {
    const { clock, books, backlog } = this.#options;
    const { present, key } = books;
    const now = clock.now();
    if (now < this.#mayCheckAt) return NO_ERRORS;
    const { costs, revision, pausedUntil } = present;
    const costOf: CostOf = (ask) => costs.surely(ask);
    const terms = `${key} ${revision} ${pausedUntil}`;
    const isChanged = costs.surprises !== this.#surprises || backlog.overtaking > 0;
    const isHeavier = isChanged && backlog.reweigh(costOf);
    this.#surprises = costs.surprises;
    if (!isHeavier && terms === this.#terms) return NO_ERRORS;
    this.#terms = terms;
    this.#mayCheckAt = now + bounds.size * RECHECK_MS;
    const groups = backlog.groups(bounds as ReadonlyMap<PendingCall & BackloggedCall, Bound>, costOf, now);
    const { late } = present.estimate(groups, now) ?? {};
    // Of equal calls the last are late. All of them leave the line before the first estimate, because none is ahead of another.
    const turnedAway = groups.flatMap(({ calls }, nth) => calls.slice(calls.length - (late?.[nth] ?? 0)));
    for (const call of turnedAway) backlog.leave(call);
    const ends = new Map<string, QueueEnd>();
    return new Map(
      (turnedAway as (PendingCall & BackloggedCall)[]).map((call) => {
        const { ask, stretch, maxQueueMs = 0 } = call;
        const like = `${stretch.priority} ${stretch.weight} ${ask.endpoint}`;
        const end = ends.get(like) ?? this.#endFor(ask);
        ends.set(like, end);
        const { by = now } = bounds.get(call) ?? {};
        return [call, latenessError(ask.endpoint, end, maxQueueMs, clock, now + maxQueueMs - by)];
      }),
    );
  }

  /** The error of a call that would be sent later than its `maxQueueMs` allows, or never because of its cost, if it would. */
  latenessOf({ ask, request, maxQueueMs = Number.POSITIVE_INFINITY }: Call): Error | undefined {
    const { clock, books, waiting } = this.#options;
    if (ask.isInspection) return undefined;
    const excess = ask.cost === undefined ? undefined : books.present.excess(ask.cost, clock.now());
    // Where no call waits, the pacer answers at once, and knows whether one is to be sent all the same.
    if (excess) return waiting() > 0 ? excessError(ask, request.url, excess, books.lastQuota, clock) : undefined;
    if (maxQueueMs === Number.POSITIVE_INFINITY) return undefined;
    const by = clock.now() + maxQueueMs;
    const end = this.#endFor(ask);
    const costOf: CostOf = (one) => books.present.costs.surely(one);
    // No call is refused for what only an average says.
    const isLate = end.sentAt > by && this.#endFor({ ...ask, cost: costOf(ask) }, costOf).sentAt > by;
    return isLate ? latenessError(ask.endpoint, end, maxQueueMs, clock) : undefined;
  }

  overflowOf(call: PendingCall): Error {
    const { maxWaiting, clock } = this.#options;
    // Neither ahead of itself, nor of the next that is turned away in the same turn.
    this.leave(call);
    return overflowError(call.ask.endpoint, this.#endFor(call.ask), maxWaiting, clock);
  }

  /** The end of the queue, as a call that is made now would find it. */
  #endFor({ endpoint, query, cost, priority = 0 }: Ask, costOf?: CostOf): QueueEnd {
    const { clock, books, waiting } = this.#options;
    const { sentAt = clock.now(), window } = this.estimate({ endpoint, query, cost, count: 1 }, priority, costOf) ?? {};
    return { waiting: waiting(), sentAt, window, quota: books.lastQuota };
  }
}
