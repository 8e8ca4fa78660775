import { failed, perMinute, prompt, refused, standstill, trips, used } from '../columns.ts';
import type { Incident } from '../incidents.ts';
import { backlog, type Scenario, sources } from '../scenario.ts';
import { rateLimiterFlexible } from '../subjects/rate-limiter-flexible.ts';
import { local, sharing } from '../subjects/stacks-quota.ts';

const common = {
  limits: { second: 20, minute: 1_000 },
  sources: sources(4, backlog(8)),
  seconds: 80,
  subjects: [sharing, local, rateLimiterFlexible],
  columns: [used, prompt, standstill, trips, refused, failed],
};

const kill = (process: number, atMs: number, isReplaced: boolean): Incident => ({
  ...{ kind: 'kill', process, atMs, isReplaced },
});

/** Processes that are killed or replaced, and a key that is. */
export const processTrouble: readonly Scenario[] = [
  { ...common, name: 'trouble: kill -9 of one of four', incidents: [kill(0, 10_000, false)] },
  {
    ...common,
    name: 'trouble: kill -9 of three of four',
    incidents: [0, 1, 2].map((process) => kill(process, 10_000, false)),
  },
  {
    ...common,
    name: 'trouble: rolling kill -9 of four, each replaced at once',
    incidents: [0, 1, 2, 3].map((process) => kill(process, 5_000 + process * 10_000, true)),
  },
  {
    ...common,
    name: 'trouble: key rotated process by process over 20 s',
    rotation: 20,
    columns: [perMinute, trips, refused, failed],
  },
];
