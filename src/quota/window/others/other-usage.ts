import { TOLERANCE, type WindowReading } from '../../models/model.ts';
import type { ShareLimit } from '../../share-limit.ts';
import { type Period, periodMsOf, SHORT_MS, startOf } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { AnsweredRequests } from '../../usage/answered.ts';
import type { CandidateShapes } from '../shape/candidates.ts';
import type { Contention } from './contended-rate.ts';
import { ALL_BEFORE, type Shown } from './demand.ts';
import type { OtherConsumers } from './other-consumers.ts';
import { beganTogether, type LongerWindow } from './total-rate.ts';

/** More than this part of a long window under way may hide what other consumers take. */
const BLURRED_PART = 0.005;

/** What a reading is compared with, and the estimate of other consumers that is told of it. */
export interface OtherUsageDependencies {
  readonly clock: ServerClock;
  readonly answered: AnsweredRequests;
  readonly candidates: Pick<CandidateShapes, 'may'>;
  readonly otherConsumers: OtherConsumers;
  readonly shareLimit: Pick<ShareLimit, 'isShared'>;
}

/** Tells from each reading of a window what other consumers have used of it. */
export class OtherUsage {
  readonly #period: Period;
  readonly #isShort: boolean;
  readonly #known: OtherUsageDependencies;
  /** Units of the requests that a cache has answered since the last reading. */
  #cached = 0;
  /** Units that the last reading counted. */
  #used = 0;

  constructor(period: Period, known: OtherUsageDependencies) {
    this.#period = period;
    this.#isShort = periodMsOf(period) <= SHORT_MS;
    this.#known = known;
  }

  /** A request was answered by a cache: not counted by the service, or else by the next reading. */
  onCached(units: number): void {
    this.#cached += units;
  }

  /**
   * Processes a reading of the window.
   *
   * @param unexplained - units of it that no candidate shape explains; undefined: it is the first, of which that says nothing.
   * @param longer - what the same answer says of the shortest of the long windows; undefined: it names none.
   */
  onReading(unexplained: number | undefined, reading: WindowReading, longer?: LongerWindow): void {
    const { otherConsumers, shareLimit } = this.#known;
    const units =
      unexplained === undefined ? this.#usedBefore(reading, longer) : Math.max(0, unexplained - this.#cached);
    // In a shared quota, siblings' usage must not be mistaken for theirs.
    if (!shareLimit.isShared)
      otherConsumers.observe(units, reading, this.#shownBy(reading), () => this.#contention(reading, longer));
    this.#cached = 0;
  }

  /**
   * Units of the first reading that tell of other consumers. It includes usage from before this client existed, so of a long window it
   * says nothing about their rate; of a short one, that they were there a moment ago; and of a full one nothing, unless they began with this client.
   */
  #usedBefore({ used, own, limit }: WindowReading, longer: LongerWindow | undefined): number {
    const isTelling = used < limit || beganTogether(used, longer);
    return this.#isShort && isTelling ? used - own : 0;
  }

  /** What a reading shows of the time before it: of a short window, all that was. */
  #shownBy({ sentAt, receivedAt, used, limit, held }: WindowReading): Shown {
    if (this.#isShort) return { ...ALL_BEFORE, used };
    const { clock, candidates } = this.#known;
    const { may } = candidates;
    const isCalendar = clock.known && may.isCalendar;
    // Where it counts less than the last one, and a window may have begun, one has.
    const at = used < this.#used ? clock.most(receivedAt) : clock.least(sentAt);
    this.#used = used;
    return {
      startedAt: isCalendar ? clock.surely(startOf(this.#period, at)) : -Infinity,
      used,
      isFull: used >= limit && may.onlyFills,
      isBlurred: held > limit * BLURRED_PART,
    };
  }

  /** What else is known of a short window that others use, too. */
  #contention({ sentAt, receivedAt, used, own, held }: WindowReading, longer?: LongerWindow): Contention {
    const { clock, answered, candidates } = this.#known;
    const ours = own + held + answered.settledSince(sentAt - periodMsOf(this.#period));
    const elapsed = clock.elapsedPart(this.#period, (sentAt + receivedAt) / 2);
    return { isShared: used > ours + TOLERANCE, elapsed, slides: !candidates.may.onlyFills, longer };
  }
}
