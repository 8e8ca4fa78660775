import { failed, fairness, refused, trips, used } from '../columns.ts';
import { backlog, type Scenario, sources } from '../scenario.ts';
import { alone, sharing } from '../subjects/stacks-quota.ts';
import type { Shape } from '../windows.ts';

const SHAPES: readonly Shape[] = ['sliding log', 'token bucket', 'first request'];

/** Windows that are not the calendar's. Two minutes pass before the one that is measured, so that a full bucket is empty. */
export const shapes: readonly Scenario[] = SHAPES.map((shape) => ({
  name: `shapes: ${shape}, 4 × 8 waiting at 20/s + 500/min`,
  shape,
  limits: { second: 20, minute: 500 },
  sources: sources(4, backlog(8)),
  seconds: 190,
  subjects: [sharing, alone],
  columns: [used, fairness, trips, refused, failed],
}));
