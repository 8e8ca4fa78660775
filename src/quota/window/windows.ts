import type { Limit } from '../admission.ts';
import { type QuotaSnapshot, repeatedWindow, resetOf } from '../headers/snapshot.ts';
import type { Flight } from '../usage/in-flight.ts';
import { ResetWindows } from './by-reset/reset-windows.ts';
import { type AnswerFacts, NamedWindows, type NamedWindowsDependencies } from './named-windows.ts';
import { PriorityReserve } from './reserve/priority-reserve.ts';

/** All windows of which the service tells: those that it names, and those that `ratelimit-*` alone describes. */
export class Windows {
  readonly named: NamedWindows;
  readonly byReset: ResetWindows;
  readonly #priorityReserve = new PriorityReserve();
  #limits: readonly Limit[] = [];
  /** The revision in which the windows were listed as limits. */
  #listedIn = 0;

  constructor(dependencies: Omit<NamedWindowsDependencies, 'priorityReserve'>) {
    this.named = new NamedWindows({ ...dependencies, priorityReserve: this.#priorityReserve });
    this.byReset = new ResetWindows(dependencies.clock, dependencies.flights, () => this.named.size === 0);
  }

  /** Each window as a limit. */
  get limits(): readonly Limit[] {
    return this.#limits;
  }

  /** Changes when a window comes or goes, and when the limit of a named one or the shapes that it may have change. */
  get revision(): number {
    return this.named.revision + this.byReset.revision;
  }

  /** Whether any answer has told of a window. */
  get areKnown(): boolean {
    return this.named.size + this.byReset.size > 0;
  }

  /** Whether every named window surely had units left for a request that is not booked yet. */
  hadRoom(now: number): boolean {
    for (const window of this.named) if (!window.isAlone || window.headroom(now) < 1) return false;
    return this.named.size > 0;
  }

  /** A request is sent. */
  onSent(flight: Flight, priority: number, now: number): void {
    this.#priorityReserve.onSent(priority, flight.units, now);
    this.named.onSent(flight, now);
    this.byReset.onSent(flight, now);
  }

  /** Books a request that may have been counted although no answer says so. */
  book({ endpoint, sentAt, units }: Flight, until: number): void {
    this.named.book(units, sentAt, until);
    this.byReset.book(endpoint, sentAt, until, units);
  }

  /** A request was refused because its cost exceeds a whole window. */
  onExcess(units: number, now: number): void {
    for (const window of this.named) window.onExcess(units, now);
  }

  /** A request was answered: takes in what the answer says. */
  onAnswer({ endpoint, units, isBooked }: Flight, quota: QuotaSnapshot, answer: AnswerFacts): void {
    const isCached = quota.ageMs !== undefined;
    if (isCached) this.named.onCached(units);
    else if (!isBooked) this.named.settle(quota, units, answer);
    this.named.read(endpoint, quota, answer);
    this.#readTriple(endpoint, quota, answer, isBooked || isCached);
    if (this.revision === this.#listedIn) return;
    this.#listedIn = this.revision;
    this.#limits = [...this.named, ...this.byReset];
  }

  /** `ratelimit-*` describes whichever window is tightest: a named one, or one of its own. */
  #readTriple(endpoint: string, quota: QuotaSnapshot, answer: AnswerFacts, isBooked: boolean): void {
    const { limit, remaining } = quota;
    const resetAt = resetOf(quota);
    const isImpossible = resetAt === undefined && quota.resetAt !== undefined;
    if (limit === undefined || remaining === undefined || isImpossible) {
      if (!isBooked) this.byReset.book(endpoint, answer.sentAt, answer.receivedAt, answer.own);
    } else if (!this.named.describes(limit, resetAt, answer) && repeatedWindow(quota) === undefined) {
      this.byReset.read(endpoint, quota, answer);
    }
  }
}
