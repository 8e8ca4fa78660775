import type { WindowReading } from '../models/model.ts';
import type { AnsweredRequests } from '../usage/answered.ts';
import type { InFlight } from '../usage/in-flight.ts';

/** Before the first reading nothing is known to be there. */
const NONE = { limit: 0, used: 0, own: 0, sentAt: -Infinity };

/** The limit and what remains of a window by its most recent reading. */
export class LastReading {
  readonly #flights: InFlight;
  readonly #answered: Pick<AnsweredRequests, 'settledSince'>;
  readonly #periodMs: number;
  #reading: Pick<WindowReading, 'limit' | 'used' | 'own' | 'sentAt'> = NONE;
  /** Units of requests that were sent before it and not answered yet: they may have arrived later. */
  #overtaken = 0;

  constructor(flights: InFlight, answered: Pick<AnsweredRequests, 'settledSince'>, periodMs: number) {
    this.#flights = flights;
    this.#answered = answered;
    this.#periodMs = periodMs;
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#reading.limit;
  }

  /** Units that remain of it. */
  get remaining(): number {
    const { limit, used } = this.#reading;
    return Math.max(0, limit - used);
  }

  /** When the request was sent whose answer it is. */
  get sentAt(): number {
    return this.#reading.sentAt;
  }

  /** Keeps the reading of the request *sent* last; of several sent at once, the one that counts most, whatever limit it names. */
  observe(reading: WindowReading): void {
    const { limit, used, own, held, sentAt } = reading;
    const last = this.#reading;
    const countsNoMore = used < last.used || (used === last.used && limit === last.limit);
    if (sentAt < last.sentAt || (sentAt === last.sentAt && countsNoMore)) return;
    this.#reading = reading;
    // A reading may count more for one of unknown cost, but no more is held for it.
    const open = Math.min(held, this.#flights.units);
    this.#overtaken = Math.max(0, open - this.#flights.sentSince(sentAt) + own);
  }

  /**
   * What is left at `now` at the least: the last `remaining`, minus everything of ours that may have arrived since, plus what was ours and has left a
   * window that slides, at `ratePerMs` at most. What leaves of others' usage they are taken to use again. Stops adding from `enough` on.
   */
  left(now: number, enough: number = Infinity, ratePerMs: number = Infinity): number {
    const { sentAt, own } = this.#reading;
    const least = this.remaining - this.#overtaken - this.#flights.sentSince(sentAt) + own;
    if (least >= enough) return least;
    const from = sentAt - this.#periodMs;
    const freed = this.#answered.settledSince(from) - this.#answered.settledSince(now - this.#periodMs);
    return least + Math.min(freed, ratePerMs * (now - sentAt));
  }
}
