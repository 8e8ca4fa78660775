import type { ServiceLimits } from '../../../src/testing/index.ts';
import type { Scenario } from '../scenario.ts';

const USUAL: ServiceLimits = { second: 20, minute: 500 };

/**
 * Start ten seconds into a minute. A change after 115 s then happens while units of a minute are being used; a later change cannot be
 * noticed before the next minute.
 */
const EARLY = Date.UTC(2026, 2, 10, 14, 0, 10);

/** Unforeseeable changes: of the service, or suspension of the machine. */
export const turns: readonly Scenario[] = [
  {
    name: 'limit raised',
    promised: 'turn',
    limits: USUAL,
    startsAt: EARLY,
    changes: [{ atMs: 115_000, limits: { second: 20, minute: 900 } }],
    bulk: 2_250,
  },
  {
    name: 'limit cut',
    promised: 'turn',
    isCompared: true,
    limits: USUAL,
    startsAt: EARLY,
    changes: [{ atMs: 115_000, limits: { second: 10, minute: 300 } }],
    bulk: 1_750,
  },
  {
    name: 'limit of the second dropped',
    promised: 'turn',
    limits: USUAL,
    startsAt: EARLY,
    changes: [{ atMs: 115_000, limits: { minute: 500 } }],
    bulk: 1_750,
  },
  {
    name: 'service clock 7 s forward',
    promised: 'turn',
    limits: USUAL,
    startsAt: EARLY,
    changes: [{ atMs: 115_000, skewMs: 7_000 }],
    bulk: 1_750,
  },
  {
    name: 'service clock 7 s back',
    promised: 'turn',
    limits: USUAL,
    startsAt: EARLY,
    changes: [{ atMs: 115_000, skewMs: -7_000 }],
    bulk: 1_750,
  },
  {
    name: 'suspended for 80 s',
    promised: 'turn',
    limits: USUAL,
    suspended: { fromMs: 100_000, toMs: 180_000, standsStill: false },
    bulk: 1_750,
  },
  {
    name: 'suspended, the clock too',
    promised: 'turn',
    limits: USUAL,
    suspended: { fromMs: 100_000, toMs: 180_000, standsStill: true },
    bulk: 1_750,
  },
  {
    name: 'most of the minute spent before',
    promised: 'turn',
    limits: USUAL,
    spent: { units: 400, agoMs: 0 },
    bulk: 1_750,
  },
  {
    name: 'all of the minute spent before',
    promised: 'turn',
    limits: { minute: 500 },
    spent: { units: 500, agoMs: 0 },
    bulk: 1_750,
  },
];

/** Broken connections and missing responses. */
export const faults: readonly Scenario[] = [
  { name: '1 % hang', promised: 'faults', limits: USUAL, faults: { hang: 0.01 }, bulk: 3_700 },
  { name: '1 % reset', promised: 'faults', limits: USUAL, faults: { reset: 0.01 }, bulk: 3_700 },
  { name: '1 % answers lost', promised: 'faults', limits: USUAL, faults: { lost: 0.01 }, bulk: 3_700 },
  { name: '1 % server errors', promised: 'faults', limits: USUAL, faults: { serverError: 0.01 }, bulk: 3_700 },
  { name: '5 % without headers', promised: 'faults', limits: USUAL, faults: { noQuotaHeaders: 0.05 }, bulk: 1_750 },
  {
    name: 'outage of 20 s',
    promised: 'faults',
    limits: USUAL,
    outage: { fromMs: 100_000, toMs: 120_000 },
    bulk: 3_700,
  },
  {
    name: 'all of it at once',
    promised: 'faults',
    isCompared: true,
    limits: USUAL,
    faults: { hang: 0.01, reset: 0.01, serverError: 0.01 },
    outage: { fromMs: 100_000, toMs: 120_000 },
    bulk: 3_700,
  },
  {
    name: 'all of it at once, sliding-log',
    promised: 'faults',
    limits: USUAL,
    windows: 'sliding-log',
    faults: { hang: 0.01, reset: 0.01, serverError: 0.01 },
    outage: { fromMs: 100_000, toMs: 120_000 },
    bulk: 3_700,
  },
];

/** The month is exhausted, in the middle of it or at its end. */
export const months: readonly Scenario[] = [
  {
    name: 'month runs out',
    promised: 'month',
    isCompared: true,
    limits: { second: 20, minute: 500, month: 150_000 },
    spent: { units: 149_700, agoMs: 120_000 },
    bulk: 1_000,
  },
  {
    name: 'month turns in 40 s',
    promised: 'month',
    limits: { second: 20, minute: 500, month: 150_000 },
    spent: { units: 149_900, agoMs: 120_000 },
    startsAt: Date.UTC(2026, 2, 31, 23, 59, 20),
    bulk: 1_000,
  },
];
