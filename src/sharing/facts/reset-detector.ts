import type { Shape } from '../../quota/models/model.ts';
import type { Shapes, WindowNews } from '../../quota/share-limit.ts';
import { type Period, periodMsOf, SHORT_MS, startOf } from '../../quota/time/periods.ts';
import type { TimeRange } from '../slots/timeline.ts';
import type { Claims } from '../slots/window.ts';

/** A drop, and what stays used, count only within this part of the new window. */
const BEGINNING = 0.05;

/** A drop by no more units than may have drained between the two readings, and than `ROUNDED`, is no evidence. */
const ROUNDED = 1;

/** What is used beyond all claims was used before, if it is no less than `FEW` units, and all but the part `REST` of what was used then. */
const FEW = 10;
const REST = 0.2;

/**
 * A window is not estimated if a reading is so many units below what an estimate would count of claims: more than a killed process
 * held. Of a minute, whose claims are not removed as soon, no less than that part of it.
 */
const HELD = 5;
const HELD_OF_MINUTE = 0.1;

/**
 * Judges by readings alone what a window longer than a second may be. Usage that drops at the calendar's boundary by more than can drain rules out the
 * shapes of which it sinks steadily, whatever other processes send: not one that the first request opens, which may end at that moment by chance.
 */
export class ResetDetector {
  readonly #last = new Map<Period, { readonly start: number; readonly used: number; readonly at: number }>();

  /** Returns the candidate shapes that remain after a reading. `claims`: given for a window longer than a second. */
  judge({ period, used, limit, shapes }: WindowNews, sent: TimeRange, received: TimeRange, claims?: Claims): Shapes {
    const length = periodMsOf(period);
    const start = startOf(period, sent.least);
    // The beginning of a window of a second is shorter than a round trip.
    if (length <= SHORT_MS || start !== startOf(period, received.most)) return shapes;
    const last = this.#last.get(period);
    if (last?.start !== start || used >= last.used) this.#last.set(period, { start, used, at: sent.least });
    const isNext = last !== undefined && last.start === startOf(period, start - 1);
    const gap = last ? (received.most - last.at) / length : Infinity;
    const hasDropped = isNext && last.used - used > limit * gap + ROUNDED;
    const isBeginning = received.most - start <= length * BEGINNING;
    const { present = Infinity, estimated = 0 } = claims ?? {};
    // What is used so soon beyond all claims was used before: nothing was reset.
    const isLeft = isNext && last.used >= FEW && used >= last.used * (1 - REST) && used - present >= FEW;
    if (isLeft && isBeginning && length > periodMsOf('minute')) return without(shapes, ({ isCalendar }) => isCalendar);
    if (hasDropped && isBeginning) return without(shapes, ({ sinksSteadily }) => sinksSteadily);
    // After a refusal that was explained by no other shape, it takes the evidence of a process's own requests.
    const held = length > periodMsOf('minute') ? HELD : Math.max(HELD, limit * HELD_OF_MINUTE);
    const isBelow = shapes.epoch === 0 && estimated - used >= held;
    return isBelow ? without(shapes, ({ isEstimated }) => isEstimated) : shapes;
  }
}

/** Without the candidates of this kind, unless there are no others. */
function without(shapes: Shapes, isSuch: (shape: Shape) => boolean | undefined): Shapes {
  const alive = shapes.alive.filter((shape) => !isSuch(shape));
  return alive.length > 0 && alive.length < shapes.alive.length ? { ...shapes, alive } : shapes;
}
