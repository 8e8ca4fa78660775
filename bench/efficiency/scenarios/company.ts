import type { ServiceLimits } from '../../../src/testing/index.ts';
import type { Scenario } from '../scenario.ts';

const USUAL: ServiceLimits = { second: 20, minute: 500 };

/** Other consumers of the same quota. */
export const company: readonly Scenario[] = [
  {
    name: 'others take a quarter',
    promised: 'company',
    isCompared: true,
    limits: USUAL,
    others: { perSecond: 2 },
    bulk: 2_500,
  },
  { name: 'others take half', promised: 'company', limits: USUAL, others: { perSecond: 4.2 }, bulk: 2_500 },
  { name: 'others want 70 %', promised: 'company', limits: { minute: 500 }, others: { perSecond: 6 }, bulk: 2_500 },
  {
    name: 'others come 60 at a time',
    promised: 'company',
    limits: { minute: 500 },
    others: { perSecond: 2, atOnce: 60 },
    bulk: 2_500,
  },
  {
    name: 'keyless behind one address',
    promised: 'company',
    limits: { minute: 50 },
    keyless: true,
    others: { perSecond: 0.3 },
    bulk: 400,
  },
  ...(['sliding-log', 'leaky'] as const).map(
    (windows): Scenario => ({
      name: `others take half, ${windows}`,
      promised: 'company',
      limits: USUAL,
      windows,
      others: { perSecond: 4.2 },
      bulk: 1_250,
    }),
  ),
  {
    name: 'others, and refusals are counted',
    promised: 'company',
    limits: USUAL,
    service: { countRefused: true },
    others: { perSecond: 2 },
    bulk: 2_500,
  },
  {
    name: 'others, and 403 with a date',
    promised: 'company',
    limits: USUAL,
    service: { limited: { status: 403, retryAfter: 'date', body: 'html' } },
    others: { perSecond: 2 },
    bulk: 2_500,
  },
  {
    name: 'others, and 503 with nothing',
    promised: 'company',
    limits: USUAL,
    service: { limited: { status: 503, retryAfter: 'none', body: 'empty' } },
    others: { perSecond: 2 },
    bulk: 2_500,
  },
];

/** Clients with one key that do not communicate. */
export const crowds: readonly Scenario[] = [
  { name: 'two clients', promised: 'company', limits: USUAL, clients: 2, bulk: 2_250 },
  { name: 'four clients', promised: 'company', isCompared: true, limits: USUAL, clients: 4, bulk: 2_250 },
];

/** Urgent calls that arrive during a bulk. */
export const urgent: readonly Scenario[] = [
  {
    name: 'urgent beside a bulk',
    promised: 'urgent',
    isCompared: true,
    limits: { second: 20, minute: 500 },
    bulk: 2_000,
    streams: [{ priority: 10, perSecond: 0.5 }],
  },
  {
    name: 'urgent beside a bulk, 500/min',
    promised: 'urgent',
    limits: { minute: 500 },
    bulk: 2_000,
    streams: [{ priority: 10, perSecond: 1 }],
  },
  {
    name: 'urgent, usual and bulk',
    promised: 'urgent',
    limits: USUAL,
    bulk: 2_000,
    streams: [
      { priority: 10, perSecond: 0.5 },
      { priority: 5, perSecond: 1 },
    ],
  },
  {
    name: 'urgent calls alone',
    promised: 'urgent',
    limits: USUAL,
    bulk: 0,
    streams: [{ priority: 10, perSecond: 4, forMs: 300_000 }],
  },
];
