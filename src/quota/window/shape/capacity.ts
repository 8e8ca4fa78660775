import type { Shape, WindowModel } from '../../models/model.ts';
import { endOf, type Period } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { WindowEnd } from '../../time/window-end.ts';
import type { CandidateShapes } from './candidates.ts';

/** What a window holds by all of its candidate shapes, which answer as one: usage, when units fit, and its end. */
export class Capacity {
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #candidates: CandidateShapes;

  constructor(period: Period, clock: ServerClock, candidates: CandidateShapes) {
    this.#period = period;
    this.#clock = clock;
    this.#candidates = candidates;
  }

  /** The models that must admit a charge. Without the service's clock it is the most cautious alone, which needs none. */
  get binding(): readonly WindowModel[] {
    return this.#clock.known ? this.#candidates.binding : this.#candidates.mostCautious;
  }

  /**
   * Units that may have been used in the window, not counting requests in flight.
   *
   * @param shapes - if it has one of these candidate shapes. Omitted: one of those that decide when a charge fits.
   */
  spent(now: number, shapes?: readonly Shape[]): number {
    const models = shapes ? this.#candidates.alive.filter(({ shape }) => shapes.includes(shape)) : this.binding;
    return models.reduce((most, model) => Math.max(most, model.spent(now)), 0);
  }

  /**
   * The earliest instant at which `units` surely fit below `cap` beside `held`; Infinity: not before an answer comes.
   *
   * @param isTrial - whether the charge tries whether the window has ended, where a reset that the service names may end it.
   */
  earliest(units: number, held: number, cap: number, now: number, isTrial: boolean = false): number {
    let at = now;
    for (const model of this.binding)
      if (!isTrial || !this.#accepts(model.shape)) at = Math.max(at, model.earliest(units, held, cap, now));
    return at;
  }

  /** Whether a reset that the service names overrules a model: of the calendar only while no answer carries a `Date`. */
  #accepts({ acceptsNamedReset = false, isCalendar = false }: Shape): boolean {
    return acceptsNamedReset || (isCalendar && !this.#clock.isDated);
  }

  /** When the window ends, as far as its candidate shapes follow the calendar. */
  end(now: number): WindowEnd {
    const { may, must } = this.#candidates;
    const clock = this.#clock;
    if (!clock.known || !may.isCalendar) return { certainty: 'unknown' };
    const certainty = must.isCalendar ? 'known' : 'guessed';
    const from = clock.soonest(endOf(this.#period, clock.least(now)));
    return { certainty, from, to: clock.surely(endOf(this.#period, clock.most(now))) };
  }
}
