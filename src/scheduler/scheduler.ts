import type { Clock } from '../clock.ts';
import { ClosedError, QuotaExhaustedError } from '../errors.ts';
import { HttpExchange, type TracedCall } from '../http/attempt.ts';
import type { Call, Reply } from '../http/call.ts';
import { KEY_CHANGED } from '../http/failure.ts';
import { redirected } from '../http/redirect.ts';
import type { AttemptOutcome, RetryDecision } from '../http/retry-policy.ts';
import type { Lease } from '../quota/admission.ts';
import { Books } from '../quota/books.ts';
import { ClientWide } from '../quota/client-wide.ts';
import type { Plan } from '../quota/forecast/estimate.ts';
import type { MonthOutlook } from '../quota/forecast/month.ts';
import type { Pacer } from '../quota/pacer.ts';
import type { PacerView } from '../quota/view.ts';
import type { Rank } from '../share.ts';
import type { QueuedCall, QueueOptions } from '../trace/queue-view.ts';
import { Tracer } from '../trace/tracer.ts';
import { rejectionForCaller, withCallersFrames } from './callers-frames.ts';
import { Duties } from './duties.ts';
import { finalError } from './final-error.ts';
import { KeyTurns } from './key-turns.ts';
import { Memberships } from './memberships.ts';
import { OpenCalls } from './open-calls.ts';
import type { SchedulerOptions } from './options.ts';
import { Backlog, type BackloggedCall } from './outlook/backlog.ts';
import { QueueOutlook } from './outlook/queue-outlook.ts';
import { CallQueue } from './queue/call-queue.ts';
import type { WaitingCall } from './queue/waiting-call.ts';
import { type EndedRequest, Retries } from './retries.ts';

/**
 * Upper bound for the promises between the end of a call and its caller: after so many turns the caller has its result. An `await` more on
 * that way needs one turn more; `test/client/pause-and-close.test.ts` tries each kind of call.
 */
const TELLING_TURNS = 10;

/** A call that the scheduler makes. */
type ScheduledCall = TracedCall & BackloggedCall;

/** Takes each call through queue, pacer and exchange, repeats it where the retry policy says so, and returns its reply. */
export class Scheduler {
  readonly tracer: Tracer;
  readonly #clock: Clock;
  readonly #clientWide: ClientWide;
  readonly #memberships: Memberships;
  readonly #books: Books;
  readonly #keyTurns: KeyTurns;
  readonly #queue: CallQueue;
  readonly #duties: Duties;
  readonly #exchange: HttpExchange;
  readonly #retries: Retries;
  readonly #backlog = new Backlog();
  /** The calls that {@link idle} waits for. `follow` adds work outside the scheduler: reading the body to send, checking the body of a reply. */
  readonly open: OpenCalls = new OpenCalls(() => this.#duties.stop());
  /** When calls would be sent behind those that wait. */
  readonly outlook: QueueOutlook;
  readonly #closed = new AbortController();
  /** Calls that were rejected because of {@link close}. */
  #turnedAway = 0;
  #closing: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { transport, clock, random, maxAttempts, maxWaitMs, maxWaiting, onOverflow, timeoutMs, onEvent } = options;
    const clientWide = new ClientWide(options.concurrency);
    this.#clock = clock;
    this.#clientWide = clientWide;
    this.#retries = new Retries(maxAttempts, random);
    this.tracer = new Tracer(clock, () => this.#queue.behind);
    if (onEvent) this.tracer.subscribe(onEvent);
    this.#memberships = new Memberships({
      ...options,
      clientWide,
      askKey: () => this.#keyTurns.ask(),
      isPresent: (key) => key === this.#books.key,
      waiting: (rank) => this.#sendable(rank),
      wake: () => this.#queue.wake(),
      tell: (event) => this.tracer.emit(event),
    });
    const books = new Books({
      open: (key) => this.#memberships.join(key),
      close: (pacer) => void this.#memberships.leave(pacer),
    });
    this.#books = books;
    this.#keyTurns = new KeyTurns({ ring: options.keys, books, clock, onTurn: () => this.#queue.wake() });
    this.outlook = new QueueOutlook({
      clock,
      books,
      clientWide,
      backlog: this.#backlog,
      waiting: () => this.waiting,
      maxWaiting,
    });
    this.#queue = new CallQueue({
      pacer: books,
      clock,
      maxWaitMs,
      outlook: this.outlook,
      onWait: () => this.#duties.start(),
      maxWaiting,
      onOverflow,
    });
    this.#duties = new Duties({ clock, books, queue: this.#queue, keyTurns: this.#keyTurns });
    this.#exchange = new HttpExchange({
      transport,
      clock,
      timeoutMs,
      low: options.low,
      settle: (lease, outcome) => this.#queue.release(lease, outcome),
      keyFor: this.#keyTurns.keyFor,
      drift: (lease, quota) => books.drift(lease, quota, clock.now()),
    });
  }

  /** Calls that wait to be sent. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Calls that wait and that no pause holds back; given a rank, of those of it or a higher one. */
  #sendable(rank?: Rank): number {
    const waiting = rank === undefined ? this.waiting : this.#backlog.waiting(rank);
    return Math.min(waiting - this.#queue.apart(rank ?? 0), this.#present.mostSent(this.#clock.now()));
  }

  /** Outlook of the month, by the service's clock. */
  month(): MonthOutlook | undefined {
    return this.#present.month(this.#clock.now(), this.#clock.wall());
  }

  /** The pacer's current state. */
  view(): PacerView {
    return this.#present.view(this.#clock.now());
  }

  /** Whether the service serves the key as if there were none. */
  get isKeyIgnored(): boolean {
    return this.#exchange.isKeyIgnored;
  }

  /** Requests answered and not refused so far, and their units. */
  get spent(): { readonly requests: number; readonly units: number } {
    return this.#clientWide.throughput;
  }

  /**
   * Announces a call that is made as soon as its body is read: it counts as under way meanwhile, and a client that drains sends it.
   *
   * @returns a function to be called once it was made, or will not be made.
   * @throws ClosedError if the client is closed.
   */
  announce(): () => void {
    if (this.#closing) throw new ClosedError();
    return this.open.announce();
  }

  /** Aborts when calls that were not sent are rejected. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Makes a call: sends it when the quota allows, retries it by the retry policy, and returns the last answer. */
  run(call: Call): Promise<Reply> {
    if (this.#queue.isClosed || (this.#closing && !call.isAnnounced)) return Promise.reject(new ClosedError());
    const late = this.outlook.latenessOf(call);
    const traced = call as ScheduledCall;
    this.#backlog.add(traced, this.#present.costs.surely(call.ask));
    this.open.begin();
    traced.trace = this.tracer.begin(call.ask, call.label);
    try {
      const lease = this.#acquire(traced, late);
      // Not async, and without a function of its own: a call that waits is an entry of the queue and little more.
      return lease instanceof Promise ? lease.then(this.#afterWait) : this.#make(traced, lease);
    } catch (error) {
      return this.#refuse(traced, error);
    }
  }

  readonly #afterWait = (waiting: WaitingCall): Promise<Reply> => {
    const call = waiting.call as ScheduledCall;
    try {
      return this.#make(call, waiting.lease);
    } catch (error) {
      return this.#refuse(call, error);
    }
  };

  /**
   * A lease for one request of a call. One that is late has it at once or not at all: whatever the estimate, it may be the hourly trial.
   *
   * @throws the error of a call that is refused at once.
   */
  #acquire(call: ScheduledCall, late?: Error): Lease | Promise<WaitingCall> {
    const lease = late ? this.#queue.acquireAtOnce(call) : this.#queue.acquire(call);
    if (lease) return lease;
    throw late;
  }

  /** A call is refused before its first request is sent. If its source gives another key now, the books of that one decide. */
  async #refuse(call: ScheduledCall, reason: unknown): Promise<Reply> {
    // At once: it is not ahead of calls that are made in the same turn.
    this.#backlog.leave(call);
    const { key } = this.#books;
    const isByBooks = reason instanceof QuotaExhaustedError && this.#keyTurns.mayChange;
    if (!isByBooks || !(await this.#keyTurns.hasTurned(key))) return this.#reject(call, reason);
    const late = this.outlook.latenessOf(call);
    this.#backlog.queue(call);
    let lease: Lease;
    try {
      lease = await granted(this.#acquire(call, late));
    } catch (error) {
      this.#backlog.leave(call);
      return this.#reject(call, error);
    }
    return this.#make(call, lease);
  }

  /** Ends a call of which no request was sent, in a turn of its own, as where it has waited. */
  async #reject(call: ScheduledCall, error: unknown): Promise<Reply> {
    await undefined;
    this.#end(call);
    this.#fail(call, error);
    return rejectionForCaller(error);
  }

  #fail({ trace, signal }: ScheduledCall, error: unknown): void {
    if (error instanceof ClosedError) this.#turnedAway++;
    trace.failed(error, signal);
  }

  /** Makes a call that has its first lease. */
  async #make(call: ScheduledCall, first: Lease): Promise<Reply> {
    const { trace } = call;
    let { request } = call;
    const clock = this.#clock;
    const counts: EndedRequest['counts'] = { attempts: 0, refusals: 0, hops: 0 };
    try {
      for (let lease = first; ; lease = await granted(this.#acquire(call))) {
        trace.granted();
        this.#backlog.leave(call);
        counts.isProbe = this.#retries.isProbe(call, counts, lease.sentAt);
        const result = await this.#exchange.attempt(call, request, lease, counts);
        const { outcome, reply } = result;
        counts.isKeyAsked = outcome.kind === 'failed' && outcome.code === KEY_CHANGED;
        if (counts.isKeyAsked) {
          trace.requeued();
          this.#backlog.queue(call);
          continue;
        }
        const { isExempt } = lease;
        const wasDown = this.#clientWide.outages.wasDown(lease);
        const { method } = request;
        const decision = this.#retries.decide({ call, method, outcome, counts, isExempt, wasDown, now: clock.now() });
        if (reply && isForCaller(outcome, decision, call)) {
          trace.done(reply.status);
          if (reply.status < 500) this.#hastenRetries(call.ask.endpoint);
          // Its answer may have ended a pause that no other answer ends, so waiting calls do not ask by themselves.
          if (call.ask.isInspection) this.#queue.wake();
          return reply;
        }
        if (decision.kind !== 'retry') throw finalError({ ...result, call, request, clock, pacer: this.#present });
        const { afterMs, isPromised } = decision;
        if (decision.url && outcome.kind === 'answered') request = redirected(request, outcome.status, decision.url);
        // The next probe is another call's, so that none of many runs out of attempts.
        if (decision.fallsBehind) trace.fallBehind();
        trace.retrying(counts.attempts + 1, afterMs);
        this.#backlog.queue(call);
        if (afterMs > 0) await this.#queue.delay(afterMs, call.signal, isPromised ? call.ask.endpoint : undefined);
      }
    } catch (error) {
      this.#fail(call, error);
      throw withCallersFrames(error);
    } finally {
      this.#retries.onEnded(call, counts);
      this.#end(call);
    }
  }

  /** A success shows that others may follow: two retries of its endpoint need not wait until the budget has earned them. */
  #hastenRetries(endpoint: string): void {
    for (let retry = 0; retry < 2 && this.#queue.hasten(endpoint); retry++) this.#retries.common.giveBack();
  }

  #end(call: ScheduledCall): void {
    this.#backlog.remove(call);
    this.open.end();
  }

  /** Holds back every request until `instant`, in monotonic milliseconds; Infinity: until {@link resume}. */
  pause(instant: number): void {
    this.#clientWide.manualPause.set(instant);
    // Calls that wait in an earlier pause, which this one replaces, ask again.
    this.#queue.wake();
  }

  /** Ends the pause that {@link pause} began. */
  resume(): void {
    this.#clientWide.manualPause.set(-Infinity);
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
    do {
      await this.open.none();
      // A call counts as finished before its caller has been told.
      for (let turn = 0; turn < TELLING_TURNS; turn++) await undefined;
    } while (this.open.count > 0);
  }

  /**
   * Accepts no more calls, lets those in flight finish, and gives the share back.
   *
   * @param isDraining - whether the calls that wait are sent, too; else they are rejected.
   * @returns how many calls were rejected.
   */
  async close(isDraining = false): Promise<number> {
    if (isDraining) this.resume();
    else if (!this.#queue.isClosed) {
      this.#turnedAway = this.open.announced;
      this.#queue.close();
      this.#closed.abort(new ClosedError());
    }
    this.#closing ??= this.idle().then(() => this.#memberships.leaveAll());
    await this.#closing;
    return this.#turnedAway;
  }

  /** Whether calls with this signal wait to be sent. */
  isWaiting(signal: AbortSignal): boolean {
    return this.#queue.isWaiting(signal);
  }

  /** Rejects the calls with this signal that wait to be sent; those under way go on. @returns whether a request of one was sent before. */
  withdraw(signal: AbortSignal, reason: unknown): boolean {
    return this.#queue.withdraw(signal, reason);
  }

  /** When each of these plans is sent, one after the other, in monotonic milliseconds; undefined while no limit is known. */
  sentAt(plans: readonly Plan[]): readonly number[] | undefined {
    return this.#present.estimate(plans, this.#clock.now())?.each;
  }

  /** Waiting calls: why, until when, and at which place. */
  queue(options?: QueueOptions): readonly QueuedCall[] {
    return this.tracer.queue(options, this);
  }

  get #present(): Pacer {
    return this.#books.present;
  }
}

/** A lease, after waiting where that is needed. */
async function granted(lease: Lease | Promise<WaitingCall>): Promise<Lease> {
  return lease instanceof Promise ? (await lease).lease : lease;
}

/** Whether the caller gets the answer: as one that is no refusal, or as a refusal that it takes. */
function isForCaller(outcome: AttemptOutcome, { kind }: RetryDecision, { takesRefusals }: Call): boolean {
  if (kind === 'deliver') return true;
  return kind === 'fail' && outcome.kind === 'answered' && outcome.isLimited && takesRefusals === true;
}
