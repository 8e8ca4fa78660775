import type { MockServiceOptions, WindowKind } from '../../../src/testing/index.ts';
import type { World } from '../world.ts';
import { bursts, instantsOf, jobs } from './traffic.ts';

/** The shapes of the windows, each a column. */
export const SHAPES: readonly WindowKind[] = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'];

/** Traffic of one client, in each shape of the windows. */
export interface LightTraffic {
  readonly name: string;
  readonly worlds: readonly World[];
}

/** The part of what the windows allow that is used. */
const LOAD = 0.3;

/** So many calls are made on average. */
const CALLS = 400;

/** Every response takes this long, in milliseconds, so that what is longer is a wait. */
export const LATENCY_MS = 60;

const LENGTHS_MS = { second: 1_000, minute: 60_000 } as const;

type Limits = { readonly [P in keyof typeof LENGTHS_MS]?: number };

const LIMITS: readonly Limits[] = [{ second: 20 }, { minute: 50 }, { minute: 10 }, { second: 20, minute: 500 }];

const SERVICES: Readonly<Record<string, MockServiceOptions>> = {
  '`date`': {},
  'no `date`': { headers: { date: false } },
  'no `date`, reset in seconds left': { headers: { date: false }, reset: 'seconds-left' },
};

/** Calls that come now and then, alone or so many of a window at once, at random instants. */
const alone: readonly LightTraffic[] = LIMITS.flatMap((limits) =>
  Object.entries(SERVICES).flatMap(([told, service]) =>
    [0, 0.1, 0.5, 1].map((part) => ({
      name: `${namesOf(limits)}, ${part === 0 ? 'one call' : `${part * 100} % at once`}, ${told}`,
      worlds: SHAPES.map((shape) => worldOf(limits, shape, part, service)),
    })),
  ),
);

/** Minutes of a job. */
const MINUTES = 20;

/** A job of each minute, and other consumers of the key, which send at random instants. */
const besideOthers: readonly LightTraffic[] = [30, 60, 300].map((minute) => ({
  name: `${minute}/min, 60 % at once each minute, others use 20 %`,
  worlds: SHAPES.map((shape) => ({
    ...oneClient({ minute }, shape),
    traffic: jobs(0.6 * minute, MINUTES)(1),
    strangers: (random) => instantsOf((0.2 * minute) / 60, MINUTES * 60_000, random),
  })),
}));

/** Minutes of single calls. */
const CALL_MINUTES = 5;

/** Single calls and requests of others, so many a second, both at random instants, where a second is the only limit. */
const besideOthersInSeconds: readonly LightTraffic[] = [
  { second: 5, others: 2, calls: 1 },
  { second: 10, others: 5, calls: 2 },
  { second: 20, others: 12, calls: 3 },
  { second: 20, others: 5, calls: 10 },
].map(({ second, others, calls }) => ({
  name: `${second}/s, ${calls} a second, others send ${others}`,
  worlds: SHAPES.map((shape) => ({
    ...oneClient({ second }, shape),
    traffic: bursts(1, 1_000 / calls, CALL_MINUTES * 60_000)(1),
    strangers: (random) => instantsOf(others, CALL_MINUTES * 60_000, random),
  })),
}));

export const light: readonly LightTraffic[] = [...alone, ...besideOthers, ...besideOthersInSeconds];

function worldOf(limits: Limits, shape: WindowKind, part: number, service: MockServiceOptions): World {
  const perMs = LOAD * Math.min(...entriesOf(limits).map(([period, limit]) => limit / LENGTHS_MS[period]));
  const atOnce = Math.max(1, Math.round(part * Math.min(...entriesOf(limits).map(([, limit]) => limit))));
  return { ...oneClient(limits, shape), service, traffic: bursts(atOnce, atOnce / perMs, CALLS / perMs)(1) };
}

function oneClient(limits: Limits, shape: WindowKind): Omit<World, 'traffic'> {
  return { name: shape, processes: 1, limits, shape, latencyMs: [LATENCY_MS, LATENCY_MS], settlingMs: 0 };
}

function namesOf(limits: Limits): string {
  return entriesOf(limits)
    .map(([period, limit]) => `${limit}/${period.slice(0, 3).replace('sec', 's')}`)
    .join(' + ');
}

function entriesOf(limits: Limits): [keyof Limits, number][] {
  return Object.entries(limits) as [keyof Limits, number][];
}
