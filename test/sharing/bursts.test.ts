import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

const MINUTE = Date.UTC(2026, 2, 10, 14);

/** When a fleet starts and each process has its first burst, how long answers take, and how far the store is: in milliseconds. */
interface Case {
  readonly start: number;
  readonly bursts: readonly number[];
  readonly latencyMs: readonly [number, number];
  readonly fartherMs: number;
}

const CASES: readonly Case[] = [
  { start: 38571, bursts: [1011, 2272, 474, 1928], latencyMs: [27, 40], fartherMs: 3.9 },
  { start: 51034, bursts: [310, 2707, 809, 654], latencyMs: [21, 34], fartherMs: 1.2 },
  { start: 18008, bursts: [55, 1854, 100, 1695], latencyMs: [21, 40], fartherMs: 2.5 },
  { start: 44968, bursts: [201, 560, 193, 2541], latencyMs: [34, 53], fartherMs: 0.9 },
  { start: 34434, bursts: [809, 1038, 334, 2584], latencyMs: [22, 46], fartherMs: 1.1 },
  { start: 25291, bursts: [2630, 2851, 262, 2023], latencyMs: [21, 33], fartherMs: 3.0 },
  { start: 45080, bursts: [2716, 1752, 2176, 2585], latencyMs: [5, 37], fartherMs: 1.7 },
  { start: 36499, bursts: [886, 1719, 1948, 2041], latencyMs: [11, 24], fartherMs: 1.5 },
  { start: 4517, bursts: [1390, 680, 1959, 790], latencyMs: [25, 59], fartherMs: 0.3 },
  { start: 44532, bursts: [2305, 2060, 1959, 2276], latencyMs: [21, 36], fartherMs: 0.4 },
  { start: 13395, bursts: [174, 854, 2658, 573], latencyMs: [9, 35], fartherMs: 1.3 },
  { start: 49946, bursts: [46, 1671, 1941, 1602], latencyMs: [31, 58], fartherMs: 2.9 },
];

/** How long nineteen of twenty bursts took at most, once ten seconds have passed: six calls of each process every three seconds. */
async function quantile({ start, bursts, latencyMs, fartherMs }: Case): Promise<{ ms: number; limited: number }> {
  const farther = (): number => fartherMs;
  const keyed = { second: 20, minute: 1_000 };
  const fleet = fleetOf(bursts.length, { keyed, latencyMs }, {}, { start: MINUTE + start, farther });
  const { clock } = fleet;
  const took: number[] = [];
  const send = async (index: number, at: number): Promise<void> => {
    await clock.sleep(at);
    await Promise.all(Array.from({ length: 6 }, () => fleet.clients[index]?.getInfo({ maxWaitMs: 60_000 })));
    if (at >= 10_000) took.push(clock.now() - at);
  };
  const all = bursts.flatMap((first, index) =>
    Array.from({ length: runs(9, 20) }, (_, turn) => send(index, first + 3_000 * turn)),
  );
  await clock.run(Promise.all(all));
  took.sort((a, b) => a - b);
  return { ms: took[Math.floor(took.length * 0.95)] ?? 0, limited: fleet.limited };
}

describe('four processes with six calls at once every three seconds, of 20 a second', () => {
  it('answer them mostly as fast as one client does, in whatever parts of a second they come', async () => {
    const slow: string[] = [];
    const cases = CASES.slice(0, runs(2, CASES.length));
    for (const one of cases) {
      const { ms, limited } = await quantile(one);
      expect(limited).toBe(0);
      if (ms > 150) slow.push(`${one.start}: ${Math.round(ms)} ms`);
    }
    // Of these fleets no look told the shape of the second while its calls came all at once, and all of them took 300 to 1,100 ms.
    expect(slow.length, slow.join()).toBeLessThanOrEqual(cases.length / 2);
  });
});

describe('a process with more calls than a second holds, after others had some,', () => {
  // They counted as needy for six seconds, so that it got a part of each second, and half of it was left: 3.0 s.
  it('gets all of each second, because nobody else needs any', async () => {
    const windows = { second: 'aligned', minute: 'aligned' } as const;
    const quota = { keyed: { second: 10, minute: 600 }, windows, latencyMs: [5, 15] } as const;
    const { clock, clients } = fleetOf(3, quota, {}, { calendar: ['second', 'minute'] });
    const burst = (index: number, calls: number) =>
      Promise.all(Array.from({ length: calls }, () => clients[index]?.getInfo()));
    const second = () => clock.advance(1_000 - (clock.wall() % 1_000));
    await clock.run(burst(0, 1));
    await clock.run(burst(1, 1));
    await clock.run(burst(2, 1));
    await second();
    // Of the second that the first one fills, the second one is granted none: it is granted all of the next.
    await clock.run(burst(0, 10));
    await clock.run(burst(1, 5));
    await second();
    const from = clock.now();
    await clock.run(burst(2, 20));
    expect(clock.now() - from).toBeLessThan(1_200);
  });
});
