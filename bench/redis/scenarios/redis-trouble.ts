import { failed, fairness, prompt, refused, standstill, trips, used } from '../columns.ts';
import { backlog, type Scenario, sources } from '../scenario.ts';
import { sharing } from '../subjects/stacks-quota.ts';

const common = {
  limits: { second: 20, minute: 1_000 },
  sources: sources(4, backlog(8)),
  seconds: 80,
  subjects: [sharing],
  columns: [used, prompt, standstill, fairness, trips, refused, failed],
};

/** Answers of Redis that are lost or late, and a Redis that stands still or cannot be reached. */
export const redisTrouble: readonly Scenario[] = [
  { ...common, name: 'trouble: every 5th answer of Redis lost', spoilt: { every: 5 } },
  { ...common, name: 'trouble: every 5th answer of Redis late by 50 ms', spoilt: { every: 5, lateMs: 50 } },
  { ...common, name: 'trouble: every 5th answer of Redis late by 1 s', spoilt: { every: 5, lateMs: 1_000 } },
  ...[1, 4].map((count) => ({
    ...common,
    name: `trouble: Redis stopped for 5 s across the beginning of a minute, ${count} × 8 waiting at 20/s + 600/min`,
    limits: { second: 20, minute: 600 },
    sources: sources(count, backlog(8)),
    incidents: [{ kind: 'redis stopped', atMs: -2_500, forMs: 5_000 }] as const,
  })),
  ...[4, 12].map((count) => ({
    ...common,
    name: `trouble: Redis never reachable, ${count} × 8 waiting`,
    sources: sources(count, backlog(8)),
    isRedisUnreachable: true,
  })),
];
