import type { WindowKind } from '../../src/testing/index.ts';
import type { OpenTraffic, World } from './world.ts';
import { SHAPES } from './worlds/light.ts';
import { besideBulk, bursts, instantsOf, inTheFirst, jobs, steady, uneven } from './worlds/traffic.ts';

/** Limits far above light traffic, responses of a service in the same region. */
const USUAL = { limits: { second: 20, minute: 1_000 }, shape: 'aligned', latencyMs: [20, 80] } as const;

/** Worlds by what a fleet does in them, each group a table. */
export const groups: Readonly<Record<string, readonly World[]>> = {
  'Ordinary traffic': [
    open('4 processes, a call a second each', 4, steady(1)),
    { ...open('4 processes, a call a second each, the store on the same machine', 4, steady(1)), isNear: true },
    open('16 processes, a call each 2 s', 16, steady(0.5)),
    { ...open('16 processes, a call each 2 s, the store on the same machine', 16, steady(0.5)), isNear: true },
    { ...open('16 processes, a call each 2 s, a window that slides', 16, steady(0.5)), shape: 'sliding-log' },
    open('64 processes, a call each 8 s', 64, steady(0.125)),
    open('4 processes, 6 calls at once each 3 s', 4, bursts(6, 3_000)),
    open('8/s in one process, 1/s in 7', 8, uneven(8)),
    open('12/s in one process, 1/s in 4', 5, uneven(12)),
    {
      ...open('3 processes, a call a second each, each fifth of 5 units', 3, steady(1)),
      costly: { units: 5, every: 5 },
    },
  ],
  'Busy processes': [
    ...SHAPES.flatMap((shape) => [
      busy(`20/s + 500/min, ${shape}`, { second: 20, minute: 500 }, shape, [5, 15]),
      busy(`20/s, ${shape}`, { second: 20 }, shape, [5, 15]),
      busy(`20/s, ${shape}, answers after 100 to 300 ms`, { second: 20 }, shape, [100, 300]),
    ]),
    // Of the minute that is full a unit is kept for the request that shows at its turn that it is the calendar's.
    {
      ...busy('30/min, aligned, begun 2 s before the turn of a minute', { minute: 30 }, 'aligned', [5, 15]),
      ...{ start: Date.UTC(2026, 2, 10, 14, 0, 58), settlingMs: 0 },
    },
  ],
  // Cheap calls are granted the slots of the next 1.2 s, so a costly one asks for later ones.
  'A costly call beside cheap ones': [
    {
      ...open('14 units of 20/s, sliding-log, 3 processes fill the second with others', 4, inTheFirst(5_000)),
      ...{ limits: { second: 20 }, shape: 'sliding-log', costly: { units: 14, every: 1 } },
      beside: { kind: 'closed', waiting: 8, forMs: 72_000 },
    },
  ],
  'Beside a bulk of another process': [
    ...SHAPES.map((shape) => ({
      ...open(`50/min, ${shape}, urgent calls of 3 processes`, 4, besideBulk(100, 0.05, 1)),
      ...{ limits: { minute: 50 }, shape, measured: 1 },
    })),
    ...[50, 300].map((minute) => ({
      ...open(`${minute}/min, leaky, light calls of 3 processes`, 4, besideBulk(2 * minute, minute / 1_000, 0)),
      ...{ limits: { minute }, shape: 'leaky' as const, measured: 0 },
    })),
  ],
  'Jobs in turn': SHAPES.map((shape) => ({
    ...open(`18 calls each minute of 20/min, ${shape}`, 2, jobs(18, 12)),
    limits: { minute: 20 },
    shape,
  })),
  'A consumer that is no process of the share': [
    ...SHAPES.map((shape) => ({
      ...open(`18 calls each minute of 30/min, others make 6, ${shape}`, 2, jobs(18, 12)),
      ...{ limits: { minute: 30 }, shape },
      strangers: (random: () => number) => instantsOf(0.1, 720_000, random),
    })),
    ...SHAPES.map((shape) => ({
      ...open(
        `10 calls at once each 15 s of 20/s, others come for 2 s a minute, ${shape}`,
        3,
        bursts(10, 15_000, 600_000),
      ),
      ...{ limits: { second: 20 }, shape },
      strangers: (random: () => number) => instantsOf(30, 600_000, random).filter((atMs) => atMs % 60_000 < 2_000),
    })),
  ],
  'A bulk beside a consumer that is no process of the share': SHAPES.flatMap((shape) => [
    beside(`300/min, others want 90, ${shape}`, { minute: 300 }, shape, 1.5),
    beside(`20/s + 300/min, others want 90, ${shape}`, { second: 20, minute: 300 }, shape, 1.5),
    beside(`20/s, others want 6, ${shape}`, { second: 20 }, shape, 6),
    {
      ...beside(`20/s, others want 6, responses after 100 to 250 ms, ${shape}`, { second: 20 }, shape, 6),
      latencyMs: [100, 250],
    },
  ]),
  'A store that is slow, or a service': [
    ...[100, 250, 1_000].map((ms) => ({
      ...open(`4 processes, a call a second each, answers of the store after ${ms} ms`, 4, steady(1)),
      answers: () => ms,
    })),
    {
      ...open('4 processes, a call a second each, one in five answers of the store lost', 4, steady(1)),
      answers: (random) => (random() < 0.2 ? 'lost' : 0),
    },
    {
      ...open('4 processes, a call a second each, responses after 50 to 1,000 ms', 4, steady(1)),
      latencyMs: [50, 1_000],
    },
    {
      ...open('16 processes, a call each 2 s, responses after 50 to 1,000 ms', 16, steady(0.5)),
      latencyMs: [50, 1_000],
    },
    ...SHAPES.map((shape) => ({
      ...open(`8 processes, 20 calls at once each 20 s, responses after 50 to 600 ms, ${shape}`, 8, bursts(20, 20_000)),
      ...{ limits: { second: 20 }, shape, latencyMs: [50, 600] as const },
    })),
  ],
};

function open(name: string, processes: number, traffic: (processes: number) => OpenTraffic): World {
  return { ...USUAL, name, processes, traffic: traffic(processes) };
}

/** Four processes, each with 8 calls at all times. */
function busy(name: string, limits: World['limits'], shape: WindowKind, latencyMs: World['latencyMs']): World {
  return { name, processes: 4, limits, shape, latencyMs, traffic: { kind: 'closed', waiting: 8, forMs: 132_000 } };
}

/** Three processes, each with 10 calls at all times, and others that send requests at random instants. */
function beside(name: string, limits: World['limits'], shape: WindowKind, perSecond: number): World {
  return {
    ...{ ...USUAL, name, processes: 3, limits, shape },
    traffic: { kind: 'closed', waiting: 10, forMs: 600_000 },
    strangers: (random) => instantsOf(perSecond, 600_000, random),
  };
}
