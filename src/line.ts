import PQueue from 'p-queue';
import type { Clock } from './clock.ts';
import { ClosedError } from './errors.ts';
import { Gate, type Passage, type Visitor } from './gate.ts';
import type { Lease, Outcome } from './quota/admission.ts';
import type { Pacer } from './quota/pacer.ts';
import { RankedQueue, type Standing } from './ranked-queue.ts';

/** What a line is made from. */
export interface LineOptions {
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** The patience of most calls, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Where calls stand, by priority and then in the order they came. The first stands at the gate; who passes it may send. */
export class Line {
  readonly #queue = new PQueue<RankedQueue, Standing>({ concurrency: 1, queueClass: RankedQueue });
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #usualWaitMs: number;
  readonly #aborts = new Aborts();
  /** Calls with less patience than most: they must be told when the line comes to a standstill. */
  readonly #impatient = new Map<Visitor, AbortController>();
  /** What turns away each call that is out of the line for a while. */
  readonly #resting = new Set<(error: Error) => void>();
  /** What wakes each call that stepped aside. */
  readonly #aside = new Set<() => void>();
  readonly #endpoints = new Map<string, EndpointTraffic>();
  #places = 0;
  #isClosed = false;

  constructor({ pacer, clock, maxWaitMs }: LineOptions) {
    this.#clock = clock;
    this.#usualWaitMs = maxWaitMs;
    const onStandstill = (): void => this.#tellImpatient();
    this.#gate = new Gate({ pacer, clock, longestRestMs: maxWaitMs, onStandstill });
  }

  /** Calls that wait: in line, at the gate, or out of the line for a while. */
  get length(): number {
    return this.#queue.size + this.#queue.pending + this.#resting.size;
  }

  /** Calls that stand in line behind the first. */
  get behind(): number {
    return this.#queue.size;
  }

  /** A place in the line, to be kept over all returns. */
  draw(): number {
    return this.#places++;
  }

  /**
   * Stands in line and at the gate.
   *
   * @returns the lease to send one request.
   */
  enter(visitor: Visitor, place: number, isReturning: boolean): Promise<Lease> {
    const isPatient = visitor.ask.maxWaitMs >= this.#usualWaitMs;
    return isPatient ? this.#stand(visitor, place, isReturning) : this.#standImpatiently(visitor, place, isReturning);
  }

  /** Out of the line for so many milliseconds. Rejects as soon as the signal aborts or the line closes. */
  rest(ms: number, signal: AbortSignal | undefined, ...wakers: readonly Set<() => void>[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ClosedError());
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        cancel();
        deafen();
        this.#resting.delete(turnAway);
        for (const some of wakers) some.delete(wake);
      };
      const wake = (): void => {
        leave();
        resolve();
      };
      const turnAway = (error: unknown): void => {
        leave();
        reject(error);
      };
      const cancel = this.#clock.timer(ms, wake);
      const deafen = this.#aborts.hear(signal, () => turnAway(signal?.reason));
      this.#resting.add(turnAway);
      for (const some of wakers) some.add(wake);
    });
  }

  /** A request came back. */
  settle(lease: Lease, outcome: Outcome): void {
    this.#gate.settle(lease, outcome);
    const traffic = this.#trafficOf(lease.endpoint);
    traffic.out--;
    if (traffic.out === 0) for (const wake of traffic.hopeful) wake();
  }

  /** Something changed outside: whoever is at the gate or stepped aside asks again. */
  wake(): void {
    this.#gate.wake();
    for (const wake of this.#aside) wake();
  }

  /** Turns everyone away, now and from now on. */
  close(): void {
    this.#isClosed = true;
    this.#gate.close();
    for (const turnAway of this.#resting) turnAway(new ClosedError());
  }

  async #standImpatiently(visitor: Visitor, place: number, isReturning: boolean): Promise<Lease> {
    const { signal } = visitor;
    signal?.throwIfAborted();
    const refusal = this.#gate.refusalNow(visitor);
    if (refusal) throw refusal;
    const told = new AbortController();
    const deafen = this.#aborts.hear(signal, () => told.abort(signal?.reason));
    this.#impatient.set(visitor, told);
    try {
      return await this.#stand({ ...visitor, signal: told.signal }, place, isReturning);
    } finally {
      this.#impatient.delete(visitor);
      deafen();
    }
  }

  async #stand(visitor: Visitor, place: number, isReturning: boolean): Promise<Lease> {
    const { ask, priority, signal } = visitor;
    for (let isBack = isReturning; ; isBack = true) {
      signal?.throwIfAborted();
      // Who finds nobody in line need not stand in it.
      const free = this.#queue.size + this.#queue.pending === 0 ? this.#gate.tryPass(visitor) : undefined;
      if (free) {
        this.#trafficOf(ask.endpoint).out++;
        return free;
      }
      this.#gate.hail(priority);
      const standing = { priority, place, isReturning: isBack, ...(signal ? { signal } : {}) };
      let lease: Lease | undefined;
      const step = async (): Promise<Passage> => {
        const passage = await this.#gate.pass(visitor);
        if (passage.kind === 'granted') {
          lease = passage.lease;
          this.#trafficOf(ask.endpoint).out++;
        }
        signal?.throwIfAborted();
        return passage;
      };
      try {
        const passage = await this.#queue.add(step, standing);
        if (passage.kind === 'granted') return passage.lease;
        if (passage.kind === 'aside') await this.#stepAside(visitor, passage);
      } catch (error) {
        if (lease) this.settle(lease, { kind: 'unsent' });
        throw error;
      }
    }
  }

  /** Out of the way of the others. What comes back of its endpoint may shorten the wait, unless it is firm. */
  #stepAside({ ask, signal }: Visitor, { until, isFirm }: Passage & { kind: 'aside' }): Promise<void> {
    const hopeful = isFirm ? [] : [this.#trafficOf(ask.endpoint).hopeful];
    return this.rest(until - this.#clock.now(), signal, this.#aside, ...hopeful);
  }

  #trafficOf(endpoint: string): EndpointTraffic {
    const traffic = this.#endpoints.get(endpoint) ?? { out: 0, hopeful: new Set() };
    this.#endpoints.set(endpoint, traffic);
    return traffic;
  }

  #tellImpatient(): void {
    for (const [visitor, told] of this.#impatient) {
      const refusal = this.#gate.refusalNow(visitor);
      if (refusal) told.abort(refusal);
    }
  }
}

/** What is under way of one endpoint. */
interface EndpointTraffic {
  /** Requests whose answer is out. */
  out: number;
  /** What wakes each call that may go sooner when all of them are back. */
  readonly hopeful: Set<() => void>;
}

/** One listener, and all that it calls. */
interface Ear {
  readonly reactions: Set<() => void>;
  readonly close: () => void;
}

/** Hears of aborts, with one listener to a signal however many calls share it. */
class Aborts {
  readonly #ears = new Map<AbortSignal, Ear>();

  /**
   * Calls `react` when the signal aborts.
   *
   * @returns a function that ends it.
   */
  hear(signal: AbortSignal | undefined, react: () => void): () => void {
    if (!signal) return () => {};
    const ear = this.#ears.get(signal) ?? this.#open(signal);
    ear.reactions.add(react);
    return () => {
      ear.reactions.delete(react);
      if (ear.reactions.size === 0) ear.close();
    };
  }

  #open(signal: AbortSignal): Ear {
    const reactions = new Set<() => void>();
    const tell = (): void => {
      for (const react of reactions) react();
    };
    const close = (): void => {
      this.#ears.delete(signal);
      signal.removeEventListener('abort', tell);
    };
    const ear = { reactions, close };
    this.#ears.set(signal, ear);
    signal.addEventListener('abort', tell, { once: true });
    return ear;
  }
}
