import type { Clock } from '../../clock.ts';
import type { Call } from '../../http/call.ts';
import type { Ask } from '../../quota/admission.ts';
import type { Books } from '../../quota/books.ts';
import type { ClientWide } from '../../quota/client-wide.ts';
import type { Plan } from '../../quota/forecast/estimate.ts';
import type { CallQueueOutlook } from '../queue/call-queue.ts';
import type { Bound, PendingCall } from '../queue/pending-call.ts';
import { exhaustedError, latenessError, overflowError, type QueueEnd } from '../queue/queue-errors.ts';
import type { Backlog, BackloggedCall, Group } from './backlog.ts';
import { type QueueEstimate, RecentEstimates, type Reckoning } from './recent-estimates.ts';

/** A call of the queue, which the backlog counts. */
type CountedCall = PendingCall & BackloggedCall;

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
const NEVER = { at: Infinity, sentAt: Infinity, windowMs: 0 };

/**
 * Pause between two checks of the waiting calls, in milliseconds for each of them. A check takes a microsecond a call, and each answer may be
 * a reason for one.
 */
const RECHECK_MS = 0.01;

/** Calls that may yet be sent in time are looked at again after this part of the window that binds. */
const DOUBT_PART = 1 / 32;

/** When calls would be sent behind those that wait, and the errors of calls for which that is too late or too many. */
export class QueueOutlook implements CallQueueOutlook {
  readonly #options: QueueOutlookOptions;
  readonly #estimates = new RecentEstimates();
  /** The state of the books at the last check: how often a cost was unexpected, and key, revision and pause as one text. */
  #surprises = 0;
  #terms = '';
  /** When calls that may yet be sent in time are looked at again. */
  #doubtsAt = Infinity;
  /** The earliest instant of the next check. */
  #mayCheckAt = -Infinity;

  constructor(options: QueueOutlookOptions) {
    this.#options = options;
  }

  /**
   * Estimate for a plan behind the calls waiting with that priority or a higher one; undefined while no limit is known.
   *
   * @param reckoning - unless it is `likely`, the plan states a cost.
   */
  estimate(plan: Plan, priority: number, reckoning: Reckoning = 'likely'): QueueEstimate | undefined {
    const { clock, books, clientWide, backlog } = this.#options;
    const { present, key } = books;
    const now = clock.now();
    const excess = reckoning === 'likely' && plan.cost !== undefined && present.excess(plan.cost, now);
    if (excess) return { ...NEVER, window: excess.window };
    const subject = {
      endpoint: plan.endpoint,
      priority,
      count: plan.count,
      size: Math.ceil(Math.log2(present.costs.mean(plan))),
      reckoning,
      key,
      pausedUntil: present.pausedUntil,
      concurrency: clientWide.concurrency.limit,
    };
    const basis = { now, moved: backlog.moved, ahead: backlog.weightAheadOf(priority) };
    return this.#estimates.of(subject, basis, () => {
      if (reckoning === 'best')
        return present.estimate([...notPassedBy(plan, backlog.aheadOf(priority, this.#likely)), plan], now, true);
      const costOf = reckoning === 'sure' ? this.#surely : undefined;
      return present.estimate([...backlog.aheadOf(priority, costOf), plan], now);
    });
  }

  get recheckAt(): number {
    return Math.max(this.#doubtsAt, this.#mayCheckAt);
  }

  get isPaused(): boolean {
    return this.#options.clientWide.manualPause.until === Infinity;
  }

  leave(call: PendingCall): void {
    this.#options.backlog.leave(call as CountedCall);
  }

  sentAt({ ask }: PendingCall): number {
    const isBehind = this.#options.backlog.weightAheadOf(ask.priority ?? 0) > 0;
    return isBehind ? this.#endFor(ask).sentAt : -Infinity;
  }

  lateErrors(bounds: ReadonlyMap<PendingCall, Bound>): ReadonlyMap<PendingCall, Error> {
    const { clock, books, backlog } = this.#options;
    const { present, key } = books;
    const now = clock.now();
    if (now < this.#mayCheckAt) return new Map();
    const { costs, revision, pausedUntil } = present;
    const terms = `${key} ${revision} ${pausedUntil}`;
    const isChanged = costs.surprises !== this.#surprises || backlog.overtaking > 0;
    const isHeavier = isChanged && backlog.reweigh(this.#surely);
    this.#surprises = costs.surprises;
    if (!isHeavier && terms === this.#terms && now < this.#doubtsAt) return new Map();
    this.#terms = terms;
    this.#mayCheckAt = now + bounds.size * RECHECK_MS;
    const groups = backlog.groups(bounds as ReadonlyMap<CountedCall, Bound>, this.#surely, now);
    const late = this.#lateOf(groups, now);
    // Of equal calls the last are late.
    const turnedAway = groups.flatMap(({ calls }, nth) => calls.slice(calls.length - (late[nth] ?? 0)));
    const inTurn = (turnedAway as CountedCall[]).map(
      (call) => [call, bounds.get(call) ?? { since: now, by: now }] as const,
    );
    return this.turnAway(new Map(inTurn));
  }

  turnAway(bounds: ReadonlyMap<PendingCall, Bound>): ReadonlyMap<PendingCall, Error> {
    // All of them leave the backlog before the first estimate, because none is ahead of another.
    for (const call of bounds.keys()) this.leave(call);
    const ends = new Map<string, QueueEnd>();
    return new Map(
      Array.from(bounds as ReadonlyMap<CountedCall, Bound>, ([call, { since }]) => {
        const { ask, stretch, maxQueueMs = 0 } = call;
        const like = `${stretch.priority} ${stretch.weight} ${ask.endpoint}`;
        const end = ends.get(like) ?? this.#endFor(ask);
        ends.set(like, end);
        return [call, latenessError({ endpoint: ask.endpoint, maxQueueMs, since }, end, this.#options.clock)];
      }),
    );
  }

  /** The error of a call that would be sent later than its `maxQueueMs` allows, or never because of its cost, if it would. */
  latenessOf(call: Call): Error | undefined {
    const { clock, books, waiting } = this.#options;
    const { ask, maxQueueMs = Infinity } = call;
    if (ask.isInspection) return undefined;
    const reason = ask.cost === undefined ? undefined : books.present.excess(ask.cost, clock.now());
    if (reason) {
      // Where no call waits, the pacer answers at once, and knows whether one is to be sent all the same.
      if (waiting() === 0) return undefined;
      return exhaustedError(call, { reason, until: Infinity, quota: books.lastQuota }, clock);
    }
    if (maxQueueMs === Infinity) return undefined;
    const end = this.#endFor(ask);
    // After the estimate, which may say "now": a real clock goes on meanwhile.
    const since = clock.now();
    const by = since + maxQueueMs;
    if (end.sentAt <= by) return undefined;
    // No call is refused for what only an average says.
    const { sentAt, windowMs } = this.#endFor({ ...ask, cost: this.#surely(ask) }, 'sure');
    if (sentAt <= clock.now() + maxQueueMs) return undefined;
    const until = this.#doubtEnd({ by, since }, windowMs);
    if (until > since && this.#endFor({ ...ask, cost: this.#likely(ask) }, 'best').sentAt <= until) {
      this.#recheckBy(until, windowMs);
      return undefined;
    }
    return latenessError({ endpoint: ask.endpoint, maxQueueMs, since }, end, clock);
  }

  /**
   * How many calls of each group are late, and have no chance to be sent much sooner than is estimated: a call that would be sent more than a window
   * before its instant is not to be refused.
   */
  #lateOf(groups: readonly Group[], now: number): readonly number[] {
    const { present } = this.#options.books;
    const { late = [], windowMs = 0 } = present.estimate(groups, now) ?? {};
    this.#doubtsAt = Infinity;
    const soon = groups.map((one) => {
      const { by = Infinity, since } = one;
      const until = since === undefined ? undefined : this.#doubtEnd({ by, since }, windowMs);
      return { ...one, cost: this.#likely(one.ask), by: until };
    });
    const isDoubtful = ({ by = now }: Plan, nth: number): boolean => by > now && (late[nth] ?? 0) > 0;
    const left = [...late];
    for (const cost of new Set(soon.filter(isDoubtful).map((one) => one.cost))) {
      const plans = soon.map((one) => (one.cost <= cost ? one : { ...one, count: 0 }));
      const { late: still = [] } = present.estimate(plans, now, true) ?? {};
      for (const [nth, one] of soon.entries()) {
        const [all = 0, some = 0] = [late[nth], still[nth]];
        if (one.cost !== cost || !isDoubtful(one, nth) || some >= all) continue;
        left[nth] = some;
        this.#recheckBy(one.by ?? now, windowMs);
      }
    }
    return left;
  }

  /**
   * Until when a call that is late may be sent so soon that its refusal would be a mistake: a window before its instant, but for no longer than a
   * window. Where all shapes are known, none is.
   */
  #doubtEnd({ by, since }: Bound, windowMs: number): number {
    if (!this.#options.books.present.isShapeOpen) return -Infinity;
    return Math.min(by - windowMs, since + windowMs);
  }

  #recheckBy(until: number, windowMs: number): void {
    this.#doubtsAt = Math.min(this.#doubtsAt, until, this.#options.clock.now() + windowMs * DOUBT_PART);
  }

  readonly #surely = (ask: Ask): number => this.#options.books.present.costs.surely(ask);

  readonly #likely = (ask: Ask): number => this.#options.books.present.costs.mean(ask);

  overflowOf(call: PendingCall): Error {
    const { maxWaiting, clock } = this.#options;
    // Neither ahead of itself, nor of the next that is turned away in the same turn.
    this.leave(call);
    return overflowError(call.ask.endpoint, this.#endFor(call.ask), maxWaiting, clock);
  }

  /** The end of the queue, as a call that is made now would find it. */
  #endFor(
    { endpoint, query, cost, priority = 0 }: Ask,
    reckoning?: Reckoning,
  ): QueueEnd & { readonly windowMs: number } {
    const { clock, books, waiting } = this.#options;
    const plan = { endpoint, query, cost, count: 1 };
    const { sentAt = clock.now(), window, windowMs = 0 } = this.estimate(plan, priority, reckoning) ?? {};
    return { waiting: waiting(), sentAt, window, windowMs, quota: books.lastQuota };
  }
}

/** Those of the plans that cost no more than this one: it may pass the others. */
function notPassedBy({ cost = 0 }: Plan, ahead: readonly Plan[]): readonly Plan[] {
  return ahead.filter((one) => (one.cost ?? 0) <= cost);
}
