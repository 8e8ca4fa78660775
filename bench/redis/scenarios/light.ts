import { added, failed, refused, settling, trips } from '../columns.ts';
import { COSTLY_UNITS } from '../messages.ts';
import { planOf, poisson, type Scenario, sources } from '../scenario.ts';
import { bottleneck } from '../subjects/bottleneck.ts';
import { rateLimiterFlexible } from '../subjects/rate-limiter-flexible.ts';
import { alone, local, sharing, unshared } from '../subjects/stacks-quota.ts';

/** Random arrivals far below the limits: what it costs a call that the quota is shared. */
export const light: readonly Scenario[] = [
  { count: 4, perSecond: 1, limits: { second: 20, minute: 1_000 } },
  { count: 4, perSecond: 3, limits: { second: 100, minute: 5_000 } },
  { count: 16, perSecond: 0.5, limits: { second: 20, minute: 1_000 } },
  { count: 3, perSecond: 1, limits: { minute: 1_000 }, costlyEvery: 5 },
].map(({ count, perSecond, limits, costlyEvery }) => ({
  name: `light: ${count} × ${perSecond}/s of ${planOf(limits)}${costlyEvery ? `, each ${costlyEvery}th call of ${COSTLY_UNITS} units` : ''}`,
  limits,
  sources: sources(count, poisson(perSecond), { costlyEvery }),
  seconds: 70,
  subjects: [sharing, local, unshared, alone, rateLimiterFlexible, bottleneck],
  columns: [added, settling, trips, refused, failed],
}));
