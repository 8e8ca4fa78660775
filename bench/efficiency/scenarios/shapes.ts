import type { ServiceLimits, WindowKind } from '../../../src/testing/index.ts';
import type { Scenario } from '../scenario.ts';

/** The shapes that the windows of the mock have. */
export const KINDS: readonly WindowKind[] = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'];

const SHAPES: readonly { readonly name: string; readonly limits: ServiceLimits; readonly bulk: number }[] = [
  { name: '20/s and 500/min', limits: { second: 20, minute: 500 }, bulk: 1_750 },
  { name: '500/min', limits: { minute: 500 }, bulk: 2_250 },
  { name: '20/s', limits: { second: 20 }, bulk: 1_500 },
];

/** Every shape of window, for every period of the service. */
export const shapes: readonly Scenario[] = SHAPES.flatMap(({ name, limits, bulk }) =>
  KINDS.map((windows) => ({
    name: `${windows}: ${name}`,
    promised: 'honest',
    limits,
    windows,
    bulk,
    isCompared: limits.minute === 500 && limits.second === 20,
  })),
);

/** A second of one shape beside a minute of another, as where a bucket throttles below a quota of the calendar. Each shape has its turn as either. */
export const mixed: readonly Scenario[] = KINDS.flatMap((second, place) =>
  KINDS.filter((minute) => minute !== second).map((minute) => ({
    name: `${second} second, ${minute} minute`,
    promised: 'honest',
    isDeep: minute !== KINDS[(place + 1) % KINDS.length],
    limits: { second: 20, minute: 500 },
    windows: { second, minute },
    bulk: 1_750,
  })),
);

/** Small to large limits, and near and far services. */
export const sizes: readonly Scenario[] = [
  { name: 'keyless, 50/min', promised: 'honest', limits: { minute: 50 }, keyless: true, bulk: 330 },
  { name: 'tiny: 1/s', promised: 'honest', limits: { second: 1 }, bulk: 120 },
  { name: 'tiny: 5/min', promised: 'honest', limits: { minute: 5 }, bulk: 48 },
  { name: 'wide: 200/s and 9000/min', promised: 'honest', limits: { second: 200, minute: 9_000 }, bulk: 9_500 },
  { name: 'an exact multiple of the limit', promised: 'honest', limits: { minute: 500 }, bulk: 2_500 },
  { name: 'next door', promised: 'honest', limits: { second: 20, minute: 500 }, distance: 'near', bulk: 1_750 },
  {
    name: 'heavy latencies',
    promised: 'honest',
    isCompared: true,
    limits: { second: 20, minute: 500 },
    distance: 'heavy',
    bulk: 1_750,
  },
  { name: 'far away', promised: 'honest', limits: { second: 20, minute: 500 }, distance: 'far', bulk: 1_750 },
  {
    name: 'heavy latencies, sliding-log',
    promised: 'honest',
    limits: { second: 20, minute: 500 },
    windows: 'sliding-log',
    distance: 'heavy',
    bulk: 1_750,
  },
];
