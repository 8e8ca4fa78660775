import type { Clock } from '../clock.ts';
import type { Ask } from '../quota/admission.ts';
import { type Called, type Entry, RankedQueue } from './fair-queue.ts';
import type { Passage } from './gate.ts';

/** What becomes of someone who is called back. */
type Recall<T> = (called: Called<T>) => void;

/** What a siding tells. */
interface Signals<T> {
  readonly recall: Recall<T>;
  /** The time has come. */
  readonly due: () => void;
  readonly empty: () => void;
}

/**
 * Calls that the pacer cannot tell apart, out of the way of the others until a given time. Then the first is called back
 * into the line: where it may not go, no other may, and where it went, the next follows.
 */
class Siding<T> {
  readonly endpoint: string;
  readonly #clock: Clock;
  readonly #signals: Signals<T>;
  readonly #waiting = new RankedQueue<T>();
  #until: number | undefined;
  #isFirm = false;
  #cancel = (): void => {};

  constructor(endpoint: string, clock: Clock, signals: Signals<T>) {
    this.endpoint = endpoint;
    this.#clock = clock;
    this.#signals = signals;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Whether what comes back of the endpoint may shorten the wait. */
  get isHopeful(): boolean {
    return !this.#isFirm;
  }

  join(item: T, priority: number, place: number, { until, isFirm }: Passage & { kind: 'aside' }): Entry<T> {
    this.#isFirm = isFirm;
    if (until !== this.#until) this.#waitUntil(until);
    return this.#waiting.join(item, priority, place);
  }

  leave(entry: Entry<T>): void {
    this.#waiting.leave(entry);
    if (this.size === 0) this.#end();
  }

  /** Calls the first back. */
  callBack(): void {
    const called = this.#waiting.call();
    if (this.size === 0) this.#end();
    if (called) this.#signals.recall(called);
  }

  /** Calls the first back if the time has come. */
  callBackIfDue(): void {
    if (this.#until === undefined || this.#until > this.#clock.now()) return;
    this.#cancel();
    this.#until = undefined;
    this.callBack();
  }

  #waitUntil(until: number): void {
    this.#cancel();
    this.#until = until;
    this.#cancel = this.#clock.timer(until - this.#clock.now(), () => {
      // Whatever the rounding of the clock says.
      this.#until = Number.NEGATIVE_INFINITY;
      this.#signals.due();
    });
  }

  #end(): void {
    this.#cancel();
    this.#signals.empty();
  }
}

/** All sidings of a line. */
export class Sidings<T> {
  readonly #clock: Clock;
  readonly #recall: Recall<T>;
  readonly #sidings = new Map<string, Siding<T>>();

  /** @param recall - brings back into the line whoever is called. */
  constructor(clock: Clock, recall: Recall<T>) {
    this.#clock = clock;
    this.#recall = recall;
  }

  /** Calls that stand aside. */
  get size(): number {
    let size = 0;
    for (const siding of this.#sidings.values()) size += siding.size;
    return size;
  }

  /** Where calls like this one stand aside. */
  of({ endpoint, cost, maxWaitMs }: Ask): Siding<T> {
    const like = `${endpoint} ${cost} ${maxWaitMs}`;
    let siding = this.#sidings.get(like);
    if (!siding) {
      siding = new Siding(endpoint, this.#clock, {
        recall: this.#recall,
        due: () => this.#callBackAllDue(),
        empty: () => this.#sidings.delete(like),
      });
      this.#sidings.set(like, siding);
    }
    return siding;
  }

  /** One that was called back is out of the line: the next of its like comes. */
  follow({ endpoint, cost, maxWaitMs }: Ask): void {
    this.#sidings.get(`${endpoint} ${cost} ${maxWaitMs}`)?.callBack();
  }

  /** Nothing of an endpoint is under way any more: those who hoped for that try. */
  hearBack(endpoint: string): void {
    for (const siding of this.#sidings.values()) {
      if (siding.isHopeful && siding.endpoint === endpoint) siding.callBack();
    }
  }

  /** All at once, so that they come by their ranks, and not by their timers. */
  #callBackAllDue(): void {
    for (const siding of this.#sidings.values()) siding.callBackIfDue();
  }

  /** Something changed outside: one of each kind tries. */
  wake(): void {
    for (const siding of this.#sidings.values()) siding.callBack();
  }

  /** Calls everyone back. */
  clear(): void {
    for (const siding of this.#sidings.values()) while (siding.size > 0) siding.callBack();
  }
}
