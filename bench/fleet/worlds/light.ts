import type { MockServiceOptions, WindowKind } from '../../../src/testing/index.ts';
import type { World } from '../world.ts';
import { bursts } from './traffic.ts';

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
export const light: readonly LightTraffic[] = LIMITS.flatMap((limits) =>
  Object.entries(SERVICES).flatMap(([told, service]) =>
    [0, 0.1, 0.5, 1].map((part) => ({
      name: `${namesOf(limits)}, ${part === 0 ? 'one call' : `${part * 100} % at once`}, ${told}`,
      worlds: SHAPES.map((shape) => worldOf(limits, shape, part, service)),
    })),
  ),
);

function worldOf(limits: Limits, shape: WindowKind, part: number, service: MockServiceOptions): World {
  const perMs = LOAD * Math.min(...entriesOf(limits).map(([period, limit]) => limit / LENGTHS_MS[period]));
  const atOnce = Math.max(1, Math.round(part * Math.min(...entriesOf(limits).map(([, limit]) => limit))));
  const traffic = bursts(atOnce, atOnce / perMs, CALLS / perMs)(1);
  return {
    name: shape,
    processes: 1,
    limits,
    shape,
    service,
    latencyMs: [LATENCY_MS, LATENCY_MS],
    traffic,
    settlingMs: 0,
  };
}

function namesOf(limits: Limits): string {
  return entriesOf(limits)
    .map(([period, limit]) => `${limit}/${period.slice(0, 3).replace('sec', 's')}`)
    .join(' + ');
}

function entriesOf(limits: Limits): [keyof Limits, number][] {
  return Object.entries(limits) as [keyof Limits, number][];
}
