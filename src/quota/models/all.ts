import { type Period, periodMsOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import { AlignedModel } from './aligned.ts';
import { FirstRequestModel } from './first-request.ts';
import { LeakyModel } from './leaky.ts';
import type { WindowModel } from './model.ts';
import { SlidingCounterModel } from './sliding-counter.ts';
import { SlidingLogModel } from './sliding-log.ts';

/** The shapes that a window of this period may have, the most cautious first. A month is a calendar month: what follows it cannot be probed. */
export function modelsOf(period: Period, clock: ServerClock): readonly WindowModel[] {
  const aligned = new AlignedModel(period, clock);
  if (period === 'month') return [aligned];
  const length = periodMsOf(period);
  return [
    new SlidingLogModel(length),
    new SlidingCounterModel(period, clock),
    aligned,
    new FirstRequestModel(length),
    new LeakyModel(length),
  ];
}
