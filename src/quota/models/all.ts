import type { Period } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import { aligned } from './aligned.ts';
import { firstRequest } from './first-request.ts';
import { leaky } from './leaky.ts';
import type { Shape, WindowModel } from './model.ts';
import { slidingCounter } from './sliding-counter.ts';
import { slidingLog } from './sliding-log.ts';

/** The shapes that a window may have, the most cautious first. */
export const SHAPES: readonly Shape[] = [slidingLog, slidingCounter, aligned, firstRequest, leaky];

/** Models of the shapes that a window of this period may have; `isShared`: whether siblings use it, too. A month is a calendar month: what follows it cannot be probed. */
export function modelsOf(
  period: Period,
  clock: ServerClock,
  shapes: readonly Shape[] = SHAPES,
  isShared: boolean = false,
): readonly WindowModel[] {
  const possible = period === 'month' ? shapes.filter(({ isCalendar }) => isCalendar) : shapes;
  return possible.map((shape) => shape.create(period, clock, isShared));
}
