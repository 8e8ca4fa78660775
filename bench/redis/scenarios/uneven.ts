import { added, addedFor, failed, refused, trips } from '../columns.ts';
import { poisson, type Scenario, sources, together } from '../scenario.ts';
import { bottleneck } from '../subjects/bottleneck.ts';
import { rateLimiterFlexible } from '../subjects/rate-limiter-flexible.ts';
import { alone, local, sharing, unshared } from '../subjects/stacks-quota.ts';

/** One busy process beside small ones, not far below the limit. */
export const uneven: readonly Scenario[] = [
  { large: 8, small: 7 },
  { large: 12, small: 4 },
].map(({ large, small }) => ({
  name: `uneven: ${large}/s + ${small} × 1/s of 20/s + 1,000/min`,
  limits: { second: 20, minute: 1_000 },
  sources: together(sources(1, poisson(large)), sources(small, poisson(1), { tag: 'small' })),
  seconds: 70,
  subjects: [sharing, local, unshared, alone, rateLimiterFlexible, bottleneck],
  columns: [addedFor('small'), added, trips, refused, failed],
}));
