import { bursts as burst, failed, perMinute, refused, trips } from '../columns.ts';
import { type Scenario, sources } from '../scenario.ts';
import { bottleneck } from '../subjects/bottleneck.ts';
import { rateLimiterFlexible } from '../subjects/rate-limiter-flexible.ts';
import { alone, local, sharing, unshared } from '../subjects/stacks-quota.ts';

const common = {
  limits: { second: 20, minute: 1_000 },
  seconds: 70,
  subjects: [sharing, local, unshared, alone, rateLimiterFlexible, bottleneck],
  columns: [burst, perMinute, trips, refused, failed],
};

/** Several calls at once, as a page makes them. */
export const bursts: readonly Scenario[] = [
  {
    ...common,
    name: 'bursts: 4 processes, 6 calls at once every 3 s, of 20/s + 1,000/min',
    sources: sources(4, { kind: 'bursts', calls: 6, everyMs: 3_000 }),
  },
  {
    ...common,
    name: 'bursts in a closed loop: 4 processes, 6 calls at once again and again, of 20/s + 1,000/min',
    sources: sources(4, { kind: 'bursts', calls: 6 }),
  },
];
