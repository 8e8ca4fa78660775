import PQueue from 'p-queue';
import type { Clock } from '../clock.ts';
import { ClosedError } from '../errors.ts';
import type { Lease, RequestOutcome } from '../quota/admission.ts';
import type { Pacer } from '../quota/pacer.ts';
import { AbortListeners } from './abort-listeners.ts';
import { type Dequeued, FairQueue } from './fair-queue.ts';
import { Gate, type GateResult, type PendingCall, priorityOf } from './gate.ts';
import { ParkedCalls } from './parked-calls.ts';
import { type Turn, WaitingCall } from './waiting-call.ts';

/** Options of a queue of calls. */
export interface CallQueueOptions {
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** The client's own `maxWaitMs`, which most calls have. */
  readonly maxWaitMs: number;
}

/** Calls that wait to be sent, by priority and then in the order they came. The first waits at the gate for its lease. */
export class CallQueue {
  /** Serialises access to the gate. At most one turn is pending, because its call is chosen only when it begins. */
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #waiting = new FairQueue<WaitingCall>();
  readonly #parked: ParkedCalls<WaitingCall>;
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #usualMaxWaitMs: number;
  readonly #abortListeners = new AbortListeners();
  /** Calls with a shorter `maxWaitMs` than most: a standstill may exceed it. */
  readonly #impatient = new Set<WaitingCall>();
  /** Rejects each call that is delayed before its next attempt. */
  readonly #delayed = new Set<(error: Error) => void>();
  /** How many requests of each endpoint are under way. */
  readonly #inFlightByEndpoint = new Map<string, number>();
  #tickets = 0;
  #isTaken = false;
  #isClosed = false;

  constructor({ pacer, clock, maxWaitMs }: CallQueueOptions) {
    this.#clock = clock;
    this.#usualMaxWaitMs = maxWaitMs;
    this.#parked = new ParkedCalls(clock, (dequeued) => this.#onReleased(dequeued));
    const onStandstill = (): void => this.#rejectImpatient();
    this.#gate = new Gate({ pacer, clock, behind: this.#waiting, longestWaitMs: maxWaitMs, onStandstill });
  }

  /** Calls that wait: in the queue, at the gate, parked or delayed. */
  get length(): number {
    return this.#waiting.size + Number(this.#isTaken) + this.#parked.size + this.#delayed.size;
  }

  /** Calls that wait in the queue behind the first. */
  get behind(): number {
    return this.#waiting.size;
  }

  /** A place in the order of arrival, which a call keeps over all its attempts. */
  nextTicket(): number {
    return this.#tickets++;
  }

  /**
   * Waits in the queue and at the gate.
   *
   * @returns the lease to send one request.
   */
  acquire(call: PendingCall, ticket: number): Promise<Lease> {
    try {
      call.signal?.throwIfAborted();
      const error = this.#isPatient(call) ? undefined : this.#gate.standstillError(call);
      if (error) throw error;
      // Where no call waits, none needs to be queued.
      const free = this.#waiting.size === 0 && !this.#isTaken ? this.#gate.tryAcquire(call) : undefined;
      if (free) return Promise.resolve(this.#track(free));
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#wait(call, ticket).then((turn) => this.#acquireAtGate(call, ticket, turn));
  }

  /** Waits before another attempt. Rejects as soon as the signal aborts or the queue is closed. */
  delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ClosedError());
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        cancel();
        unlisten?.();
        this.#delayed.delete(refuse);
      };
      const refuse = (error: unknown): void => {
        leave();
        reject(error);
      };
      const cancel = this.#clock.timer(ms, () => {
        leave();
        resolve();
      });
      const unlisten = signal && this.#abortListeners.listen(signal, () => refuse(signal.reason));
      this.#delayed.add(refuse);
    });
  }

  /** A request ended: settles its lease, and releases parked calls of its endpoint once none of it is in flight. */
  release(lease: Lease, outcome: RequestOutcome): void {
    this.#gate.settle(lease, outcome);
    const { endpoint } = lease;
    const left = (this.#inFlightByEndpoint.get(endpoint) ?? 0) - 1;
    if (left > 0) this.#inFlightByEndpoint.set(endpoint, left);
    else {
      this.#inFlightByEndpoint.delete(endpoint);
      this.#parked.onEndpointIdle(endpoint);
    }
  }

  /** Something changed outside: the call at the gate and parked calls ask again. */
  wake(): void {
    this.#gate.wake();
    this.#parked.wake();
  }

  /** Rejects all calls, now and from now on. */
  close(): void {
    this.#isClosed = true;
    this.#gate.close();
    for (const refuse of this.#delayed) refuse(new ClosedError());
    this.#parked.clear();
    for (let one = this.#waiting.dequeue(); one; one = this.#waiting.dequeue())
      this.#reject(one.item, new ClosedError());
  }

  /** Waits for a turn, in the queue or in its parked group. */
  #wait(call: PendingCall, ticket: number, wasParked = false, parked?: GateResult & { kind: 'parked' }): Promise<Turn> {
    const { ask, signal } = call;
    return new Promise((step, refuse) => {
      if (this.#isClosed || signal?.aborted) {
        if (wasParked) this.#parked.releaseNext(ask);
        return refuse(signal?.aborted ? signal.reason : new ClosedError());
      }
      const waiting = new WaitingCall(call, ticket, wasParked, step, refuse);
      if (signal) waiting.unlisten = this.#abortListeners.listen(signal, () => this.#reject(waiting, signal.reason));
      if (!this.#isPatient(call)) this.#impatient.add(waiting);
      if (!parked) return this.#enqueue(waiting, false);
      const group = this.#parked.groupOf(ask);
      waiting.queue = group;
      waiting.entry = group.park(waiting, priorityOf(call), ticket, parked);
    });
  }

  #enqueue(waiting: WaitingCall, byAge: boolean): void {
    const priority = priorityOf(waiting.call);
    waiting.queue = this.#waiting;
    waiting.entry = this.#waiting.enqueue(waiting, priority, waiting.ticket, byAge);
    this.#gate.onArrival(priority);
    this.#scheduleTurn();
  }

  /** Back into the queue, by its old ticket, without waking its caller. */
  #onReleased({ item: waiting, byAge }: Dequeued<WaitingCall>): void {
    waiting.wasParked = true;
    this.#enqueue(waiting, byAge);
  }

  /** Schedules a turn if a call waits and none is scheduled. */
  #scheduleTurn(): void {
    if (this.#turns.size === 0 && this.#waiting.size > 0) void this.#turns.add(() => this.#giveTurn());
  }

  /** Gives the first of the queue its turn, which ends when the call has left the gate. */
  #giveTurn(): Promise<void> {
    return new Promise((resolve) => {
      const dequeued = this.#waiting.dequeue();
      this.#scheduleTurn();
      if (!dequeued) return resolve();
      const { item: waiting, byAge } = dequeued;
      const { wasParked } = waiting;
      const end = (): void => {
        this.#isTaken = false;
        resolve();
      };
      this.#isTaken = true;
      this.#forget(waiting);
      waiting.resolve({ byAge, wasParked, end });
    });
  }

  /** At the gate, as often as it takes. Runs in the async context of the caller, as all that a call does. */
  async #acquireAtGate(call: PendingCall, ticket: number, first: Turn): Promise<Lease> {
    for (let turn = first; ; ) {
      let next: Promise<Turn>;
      try {
        const result = await this.#gate.acquire(call, turn.byAge);
        if (result.kind === 'granted') {
          if (turn.wasParked) this.#parked.releaseNext(call.ask);
          return this.#track(result.lease);
        }
        // Queued again before its turn ends, so that it is not passed over.
        if (result.kind === 'overtaken') next = this.#wait(call, ticket, turn.wasParked);
        else next = this.#wait(call, ticket, false, result);
      } catch (error) {
        if (turn.wasParked) this.#parked.releaseNext(call.ask);
        throw error;
      } finally {
        turn.end();
      }
      turn = await next;
    }
  }

  #reject(waiting: WaitingCall, error: unknown): void {
    const { queue, entry, wasParked, call } = waiting;
    if (entry) queue?.remove(entry);
    this.#forget(waiting);
    if (wasParked) this.#parked.releaseNext(call.ask);
    waiting.reject(error);
  }

  #forget(waiting: WaitingCall): void {
    this.#impatient.delete(waiting);
    waiting.unlisten?.();
  }

  #track(lease: Lease): Lease {
    this.#inFlightByEndpoint.set(lease.endpoint, (this.#inFlightByEndpoint.get(lease.endpoint) ?? 0) + 1);
    return lease;
  }

  #isPatient({ ask }: PendingCall): boolean {
    return ask.maxWaitMs >= this.#usualMaxWaitMs;
  }

  #rejectImpatient(): void {
    for (const waiting of this.#impatient) {
      const error = this.#gate.standstillError(waiting.call);
      if (error) this.#reject(waiting, error);
    }
  }
}
