import { failed, fairness, prompt, refused, standstill, trips, used } from '../columns.ts';
import { backlog, planOf, type Scenario, sources, together } from '../scenario.ts';
import { bottleneck } from '../subjects/bottleneck.ts';
import { rateLimiterFlexible } from '../subjects/rate-limiter-flexible.ts';
import { alone, local, sharing, unshared } from '../subjects/stacks-quota.ts';

const PLANS = [
  { second: 20, minute: 500 },
  { second: 20, minute: 1_000 },
  { second: 100, minute: 5_000 },
];
const BACKLOGS = [
  { name: 'deep', waiting: 200 },
  { name: 'shallow', waiting: 8 },
];

/** More calls than the limits allow, by processes that are alike. */
export const saturation: readonly Scenario[] = PLANS.flatMap((limits) =>
  BACKLOGS.flatMap(({ name, waiting }) =>
    [1, 2, 4, 8, 16].map((count) => ({
      name: `saturation, ${name}: ${count} × ${waiting} waiting at ${planOf(limits)}`,
      limits,
      sources: sources(count, backlog(waiting)),
      seconds: 80,
      subjects: [sharing, local, unshared, rateLimiterFlexible, bottleneck],
      columns: [used, prompt, standstill, fairness, trips, refused, failed],
    })),
  ),
);

/** Only one of the processes has work. Each start is a run by itself. */
export const oneBusy: Scenario = {
  name: 'one busy: 8 waiting in one process, 3 others idle after a call, at 20/s + 1,000/min',
  limits: { second: 20, minute: 1_000 },
  sources: together(sources(1, backlog(8)), sources(3, { kind: 'once' })),
  seconds: 80,
  starts: 5,
  subjects: [sharing, local, alone],
  columns: [used, prompt, standstill, trips, refused, failed],
};
