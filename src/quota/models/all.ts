import { type Period, periodMsOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import { AlignedWindow } from './aligned.ts';
import { FirstRequestWindow } from './first-request.ts';
import { LeakyWindow } from './leaky.ts';
import type { WindowModel } from './model.ts';
import { SlidingCounter } from './sliding-counter.ts';
import { SlidingLog } from './sliding-log.ts';

/** The shapes that a window of this period may have, the most cautious first. A month is a calendar month: what follows it cannot be probed. */
export function modelsOf(period: Period, clock: ServerClock): readonly WindowModel[] {
  const aligned = new AlignedWindow(period, clock);
  if (period === 'month') return [aligned];
  const length = periodMsOf(period);
  return [
    new SlidingLog(length),
    new SlidingCounter(period, clock),
    aligned,
    new FirstRequestWindow(length),
    new LeakyWindow(length),
  ];
}
