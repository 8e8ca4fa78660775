import type { ServiceLimits } from '../../../src/testing/index.ts';
import type { Scenario } from '../scenario.ts';

const USUAL: ServiceLimits = { second: 20, minute: 500 };

/** Others who spend the same quota. */
export const company: readonly Scenario[] = [
  { name: 'others take a quarter', promised: 'company', limits: USUAL, others: { perSecond: 2 }, bulk: 4_000 },
  { name: 'others take half', promised: 'company', limits: USUAL, others: { perSecond: 4.2 }, bulk: 3_000 },
  { name: 'others want 70 %', promised: 'company', limits: { minute: 500 }, others: { perSecond: 6 }, bulk: 2_500 },
  {
    name: 'others come 60 at a time',
    promised: 'company',
    limits: { minute: 500 },
    others: { perSecond: 2, atOnce: 60 },
    bulk: 4_000,
  },
  {
    name: 'keyless behind one address',
    promised: 'company',
    limits: { minute: 50 },
    keyless: true,
    others: { perSecond: 0.3 },
    bulk: 400,
  },
];

/** Clients that share a key and know nothing of each other. */
export const crowds: readonly Scenario[] = [
  { name: 'two clients', promised: 'company', limits: USUAL, clients: 2, bulk: 4_000 },
  { name: 'four clients', promised: 'company', limits: USUAL, clients: 4, bulk: 4_000 },
];

/** Urgent calls that come by and by. */
export const urgent: readonly Scenario[] = [
  {
    name: 'urgent beside a bulk',
    promised: 'urgent',
    limits: { second: 20, minute: 500 },
    bulk: 4_000,
    stream: { priority: 10, perSecond: 0.5 },
  },
  {
    name: 'urgent beside a bulk, 500/min',
    promised: 'urgent',
    limits: { minute: 500 },
    bulk: 4_000,
    stream: { priority: 10, perSecond: 1 },
  },
  {
    name: 'urgent calls alone',
    promised: 'urgent',
    limits: USUAL,
    bulk: 0,
    stream: { priority: 10, perSecond: 4, forMs: 300_000 },
  },
];
