import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { type Period, periodMsOf, SHORT_MS, startOf } from '../quota/time/periods.ts';
import type { TimeRange } from './timeline.ts';

/** A drop counts only within this part of the new window. */
const BEGINNING = 0.05;

/**
 * A drop from fewer units than `FEW`, or to more than the part `REST` of them, is no evidence; unless the window is longer than a minute, the two
 * readings are no farther apart than that part of it, and more has gone than can drain meanwhile, and than `ROUNDED`.
 */
const FEW = 10;
const REST = 0.2;
const ROUNDED = 1;

/**
 * Recognises calendar windows by readings alone: usage drops to almost nothing at the calendar's boundary, whatever other
 * processes send. A window of another shape rarely drops at that moment; a refusal then re-admits its shape.
 */
export class ResetDetector {
  readonly #last = new Map<Period, { readonly start: number; readonly used: number; readonly at: number }>();

  /** Returns the candidate shapes that remain after a reading. `claimed`: units that all processes have claimed of the calendar's present window. */
  judge(
    { period, used, limit, shapes }: WindowNews,
    sent: TimeRange,
    received: TimeRange,
    claimed: number = Number.POSITIVE_INFINITY,
  ): Shapes {
    const length = periodMsOf(period);
    const start = startOf(period, sent.least);
    // The beginning of a window of a second is shorter than a round trip.
    if (length <= SHORT_MS || start !== startOf(period, received.most)) return shapes;
    const last = this.#last.get(period);
    if (last?.start !== start || used >= last.used) this.#last.set(period, { start, used, at: sent.least });
    const isNext = last !== undefined && last.start === startOf(period, start - 1);
    const gap = last ? (received.most - last.at) / length : Number.POSITIVE_INFINITY;
    const isNarrow = length > periodMsOf('minute') && gap <= BEGINNING;
    const isSudden = isNarrow && last !== undefined && last.used - used > limit * gap + ROUNDED;
    const hasDropped = isNext && (isSudden || (last.used >= FEW && used <= last.used * REST));
    const isBeginning = received.most - start <= length * BEGINNING;
    const { alive } = shapes;
    const calendar = alive.filter(({ isCalendar }) => isCalendar);
    // What slides and does not sink steadily may drop as suddenly as the calendar does.
    const mayDrop = alive.some(({ isSliding, sinksSteadily }) => isSliding && !sinksSteadily);
    const isOpen = calendar.length > 0 && !mayDrop && alive.length > 1;
    if (hasDropped && isBeginning && isOpen) return { alive: calendar, epoch: shapes.epoch };
    // What is used so soon beyond all claims was used before: nothing was reset.
    const isLeft = isNext && last.used >= FEW && used >= last.used * (1 - REST) && used - claimed >= FEW;
    if (!isLeft || !isBeginning || length <= periodMsOf('minute')) return shapes;
    const others = alive.filter(({ isCalendar }) => !isCalendar);
    return others.length > 0 && others.length < alive.length ? { alive: others, epoch: shapes.epoch } : shapes;
  }
}
