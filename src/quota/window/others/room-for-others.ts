import type { Charge } from '../../admission.ts';
import type { WindowReading } from '../../models/model.ts';
import { type Period, periodMsOf, SHORT_MS } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { InFlight } from '../../usage/in-flight.ts';
import type { LastReading } from '../last-reading.ts';
import { type Reserve, recheckAt } from '../reserve/reserve.ts';
import type { SentInWindow } from '../sent-in-window.ts';
import type { CandidateShapes } from '../shape/candidates.ts';
import { LONGEST_GAP } from './contended-rate.ts';
import { MOST_THEIRS, type OtherConsumers } from './other-consumers.ts';

/**
 * At most this part of a window is left for what they may take unseen if no unit of it is free again before it ends: with half of it a client would use no
 * more than the other half long after the others have gone.
 */
const LESS_UNSEEN_PART = 0.25;

/**
 * Clients that wait for the same units send together when these are free: for each of our units under way they may have so many times as much under way, or
 * served since the last reading, as they take for each of ours while this client sends or waits.
 */
export const TOGETHER = 2;

/**
 * What they take unseen is estimated for no longer after a reading than this client went from one to the next lately, or this, in milliseconds: they
 * may have gone.
 */
const LEAST_UNSEEN_MS = 1_000;
const LONGEST_GAP_MS = LONGEST_GAP * periodMsOf('second');

/**
 * With each reading that time is longer by this at most, from none after a refusal, in milliseconds: where a consumer fills whole seconds
 * and goes, a request shows that.
 */
const LONGER_MS = 500;

/** For so much of a window that slides they may take more than becomes free. */
const DIP_PART = 0.1;

/** Dependencies of the room for other consumers of a window. */
export interface RoomForOthersDependencies {
  readonly clock: ServerClock;
  readonly otherConsumers: OtherConsumers;
  readonly lastReading: Pick<LastReading, 'sentAt' | 'limit'>;
  readonly sent: Pick<SentInWindow, 'units'>;
  /** Whether `units` fit now below a cap. */
  readonly fits: (units: number, cap: number, now: number) => boolean;
  readonly candidates: Pick<CandidateShapes, 'may'>;
  readonly flights: Pick<InFlight, 'units'>;
}

/** The reserve for other consumers while there are any, and how much they may have taken since the last reading. */
export class RoomForOthers implements Reserve {
  readonly #period: Period;
  readonly #periodMs: number;
  readonly #known: RoomForOthersDependencies;
  /** Of the last reading. */
  #roundTripMs = 0;
  /** How long this client went from reading to reading lately. */
  #gapMs = 0;
  #readAt = -Infinity;

  constructor(period: Period, known: RoomForOthersDependencies) {
    this.#period = period;
    this.#periodMs = periodMsOf(period);
    this.#known = known;
  }

  /** Processes a reading of the window. */
  onReading({ sentAt, receivedAt, limited }: WindowReading): void {
    this.#gapMs = limited ? 0 : Math.min(sentAt - this.#readAt, this.#gapMs + LONGER_MS, LONGEST_GAP_MS);
    this.#readAt = sentAt;
    this.#roundTripMs = receivedAt - sentAt;
  }

  units(_charge: Charge, limit: number, now: number): number {
    const { otherConsumers, clock, candidates } = this.#known;
    if (!otherConsumers.areActive) return 0;
    if (this.#periodMs <= SHORT_MS) return this.#unseen(now);
    const { may } = candidates;
    // Where units are free again one by one no more is kept for the rest of a window: their own leave it as fast as they come.
    const isContinuous = may.isSliding && !may.isCalendar && !may.sinksSteadily;
    const reserve = isContinuous
      ? otherConsumers.reserve(limit, 1, DIP_PART * this.#periodMs)
      : otherConsumers.reserve(limit, clock.elapsedPart(this.#period, now), this.#roundTripMs);
    // The rest of an almost elapsed window is theirs only as far as they may take it before our request arrives.
    return Math.max(reserve, this.#unseen(now));
  }

  /** A request may use the reserve of a long window where we are behind our fair share. Usage by others since the last reading is estimated. */
  releasesAt(units: number, cap: number, now: number): number {
    const { lastReading, fits } = this.#known;
    const recheck = recheckAt(this.#periodMs, now);
    if (this.#periodMs <= SHORT_MS || !fits(units, cap - this.#unseen(now), now)) return recheck;
    return Math.min(Math.max(now, this.#ourTurn(units, lastReading.limit, now)), recheck);
  }

  /** When we fall behind our fair share of the window. */
  #ourTurn(units: number, limit: number, now: number): number {
    const { otherConsumers, clock, sent } = this.#known;
    const gone = clock.elapsedPart(this.#period, now);
    return now + (sent.units(now) + units) * otherConsumers.fairSpacing(limit) - gone * this.#periodMs;
  }

  /** Units that they may take before a request that is sent now arrives. */
  #unseen(now: number): number {
    const { otherConsumers, lastReading } = this.#known;
    const unseenMs = now - lastReading.sentAt + this.#roundTripMs / 2;
    const units = otherConsumers.unobserved(unseenMs, Math.max(LEAST_UNSEEN_MS, this.#gapMs));
    return Math.min(lastReading.limit * this.#mostUnseenPart, units);
  }

  get #mostUnseenPart(): number {
    const { isSliding, drains } = this.#known.candidates.may;
    return this.#periodMs <= SHORT_MS || isSliding || drains ? MOST_THEIRS : LESS_UNSEEN_PART;
  }

  /**
   * Units that they may have taken since the last reading: by their rate; or as much as is left for them at most, if they take that evenly; or by what
   * is under way of ours, if they send when we do.
   */
  mayHaveTaken(now: number): number {
    const { otherConsumers, lastReading, flights } = this.#known;
    const ms = now - lastReading.sentAt;
    const part = Math.max(0, ms - this.#roundTripMs) / this.#periodMs;
    const evenly = lastReading.limit * MOST_THEIRS * Math.min(1, part);
    const together = TOGETHER * flights.units * otherConsumers.perUnit;
    return Math.max(evenly, together, otherConsumers.unobserved(ms, this.#periodMs));
  }
}
