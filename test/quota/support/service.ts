import type { Agenda } from './agenda.ts';
import { type Counter, counterOf, type NamedPeriod, type Shape } from './counters.ts';

/** How a service counts and what it says of it. */
export interface Terms {
  readonly shape: Shape;
  /** Units per period. */
  readonly limits: Readonly<Partial<Record<NamedPeriod, number>>>;
  /** Whether a request is counted when it arrives, or, against what it arrived at, a while after its answer has left. */
  readonly charges: 'before' | 'after';
  /** What the service's clock shows at instant 0, in milliseconds since the Unix epoch. */
  readonly startsAt: number;
  /** Whether its answers carry the headers of the blockchain-related services, or only those of every API. */
  readonly hasQuota: boolean;
  /** Whether it says what time it is. */
  readonly hasDate: boolean;
  /** In what it tells the reset of the tightest window, if at all. */
  readonly reset: 'never told' | 'seconds left' | 'seconds' | 'milliseconds';
  /** Whether a refusal says when to come back. */
  readonly hasRetryAfter: boolean;
}

/** What comes back. */
export interface Reply {
  readonly isRefused: boolean;
  readonly headers: Headers;
}

/** How long a service that charges afterwards works on an answer, and then takes to count it, in milliseconds. */
const WORK_MS = 40;
const POSTING_MS = 20;

interface Window {
  readonly period: NamedPeriod;
  readonly limit: number;
  readonly counter: Counter;
}

/** The service as sections 7 and 8 of the interface describe it, in virtual time. It shares no code with the client. */
export class Service {
  readonly #agenda: Agenda;
  readonly #terms: Terms;
  readonly #windows: readonly Window[];
  #lead: number;
  #refusals = 0;

  constructor(terms: Terms, agenda: Agenda) {
    this.#agenda = agenda;
    this.#terms = terms;
    this.#lead = terms.startsAt;
    this.#windows = (['second', 'minute', 'month'] as const).flatMap((period) => {
      const limit = terms.limits[period];
      return limit === undefined ? [] : { period, limit, counter: counterOf(terms.shape, period) };
    });
  }

  /** How many requests it has refused. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Whether any window ever held more than its limit. */
  get isOverdrawn(): boolean {
    return this.#windows.some(({ limit, counter }) => counter.peak() > limit);
  }

  /** Sets its clock forward or, where `ms` is negative, back. */
  step(ms: number): void {
    this.#lead += ms;
  }

  /** Somebody else spends units, as far as there are any. */
  spend(units: number): void {
    const at = this.#clock();
    if (this.#windows.every(({ limit, counter }) => counter.used(at) + units <= limit)) this.#count(units, at);
  }

  /** A request arrives. */
  receive(cost: number, respond: (reply: Reply) => void): void {
    const at = this.#clock();
    const isLate = this.#terms.charges === 'after';
    const full = this.#windows.filter(({ limit, counter }) => counter.used(at) + (isLate ? 1 : cost) > limit);
    const left = this.#windows.map(({ limit, counter }) => Math.max(0, limit - counter.used(at) - cost));
    const answer = (): void => respond({ isRefused: false, headers: this.#headers(left, cost, at) });
    if (full.length > 0) {
      this.#refusals++;
      respond({ isRefused: true, headers: this.#refusal(full, at) });
    } else if (isLate) {
      this.#agenda.at(this.#agenda.now + WORK_MS, answer);
      this.#agenda.at(this.#agenda.now + WORK_MS + POSTING_MS, () => this.#count(cost, at));
    } else {
      this.#count(cost, at);
      answer();
    }
  }

  #clock(): number {
    return this.#agenda.now + this.#lead;
  }

  #count(units: number, at: number): void {
    for (const { counter } of this.#windows) counter.add(units, at);
  }

  #refusal(full: readonly Window[], at: number): Headers {
    const left = this.#windows.map(({ limit, counter }) => Math.max(0, limit - counter.used(at)));
    const headers = this.#headers(left, 0, at);
    const relief = Math.max(...full.map(({ counter }) => counter.relief(at)));
    if (this.#terms.hasRetryAfter) headers.set('retry-after', `${Math.ceil((relief - at) / 1_000)}`);
    return headers;
  }

  #headers(left: readonly number[], cost: number, arrivedAt: number): Headers {
    const headers = new Headers();
    const least = Math.min(...left);
    if (this.#terms.hasDate) headers.set('date', new Date(this.#clock()).toUTCString());
    if (cost > 0 && this.#terms.hasQuota) headers.set('x-ratelimit-cost-stacks', `${cost}`);
    for (const [place, { period, limit, counter }] of this.#windows.entries()) {
      if (this.#terms.hasQuota) {
        headers.set(`x-ratelimit-limit-stacks-${period}`, `${limit}`);
        headers.set(`x-ratelimit-remaining-stacks-${period}`, `${left[place]}`);
      }
      // Longer windows come later, so of two that are as tight the longer one is told.
      if (left[place] !== least || this.#terms.reset === 'never told') continue;
      headers.set('ratelimit-limit', `${limit}`);
      headers.set('ratelimit-remaining', `${least}`);
      headers.set('ratelimit-reset', this.#reset(counter.relief(arrivedAt), arrivedAt));
    }
    return headers;
  }

  #reset(at: number, now: number): string {
    if (this.#terms.reset === 'milliseconds') return `${Math.ceil(at)}`;
    if (this.#terms.reset === 'seconds') return `${Math.floor(at / 1_000)}`;
    return `${Math.max(1, Math.ceil((at - now) / 1_000))}`;
  }
}
