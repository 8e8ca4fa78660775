import { addedFor, failed, refused, trips, used } from '../columns.ts';
import { backlog, poisson, type Scenario, sources, together } from '../scenario.ts';
import { bottleneck } from '../subjects/bottleneck.ts';
import { alone, sharing } from '../subjects/stacks-quota.ts';

/** Urgent calls of one process beside bulk work of others. */
export const urgent: Scenario = {
  name: 'urgent: 1/s of priority 1 beside 3 × 50 waiting in bulk at 20/s + 500/min',
  limits: { second: 20, minute: 500 },
  sources: together(sources(3, backlog(50)), sources(1, poisson(1), { priority: 1, tag: 'urgent' })),
  seconds: 130,
  subjects: [sharing, alone, bottleneck],
  columns: [addedFor('urgent'), used, trips, refused, failed],
};
