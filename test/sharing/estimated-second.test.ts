import { describe, expect, it } from 'vitest';
import { untilNext } from '../../bench/at-random.ts';
import { seeded } from '../../src/testing/index.ts';
import { DEEP, runs } from '../support/deep.ts';
import { byChance, most } from './support/by-chance.ts';
import { fleetOf } from './support/fleet.ts';

/** Each process makes six calls at once, every three seconds by chance: two fifths of 20 a second in all. */
const APART_MS = 3_000;
const A_BURST = 6;

/** Another program that uses the key, in the first minute: 15 requests at once, every five seconds by chance. */
const STRANGER_MS = 60_000;

/** How long nineteen of twenty calls took at most that were made after the first minute and a half. */
async function quantile(): Promise<number> {
  const random = seeded(2);
  const windows = { second: 'sliding-counter' } as const;
  const fleet = fleetOf(4, { keyed: { second: 20, minute: 1_000 }, windows, latencyMs: [20, 80] });
  const { clock, clients } = fleet;
  void (async () => {
    while (clock.now() < STRANGER_MS) {
      await clock.sleep(untilNext(5_000, random));
      for (let one = 0; one < 15; one++) void fleet.foreign();
    }
  })();
  const bursts = clients.map(() => ({ apartMs: APART_MS, size: A_BURST }));
  return most(await byChance(fleet, bursts, { fromMs: 90_000, untilMs: 180_000 }));
}

/** So long the processes with the large limits work, in milliseconds. */
const LASTS_MS = runs(6_000, 20_000);

describe('a second that processes share and that the service may estimate from two counters', () => {
  // It was probed for ever, in six seconds of twenty, which left one unit of each fifth of it: 5.6 s.
  it.runIf(DEEP)(
    'holds bursts of two fifths of it up for less than two seconds, although another program took units by chance',
    async () => {
      expect(await quantile()).toBeLessThan(2_000);
    },
  );

  it('refuses one request, which shows it, and no more, of large limits either', async () => {
    const second = runs(50, 100);
    const keyed = { second, minute: 60 * second };
    const windows = { second: 'sliding-counter', minute: 'aligned' } as const;
    const fleet = fleetOf(4, { keyed, windows, latencyMs: [5, 15] });
    void fleet.work(1_000_000).catch(() => {});
    await fleet.clock.advance(LASTS_MS);
    expect(fleet.limited).toBeLessThanOrEqual(1);
    expect(fleet.service.requests).toBeGreaterThan((LASTS_MS / 1_000) * 0.8 * second);
  });
});
