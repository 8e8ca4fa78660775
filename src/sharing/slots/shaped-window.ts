import { refutedFrom } from '../../quota/models/sliding-counter.ts';
import type { Shapes } from '../../quota/share-limit.ts';
import { type Period, periodMsOf } from '../../quota/time/periods.ts';
import type { ServerClock } from '../../quota/time/server-clock.ts';
import { hasSteps } from './drain.ts';
import { isShort, stepsOf } from './instances.ts';

/**
 * Of a minute of at least so many units, and of a longer window of twice as many, a unit is kept for the beginning of the calendar's next window: the
 * request that gets it shows whether usage is reset there, although the window is full if it slides.
 */
const PROBED = 10;

/** Whether the service's clock is known: if not, units of the calendar's windows count as those of what slides, too. */
export type Dated = Pick<ServerClock, 'isDated'>;

/** A window by its length, its limit and its candidate shapes. `may…` is true while a candidate is such a shape, `is…` and `drains` once no other is left. */
export class ShapedWindow {
  readonly period: Period;
  /** Its limit in units. */
  limit: number;
  /** Its candidate shapes. */
  shapes: Shapes;
  readonly #clock: Dated;

  constructor(period: Period, limit: number, shapes: Shapes, clock: Dated) {
    this.#clock = clock;
    this.period = period;
    this.limit = limit;
    this.shapes = shapes;
  }

  /** Whether it is so short that a look by one process reveals its shape within seconds. */
  get isShort(): boolean {
    return isShort(this.period);
  }

  /** Whether it is longer than a minute, so that unused claims must be removed before the window ends. */
  get isLong(): boolean {
    return periodMsOf(this.period) > periodMsOf('minute');
  }

  /** Whether `aligned` is the only candidate, and it is known when windows end. */
  get isCalendar(): boolean {
    return this.period === 'month' || (this.#clock.isDated && this.shapes.alive.every(({ isCalendar }) => isCalendar));
  }

  /** Whether each unit may count for a whole window from when it was used. */
  get maySlide(): boolean {
    return this.shapes.alive.some(({ isSliding }) => isSliding);
  }

  protected get mayBeCalendar(): boolean {
    return this.isCalendar || this.shapes.alive.some(({ isCalendar }) => isCalendar);
  }

  /** Whether `leaky` is the only candidate, so that what has drained can be used. */
  protected get drains(): boolean {
    return this.mayDrain && this.shapes.alive.every(({ drains }) => drains);
  }

  /** Whether it may drain, and has enough units to be counted by steps. */
  protected get mayDrain(): boolean {
    if (this.isCalendar || !hasSteps(this.period, this.limit)) return false;
    return this.shapes.alive.some(({ drains }) => drains);
  }

  /** Whether it is longer than a second, and the service may estimate its usage from two windows of the calendar. */
  protected get mayBeEstimated(): boolean {
    if (this.isShort || this.isCalendar) return false;
    return this.isEstimated || (this.#isRefutable && this.#hasEstimate);
  }

  /**
   * Whether it is taken to be estimated, which is exact for even traffic only: other shapes are ruled out, but for one that drains, or a refusal was
   * explained by none (an epoch above 0). Of so few units a second that no reading refutes the estimate, one that may drain as well is not taken for it.
   */
  protected get isEstimated(): boolean {
    const { alive, epoch } = this.shapes;
    const ignoresDraining = !this.isShort || this.#isRefutable;
    return (
      this.#hasEstimate &&
      (epoch > 0 || alive.every(({ isEstimated, drains }) => isEstimated || (drains && ignoresDraining)))
    );
  }

  /** Whether it is a short one of which units are counted by even steps, too, which spread requests. */
  get isEven(): boolean {
    return this.isShort && this.isEstimated;
  }

  /** Whether it is counted by the calendar's windows alone, although it may be estimated: the present one, and what the one before still takes of it. */
  protected get isByCalendar(): boolean {
    return this.#clock.isDated && this.mayBeEstimated && this.#isOfCalendar;
  }

  /** Whether no candidate but an estimate counts otherwise than by the calendar's windows. */
  get #isOfCalendar(): boolean {
    return this.isCalendar || this.shapes.alive.every(({ isCalendar, isEstimated }) => isCalendar || isEstimated);
  }

  /** Whether a reading can refute that it is estimated. */
  get #isRefutable(): boolean {
    return this.limit >= refutedFrom(this.period);
  }

  get #hasEstimate(): boolean {
    return this.shapes.alive.some(({ isEstimated }) => isEstimated);
  }

  /** Whether a look may still reveal its shape. */
  get isInDoubt(): boolean {
    return this.isShort && !this.isCalendar && this.shapes.alive.length > 1;
  }

  /** Whether it may be the calendar's, or not, and is not taken for an estimate; `slides`: whether that is asked of what may slide, too. */
  isCalendarInDoubt(slides: boolean): boolean {
    if (!slides && this.maySlide) return false;
    return this.isInDoubt && !this.isEstimated && this.mayBeCalendar;
  }

  /** Whether a request at the beginning of the calendar's next window shows that this one is the calendar's, or is not. */
  get isProbed(): boolean {
    if (this.isShort || this.#isOfCalendar || this.isEstimated) return false;
    return this.mayBeCalendar && this.limit >= PROBED * (this.isLong ? 2 : 1);
  }

  /** Units that needy processes divide: all of them, or of one longer than a second that drains those that come with a step, which may be no whole number. */
  get divided(): number {
    return this.drains && !this.isShort ? this.limit / stepsOf(this.period) : this.limit;
  }
}
