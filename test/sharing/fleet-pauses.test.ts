import { describe, expect, it } from 'vitest';
import { cases, DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

describe('clients that share one key, in virtual time', () => {
  it('all stop when the service asks one of them to', async () => {
    const fleet = fleetOf(4);
    await fleet.clock.run(fleet.work(60));
    const work = fleet.work(100);
    await fleet.clock.advance(2_000);
    fleet.service.faults.next(1, { status: 503, headers: { 'retry-after': '20' } });
    // A process that is busy hears of it with its next trip, which is never far.
    await fleet.clock.advance(4_000);
    const before = fleet.service.requests;
    await fleet.clock.advance(14_000);
    expect(fleet.service.requests).toBe(before);
    await fleet.clock.run(work);
  });

  it('go on where an endpoint that never served refuses one of them that calls no other', async () => {
    const fleet = fleetOf(3);
    const [one, ...others] = fleet.clients;
    await fleet.clock.run(Promise.all(others.map((client) => client.getInfo())));
    const isOfAssets = ({ url }: { url: URL }) => url.pathname.endsWith('/assets');
    const refusal = { status: 429, headers: { 'retry-after': '60' } };
    fleet.service.faults.when((request) => (isOfAssets(request) ? refusal : undefined));
    const refused = one?.getAddressAssets(ADDRESS).catch(() => {});
    await fleet.clock.advance(1_000);
    const from = fleet.clock.now();
    await fleet.clock.run(fleet.work(20, [1, 2]));
    expect(fleet.clock.now() - from).toBeLessThan(20_000);
    await fleet.clock.run(Promise.all([refused]));
  });

  it.each(cases([['that calls others, too', true]], [['that calls no other', false]]))(
    'lose neither units nor time to the calls of an endpoint that refuses one of them %s',
    async (_, callsOthers) => {
      const fleet = fleetOf(3, { keyed: { second: 20, minute: 1_100 }, latencyMs: [10, 40] });
      const { clock, clients, service } = fleet;
      const [refused, light] = clients;
      service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? { status: 429 } : undefined));
      let longest = 0;
      const times = async (count: number, everyMs: number, call: () => unknown): Promise<void> => {
        for (let time = 0; time < count; time++) {
          void call();
          await clock.sleep(everyMs);
        }
      };
      const isEarly = (): boolean => clock.now() < 10_000;
      const ask = async (): Promise<void> => {
        const from = clock.now();
        await light?.getInfo();
        if (!isEarly()) longest = Math.max(longest, clock.now() - from);
      };
      void times(90, 500, () => refused?.getAddressAssets(ADDRESS).catch(() => {}));
      if (callsOthers) void times(45, 1_000, () => refused?.getInfo().catch(() => {}));
      // At first alone with a light process, then beside a bulk, too.
      await clock.run(times(20, 1_000, ask));
      expect(longest).toBeLessThan(500);
      await clock.run(Promise.all([fleet.work(400, [2]), times(20, 1_000, ask)]));
      // 400 calls take 20 s.
      expect(clock.now()).toBeLessThan(50_000);
    },
  );

  it('do not pause again for a pause that is over when the clock of the store is set back', async () => {
    const limit = runs(100, 200);
    const fleet = fleetOf(4, { keyed: { second: 20, minute: limit } });
    await fleet.clock.run(fleet.work(limit / 2));
    const work = fleet.work(2.5 * limit);
    await fleet.clock.advance(2_000);
    fleet.service.faults.next(1, { status: 503, headers: { 'retry-after': '5' } });
    await fleet.clock.advance(60_000);
    fleet.ahead -= 3_600_000;
    const before = fleet.service.requests;
    await fleet.clock.advance(60_000);
    expect(fleet.service.requests - before).toBeGreaterThan(0.6 * limit);
    await fleet.clock.run(work);
  });

  it.runIf(DEEP)('pause for an hour at most on the word of the store', async () => {
    const fleet = fleetOf(2);
    await fleet.clock.run(fleet.work(100));
    const work = fleet.work(50);
    fleet.wire = 'lying';
    await fleet.clock.advance(10_000);
    fleet.wire = undefined;
    const before = fleet.service.requests;
    await fleet.clock.advance(3_580_000);
    expect(fleet.service.requests).toBe(before);
    // The last word may have come after ten seconds, and the others resume within another second.
    await fleet.clock.advance(22_000);
    expect(fleet.service.requests).toBeGreaterThan(before);
    await fleet.clock.run(work);
  });

  it('look every hour at a pause that is longer than any window, by one request each at most', async () => {
    const fleet = fleetOf(4, { latencyMs: 5 });
    await fleet.clock.run(fleet.work(40));
    const refusal = { status: 503, headers: { 'retry-after': '14400' } };
    fleet.service.faults.next(1, refusal);
    void fleet.work(runs(40, 400)).catch(() => {});
    await fleet.clock.advance(10_000);
    const before = fleet.service.requests;
    fleet.service.faults.outage(0, 14_000_000, refusal);
    await fleet.clock.advance(14_000_000);
    // Of four clients, in less than four hours.
    expect(fleet.service.requests - before).toBeLessThanOrEqual(4 * 4);
    expect(fleet.service.requests).toBeGreaterThan(before);
  });
});
