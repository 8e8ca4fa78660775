import type { ServiceLimits } from '../../../src/testing/index.ts';
import type { Errand, Scenario } from '../scenario.ts';
import { KINDS } from './shapes.ts';

const USUAL: ServiceLimits = { second: 20, minute: 500 };

/** Endpoints and pages of different costs, in mixed order. */
function mixed(_: number, random: () => number): Partial<Errand> {
  const draw = random();
  if (draw < 0.5) return { endpoint: 'info' };
  return { endpoint: 'assets', page: 20 * (1 + Math.floor(random() * 5)) };
}

/** One unit per twenty events of the page size. */
function byPage({ url }: { readonly url: URL }): number {
  return Math.ceil(Number(url.searchParams.get('limit') ?? 20) / 20);
}

/** One unit, but 25 for the largest page. */
function costlyPage({ url }: { readonly url: URL }): number {
  return url.searchParams.get('limit') === '100' ? 25 : 1;
}

/** Walks with an offset: pages of 20, and one in `every` of 100. */
function pages(every: number): (index: number) => Partial<Errand> {
  return (index) => ({ endpoint: 'assets', page: index % every === every >> 1 ? 100 : 20, offset: index * 20 });
}

/** From 1 to 8 units by content, which no parameter tells. */
function byContent({ url }: { readonly url: URL }): number {
  const offset = Number(url.searchParams.get('offset') ?? 0) / 20;
  return 1 + (((offset * 2_654_435_761) % 97) % 8);
}

/** Costs that parameters decide, or that nothing tells beforehand. */
export const costs: readonly Scenario[] = [
  {
    name: 'one costly page among a thousand',
    promised: 'honest',
    limits: { second: 50 },
    service: { cost: costlyPage },
    bulk: 1_001,
    errand: pages(1_001),
  },
  {
    name: 'costs of 1 and 25, half and half',
    promised: 'honest',
    limits: { second: 50 },
    service: { cost: costlyPage },
    bulk: 600,
    errand: pages(2),
  },
  {
    name: 'costs of 1 and 25, minute',
    promised: 'honest',
    limits: { second: 50, minute: 1_010 },
    service: { cost: costlyPage },
    bulk: 400,
    errand: pages(2),
  },
  ...(['first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const).map(
    (windows): Scenario => ({
      name: `costs of 1 and 25, ${windows}`,
      promised: 'honest',
      limits: { second: 50, minute: 1_010 },
      windows,
      service: { cost: costlyPage },
      bulk: 400,
      errand: pages(2),
    }),
  ),
  {
    name: 'costs of 1 to 25, charged after, above the second',
    promised: 'honest',
    limits: { second: 20, minute: 500 },
    service: { cost: ({ url }) => Number(url.searchParams.get('limit') ?? 4) / 4, charge: 'after' },
    bulk: 170,
    errand: (index, random) => ({ endpoint: 'assets', page: 4 * (1 + Math.floor(random() * 25)), offset: index * 20 }),
  },
  {
    name: 'costs of 1 to 8 by content',
    promised: 'honest',
    limits: { second: 50, minute: 1_500 },
    service: { cost: byContent },
    bulk: 1_200,
    errand: (index) => ({ endpoint: 'assets', offset: index * 20 }),
  },
];

/** What names a second, and what `ratelimit-*` says of whichever window is tightest. */
const headersOf = (period: 'second' | 'minute'): string[] => [
  ...['limit', 'remaining'].map((what) => `x-ratelimit-${what}-stacks-${period}`),
  ...['limit', 'remaining', 'reset'].map((what) => `ratelimit-${what}`),
];

const SILENT = { headers: { family: false, generic: false, cost: false } };

/** A service that names no limit, and refuses. */
export const silent: readonly Scenario[] = [
  { name: 'no quota headers, 20/s', promised: 'turn', limits: { second: 20 }, service: SILENT, bulk: 6_000 },
  {
    name: 'no quota headers, 20/s, sliding-log',
    promised: 'turn',
    limits: { second: 20 },
    windows: 'sliding-log',
    service: SILENT,
    bulk: 6_000,
  },
  {
    name: 'no quota headers, leaky',
    promised: 'turn',
    limits: { minute: 500 },
    windows: 'leaky',
    service: SILENT,
    bulk: 2_750,
  },
  { name: 'no quota headers, 500/min', promised: 'turn', limits: { minute: 500 }, service: SILENT, bulk: 2_750 },
  {
    name: 'no quota headers, nothing but 429',
    promised: 'turn',
    limits: { second: 20 },
    service: { ...SILENT, limited: { status: 429, retryAfter: 'none', body: 'empty' } },
    bulk: 6_000,
  },
  {
    name: 'a second that no header names, 20/s',
    about: 'beside a minute that headers name, and that has room',
    promised: 'turn',
    limits: { second: 20, minute: 5_000 },
    hidden: headersOf('second'),
    bulk: 6_000,
  },
  {
    name: 'a second that no header names, 20/s, of two endpoints',
    promised: 'turn',
    isDeep: true,
    limits: { second: 20, minute: 5_000 },
    hidden: headersOf('second'),
    bulk: 6_000,
    errand: (_, random) => ({ endpoint: random() < 0.5 ? 'info' : 'assets' }),
  },
  {
    name: 'a bucket that no header names, 500/min',
    about: 'beside a month that headers name, and that has room',
    promised: 'turn',
    isDeep: true,
    limits: { minute: 500, month: 5_000_000 },
    windows: 'leaky',
    hidden: headersOf('minute'),
    bulk: 2_750,
  },
  ...([true, false] as const).map(
    (isShared): Scenario => ({
      name: `a second that no header names, 20/s, of four clients that ${isShared ? 'share' : 'do not share'}`,
      promised: 'turn',
      isDeep: true,
      limits: { second: 20, minute: 5_000 },
      hidden: headersOf('second'),
      clients: 4,
      isShared,
      bulk: 6_000,
    }),
  ),
  ...(
    [
      ['5/s, first-request', { second: 5 }, 'first-request', 'usual', 1_500],
      ['20/s, far away', { second: 20 }, 'aligned', 'far', 6_000],
      ['20/s, sliding-counter', { second: 20 }, 'sliding-counter', 'usual', 6_000],
      ['100/s, leaky', { second: 100 }, 'leaky', 'usual', 30_000],
      ['500/min, sliding-log', { minute: 500 }, 'sliding-log', 'usual', 2_750],
      ['20/s and 500/min', { second: 20, minute: 500 }, 'aligned', 'usual', 2_750],
    ] as const
  ).map(
    ([name, limits, windows, distance, bulk]): Scenario => ({
      name: `no quota headers, ${name}`,
      promised: 'turn',
      isDeep: true,
      limits,
      windows,
      distance,
      service: SILENT,
      bulk,
    }),
  ),
];

/** Variants of counting, refusing and stating the quota. */
export const habits: readonly Scenario[] = [
  {
    name: 'charged after the answer',
    promised: 'honest',
    isCompared: true,
    limits: USUAL,
    service: { charge: 'after' },
    bulk: 1_250,
  },
  { name: 'service 45 s ahead', promised: 'honest', limits: USUAL, service: { skewMs: 45_000 }, bulk: 1_250 },
  { name: 'service 45 s behind', promised: 'honest', limits: USUAL, service: { skewMs: -45_000 }, bulk: 1_250 },
  { name: 'reset in seconds left', promised: 'honest', limits: USUAL, service: { reset: 'seconds-left' }, bulk: 1_250 },
  { name: 'reset in milliseconds', promised: 'honest', limits: USUAL, service: { reset: 'epoch-ms' }, bulk: 1_250 },
  {
    name: 'no generic headers',
    promised: 'honest',
    limits: USUAL,
    service: { headers: { generic: false } },
    bulk: 1_250,
  },
  {
    name: 'only generic headers',
    promised: 'honest',
    limits: USUAL,
    service: { headers: { family: false } },
    bulk: 1_250,
  },
  {
    name: 'only generic headers, sliding-log',
    promised: 'honest',
    limits: { minute: 500 },
    windows: 'sliding-log',
    service: { headers: { family: false } },
    bulk: 1_250,
  },
  { name: 'no date', promised: 'honest', limits: USUAL, service: { headers: { date: false } }, bulk: 1_250 },
  ...KINDS.map(
    (windows): Scenario => ({
      name: `no date, a minute alone, ${windows}`,
      promised: 'honest',
      isDeep: windows !== 'first-request',
      limits: { minute: 500 },
      windows,
      service: { headers: { date: false } },
      bulk: 2_250,
    }),
  ),
  { name: 'no cost', promised: 'honest', limits: USUAL, service: { headers: { cost: false } }, bulk: 1_250 },
  {
    name: 'costs by endpoint, 1 and 5',
    promised: 'honest',
    limits: { second: 100, minute: 2_500 },
    service: { cost: { info: 1, assets: 5 } },
    bulk: 2_900,
    errand: (_, random) => ({ endpoint: random() < 0.5 ? 'info' : 'assets' }),
  },
  {
    name: 'costs by page, 1 to 5',
    promised: 'honest',
    isCompared: true,
    limits: { second: 100, minute: 2_500 },
    service: { cost: byPage },
    bulk: 3_000,
    errand: mixed,
  },
  {
    name: 'costs by page, sliding-log',
    promised: 'honest',
    limits: { second: 100, minute: 2_500 },
    windows: 'sliding-log',
    service: { cost: byPage },
    bulk: 3_000,
    errand: mixed,
  },
  {
    name: 'costs by page, first-request',
    promised: 'honest',
    limits: { second: 100, minute: 2_500 },
    windows: 'first-request',
    service: { cost: byPage },
    bulk: 3_000,
    errand: mixed,
  },
  {
    name: 'a cost beyond the second',
    promised: 'honest',
    limits: { second: 20, minute: 500 },
    service: { cost: { assets: 25 }, charge: 'after' },
    bulk: 370,
    errand: (index) => ({ endpoint: index % 10 === 0 ? 'assets' : 'info' }),
  },
  {
    name: 'an endpoint with a ceiling',
    promised: 'honest',
    limits: USUAL,
    service: { ceilings: { assets: { limit: 60, period: 'minute' } }, headers: { generic: 'per endpoint ceiling' } },
    bulk: 1_720,
    errand: (index) => ({ endpoint: index % 8 === 0 ? 'assets' : 'info' }),
  },
  {
    name: 'two endpoints with equal ceilings',
    promised: 'honest',
    limits: USUAL,
    service: {
      ceilings: { assets: { limit: 60, period: 'minute' }, info: { limit: 60, period: 'minute' } },
      headers: { generic: 'per endpoint ceiling' },
    },
    bulk: 420,
    errand: (index) => ({ endpoint: index % 2 === 0 ? 'assets' : 'info' }),
  },
  {
    name: 'reset in seconds left, 45 s ahead, far away',
    promised: 'honest',
    limits: USUAL,
    service: { reset: 'seconds-left', skewMs: 45_000 },
    distance: 'far',
    bulk: 1_250,
  },
  {
    name: 'limits without a reset',
    promised: 'turn',
    limits: { minute: 500 },
    service: { headers: { family: false } },
    hidden: ['ratelimit-reset'],
    bulk: 1_250,
  },
  { name: 'three nodes that count apart', promised: 'honest', limits: USUAL, service: { nodes: 3 }, bulk: 1_250 },
];
