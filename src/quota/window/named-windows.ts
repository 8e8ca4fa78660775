import type { QuotaSnapshot } from '../headers/snapshot.ts';
import type { WindowReading } from '../models/model.ts';
import type { Shapes, ShareLimit } from '../share-limit.ts';
import { PERIODS, type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { Flight } from '../usage/in-flight.ts';
import { NamedWindow, type NamedWindowDependencies } from './named-window.ts';
import type { LongerWindow } from './others/total-rate.ts';

/**
 * A window is forgotten if answers that name others have not named it for this time, in milliseconds; or for this many of its lengths, where they are
 * of the endpoint that named it last. Other endpoints may have no such limit.
 */
const FORGOTTEN_MS = 600_000;
const FORGOTTEN_LENGTHS = 10;

/** The windows by which a rate can be told, the shortest first. */
const LONG = PERIODS.filter((period) => periodMsOf(period) > SHORT_MS);

/** The facts of an answer that are the same for every window. */
export type AnswerFacts = Omit<WindowReading, 'limit' | 'used' | 'held'>;

/** An answer that named a window. */
interface Naming {
  readonly endpoint: string;
  readonly at: number;
}

/** What named windows share, and the share that is told what they say. */
export type NamedWindowsDependencies = NamedWindowDependencies & { readonly shareLimit: ShareLimit };

/** The windows that the service names. Each exists from the first answer that states its limit and remaining units. */
export class NamedWindows implements Iterable<NamedWindow> {
  readonly #dependencies: NamedWindowsDependencies;
  readonly #byPeriod = new Map<Period, NamedWindow>();
  /** When each window was named last, and of which endpoint the answer was. */
  readonly #namings = new Map<Period, Naming>();
  /** The shapes that sibling processes told last: a window that is named later begins with them. */
  readonly #adopted = new Map<Period, Shapes>();
  #revision = 0;

  constructor(dependencies: NamedWindowsDependencies) {
    this.#dependencies = dependencies;
  }

  get size(): number {
    return this.#byPeriod.size;
  }

  /** Changes when a window comes or goes, and when its limit or the shapes that it may have change. */
  get revision(): number {
    return this.#revision;
  }

  /** The lowest limit of a short window, unless the share grants its units; 0: there is none. */
  get shortestLimit(): number {
    let least = Infinity;
    for (const { period, limit } of this) {
      const isOurs = periodMsOf(period) <= SHORT_MS && !this.#dependencies.shareLimit.covers(period);
      if (isOurs) least = Math.min(least, limit);
    }
    return least === Infinity ? 0 : least;
  }

  /** The length of the longest window, in milliseconds; undefined: there is none. */
  get longestMs(): number | undefined {
    const lengths = Array.from(this.#byPeriod.keys(), periodMsOf);
    return lengths.length > 0 ? Math.max(...lengths) : undefined;
  }

  [Symbol.iterator](): Iterator<NamedWindow> {
    return this.#byPeriod.values();
  }

  /** {@link NamedWindow.returnsWithinMs} of the second. */
  get returnsWithinMs(): number {
    return this.#byPeriod.get('second')?.returnsWithinMs ?? 0;
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    for (const window of this) window.onSent(flight.units, now);
  }

  book(units: number, from: number, to: number): void {
    for (const window of this) window.book(units, from, to);
  }

  /**
   * A request was answered for which `units` were held. Whether a refusal was charged is in the window's own reading, if there is one.
   */
  settle(quota: QuotaSnapshot, units: number, { own, sentAt, receivedAt, limited }: AnswerFacts): void {
    for (const window of this) {
      if (!limited || !isTold(window, quota)) window.book(own, sentAt, receivedAt);
      if (own < units) window.onCheaper(units - own, sentAt);
    }
  }

  /** Whether an answer states the usage of every window, so that the readings of a refusal say whether it was charged. */
  areTold(quota: QuotaSnapshot): boolean {
    return this.size > 0 && [...this].every((window) => isTold(window, quota));
  }

  /** A request was answered by a cache, so it cost nothing unless a fresh answer says so. */
  onCached(units: number): void {
    for (const window of this) window.onCached(units);
  }

  /** Takes in what an answer of an endpoint said. */
  read(endpoint: string, quota: QuotaSnapshot, answer: AnswerFacts): void {
    const { flights, costs, shareLimit } = this.#dependencies;
    const { sentAt, receivedAt, own, settledSince, limited, isExempt } = answer;
    const longer = this.#longerWindow(quota, answer);
    const naming = { endpoint, at: receivedAt };
    let named = 0;
    for (const period of PERIODS) {
      const { limit, remaining } = quota.stacks[period] ?? {};
      if (limit === undefined || remaining === undefined) continue;
      const used = limit - remaining;
      const known = this.#isRestarted(period, used, limit, answer) ? undefined : this.#byPeriod.get(period);
      // What a window held before it was first seen is in its first reading; none of what is in flight may be.
      const held = known ? flights.units + (costs.isProbing(receivedAt) ? limit : 0) : 0;
      const window = known ?? this.#open(period);
      const [limitBefore, shapesBefore] = [known?.limit, window.candidates.alive];
      this.#namings.set(period, naming);
      named++;
      window.read({ sentAt, receivedAt, own, settledSince, limited, isExempt, limit, used, held }, longer);
      if (window.limit !== limitBefore || window.candidates.alive !== shapesBefore) this.#revision++;
      shareLimit.read({
        period,
        limit,
        used,
        own,
        isRefused: limited && !isExempt,
        sentAt,
        receivedAt,
        shapes: window.candidates.shapes,
      });
    }
    if (named > 0 && named < this.#byPeriod.size) this.#forgetUnnamed(endpoint, receivedAt);
  }

  /** What an answer says of the shortest of the long windows. */
  #longerWindow({ stacks }: QuotaSnapshot, { sentAt, receivedAt }: AnswerFacts): LongerWindow | undefined {
    for (const period of LONG) {
      const { limit, remaining } = stacks[period] ?? {};
      if (limit === undefined || remaining === undefined) continue;
      const used = limit - remaining;
      const window = this.#byPeriod.get(period);
      const perMs = window?.totalRate.observe({ used, sentAt, receivedAt });
      if (!window || perMs === undefined) return { used };
      const isExact = window.candidates.must.onlyFills;
      return { used, rate: { perMs, mostPerMs: limit / periodMsOf(period), isExact, othersAt: window.othersAt } };
    }
    return undefined;
  }

  /**
   * Whether a long window was thought to be full, and a request that was sent all the same was served: the service counts from the
   * beginning again, because more was paid for, or it counts otherwise than was thought.
   */
  #isRestarted(period: Period, used: number, limit: number, { isExempt, limited, receivedAt }: AnswerFacts): boolean {
    const window = this.#byPeriod.get(period);
    if (!window || !isExempt || limited || used >= limit || periodMsOf(period) <= SHORT_MS) return false;
    return window.headroom(receivedAt) < 1;
  }

  /** Forgets windows that were not named for long while others were: another plan, or another key, has none of them. */
  #forgetUnnamed(endpoint: string, now: number): void {
    for (const [period, naming] of this.#namings) {
      const lengths = endpoint === naming.endpoint ? FORGOTTEN_LENGTHS : Infinity;
      if (now - naming.at <= Math.min(FORGOTTEN_MS, lengths * periodMsOf(period))) continue;
      this.#namings.delete(period);
      this.#byPeriod.delete(period);
      this.#revision++;
    }
  }

  /** Whether the triple (`ratelimit-*`) describes one of these windows, which then takes its reset in, if there is one. */
  describes(limit: number, resetAt: number | undefined, { sentAt, receivedAt }: AnswerFacts): boolean {
    for (const window of this) {
      if (!window.matches(limit, resetAt, receivedAt)) continue;
      const { alive } = window.candidates;
      if (resetAt !== undefined) window.onNamedReset(resetAt, sentAt);
      if (window.candidates.alive !== alive) this.#revision++;
      return true;
    }
    return false;
  }

  /** Adopts the shapes that sibling processes have left of a window. */
  adopt(period: Period, shapes: Shapes): void {
    this.#adopted.set(period, shapes);
    const candidates = this.#byPeriod.get(period)?.candidates;
    const before = candidates?.alive.length;
    candidates?.adopt(shapes);
    if (candidates?.alive.length !== before) this.#revision++;
  }

  #open(period: Period): NamedWindow {
    const window = new NamedWindow(period, this.#dependencies);
    const adopted = this.#adopted.get(period);
    if (adopted) window.candidates.adopt(adopted);
    this.#byPeriod.set(period, window);
    return window;
  }
}

function isTold({ period }: NamedWindow, { stacks }: QuotaSnapshot): boolean {
  return stacks[period]?.remaining !== undefined;
}
