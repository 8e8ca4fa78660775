import PQueue from 'p-queue';
import { type Clock, sleep } from './clock.ts';
import type { EventListener } from './events.ts';
import { Gate, type Visitor } from './gate.ts';
import type { Lease, Outcome } from './quota/admission.ts';
import type { Pacer } from './quota/pacer.ts';
import { RankedQueue, type Standing } from './ranked-queue.ts';

/** What a line is made from. */
export interface LineOptions {
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly tell: EventListener;
  /** The patience of most calls, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Where calls stand, by priority and then in the order they came. The first stands at the gate; who passes it may send. */
export class Line {
  readonly #queue = new PQueue<RankedQueue, Standing>({ concurrency: 1, queueClass: RankedQueue });
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #usualWaitMs: number;
  /** Calls with less patience than most: they must be told when the line comes to a standstill. */
  readonly #impatient = new Map<Visitor, AbortController>();
  readonly #asides = new Map<string, Promise<void>>();
  #places = 0;

  constructor({ pacer, clock, tell, maxWaitMs }: LineOptions) {
    this.#clock = clock;
    this.#usualWaitMs = maxWaitMs;
    const behind = (): number => this.#queue.size;
    this.#gate = new Gate({ pacer, clock, tell, behind, onStandstill: () => this.#tellImpatient() });
  }

  /** Calls that stand in line, the one at the gate included. */
  get length(): number {
    return this.#queue.size + this.#queue.pending;
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
  async enter(visitor: Visitor, place: number, isReturning: boolean): Promise<Lease> {
    if (visitor.ask.maxWaitMs >= this.#usualWaitMs) return this.#stand(visitor, place, isReturning);
    const refusal = this.#gate.refusalNow(visitor.ask);
    if (refusal) throw refusal;
    const told = new AbortController();
    const forward = (): void => told.abort(visitor.signal?.reason);
    visitor.signal?.addEventListener('abort', forward, { once: true });
    this.#impatient.set(visitor, told);
    try {
      return await this.#stand({ ...visitor, signal: told.signal }, place, isReturning);
    } finally {
      this.#impatient.delete(visitor);
      visitor.signal?.removeEventListener('abort', forward);
    }
  }

  /** A request came back. */
  settle(lease: Lease, outcome: Outcome): void {
    this.#gate.settle(lease, outcome);
  }

  /** Something changed outside: whoever is at the gate asks again. */
  wake(): void {
    this.#gate.wake();
  }

  /** Turns everyone away, now and from now on. */
  close(): void {
    this.#gate.close();
  }

  async #stand(visitor: Visitor, place: number, isReturning: boolean): Promise<Lease> {
    const { priority, signal } = visitor;
    for (let isBack = isReturning; ; isBack = true) {
      signal?.throwIfAborted();
      this.#gate.hail(priority);
      const standing = { priority, place, isReturning: isBack, ...(signal ? { signal } : {}) };
      let lease: Lease | undefined;
      const step = async (): Promise<number | undefined> => {
        const passage = await this.#gate.pass(visitor);
        if (passage.kind === 'aside') return passage.until;
        if (passage.kind === 'granted') lease = passage.lease;
        signal?.throwIfAborted();
        return undefined;
      };
      try {
        const until = await this.#queue.add(step, standing);
        if (lease) return lease;
        if (until !== undefined) await this.#stepAside(visitor, until);
      } catch (error) {
        if (lease) this.#gate.settle(lease, { kind: 'unsent' });
        throw error;
      }
    }
  }

  /** Calls of one endpoint step aside together and come back together. */
  async #stepAside({ ask, signal }: Visitor, until: number): Promise<void> {
    let over = this.#asides.get(ask.endpoint);
    if (!over) {
      over = sleep(this.#clock, until - this.#clock.now()).finally(() => this.#asides.delete(ask.endpoint));
      this.#asides.set(ask.endpoint, over);
    }
    await (signal ? Promise.race([over, aborted(signal)]) : over);
  }

  #tellImpatient(): void {
    for (const [visitor, told] of this.#impatient) {
      const refusal = this.#gate.refusalNow(visitor.ask);
      if (refusal) told.abort(refusal);
    }
  }
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
