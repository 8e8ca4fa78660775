import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { type Period, periodMsOf, SHORT_MS, startOf } from '../quota/time/periods.ts';
import type { TimeRange } from './timeline.ts';

/** A window of which fewer units were used, or of which this part is used still, shows nothing. */
const FEW = 10;
const REST = 0.2;

/** A reading tells of the beginning of a window until this part of it is over. */
const BEGINNING = 0.05;

/**
 * Finds calendar windows by their readings alone: use drops to next to nothing where the calendar begins a new window.
 * What other processes spend does not blur that. Another shape that drops just then is a rare chance, which a refusal
 * puts right.
 */
export class ResetDetector {
  readonly #last = new Map<Period, { readonly start: number; readonly used: number }>();

  /** The shapes that are left after a reading, of those that may be. */
  judge({ period, used, shapes }: WindowNews, sent: TimeRange, received: TimeRange): Shapes {
    const length = periodMsOf(period);
    const start = startOf(period, sent.least);
    // A window of a second has no beginning that a round trip could hit.
    if (length <= SHORT_MS || start !== startOf(period, received.most)) return shapes;
    const last = this.#last.get(period);
    if (last?.start !== start || used > last.used) this.#last.set(period, { start, used });
    const isNext = last !== undefined && last.start === startOf(period, start - 1);
    const hasDropped = isNext && last.used >= FEW && used <= last.used * REST;
    const isBeginning = received.most - start <= length * BEGINNING;
    const { alive } = shapes;
    const calendar = alive.filter(({ isCalendar }) => isCalendar);
    // What slides and does not sink steadily may drop as suddenly as the calendar does.
    const mayDrop = alive.some(({ isSliding, sinksSteadily }) => isSliding && !sinksSteadily);
    const isOpen = calendar.length > 0 && !mayDrop && alive.length > 1;
    return hasDropped && isBeginning && isOpen ? { alive: calendar, epoch: shapes.epoch } : shapes;
  }
}
