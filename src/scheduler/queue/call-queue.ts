import PQueue from 'p-queue';
import type { Clock } from '../../clock.ts';
import { ClosedError } from '../../errors.ts';
import type { Lease, RequestOutcome } from '../../quota/admission.ts';
import type { Rank } from '../../share.ts';
import { AbortListeners } from './abort-listeners.ts';
import { BoundedCalls, type LateOutlook } from './bounded-calls.ts';
import { Delays } from './delays.ts';
import { type Dequeued, FairQueue } from './fair-queue.ts';
import { type Admitting, Gate, type ParkedResult, type WaitingOutlook } from './gate.ts';
import { Heap } from './heap.ts';
import { ParkedCalls } from './parked-calls.ts';
import { type PendingCall, priorityOf } from './pending-call.ts';
import { isLower, type QueueableCall, WaitingCall } from './waiting-call.ts';

/** Options of a queue of calls. */
export interface CallQueueOptions {
  readonly pacer: Admitting;
  readonly clock: Clock;
  /** The client's own `maxWaitMs`, which most calls have. */
  readonly maxWaitMs: number;
  /** How many calls may wait, and which call is rejected when one more would. */
  readonly maxWaiting: number;
  readonly onOverflow: 'reject-new' | 'reject-lowest';
  /** Called when a call begins to wait. */
  readonly onWait: () => void;
  /** When calls would be sent, for the errors of those that are turned away. */
  readonly outlook: CallQueueOutlook;
}

/** The calls that wait, as an estimate counts them, and the errors of those that the queue does not accept. */
export interface CallQueueOutlook extends WaitingOutlook, LateOutlook {
  /** The error of a call that is one more than may wait. */
  readonly overflowOf: (call: PendingCall) => Error;
}

/** p-queue calls this method where `EventTarget` is not the class of Node: in jsdom, happy-dom and Electron. */
class Turns extends PQueue {
  setMaxListeners(): void {}
}

/** Calls that wait to be sent, by priority and then in the order they came. The first waits at the gate for its lease. */
export class CallQueue {
  /** Turns of calls that return from their parked groups, one at a time. */
  readonly #returns = new Turns();
  readonly #waiting = new FairQueue<WaitingCall>();
  readonly #parked: ParkedCalls<WaitingCall>;
  readonly #gate: Gate;
  readonly #options: CallQueueOptions;
  /** All calls that wait for a lease, the one to be turned away first; kept only with `reject-lowest`. */
  readonly #lowest = new Heap<WaitingCall>(isLower, ({ isOver }) => isOver);
  readonly #abortListeners = new AbortListeners();
  readonly #delays: Delays;
  /** Calls with a shorter `maxWaitMs` than most: a standstill may exceed it. */
  readonly #impatient = new Set<WaitingCall>();
  readonly #bounded: BoundedCalls;
  /** The call at the gate. */
  #first: WaitingCall | undefined;
  #isDispatching = false;

  constructor(options: CallQueueOptions) {
    const { pacer, clock, maxWaitMs, outlook } = options;
    this.#options = options;
    this.#delays = new Delays(clock);
    this.#bounded = new BoundedCalls(outlook, clock, (waiting, error) => this.#reject(waiting, error));
    this.#parked = new ParkedCalls(clock, (dequeued, group) => this.#onReleased(dequeued, group));
    this.#gate = new Gate({
      pacer,
      clock,
      behind: this.#waiting,
      longestWaitMs: maxWaitMs,
      outlook,
      parked: () => this.#parked.size,
      onStandstill: () => this.#rejectImpatient(),
      onNews: () => this.#parked.wake(),
      onWake: () => this.#dispatch(),
    });
  }

  /** Calls that wait: in the queue, at the gate, parked or delayed. */
  get length(): number {
    return this.#waiting.size + Number(this.#first !== undefined) + this.#parked.size + this.#delays.size;
  }

  /** See {@link ParkedCalls.apart}. */
  apart(rank: Rank): number {
    return this.#parked.apart(rank);
  }

  /** Whether it accepts no more calls. */
  get isClosed(): boolean {
    return this.#gate.isClosed;
  }

  /** Calls that wait in the queue behind the first. */
  get behind(): number {
    return this.#waiting.size;
  }

  /**
   * The lease to send one request: at once where the quota is free and no call waits, else after waiting in the queue and at
   * the gate.
   *
   * @throws where the call is refused at once. The promise is never rejected: the call that it resolves with throws then.
   */
  acquire(call: QueueableCall): Lease | Promise<WaitingCall> {
    call.signal?.throwIfAborted();
    const late = this.#isPatient(call) ? undefined : this.#gate.standstillErrors([call]).get(call);
    if (late) throw late;
    return this.acquireAtOnce(call) ?? this.#wait(call);
  }

  /** The lease to send one request, where the quota is free and no call waits. */
  acquireAtOnce(call: QueueableCall): Lease | undefined {
    call.signal?.throwIfAborted();
    const isFree = this.#waiting.size === 0 && !this.#first;
    return isFree ? this.#gate.tryAcquire(call) : undefined;
  }

  /** Whether calls with this signal wait for a lease. */
  isWaiting(signal: AbortSignal): boolean {
    return this.#abortListeners.has(signal);
  }

  /** Rejects the calls with this signal that wait for a lease; those under way go on. @returns whether a request of one was sent before. */
  withdraw(signal: AbortSignal, reason: unknown): boolean {
    return this.#abortListeners.notify(signal, reason);
  }

  /**
   * Waits before another attempt. Rejects as soon as the signal aborts or the queue is closed.
   *
   * @param endpoint - {@link hasten} may end the wait sooner, if it is called with this endpoint.
   */
  delay(ms: number, signal: AbortSignal | undefined, endpoint?: string): Promise<void> {
    return this.isClosed ? Promise.reject(new ClosedError()) : this.#delays.wait(ms, signal, endpoint);
  }

  /** See {@link Delays.hasten}. */
  hasten(endpoint: string): boolean {
    return this.#delays.hasten(endpoint);
  }

  /** A request ended: settles its lease, rejects calls that are late by what its answer told, and releases parked calls of its endpoint. */
  release(lease: Lease, outcome: RequestOutcome): void {
    this.#gate.settle(lease, outcome);
    this.#bounded.rejectLate();
    this.#parked.onAnswer(lease.endpoint);
  }

  /** Something changed outside: the call at the gate and parked calls ask again, by priority. */
  wake(): void {
    // First: the call at the gate yields to a parked one of higher priority, instead of being granted before that has returned.
    this.#parked.wake();
    this.#gate.wake();
    this.#bounded.onWake();
  }

  /** Rejects all calls, now and from now on. */
  close(): void {
    this.#gate.close();
    this.#delays.close();
    this.#parked.clear();
    for (let one = this.#waiting.dequeue(); one; one = this.#waiting.dequeue())
      this.#reject(one.item, new ClosedError());
  }

  #wait(call: QueueableCall): Promise<WaitingCall> {
    const { signal, trace } = call;
    // A call between two attempts has its place already.
    const isExempt = trace.isRetrying || call.ask.isInspection;
    if (!isExempt) this.#makeRoomFor(call);
    trace.keepContext();
    return new Promise((resolve) => {
      const waiting = new WaitingCall(call, resolve);
      if (this.#options.onOverflow === 'reject-lowest') {
        this.#lowest.tidy(this.length);
        this.#lowest.push(waiting);
      }
      const { maxQueueMs = Infinity } = call;
      // One whose key has changed has its place, and was not sent either.
      if (trace.attempts === 0 && !call.ask.isInspection && maxQueueMs < Infinity)
        this.#bounded.add(waiting, maxQueueMs);
      if (signal)
        waiting.unlisten = this.#abortListeners.listen(signal, (reason) => {
          this.#reject(waiting, reason);
          return trace.isRetrying;
        });
      this.#enqueue(waiting);
      this.#options.onWait();
    });
  }

  /**
   * If `maxWaiting` calls wait: rejects the one of the lowest priority, if the new call has a higher one.
   *
   * @throws the error of the new call if it is the one to be rejected.
   */
  #makeRoomFor(call: QueueableCall): void {
    const { maxWaiting, outlook } = this.#options;
    if (this.length < maxWaiting) return;
    const { first: lowest } = this.#lowest;
    if (!lowest || priorityOf(lowest.call) >= priorityOf(call)) throw outlook.overflowOf(call);
    this.#reject(lowest, outlook.overflowOf(lowest.call));
  }

  #enqueue(waiting: WaitingCall, byAge = false): void {
    const priority = priorityOf(waiting.call);
    waiting.queue = this.#waiting;
    waiting.entry = this.#waiting.enqueue(waiting, priority, waiting.ticket, byAge);
    if (!this.#isPatient(waiting.call)) this.#impatient.add(waiting);
    this.#gate.onArrival(priority);
    if (this.#returns.pending === 0) this.#dispatch();
  }

  /** Back into the queue, by its old ticket, without waking its caller. */
  #onReleased({ item: waiting, byAge }: Dequeued<WaitingCall>, group: string): void {
    waiting.wasParkedIn = group;
    waiting.call.trace.returned();
    // No call asks while a turn is pending, so that all that are released at once are queued before the first of them asks.
    if (this.#returns.pending === 0) void this.#returns.add(async () => {}).then(() => this.#dispatch());
    this.#yieldTo(waiting);
    this.#enqueue(waiting, byAge);
  }

  /** The call at the gate goes back into the queue, if one returns that would have been there before it. */
  #yieldTo({ call, ticket }: WaitingCall): void {
    const first = this.#first;
    if (!first || first.byAge || first.ticket < ticket || priorityOf(first.call) > priorityOf(call)) return;
    this.#first = undefined;
    this.#enqueue(first);
  }

  /**
   * Lets the first call ask, and the next once that has its lease, until one has to wait. A caller goes on in its own async
   * context, where its promise is awaited, and not in that of the call that made room.
   */
  #dispatch(): void {
    if (this.#isDispatching) return;
    this.#parked.releaseDue();
    if (this.#returns.pending > 0) return;
    this.#isDispatching = true;
    try {
      while (this.#askForFirst());
    } finally {
      this.#isDispatching = false;
    }
    if (!this.#first) this.#gate.leave();
  }

  /** @returns whether there is more to ask. */
  #askForFirst(): boolean {
    if (this.#first && this.#gate.isPausing) return false;
    const first = this.#first ?? this.#takeFirst();
    if (!first) return false;
    try {
      const result = this.#gate.ask(first);
      if (result.kind === 'waiting') return true;
      this.#first = undefined;
      if (result.kind === 'granted') this.#grant(first, result.lease);
      else if (result.kind === 'overtaken') this.#enqueue(first);
      else this.#park(first, result);
    } catch (error) {
      this.#reject(first, error);
    }
    return true;
  }

  /** Takes the call whose turn it is to the gate. */
  #takeFirst(): WaitingCall | undefined {
    const dequeued = this.#waiting.dequeue();
    if (!dequeued) return undefined;
    const { item: first, byAge } = dequeued;
    first.byAge = byAge;
    first.entry = undefined;
    this.#impatient.delete(first);
    this.#first = first;
    return first;
  }

  #grant(waiting: WaitingCall, lease: Lease): void {
    // Before the promise resolves: the next estimate must not count this call as waiting.
    this.#options.outlook.leave(waiting.call);
    this.#end(waiting, lease);
  }

  #park(waiting: WaitingCall, result: ParkedResult): void {
    const { call, ticket } = waiting;
    const group = this.#parked.groupOf(call.ask, result);
    const { wasParkedIn } = waiting;
    // Its cost was learned meanwhile, so that its result says nothing about the calls of its former group.
    if (wasParkedIn !== undefined && wasParkedIn !== group.name) this.#parked.releaseNext(wasParkedIn);
    waiting.wasParkedIn = undefined;
    waiting.queue = group;
    waiting.entry = group.park(waiting, priorityOf(call), ticket, result);
    if (!this.#isPatient(call)) this.#impatient.add(waiting);
  }

  #reject(waiting: WaitingCall, error: unknown): void {
    const { queue, entry } = waiting;
    if (entry) queue?.remove(entry);
    this.#impatient.delete(waiting);
    const wasFirst = waiting === this.#first;
    if (wasFirst) this.#first = undefined;
    this.#end(waiting, undefined, error);
    if (wasFirst) this.#dispatch();
  }

  /** Ends a wait, with a lease or an error. */
  #end(waiting: WaitingCall, lease: Lease | undefined, error?: unknown): void {
    const { call, unlisten, wasParkedIn } = waiting;
    this.#bounded.delete(call);
    unlisten?.();
    waiting.end(lease, error);
    if (wasParkedIn !== undefined) this.#parked.releaseNext(wasParkedIn);
  }

  #isPatient({ ask }: PendingCall): boolean {
    return ask.maxWaitMs >= this.#options.maxWaitMs;
  }

  #rejectImpatient(): void {
    const errors = this.#gate.standstillErrors(Array.from(this.#impatient, ({ call }) => call));
    for (const waiting of [...this.#impatient]) {
      const error = errors.get(waiting.call);
      if (error) this.#reject(waiting, error);
    }
  }
}
