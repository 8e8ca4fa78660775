import { describe, expect, it } from 'vitest';
import { cases, DEEP } from '../support/deep.ts';
import { type Fleet, fleetOf } from './support/fleet.ts';

/** Seven seconds into a minute, on the stroke of a second: then a first look shows least. */
const STROKE = Date.UTC(2026, 2, 10, 14, 0, 7);

/** Lets each client have 32 calls waiting, from when it begins; returns when the calls of each were answered. */
function saturate(fleet: Fleet, apartMs: number): readonly (readonly number[])[] {
  const { clock, clients } = fleet;
  const answered = clients.map((): number[] => []);
  clients.forEach(async (client, index) => {
    await clock.sleep((apartMs * index) / clients.length);
    const walk = async (): Promise<void> => {
      for (;;) {
        await client.getInfo({ maxWaitMs: Infinity });
        answered[index]?.push(clock.now());
      }
    };
    for (let count = 0; count < 32; count++) void walk().catch(() => {});
  });
  return answered;
}

/** The least part of an equal part that any client got in any three seconds. */
function leastPart(answered: readonly (readonly number[])[], from: number, to: number): number {
  let least = 1;
  for (let begin = from; begin + 3_000 <= to; begin += 100) {
    const got = answered.map((times) => times.filter((at) => at >= begin && at < begin + 3_000).length);
    least = Math.min(least, (Math.min(...got) * got.length) / got.reduce((sum, count) => sum + count, 0));
  }
  return least;
}

describe('clients that share one key and all have a backlog', () => {
  it.each(cases([[4, { second: 40, month: 100_000 }]], [[8, { second: 40, minute: 2_000 }]]))(
    'get at least a third of an equal part of any three seconds, once one of %i has looked for a second',
    async (size, keyed) => {
      for (const afterMs of DEEP ? [0, 250, 500, 750] : [500]) {
        const farther = (index: number): number => [0, 4, 19][index % 3] ?? 0;
        const fleet = fleetOf(size, { keyed, latencyMs: [5, 20] }, {}, { seed: 1, start: STROKE + afterMs, farther });
        const answered = saturate(fleet, 500);
        await fleet.clock.advance(12_000);
        expect(leastPart(answered, 1_100, 12_000)).toBeGreaterThanOrEqual(1 / 3);
        expect(fleet.limited).toBe(0);
      }
    },
  );

  it('lose nothing of the second after the first look, although the look did not know the service’s clock', async () => {
    for (const afterMs of [100, 200]) {
      const keyed = { second: 40, month: 100_000 };
      const fleet = fleetOf(4, { keyed, latencyMs: [5, 20] }, {}, { seed: 1 + afterMs, start: STROKE + afterMs });
      saturate(fleet, 300);
      await fleet.clock.advance(2_000);
      expect(fleet.service.requests).toBeGreaterThanOrEqual(90);
      expect(fleet.limited).toBe(0);
    }
  });
});
