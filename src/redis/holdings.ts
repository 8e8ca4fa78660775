import type { Lease } from '../quota/admission.ts';
import type { WindowNews } from '../quota/share-limit.ts';
import { PERIODS, type Period, SHORT_MS } from '../quota/time/periods.ts';
import type { ServerClock } from '../quota/time/server-clock.ts';
import { ARRIVES_WITHIN_MS } from '../quota/usage/in-flight.ts';
import type { Fallback } from './fallback.ts';
import { type Demand, Holding } from './holding.ts';
import type { Lot } from './lots.ts';
import type { Reply, WindowAsk, Wish } from './message.ts';
import { type Moment, Moments } from './moments.ts';
import { beginOf, SLICES, sliceOf, windowOf } from './slices.ts';

/** A short window is waited for rather than that a request takes from two of them, unless this part of it would be lost. */
const WORTH_LOSING = 0.3;

/** Redis remembers a window for two lengths and this much longer, in milliseconds. */
const LINGER_MS = 60_000;

/** A request under way, and what it was taken from. */
interface Taken {
  units: number;
  readonly sentAt: number;
  readonly lots: Set<Lot>;
  /** The slices of each window that it was taken from. */
  readonly slices: Map<Holding, number[]>;
}

/** What an ask gets: `now`, or the instant from which it is worth asking again. */
export interface Bearing {
  readonly at: number;
  /** The window that lacks units, if one does, and when asking for more is of use. */
  readonly lacking?: Holding;
  readonly retryAt?: number;
}

/** What we hold of all windows, and what is under way. Bookkeeping like {@link Holding}: nobody is called. */
export class Holdings {
  /** The service's clock. */
  readonly #time: Moments;
  readonly #holdings = new Map<Period, Holding>();
  readonly #flights = new Map<Lease, Taken>();
  #fallback: Fallback | undefined;

  /** @param spreadMs - how much later than others this process takes a window's beginning to be. */
  constructor(clock: ServerClock, spreadMs: number) {
    this.#time = new Moments(clock, spreadMs);
  }

  /** Every window that is known, longest first. */
  get all(): readonly Holding[] {
    return [...this.#holdings.values()];
  }

  /** Requests under way. */
  get underWay(): number {
    return this.#flights.size;
  }

  /** Whether anything is ours that is not spent. */
  get holdsAny(): boolean {
    return this.all.some((holding) => holding.lots.holdsAny);
  }

  /** Units that were spent without having been granted. */
  get owed(): number {
    return this.all.reduce((owed, holding) => owed + holding.lots.owed, 0);
  }

  of(period: Period): Holding | undefined {
    return this.#holdings.get(period);
  }

  /** Makes a window known, or changes its limit. What is under way may have been counted in it. */
  open(period: Period, limit: number, now: number): Holding {
    const known = this.#holdings.get(period);
    if (known) return Object.assign(known, { limit });
    const holding = new Holding(period, limit);
    holding.fallback = this.#fallback;
    this.#holdings.set(period, holding);
    const ordered = [...this.#holdings].sort(([one], [other]) => PERIODS.indexOf(other) - PERIODS.indexOf(one));
    this.#holdings.clear();
    for (const [name, each] of ordered) this.#holdings.set(name, each);
    for (const taken of this.#flights.values()) this.#charge(taken, holding, now);
    return holding;
  }

  /** The earliest instant at which what is ours bears a charge, as far as it can be known. */
  earliest(charge: number, now: number): Bearing {
    this.#advance(now);
    for (const holding of this.#holdings.values()) {
      const units = Math.min(charge, holding.limit);
      const arrival = this.#time.arrival(now);
      const first = sliceOf(holding.period, arrival.least);
      const last = sliceOf(holding.period, arrival.most);
      const width = arrival.most - arrival.least;
      const next = windowOf(first) + SLICES;
      if (holding.isWhole && last >= next && holding.length <= SHORT_MS && width < holding.length * WORTH_LOSING)
        return { at: this.#time.surely(beginOf(holding.period, next), now) };
      const lack = holding.lacking(units, arrival);
      if (lack === undefined) continue;
      const begin = this.#time.surely(
        beginOf(holding.period, holding.isWhole ? windowOf(lack) + SLICES : last + 1),
        now,
      );
      const retryAt = holding.isFull(units, this.moment(now)) ? begin : holding.retryAt(lack);
      return { at: Math.max(now + 1, Math.min(begin, Math.max(now, retryAt))), lacking: holding, retryAt };
    }
    return { at: now };
  }

  /** Whether some window is full by the service's own word. */
  isFull(charge: number, now: number): boolean {
    const moment = this.moment(now);
    return this.all.some((holding) => holding.isFull(Math.min(charge, holding.limit), moment));
  }

  take(lease: Lease, now: number): void {
    const taken: Taken = { units: lease.units, sentAt: now, lots: new Set(), slices: new Map() };
    this.#flights.set(lease, taken);
    for (const holding of this.#holdings.values()) this.#charge(taken, holding, now);
  }

  /** A request ended: what it cost counts, wherever it may have been counted. */
  settle(lease: Lease, units: number, now: number): void {
    const taken = this.#flights.get(lease);
    if (!taken) return;
    this.#advance(now);
    this.#flights.delete(lease);
    for (const lot of taken.lots) lot.used = Math.max(0, lot.used + units - taken.units);
  }

  /** Takes in what the service said of a window. */
  hear(news: WindowNews): void {
    const holding = this.open(news.period, news.limit, news.receivedAt);
    holding.adopt(news.shapes);
    this.#time.hearRoundTrip(news.receivedAt - news.sentAt);
    if (this.isTimeKnown) holding.hear(news, this.moment(news.sentAt), this.moment(news.receivedAt));
  }

  /** Where Redis cannot be asked each window is spent as told; undefined: it can. */
  fallBack(fallback: Fallback | undefined): void {
    this.#fallback = fallback;
    for (const holding of this.#holdings.values()) holding.fallback = fallback;
  }

  /** Whether it is time to fetch more, although nobody has to wait yet. */
  isLow(now: number, waiting: number): boolean {
    const moment = this.moment(now);
    return this.all.some((holding) => holding.isLow(now, moment, waiting));
  }

  /** What to claim and to wish for. */
  asks(demand: Demand, now: number): WindowAsk[] {
    this.#advance(now);
    const moment = this.moment(now);
    const arrival = this.#time.arrival(now);
    return this.all.map((holding): WindowAsk => {
      const { period, limit, length, isLong, said } = holding;
      const claims = holding.claims(moment, demand);
      const wishes = holding.wishes(holding.isWhole ? moment : arrival, demand);
      const held = holding.instances(moment).reduce((sum, slice) => sum + Math.max(0, holding.free(slice)), 0);
      holding.said = undefined;
      return {
        period,
        limit,
        length,
        keep: 2 * length + LINGER_MS,
        oldest: sliceOf(period, moment.least) - 3 * SLICES,
        long: isLong,
        held,
        claims,
        ...(said ? { said } : {}),
        wishes,
      };
    });
  }

  /** Takes in what Redis gave. */
  receive(asks: readonly WindowAsk[], reply: Reply, now: number): void {
    const moment = this.moment(now);
    asks.forEach((ask, index) => {
      const holding = this.#holdings.get(ask.period);
      if (!holding) return;
      holding.peers = reply.peers;
      ask.wishes.forEach((wish: Wish, at) => {
        holding.grant(wish, reply.grants[index]?.[at] ?? 0, reply.used[index]?.[at] ?? 0, now, moment);
      });
    });
  }

  /** Redis's clock, as an offset from ours. */
  hearRedis(lead: number): void {
    this.#time.hearRedis(lead);
  }

  /** Whether instances can be named at all. */
  get isTimeKnown(): boolean {
    return this.#time.isKnown;
  }

  /** What the service's clock may show. */
  moment(now: number): Moment {
    return this.#time.at(now);
  }

  /** What is under way when an instance begins may be counted in it. */
  #advance(now: number): void {
    const { most } = this.moment(now);
    for (const holding of this.#holdings.values()) {
      const latest = windowOf(sliceOf(holding.period, most));
      if (!holding.isWhole || latest === holding.latest) continue;
      holding.latest = latest;
      for (const taken of this.#flights.values())
        if (now <= taken.sentAt + ARRIVES_WITHIN_MS) this.#charge(taken, holding, now);
    }
  }

  #charge(taken: Taken, holding: Holding, now: number): void {
    const moment = holding.isWhole ? this.moment(now) : this.#time.arrival(now);
    const slices = taken.slices.get(holding) ?? [];
    taken.slices.set(holding, slices);
    for (const slice of holding.instances(moment)) {
      // A window that it was taken from, slice or whole, has it already.
      if (slices.some((other) => windowOf(other) === windowOf(slice))) continue;
      slices.push(slice);
      const lot = holding.lots.at(slice);
      taken.lots.add(lot);
      lot.used += taken.units;
    }
  }
}
