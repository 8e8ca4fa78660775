import { describe, expect, it } from 'vitest';
import { cases, DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

describe('clients that share one key, in virtual time', () => {
  it.each(
    cases(
      // The last request of a look may be counted up to three seconds after it was sent, and the urgent call's own response takes as long.
      [[1_500, 3_000, 12_000]],
      [[100, 200, 7_000]],
    ),
  )(
    'serve an urgent call when the looks are over, which take six seconds, and what they sent is counted, if responses take %i to %i ms',
    async (least, most, bound) => {
      for (const seed of DEEP ? [1, 2, 3, 4, 5, 6, 7, 8] : [7]) {
        const start = Date.UTC(2026, 2, 10, 14, 0, 7) + seed * 137;
        const fleet = fleetOf(
          runs(4, 16),
          { keyed: { second: 20, minute: 1_000 }, latencyMs: [least, most] },
          {},
          { seed, start },
        );
        void fleet.work(100_000).catch(() => {});
        const urgent = fleet.clients.at(-1)?.getInfo({ maxWaitMs: Infinity, priority: 1 });
        await fleet.clock.run(Promise.all([urgent]));
        expect(fleet.clock.now()).toBeLessThan(bound);
        expect(fleet.limited).toBe(0);
      }
    },
  );

  it('give a costly request its turn, however busy the other processes are', async () => {
    const fleet = fleetOf(runs(4, 8), { cost: ({ url }) => (url.pathname.endsWith('info') ? 1 : 8) });
    const busy = fleet.work(runs(150, 1_500));
    await fleet.clock.advance(runs(5_000, 12_000));
    const [client] = fleet.clients;
    const from = fleet.clock.now();
    const costly = client?.getAddressAssets(ADDRESS, { cost: 8, priority: 1 });
    await fleet.clock.run(Promise.all([costly, busy]));
    expect(fleet.limited).toBe(0);
    expect(fleet.clock.now() - from).toBeGreaterThan(0);
  });

  it('keep no call waiting longer than its maxWaitMs where their part is used up and other processes still have theirs', async () => {
    const fleet = fleetOf(2, { keyed: { minute: 100 } });
    await fleet.clock.run(fleet.work(10));
    const others = fleet.work(100, [1]);
    const calls = Array.from({ length: 200 }, () => fleet.clients[0]?.getInfo({ maxWaitMs: 0 }));
    const settled = await fleet.clock.run(Promise.allSettled(calls));
    expect(fleet.clock.wall()).toBeLessThan(Date.UTC(2026, 2, 10, 14, 0, 15));
    const made = settled.filter(({ status }) => status === 'fulfilled').length;
    expect(made).toBeGreaterThan(30);
    expect(made).toBeLessThanOrEqual(90);
    expect(settled).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ window: 'minute' }) });
    await fleet.clock.run(others);
    expect(fleet.limited).toBe(0);
  });

  it.each([0, 20_000])(
    'let no call that may wait for %i ms fail while a minute of unknown shape and end has a unit left, which calls that can wait leave',
    async (maxWaitMs) => {
      const fleet = fleetOf(2, { keyed: { minute: 50 }, headers: { generic: false }, latencyMs: 10 });
      await fleet.clock.run(fleet.work(10));
      const patient = fleet.work(45, [1]);
      await fleet.clock.advance(5_000);
      expect(fleet.service.requests).toBe(49);
      const settled = await fleet.clock.run(
        Promise.allSettled([0, 1].map(() => fleet.clients[0]?.getInfo({ maxWaitMs }))),
      );
      expect(fleet.service.requests).toBe(50);
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      await fleet.clock.run(patient);
      expect(fleet.limited).toBe(0);
    },
  );

  it('fail no call that can wait for the units of a full minute which another one holds and does not use', async () => {
    const fleet = fleetOf(
      2,
      { keyed: { second: 10, minute: 20 }, latencyMs: 10 },
      {},
      { calendar: ['second', 'minute'] },
    );
    await fleet.clock.run(Promise.all([fleet.clients[0]?.getInfo({ headersOnly: true })]));
    const ended = new AbortController();
    const calls = Array.from({ length: 40 }, () => fleet.clients[1]?.getInfo({ signal: ended.signal }));
    const settled = Promise.allSettled(calls);
    await fleet.clock.advance(900);
    ended.abort();
    await fleet.clock.run(settled);
    // A call that cannot wait is told at once, one that can is served when they are given back.
    const [hasty, patient] = [1_000, 8_000].map((maxWaitMs) => fleet.clients[0]?.getInfo({ maxWaitMs }));
    const both = await fleet.clock.run(Promise.allSettled([hasty, patient]));
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(fleet.limited).toBe(0);
  });
});
