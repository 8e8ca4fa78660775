import type { Clock } from '../clock.ts';
import { ClosedError, QuotaExhaustedError } from '../errors.ts';
import { HttpExchange, type TracedCall } from '../http/attempt.ts';
import type { Call, Reply } from '../http/call.ts';
import { KEY_CHANGED } from '../http/key-ring.ts';
import { redirected } from '../http/redirect.ts';
import type { Ask, Lease } from '../quota/admission.ts';
import { Books } from '../quota/books.ts';
import { ClientWide } from '../quota/client-wide.ts';
import type { Plan, PlanEstimate } from '../quota/forecast/estimate.ts';
import type { MonthOutlook } from '../quota/forecast/month.ts';
import type { Pacer } from '../quota/pacer.ts';
import { TRIAL_MS } from '../quota/recovery/hourly-trial.ts';
import type { PacerView } from '../quota/view.ts';
import type { Member } from '../share.ts';
import type { QueuedCall, QueueOptions } from '../trace/queue-view.ts';
import { Tracer } from '../trace/tracer.ts';
import { Backlog, type BackloggedCall } from './backlog.ts';
import { CallQueue } from './call-queue.ts';
import { rejectionForCaller, withCallersFrames } from './callers-frames.ts';
import { finalError } from './final-error.ts';
import type { WaitingLine } from './gate.ts';
import { KeyTurns } from './key-turns.ts';
import { Memberships } from './memberships.ts';
import type { SchedulerOptions } from './options.ts';
import { latenessError, overflowError, type QueueEnd } from './queue-errors.ts';
import { RecentEstimates } from './recent-estimates.ts';
import { DELIVER, Retries } from './retries.ts';
import type { WaitingCall } from './waiting-call.ts';
import { WhileWaiting } from './while-waiting.ts';

/** A lease outlives the longest attempt by this much before it counts as forgotten, in milliseconds. */
const LEASE_SLACK_MS = 60_000;

/** So many promises, at most, lie between a call and its caller. */
const TELLING_TURNS = 10;

/** A call that the scheduler makes. */
type ScheduledCall = TracedCall & BackloggedCall;

/** Takes each call through queue, pacer and exchange, repeats it where the retry policy says so, and returns its reply. */
export class Scheduler {
  readonly tracer: Tracer;
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #clientWide: ClientWide;
  readonly #memberships: Memberships;
  readonly #books: Books;
  readonly #keyTurns: KeyTurns;
  readonly #keyCheck: WhileWaiting;
  readonly #queue: CallQueue;
  readonly #exchange: HttpExchange;
  readonly #retries: Retries;
  readonly #trial: WhileWaiting;
  #triedAt = Number.NEGATIVE_INFINITY;
  readonly #backlog = new Backlog(() => this.#onDrained());
  readonly #estimates = new RecentEstimates();
  #urgentWaiting = 0;
  /** Calls that {@link close} turned away. */
  #turnedAway = 0;
  #isQueueClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { transport, clock, random, concurrency, maxAttempts, maxWaitMs, timeoutMs, onEvent } = options;
    this.#options = options;
    this.#clock = clock;
    this.#clientWide = new ClientWide(concurrency);
    this.#retries = new Retries(maxAttempts, random);
    this.#memberships = new Memberships(options.share, clock);
    this.#books = new Books({
      open: (key) => this.#open(key),
      close: (pacer) => void this.#memberships.leave(pacer),
    });
    this.#keyTurns = new KeyTurns({
      ...{ ring: options.keys, books: this.#books, clock },
      onTurn: () => this.#queue.wake(),
    });
    const isWaiting = (): boolean => this.waiting > 0;
    this.#trial = new WhileWaiting({
      ...{ clock, isWaiting },
      dueAt: () => Math.max(this.#present.triesAt, this.#triedAt + TRIAL_MS),
      act: () => {
        this.#triedAt = clock.now();
        this.#queue.wake();
      },
    });
    this.#keyCheck = new WhileWaiting({
      ...{ clock, isWaiting },
      dueAt: () => this.#keyTurns.dueAt,
      act: () => this.#keyTurns.askWhileWaiting(),
    });
    const { maxWaiting, onOverflow } = options;
    const line: WaitingLine = {
      leave: (call) => this.#backlog.leave(call as ScheduledCall),
      sentAt: ({ ask }) => {
        const isBehind = this.#backlog.weightAheadOf(ask.priority ?? 0) > 0;
        return isBehind ? this.#queueEnd(ask).sentAt : Number.NEGATIVE_INFINITY;
      },
    };
    this.#queue = new CallQueue({
      ...{ pacer: this.#books, clock, maxWaitMs, line },
      overflow: {
        ...{ maxWaiting, onOverflow },
        error: (call) => {
          // Neither ahead of itself, nor of the next that is turned away in the same turn.
          line.leave(call);
          return overflowError(call.ask.endpoint, this.#queueEnd(call.ask), maxWaiting, clock);
        },
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
    const pacer = this.#present;
    const subject = {
      ...{ endpoint: plan.endpoint, priority, count: plan.count, size: Math.ceil(Math.log2(pacer.costOf(plan))) },
      ...{ key: this.#books.key, pausedUntil: pacer.pausedUntil, concurrency: this.concurrency },
    };
    const basis = { now, moved: this.#backlog.moved, ahead: this.#backlog.weightAheadOf(priority) };
    return this.#estimates.of(subject, basis, () => pacer.estimate([...this.#backlog.aheadOf(priority), plan], now));
  }

  /** Makes a call: sends it when the quota allows, retries it by the retry policy, and returns the last answer. */
  run(call: Call): Promise<Reply> {
    if (this.#closing) return Promise.reject(new ClosedError());
    const late = this.#latenessError(call);
    const traced = call as ScheduledCall;
    this.#backlog.add(traced, this.#present.costOf(call.ask));
    traced.trace = this.tracer.begin(call.ask, call.label);
    if (late) return this.#refuse(traced, late);
    try {
      const lease = this.#acquire(traced);
      // Not async, and without a function of its own: a call that waits is an entry of the queue and little more.
      return lease instanceof Promise ? lease.then(this.#afterWait) : this.#make(traced, lease);
    } catch (error) {
      return this.#refuse(traced, error);
    }
  }

  readonly #afterWait = (waiting: WaitingCall): Promise<Reply> => {
    const call = waiting.call as ScheduledCall;
    try {
      return this.#make(call, this.#leaseOf(waiting));
    } catch (error) {
      return this.#refuse(call, error);
    }
  };

  /** A call is refused before its first request is sent. If its source gives another key now, the books of that one decide. */
  async #refuse(call: ScheduledCall, reason: unknown): Promise<Reply> {
    // At once: it is not ahead of calls that are made in the same turn.
    this.#backlog.leave(call);
    const { key } = this.#books;
    const isByBooks = reason instanceof QuotaExhaustedError && this.#keyTurns.mayChange;
    if (!isByBooks || !(await this.#keyTurns.hasTurned(key))) return this.#reject(call, reason);
    const late = this.#latenessError(call);
    if (late) return this.#reject(call, late);
    this.#backlog.queue(call);
    let lease: Lease;
    try {
      lease = await this.#lease(call);
    } catch (error) {
      this.#backlog.leave(call);
      return this.#reject(call, error);
    }
    return this.#make(call, lease);
  }

  /** Ends a call of which no request was sent, in a turn of its own, as where it has waited. */
  async #reject(call: ScheduledCall, error: unknown): Promise<Reply> {
    await undefined;
    this.#backlog.remove(call);
    call.trace.failed(error, call.signal);
    return rejectionForCaller(error);
  }

  /** Acquires a lease, at once if possible. Urgent calls that wait are counted, because processes that share a quota keep something for such. */
  #acquire(call: TracedCall): Lease | Promise<WaitingCall> {
    const lease = this.#queue.acquire(call);
    if (!(lease instanceof Promise)) return lease;
    this.#keyCheck.start();
    this.#trial.start();
    if (isUrgent(call)) this.#urgentWaiting++;
    return lease;
  }

  /** The lease of a call that waited, or else the error with which it was refused is thrown. */
  #leaseOf(waiting: WaitingCall): Lease {
    if (isUrgent(waiting.call)) this.#urgentWaiting--;
    return waiting.lease;
  }

  async #lease(call: TracedCall): Promise<Lease> {
    const lease = this.#acquire(call);
    return lease instanceof Promise ? this.#leaseOf(await lease) : lease;
  }

  /** Makes a call that has its first lease. */
  async #make(call: ScheduledCall, first: Lease): Promise<Reply> {
    const { trace } = call;
    let { request } = call;
    const counts = { attempts: 0, refusals: 0, hops: 0, isKeyAsked: false };
    try {
      for (let lease = first; ; lease = await this.#lease(call)) {
        trace.granted();
        this.#backlog.leave(call);
        const { outcome, reply, failure } = await this.#exchange.attempt(call, request, lease, counts);
        counts.isKeyAsked = outcome.kind === 'failed' && outcome.code === KEY_CHANGED;
        if (counts.isKeyAsked) {
          trace.requeued();
          this.#backlog.queue(call);
          continue;
        }
        const isLimited = outcome.kind === 'answered' && outcome.isLimited;
        if (isLimited) counts.refusals += lease.isExempt ? 0 : 1;
        else if (outcome.kind === 'answered' && outcome.redirect) counts.hops++;
        else counts.attempts++;
        const isRefusedInspection = isLimited && call.ask.isInspection;
        const decision = isRefusedInspection
          ? DELIVER
          : this.#retries.decide(call, request.method, outcome, counts, this.#clock.now());
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
        this.#backlog.queue(call);
        if (afterMs > 0) await this.#queue.delay(afterMs, call.signal);
      }
    } catch (error) {
      trace.failed(error, call.signal);
      throw withCallersFrames(error);
    } finally {
      this.#backlog.remove(call);
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
    this.#closing ??= this.idle().then(() => this.#memberships.leaveAll());
    await this.#closing;
    return this.#turnedAway;
  }

  /** Whether calls with this signal wait to be sent. */
  isWaiting(signal: AbortSignal): boolean {
    return this.#queue.isWaiting(signal);
  }

  /** Rejects the calls with this signal that wait to be sent; those under way go on. */
  withdraw(signal: AbortSignal, reason: unknown): void {
    this.#queue.withdraw(signal, reason);
  }

  /** When each of these plans is sent, one after the other, in monotonic milliseconds; undefined while no limit is known. */
  sentAt(plans: readonly Plan[]): readonly number[] | undefined {
    return this.#present.estimate(plans, this.#clock.now())?.each;
  }

  /** Waiting calls: why, until when, and at which place. */
  queue(options?: QueueOptions): readonly QueuedCall[] {
    return this.tracer.queue(options, (plans) => this.sentAt(plans));
  }

  /** What a call that is made now would find at the end of the queue. */
  #queueEnd(ask: Ask): QueueEnd {
    const { endpoint, query, cost, priority = 0 } = ask;
    const { sentAt = this.#clock.now(), window } = this.estimate({ endpoint, query, cost, count: 1 }, priority) ?? {};
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
    this.#trial.stop();
  }

  /** Opens the books of a key. */
  #open(key: () => number | undefined): Pacer {
    const { clock, random, credentialOf, timeoutMs, reserve } = this.#options;
    const scheduler = this;
    const isPresent = (): boolean => key() === this.#books.key;
    const memberOf = (learn: Member['learn']): Member => ({
      ...{ clock, random, learn, time: this.#clientWide.clock },
      credential: async () => credentialOf(key() ?? (await this.#keyTurns.ask())),
      waiting: () => (isPresent() ? this.waiting : 0),
      urgentWaiting: () => (isPresent() ? this.#urgentWaiting : 0),
      get concurrency() {
        return scheduler.concurrency;
      },
      wake: () => this.#queue.wake(),
      tell: (event) => this.tracer.emit(event),
    });
    const leaseMs = timeoutMs + LEASE_SLACK_MS;
    return this.#memberships.join(memberOf, { concurrency: this.#clientWide, leaseMs, bulkReserve: reserve });
  }
}

function isUrgent({ ask }: Pick<Call, 'ask'>): boolean {
  return (ask.priority ?? 0) > 0;
}
