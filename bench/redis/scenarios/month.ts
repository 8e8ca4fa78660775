import { added, failed, refused, settling, trips, used } from '../columns.ts';
import { backlog, poisson, type Scenario, sources } from '../scenario.ts';
import { alone, sharing } from '../subjects/stacks-quota.ts';

/** A month among the limits, of which little is used: no call may fail. */
export const month: readonly Scenario[] = [
  {
    name: 'trouble: the 3rd of a month, 2 × 8 waiting at 10/s + 60/min + 5,000/month',
    limits: { second: 10, minute: 60, month: 5_000 },
    day: 3,
    sources: sources(2, backlog(8)),
    seconds: 80,
    subjects: [sharing, alone],
    columns: [used, trips, refused, failed],
  },
  {
    name: 'trouble: two quiet processes, 2 × 0.5/s of 20/s + 1,000/min + 3,000/month',
    limits: { second: 20, minute: 1_000, month: 3_000 },
    day: 10,
    sources: sources(2, poisson(0.5)),
    seconds: 130,
    subjects: [sharing, alone],
    columns: [added, settling, trips, refused, failed],
  },
];
