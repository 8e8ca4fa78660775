import { added, failed, insideRedis, processorOfRedis, refused, trips } from '../columns.ts';
import { poisson, type Scenario, sources } from '../scenario.ts';
import { bottleneck } from '../subjects/bottleneck.ts';
import { rateLimiterFlexible } from '../subjects/rate-limiter-flexible.ts';
import { sharing } from '../subjects/stacks-quota.ts';

/** How the time that a script takes in Redis grows with the number of members: clients in at most four processes. */
export const members: readonly Scenario[] = [1, 16, 256].map((count) => ({
  name: `members: ${count}, 32 calls a second in all, of 1,000/s + 50,000/min`,
  limits: { second: 1_000, minute: 50_000 },
  sources: sources(count, poisson(32 / count)),
  processes: Math.min(4, count),
  seconds: 70,
  subjects: [sharing, rateLimiterFlexible, bottleneck],
  columns: [insideRedis, processorOfRedis, trips, added, refused, failed],
}));
