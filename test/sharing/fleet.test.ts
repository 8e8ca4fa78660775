import { describe, expect, it } from 'vitest';
import { cases, DEEP, runs } from '../support/deep.ts';
import { type Fleet, fleetOf } from './support/fleet.ts';

/** Lets each client have eight calls waiting all the time. */
function saturate({ clients }: Fleet): void {
  for (const client of clients) {
    const walk = async (): Promise<void> => {
      for (;;) await client.getInfo({ maxWaitMs: Infinity });
    };
    for (let count = 0; count < 8; count++) void walk().catch(() => {});
  }
}

describe('clients that share one key, in virtual time', () => {
  // A few less than fill the last minute: while the shape of a minute is in doubt, a unit of it is kept.
  const [calls, minute, shortest] = DEEP ? [1_990, 500, 196.7] : [250, 200, 54.7];

  it.each(DEEP ? [1, 2, 4, 8, 20] : [4])(
    '%i together are never refused and take hardly longer than one alone',
    async (size) => {
      const fleet = fleetOf(size, { keyed: { second: 20, minute } });
      await fleet.clock.run(fleet.work(calls));
      expect(fleet.limited).toBe(0);
      // One that knew everything would be done after `shortest` seconds. How fast the fingerprint of the key is made is the
      // machine's affair, so the first seconds differ from run to run; `bench/efficiency` has the numbers.
      expect(shortest / (fleet.clock.now() / 1_000)).toBeGreaterThan(0.8);
    },
  );

  it('send one request when they start together, and the others wait for its answer', async () => {
    const fleet = fleetOf(8, { latencyMs: 400 });
    const work = fleet.work(64);
    await fleet.clock.advance(390);
    expect(fleet.service.requests).toBe(1);
    await fleet.clock.run(work);
    expect(fleet.limited).toBe(0);
  });

  it.each(cases([2], [4]))(
    'are not refused by a minute whose usage is estimated from two counters: %i processes',
    async (size) => {
      const limit = 50 * size;
      const terms = { start: Date.UTC(2026, 2, 10, 14, 0, 8) };
      const fleet = fleetOf(
        size,
        { keyed: { minute: limit }, windows: 'sliding-counter', latencyMs: [5, 15] },
        {},
        terms,
      );
      void fleet.work(100_000).catch(() => {});
      await fleet.clock.advance(180_000);
      expect(fleet.limited).toBe(0);
      expect(fleet.service.requests).toBeGreaterThan(2.9 * limit);
    },
  );

  it('use nearly all of a sliding minute', async () => {
    const [minutes, limit] = [runs(1, 3), runs(100, 500)];
    const quota = { keyed: { second: 20, minute: limit }, windows: 'sliding-log', latencyMs: [5, 15] } as const;
    const fleet = fleetOf(4, quota, {}, { seed: 2 });
    saturate(fleet);
    await fleet.clock.advance(minutes * 60_000 + 10_000);
    expect(fleet.limited).toBe(0);
    // All of these minutes and the beginning of another.
    expect(fleet.service.requests).toBeGreaterThanOrEqual(minutes * limit + runs(40, 60));
  });

  it.runIf(DEEP).each([1, 2, 3, 4, 5, 6, 7, 8])(
    'are refused in one second at most where a second and a minute are estimated from two counters: seed %i',
    async (seed) => {
      const fleet = fleetOf(4, { windows: 'sliding-counter' }, {}, { seed });
      saturate(fleet);
      await fleet.clock.advance(60_000);
      const refused = fleet.service.log.filter(({ limited }) => limited);
      // What was sent before its answer came is refused with it.
      expect(new Set(refused.map(({ serviceTime }) => Math.floor(serviceTime / 1_000))).size).toBeLessThanOrEqual(1);
      expect(fleet.limited).toBeLessThanOrEqual(8);
      expect(fleet.service.requests - fleet.limited).toBeGreaterThanOrEqual(480);
    },
  );

  it('get equal parts when all of them are busy', async () => {
    const calls = runs(240, 6_000);
    const deviations: number[] = [];
    for (const seed of DEEP ? [1, 2, 3, 4] : [2]) {
      const fleet = fleetOf(8, {}, {}, { seed });
      await fleet.clock.run(fleet.work(calls));
      const mean = calls / 8;
      deviations.push(Math.max(...fleet.made.map((made) => Math.abs(made - mean) / mean)));
    }
    // While the shape of the second is in doubt chance decides more: of 12 starts three deviate by more than a half.
    expect(deviations.reduce((sum, one) => sum + one) / deviations.length).toBeLessThan(runs(0.5, 0.3));
  });

  it('use what an idle one does not, within a quarter of the window', async () => {
    const limit = runs(100, 200);
    const fleet = fleetOf(4, { keyed: { minute: limit } });
    await fleet.clock.run(fleet.work(1.25 * limit));
    const idleFrom = fleet.clock.now();
    const { service } = fleet;
    await fleet.clock.run(fleet.work(3 * limit, [0]));
    expect(fleet.limited).toBe(0);
    // Three minutes' worth for one of them, and no longer than that and a quarter.
    expect(fleet.clock.now() - idleFrom).toBeLessThan(3.25 * 60_000);
    expect(service.requests).toBe(4.25 * limit);
  });

  it('know the costs that one of them has learned, so that no other sends a first request alone', async () => {
    const fleet = fleetOf(2, { cost: () => 3 }, {}, { keepsEvents: true });
    await fleet.clock.run(fleet.work(20, [0]));
    await fleet.clock.run(fleet.work(20, [1]));
    const [first] = fleet.events[1]?.filter(({ type }) => type === 'sent') ?? [];
    expect(first).toMatchObject({ units: 3 });
  });

  it.each(cases([48], [18]))(
    'go on after %i idle hours, when no process knows the service’s clock any more',
    async (hours) => {
      const fleet = fleetOf(runs(3, 4));
      await fleet.clock.run(fleet.work(60));
      await fleet.clock.advance(hours * 3_600_000);
      const from = fleet.clock.now();
      await fleet.clock.run(fleet.work(runs(100, 200)));
      expect(fleet.clock.now() - from).toBeLessThan(30_000);
      expect(fleet.limited).toBe(0);
    },
  );

  it('give everything back when they close', async () => {
    const fleet = fleetOf(2, { keyed: { minute: 100 } });
    await fleet.clock.run(fleet.work(10));
    await fleet.clock.run(Promise.all([fleet.clients[0]?.close()]));
    await fleet.clock.run(fleet.work(85, [1]));
    expect(fleet.limited).toBe(0);
    // All of it in the first minute.
    expect(fleet.clock.now()).toBeLessThan(53_000);
  });
});
