import { describe, expect, it } from 'vitest';
import { cases } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

describe('a crowd of processes with few calls each', () => {
  it('makes them in little more than the time that the limit takes, although no look of theirs lasts long enough to tell', async () => {
    for (const seed of cases([11], [2, ...Array.from({ length: 14 }, (_, index) => 12 + index)])) {
      const start = Date.UTC(2026, 2, 10, 14, 0, 7) + seed * 137;
      const limits = { keyed: { second: 40, month: 100_000 }, latencyMs: [5, 20] } as const;
      const fleet = fleetOf(20, limits, {}, { seed, start });
      const calls = fleet.clients.flatMap((client) =>
        Array.from({ length: 20 }, () => client.getInfo({ maxWaitMs: Infinity })),
      );
      await fleet.clock.run(Promise.all(calls));
      // 400 calls at 40 a second; before the clock and the shape are known, two seconds may be half full.
      expect(fleet.clock.now()).toBeLessThan(12_000);
      expect(fleet.limited).toBe(0);
    }
  });
});
