import type { Clock } from '../clock.ts';
import { ClosedError, QuotaExhaustedError } from '../errors.ts';
import type { EventListener } from '../events.ts';
import { HttpExchange, type TracedCall } from '../http/attempt.ts';
import type { Call, Reply } from '../http/call.ts';
import { KEY_CHANGED, type KeyRing } from '../http/key-ring.ts';
import { redirected } from '../http/redirect.ts';
import {
  type AttemptCounts,
  type AttemptOutcome,
  decideRetry,
  isSafe,
  RetryBudget,
  type RetryDecision,
} from '../http/retry-policy.ts';
import type { Transport } from '../http/transport.ts';
import type { Ask, Lease } from '../quota/admission.ts';
import { Books } from '../quota/books.ts';
import { ClientWide } from '../quota/client-wide.ts';
import type { Plan, PlanEstimate } from '../quota/forecast/estimate.ts';
import type { MonthOutlook } from '../quota/forecast/month.ts';
import { Pacer } from '../quota/pacer.ts';
import type { ShareLimit } from '../quota/share-limit.ts';
import type { ServerClock } from '../quota/time/server-clock.ts';
import type { PacerView } from '../quota/view.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import type { Membership, QuotaShare } from '../share.ts';
import type { LowMarks } from '../trace/low-water.ts';
import type { QueuedCall, QueueOptions } from '../trace/queue-view.ts';
import { Tracer } from '../trace/tracer.ts';
import { Backlog, type CallKind } from './backlog.ts';
import { CallQueue } from './call-queue.ts';
import { rejectionForCaller, withCallersFrames } from './callers-frames.ts';
import { finalError } from './final-error.ts';
import { HourlyLook } from './hourly-look.ts';
import { KeyTurns } from './key-turns.ts';
import { latenessError, overflowError, type QueueEnd } from './queue-errors.ts';
import { WhileWaiting } from './while-waiting.ts';

/** A lease outlives the longest attempt by this much before it counts as forgotten, in milliseconds. */
const LEASE_SLACK_MS = 60_000;

/** So many promises, at most, lie between a call and its caller. */
const TELLING_TURNS = 10;

const DELIVER: RetryDecision = { kind: 'deliver' };

/** Options of a scheduler. */
export interface SchedulerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly share: QuotaShare;
  readonly reserve?: BulkReservePolicy | undefined;
  /** The parts of windows below which `low` is emitted. */
  readonly low?: LowMarks | undefined;
  readonly keys: KeyRing;
  /** Identifies the quota of a key, given its number: the service's origin and the key. */
  readonly credentialOf: (key: number) => string;
  /** Sends one request that only reads the quota. */
  readonly inspect: () => Promise<unknown>;
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  readonly onOverflow: 'reject-new' | 'reject-lowest';
  readonly timeoutMs: number;
  readonly onEvent: EventListener | undefined;
}

/** Takes each call through queue, pacer and exchange, repeats it where the retry policy says so, and returns its reply. */
export class Scheduler {
  readonly tracer: Tracer;
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #clientWide: ClientWide;
  readonly #books: Books;
  readonly #keyTurns: KeyTurns;
  readonly #keyCheck: WhileWaiting;
  readonly #queue: CallQueue;
  readonly #exchange: HttpExchange;
  readonly #retryBudget = new RetryBudget();
  readonly #look: HourlyLook;
  readonly #backlog = new Backlog(() => this.#onDrained());
  #urgentWaiting = 0;
  #membership: Membership | undefined;
  /** Calls that {@link close} turned away. */
  #turnedAway = 0;
  #isQueueClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { transport, clock, share, concurrency, maxWaitMs, timeoutMs, onEvent } = options;
    this.#options = options;
    this.#clock = clock;
    this.#clientWide = new ClientWide(concurrency);
    const shareLimit = this.#join(share, this.#clientWide.clock);
    this.#books = new Books(
      () =>
        new Pacer({
          concurrency: this.#clientWide,
          leaseMs: timeoutMs + LEASE_SLACK_MS,
          shareLimit: () => shareLimit,
          bulkReserve: options.reserve,
        }),
    );
    this.#keyTurns = new KeyTurns({
      ...{ ring: options.keys, books: this.#books, clock },
      onTurn: () => this.#queue.wake(),
    });
    const isWaiting = (): boolean => this.waiting > 0;
    this.#look = new HourlyLook({
      ...{ clock, isWaiting, inspect: options.inspect },
      isPaused: () => this.pausedUntil > clock.now(),
      isExhausted: () => this.#present.isExhausted(clock.now()),
      answeredAt: () => (this.#inFlight > 0 ? clock.now() : this.#present.answeredAt),
    });
    this.#keyCheck = new WhileWaiting({
      ...{ clock, isWaiting },
      dueAt: () => this.#keyTurns.dueAt,
      act: () => this.#keyTurns.askWhileWaiting(),
    });
    const { maxWaiting, onOverflow } = options;
    this.#queue = new CallQueue({
      ...{ pacer: this.#books, clock, maxWaitMs },
      overflow: {
        ...{ maxWaiting, onOverflow },
        error: ({ ask }) => overflowError(ask.endpoint, this.#queueEnd(ask), maxWaiting, clock),
      },
    });
    this.tracer = new Tracer(clock, () => this.#queue.behind);
    if (onEvent) this.tracer.subscribe(onEvent);
    this.#exchange = new HttpExchange({
      ...{ transport, clock, timeoutMs, low: options.low },
      settle: (lease, outcome) => this.#queue.release(lease, outcome),
      keyFor: this.#keyTurns.keyFor,
      drift: (lease, quota) => this.#books.drift(lease, quota, clock.now()),
    });
  }

  /** Calls that wait to be sent. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Outlook of the month, by the service's clock. */
  month(): MonthOutlook | undefined {
    return this.#present.month(this.#clock.now(), this.#clock.wall());
  }

  /** The pacer's current state. */
  view(): PacerView {
    return { ...this.#present.view(this.#clock.now()), inFlight: this.#inFlight };
  }

  /** Whether the service serves the key as if there were none. */
  get isKeyIgnored(): boolean {
    return this.#exchange.isKeyIgnored;
  }

  /** Requests answered and not refused so far, and their units. */
  get spent(): { readonly requests: number; readonly units: number } {
    return this.#clientWide.throughput;
  }

  /** Estimate for a plan behind the calls waiting with that priority or a higher one; undefined while no limit is known. */
  estimate(plan: Plan, priority: number): PlanEstimate | undefined {
    const now = this.#clock.now();
    return this.#present.estimate([...this.#backlog.aheadOf(priority, this.#inFlight), plan], now);
  }

  /** Makes a call: sends it when the quota allows, retries it by the retry policy, and returns the last answer. */
  run(call: Call): Promise<Reply> {
    if (this.#closing) return Promise.reject(new ClosedError());
    const late = this.#latenessError(call);
    const kind = this.#backlog.add(call.ask);
    const traced = call as TracedCall;
    traced.trace = this.tracer.begin(call.ask, call.label);
    const ticket = this.#queue.nextTicket();
    const lease = this.#firstLease(traced, ticket, late);
    // Not async: a call that waits is an entry of the queue and little more.
    if (!(lease instanceof Promise)) return this.#make(traced, ticket, lease, kind);
    return lease.then(
      (first) => this.#make(traced, ticket, first, kind),
      (error: unknown) => {
        this.#backlog.remove(kind);
        if (error instanceof QuotaExhaustedError) this.#look.onRefusal();
        traced.trace.failed(error, traced.signal);
        return rejectionForCaller(error);
      },
    );
  }

  /** The first lease of a call. It is refused only by the books of the key that its source gives now. */
  #firstLease(call: TracedCall, ticket: number, late: Error | undefined): Lease | Promise<Lease> {
    const { key } = this.#books;
    const lease = late ? Promise.reject(late) : this.#acquire(call, ticket);
    if (!(lease instanceof Promise) || !this.#keyTurns.mayChange) return lease;
    return lease.catch(async (error: unknown) => {
      if (!(error instanceof QuotaExhaustedError) || !(await this.#keyTurns.hasTurned(key))) throw error;
      const stillLate = this.#latenessError(call);
      if (stillLate) throw stillLate;
      return this.#acquire(call, ticket);
    });
  }

  /** Acquires a lease, at once if possible. Urgent calls that wait are counted, because processes that share a quota keep something for such. */
  #acquire(call: TracedCall, ticket: number): Lease | Promise<Lease> {
    let lease: Lease | Promise<Lease>;
    try {
      lease = this.#queue.acquire(call, ticket);
    } catch (error) {
      return Promise.reject(error);
    }
    if (!(lease instanceof Promise)) return lease;
    this.#keyCheck.start();
    this.#look.start();
    if ((call.ask.priority ?? 0) <= 0) return lease;
    this.#urgentWaiting++;
    return lease.finally(() => this.#urgentWaiting--);
  }

  /** Makes a call that has its first lease. */
  async #make(call: TracedCall, ticket: number, first: Lease, kind: CallKind): Promise<Reply> {
    const { trace } = call;
    let { request } = call;
    const counts = { attempts: 0, refusals: 0, hops: 0, isKeyAsked: false };
    try {
      for (let lease = first; ; lease = await this.#acquire(call, ticket)) {
        trace.granted();
        const { outcome, reply, failure } = await this.#exchange.attempt(call, request, lease, counts);
        counts.isKeyAsked = outcome.kind === 'failed' && outcome.code === KEY_CHANGED;
        if (counts.isKeyAsked) {
          trace.requeued();
          continue;
        }
        const isLimited = outcome.kind === 'answered' && outcome.isLimited;
        if (isLimited) counts.refusals++;
        else if (outcome.kind === 'answered' && outcome.redirect) counts.hops++;
        else counts.attempts++;
        const isRefusedInspection = isLimited && call.ask.isInspection;
        const decision = isRefusedInspection ? DELIVER : this.#decide(call, request.method, outcome, counts);
        if (reply && (decision.kind === 'deliver' || (decision.kind === 'fail' && isLimited && call.takesRefusals))) {
          trace.done(reply.status);
          // It may have ended a pause, which other answers do not.
          if (call.ask.isInspection) this.#queue.wake();
          return reply;
        }
        if (decision.kind !== 'retry')
          throw finalError(call, request, outcome, counts, failure, this.#clock, {
            ...this.view(),
            quota: this.#present.lastQuota,
          });
        const { afterMs } = decision;
        if (decision.url && outcome.kind === 'answered') request = redirected(request, outcome.status, decision.url);
        trace.retrying(counts.attempts + 1, afterMs);
        if (afterMs > 0) await this.#queue.delay(afterMs, call.signal);
      }
    } catch (error) {
      trace.failed(error, call.signal);
      throw withCallersFrames(error);
    } finally {
      this.#backlog.remove(kind);
    }
  }

  /** Holds back every request until `instant`, in monotonic milliseconds; Infinity: until {@link resume}. */
  pause(instant: number): void {
    this.#clientWide.manualPause.set(instant);
  }

  /** Ends the pause that {@link pause} began. */
  resume(): void {
    this.#clientWide.manualPause.set(Number.NEGATIVE_INFINITY);
    this.#queue.wake();
  }

  /** The end of the pause that {@link pause} began, in force or not. */
  get pausedUntil(): number {
    return this.#clientWide.manualPause.until;
  }

  /** How many requests may be under way at once. */
  get concurrency(): number {
    return this.#clientWide.concurrency.limit;
  }

  set concurrency(concurrency: number) {
    this.#clientWide.concurrency.limit = concurrency;
    this.#queue.wake();
  }

  /** Resolves when no call waits or is under way, and their callers have been told. */
  async idle(): Promise<void> {
    await this.#backlog.drained();
    // A call counts as finished before its caller has been told.
    for (let turn = 0; turn < TELLING_TURNS; turn++) await undefined;
  }

  /**
   * Accepts no more calls, lets those in flight finish, and gives the share back.
   *
   * @param isDraining - whether the calls that wait are sent, too; else they are rejected.
   * @returns how many calls were rejected.
   */
  async close(isDraining = false): Promise<number> {
    if (isDraining) this.resume();
    else if (!this.#isQueueClosed) {
      this.#isQueueClosed = true;
      this.#turnedAway = this.#queue.length;
      this.#queue.close();
    }
    this.#closing ??= this.idle().then(() => this.#membership?.leave());
    await this.#closing;
    return this.#turnedAway;
  }

  /** Waiting calls: why, until when, and at which place. */
  queue(options?: QueueOptions): readonly QueuedCall[] {
    return this.tracer.queue(options, (plans) => this.#present.estimate(plans, this.#clock.now())?.sentAt);
  }

  /** What a call that is made now would find at the end of the queue. */
  #queueEnd({ endpoint, cost, priority = 0 }: Ask): QueueEnd {
    const { sentAt = this.#clock.now(), window } = this.estimate({ endpoint, cost, count: 1 }, priority) ?? {};
    return { waiting: this.waiting, sentAt, window, quota: this.#present.lastQuota };
  }

  #latenessError({ ask, maxQueueMs = Number.POSITIVE_INFINITY }: Call): Error | undefined {
    if (maxQueueMs === Number.POSITIVE_INFINITY || ask.isInspection) return undefined;
    const end = this.#queueEnd(ask);
    const isLate = end.sentAt - this.#clock.now() > maxQueueMs;
    return isLate ? latenessError(ask.endpoint, end, maxQueueMs, this.#clock) : undefined;
  }

  get #present(): Pacer {
    return this.#books.present;
  }

  /** Requests under way, with whichever key. */
  get #inFlight(): number {
    return this.#clientWide.concurrency.open;
  }

  #onDrained(): void {
    this.#keyCheck.stop();
    this.#look.stop();
  }

  #join(share: QuotaShare, time: ServerClock): ShareLimit {
    const { clock, random, credentialOf } = this.#options;
    const scheduler = this;
    this.#membership = share.join({
      clock,
      random,
      time,
      credential: async () => credentialOf(await this.#keyTurns.ask()),
      waiting: () => this.waiting,
      urgentWaiting: () => this.#urgentWaiting,
      get concurrency() {
        return scheduler.concurrency;
      },
      learn: (knowledge) => this.#present.learn(knowledge, clock.now()),
      wake: () => this.#queue.wake(),
      tell: (event) => this.tracer.emit(event),
    });
    return this.#membership.part;
  }

  #decide({ isOneShot, ask }: Call, method: string, outcome: AttemptOutcome, counts: AttemptCounts): RetryDecision {
    if (outcome.kind === 'answered' && outcome.status < 400 && !outcome.isLimited && !outcome.redirect) {
      this.#retryBudget.earn();
      return DELIVER;
    }
    const { maxAttempts, random } = this.#options;
    const decision = decideRetry(outcome, counts, { maxAttempts, isSafe: isSafe(method), random: random() });
    if (decision.kind === 'deliver' && outcome.kind === 'answered' && outcome.status < 500) this.#retryBudget.earn();
    if (decision.kind !== 'retry') return decision;
    const waitMs = isOneShot ? undefined : this.#retryWaitMs(decision.isPaid, ask);
    if (waitMs === undefined) return { kind: outcome.kind === 'answered' ? 'deliver' : 'fail' };
    return { ...decision, afterMs: Math.max(decision.afterMs, waitMs) };
  }

  /** How long a retry waits for the retry budget, in milliseconds; undefined: longer than the call may wait. */
  #retryWaitMs(isPaid: boolean, { maxWaitMs }: Ask): number | undefined {
    return isPaid ? this.#retryBudget.pay(this.#clock.now(), maxWaitMs) : 0;
  }
}
