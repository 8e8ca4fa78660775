import type { WindowReading } from '../../models/model.ts';
import { SHORT_MS } from '../../time/periods.ts';
import { ContendedRate, type Contention } from './contended-rate.ts';
import { Demand, type Shown } from './demand.ts';

/** Less than this is chance: in units, and in parts of the limit. */
const CHANCE = 0.5;
const CHANCE_PART = 0.005;

/** The part of a window that is left to them at most, because this client would starve otherwise. */
export const MOST_THEIRS = 0.5;

/** Other consumers that were seen are expected again for so many windows, and for so many milliseconds: programs that start with each minute return. */
const RETURN_WINDOWS = 10;
const RETURN_MS = 120_000;

/** What is left beyond the estimate: standard deviations of a random arrival, and a part of the limit. */
const DEVIATIONS = 2;
const MARGIN = 0.02;

/** Their rate is that of the last so many milliseconds. */
const RATE_MS = 500;

/** How long a rate is believed that no answer has confirmed, in milliseconds. */
const RATE_FADES_MS = 20_000;

/** Chance is that of so many milliseconds at most. */
const CHANCE_MS = 1_000;

/** They take no more than so many units for each of ours: a client that sends seldom would wait for each of its answers. */
const MOST_PER_UNIT = 8;

/** Of windows up to this length a part tells what they take in all, in milliseconds. */
const SOON_MS = 3_600_000;

/** What an answer says of the window, and the units of its request. */
type AnsweredReading = Pick<WindowReading, 'limit' | 'own' | 'sentAt' | 'receivedAt'>;

/**
 * Estimates other consumers of the same quota from readings: units that our own requests do not explain.
 *
 * While there are other consumers, their usual usage, up to half of the limit, is reserved for them and released as the window
 * elapses, down to what they may take unseen. In a short window, of which an answer tells too late what they took, our own requests
 * are spaced evenly at a {@link ContendedRate}.
 */
export class OtherConsumers {
  readonly #periodMs: number;
  readonly #returnMs: number;
  /** Units that were seen lately: after a window without any a third is left. */
  #seen = 0;
  /** Those of them that they took while requests of ours were under way or waited, and the units of our own requests, of as long. */
  #beside = 0;
  #ours = 0;
  /** When a request of ours first had to wait since the last reading. */
  #heldAt = Infinity;
  /** Units per millisecond that they took lately. */
  #rate = 0;
  /** When the first reading came, and the last one. */
  #firstAt = Infinity;
  #ratedAt = -Infinity;
  /** When the window began that the last one counts. */
  #startedAt = -Infinity;
  readonly #demand: Demand;
  /** Our part of a short window. */
  readonly #contended: ContendedRate | undefined;
  #refusedAt = -Infinity;
  #seenAt = -Infinity;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
    this.#demand = new Demand(periodMs);
    this.#returnMs = Math.max(RETURN_MS, RETURN_WINDOWS * periodMs);
    this.#contended = periodMs <= SHORT_MS ? new ContendedRate(periodMs) : undefined;
  }

  /** Whether other consumers have been seen lately. */
  get areActive(): boolean {
    return this.#ratedAt < this.#seenAt + this.#returnMs;
  }

  /** When they were last seen. */
  get seenAt(): number {
    return this.#seenAt;
  }

  /** Takes in what a reading left unexplained. `contention` is asked for only while a short window is contended; a longer one has none. */
  observe(units: number, reading: AnsweredReading, shown: Shown, contention?: () => Contention): void {
    const { limit, own, sentAt, receivedAt: now } = reading;
    const taken = Math.max(0, units);
    const isNew = shown.startedAt > this.#startedAt + this.#periodMs / 2;
    if (isNew) this.#startedAt = shown.startedAt;
    const since = Math.max(this.#ratedAt, shown.startedAt);
    const ms = this.#ratedAt > -Infinity && now > since ? now - since : 0;
    this.#demand.observe(taken, ms, isNew, shown);
    const faded = Math.exp((this.#ratedAt - now) / this.#periodMs);
    this.#seen = this.#seen * faded + taken;
    // What came while this client had nothing to send says nothing of what comes with its requests.
    const wasIdle = sentAt > this.#ratedAt + CHANCE_MS && sentAt <= this.#heldAt;
    this.#beside = this.#beside * faded + (wasIdle ? 0 : taken);
    this.#ours = this.#ours * faded + own;
    this.#heldAt = Infinity;
    if (taken > 0 && this.#seen >= Math.max(CHANCE, limit * CHANCE_PART)) this.#seenAt = now;
    if (!this.areActive) this.#contended?.restart();
    else if (contention) this.#contended?.observe(taken, shown.used, limit, now, contention());
    const kept = Math.exp(-ms / RATE_MS);
    this.#rate = this.#rate * kept + (ms > 0 ? (taken * (1 - kept)) / ms : taken / RATE_MS);
    this.#firstAt = Math.min(this.#firstAt, now);
    this.#ratedAt = now;
  }

  /** Units of a long window to leave them, when the part `gone` of it is over and they may take more than on average for `chanceMs`. */
  reserve(limit: number, gone: number, chanceMs: number): number {
    const inAll = this.#expected(limit);
    const rest = inAll * (1 - gone);
    const chance = DEVIATIONS * Math.sqrt(Math.max(rest, inAll * Math.min(1, chanceMs / this.#periodMs)));
    return Math.min(rest + chance, MOST_THEIRS * limit);
  }

  /** A request was refused because the window was full: other consumers must have filled it, but for `own` units. */
  onRefused(own: number, limit: number, now: number): void {
    if (now < this.#refusedAt + this.#periodMs) return;
    this.#refusedAt = now;
    this.#contended?.onRefused(own, limit, now);
    this.#seenAt = now;
  }

  /**
   * Units that they may have used in the `ms` milliseconds since the last reading: by their rate lately, or their usual one.
   *
   * @param mostMs - the longest time to estimate for: they may have gone.
   */
  unobserved(ms: number, mostMs: number): number {
    const rate = Math.max(this.#rate * Math.exp(-ms / RATE_FADES_MS), this.#demand.usual / this.#periodMs);
    const longest = Math.min(ms, mostMs);
    return Math.floor(rate * longest + DEVIATIONS * Math.sqrt(rate * Math.min(longest, CHANCE_MS)));
  }

  /** A request of ours has to wait for the window. */
  onHeld(now: number): void {
    this.#heldAt = Math.min(this.#heldAt, now);
  }

  /** Units that they take for each of ours while this client sends or waits, by the last windows. */
  get perUnit(): number {
    if (!this.areActive) return 0;
    return Math.min(MOST_PER_UNIT, this.#beside / Math.max(1, this.#ours));
  }

  /** Spacing of requests, in milliseconds a unit, if this client's part of the window is spread evenly. */
  fairSpacing(limit: number): number {
    return this.#periodMs / (limit * (this.#contended?.part ?? 1 - MOST_THEIRS));
  }

  /**
   * Units that they will take in a window, as they did lately. Of a day or a month room is left for that only when one is over, because
   * minutes say nothing about the rest.
   */
  #expected(limit: number): number {
    const isKnown = this.#periodMs <= SOON_MS || this.#ratedAt >= this.#firstAt + this.#periodMs;
    const units = isKnown ? this.#demand.present : 0;
    return Math.min(MOST_THEIRS * limit, units + MARGIN * limit);
  }
}
