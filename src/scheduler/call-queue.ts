import PQueue from 'p-queue';
import type { Clock } from '../clock.ts';
import { ClosedError } from '../errors.ts';
import type { Lease, RequestOutcome } from '../quota/admission.ts';
import type { Pacer } from '../quota/pacer.ts';
import { Aborts } from './abort-listeners.ts';
import { type Called, RankedQueue } from './fair-queue.ts';
import { Gate, type Passage, priorityOf, type Visitor } from './gate.ts';
import { Sidings } from './parked-calls.ts';
import { Standing, type Turn } from './waiting-call.ts';

/** What a line is made from. */
export interface LineOptions {
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** The patience of most calls, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Where calls stand, by priority and then in the order they came. The first stands at the gate; who passes it may send. */
export class Line {
  /** Turns at the gate, one at a time. Whose turn it is is decided when it begins, so one that is to come is enough. */
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #waiting = new RankedQueue<Standing>();
  readonly #aside: Sidings<Standing>;
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #usualWaitMs: number;
  readonly #aborts = new Aborts();
  /** Calls with less patience than most: they must be told when the line comes to a standstill. */
  readonly #impatient = new Set<Standing>();
  /** What turns away each call that is out of the line for a while. */
  readonly #resting = new Set<(error: Error) => void>();
  /** How many requests of each endpoint are under way. */
  readonly #out = new Map<string, number>();
  #places = 0;
  #isTaken = false;
  #isClosed = false;

  constructor({ pacer, clock, maxWaitMs }: LineOptions) {
    this.#clock = clock;
    this.#usualWaitMs = maxWaitMs;
    this.#aside = new Sidings(clock, (called) => this.#callBack(called));
    const onStandstill = (): void => this.#tellImpatient();
    this.#gate = new Gate({ pacer, clock, behind: this.#waiting, longestRestMs: maxWaitMs, onStandstill });
  }

  /** Calls that wait: in line, at the gate, or out of the line for a while. */
  get length(): number {
    return this.#waiting.size + Number(this.#isTaken) + this.#aside.size + this.#resting.size;
  }

  /** Calls that stand in line behind the first. */
  get behind(): number {
    return this.#waiting.size;
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
  enter(visitor: Visitor, place: number): Promise<Lease> {
    try {
      visitor.signal?.throwIfAborted();
      const refusal = this.#isPatient(visitor) ? undefined : this.#gate.refusalNow(visitor);
      if (refusal) throw refusal;
      // Who finds nobody in line need not stand in it.
      const free = this.#waiting.size === 0 && !this.#isTaken ? this.#gate.tryPass(visitor) : undefined;
      if (free) return Promise.resolve(this.#note(free));
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#stand(visitor, place).then((turn) => this.#pass(visitor, place, turn));
  }

  /** Out of the line for so many milliseconds. Rejects as soon as the signal aborts or the line closes. */
  rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ClosedError());
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        cancel();
        deafen?.();
        this.#resting.delete(turnAway);
      };
      const turnAway = (error: unknown): void => {
        leave();
        reject(error);
      };
      const cancel = this.#clock.timer(ms, () => {
        leave();
        resolve();
      });
      const deafen = signal && this.#aborts.hear(signal, () => turnAway(signal.reason));
      this.#resting.add(turnAway);
    });
  }

  /** A request came back. */
  settle(lease: Lease, outcome: RequestOutcome): void {
    this.#gate.settle(lease, outcome);
    const { endpoint } = lease;
    const left = (this.#out.get(endpoint) ?? 0) - 1;
    if (left > 0) this.#out.set(endpoint, left);
    else {
      this.#out.delete(endpoint);
      this.#aside.hearBack(endpoint);
    }
  }

  /** Something changed outside: whoever is at the gate or stepped aside asks again. */
  wake(): void {
    this.#gate.wake();
    this.#aside.wake();
  }

  /** Turns everyone away, now and from now on. */
  close(): void {
    this.#isClosed = true;
    this.#gate.close();
    for (const turnAway of this.#resting) turnAway(new ClosedError());
    this.#aside.clear();
    for (let one = this.#waiting.call(); one; one = this.#waiting.call()) this.#turnAway(one.item, new ClosedError());
  }

  /** Waits for a turn: in line, or out of the way of the others if it was told to step aside. */
  #stand(visitor: Visitor, place: number, wasAside = false, aside?: Passage & { kind: 'aside' }): Promise<Turn> {
    const { ask, signal } = visitor;
    return new Promise((step, refuse) => {
      if (this.#isClosed || signal?.aborted) {
        if (wasAside) this.#aside.follow(ask);
        return refuse(signal?.aborted ? signal.reason : new ClosedError());
      }
      const standing = new Standing(visitor, place, wasAside, step, refuse);
      if (signal) standing.deafen = this.#aborts.hear(signal, () => this.#turnAway(standing, signal.reason));
      if (!this.#isPatient(visitor)) this.#impatient.add(standing);
      if (!aside) return this.#join(standing, false);
      const siding = this.#aside.of(ask);
      standing.row = siding;
      standing.entry = siding.join(standing, priorityOf(visitor), place, aside);
    });
  }

  #join(standing: Standing, isAged: boolean): void {
    const priority = priorityOf(standing.visitor);
    standing.row = this.#waiting;
    standing.entry = this.#waiting.join(standing, priority, standing.place, isAged);
    this.#gate.hail(priority);
    this.#callUp();
  }

  /** Into the line again, in its old place, without being woken for it. */
  #callBack({ item: standing, isAged }: Called<Standing>): void {
    standing.wasAside = true;
    this.#join(standing, isAged);
  }

  /** Sees to it that a turn comes if somebody waits. */
  #callUp(): void {
    if (this.#turns.size === 0 && this.#waiting.size > 0) void this.#turns.add(() => this.#giveTurn());
  }

  /** Gives the first in line its turn, which ends when it has left the gate. */
  #giveTurn(): Promise<void> {
    return new Promise((resolve) => {
      const called = this.#waiting.call();
      this.#callUp();
      if (!called) return resolve();
      const { item: standing, isAged } = called;
      const { wasAside } = standing;
      const end = (): void => {
        this.#isTaken = false;
        resolve();
      };
      this.#isTaken = true;
      this.#forget(standing);
      standing.step({ isAged, wasAside, end });
    });
  }

  /** At the gate, as often as it takes. Runs in the async context of the caller, as all that a call does. */
  async #pass(visitor: Visitor, place: number, first: Turn): Promise<Lease> {
    for (let turn = first; ; ) {
      let next: Promise<Turn>;
      try {
        const passage = await this.#gate.pass(visitor, turn.isAged);
        if (passage.kind === 'granted') {
          if (turn.wasAside) this.#aside.follow(visitor.ask);
          return this.#note(passage.lease);
        }
        // It stands again before its turn ends, so that it is not passed over.
        if (passage.kind === 'overtaken') next = this.#stand(visitor, place, turn.wasAside);
        else next = this.#stand(visitor, place, false, passage);
      } catch (error) {
        if (turn.wasAside) this.#aside.follow(visitor.ask);
        throw error;
      } finally {
        turn.end();
      }
      turn = await next;
    }
  }

  #turnAway(standing: Standing, error: unknown): void {
    const { row, entry, wasAside, visitor } = standing;
    if (entry) row?.leave(entry);
    this.#forget(standing);
    if (wasAside) this.#aside.follow(visitor.ask);
    standing.refuse(error);
  }

  #forget(standing: Standing): void {
    this.#impatient.delete(standing);
    standing.deafen?.();
  }

  #note(lease: Lease): Lease {
    this.#out.set(lease.endpoint, (this.#out.get(lease.endpoint) ?? 0) + 1);
    return lease;
  }

  #isPatient({ ask }: Visitor): boolean {
    return ask.maxWaitMs >= this.#usualWaitMs;
  }

  #tellImpatient(): void {
    for (const standing of this.#impatient) {
      const refusal = this.#gate.refusalNow(standing.visitor);
      if (refusal) this.#turnAway(standing, refusal);
    }
  }
}
