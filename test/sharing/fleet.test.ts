import { describe, expect, it } from 'vitest';
import { fleetOf, ofShare } from './support/fleet.ts';

describe('clients that share one key, in virtual time', () => {
  it.each([1, 2, 8, 20])('%i together are never refused and take hardly longer than one alone', async (size) => {
    const fleet = fleetOf(size);
    await fleet.clock.run(fleet.work(2_000));
    expect(fleet.limited).toBe(0);
    // One that knew everything would be done after 197.2 s. How fast the fingerprint of the key is made is the machine's
    // affair, so the first seconds differ from run to run; `bench/efficiency` has the numbers.
    expect(197.2 / (fleet.clock.now() / 1_000)).toBeGreaterThan(0.8);
  });

  it('that start together send one request, and the others wait for its answer', async () => {
    const fleet = fleetOf(8, { latencyMs: 400 });
    const work = fleet.work(64);
    await fleet.clock.advance(390);
    expect(fleet.service.requests).toBe(1);
    await fleet.clock.run(work);
    expect(fleet.limited).toBe(0);
  });

  it('make few round trips a call, and next to none in the middle of a minute', async () => {
    const fleet = fleetOf(8, { keyed: { minute: 2_000 } });
    await fleet.clock.run(fleet.work(8_000));
    expect(fleet.limited).toBe(0);
    expect(fleet.trips / 8_000).toBeLessThan(0.15);
    const monthly = fleetOf(4, { keyed: { second: 40, month: 100_000 } });
    await monthly.clock.run(monthly.work(800));
    const before = monthly.trips;
    await monthly.clock.run(monthly.work(1_600));
    expect((monthly.trips - before) / 1_600).toBeLessThan(0.5);
    const settled = fleetOf(8);
    // Until the shapes are known trips are more.
    await settled.clock.run(settled.work(1_000));
    const first = settled.trips;
    await settled.clock.run(settled.work(2_000));
    expect((settled.trips - first) / 2_000).toBeLessThan(0.7);
  });

  it('get equal parts when all of them are busy', async () => {
    const fleet = fleetOf(8);
    await fleet.clock.run(fleet.work(6_000));
    const mean = 6_000 / 8;
    for (const made of fleet.made) expect(Math.abs(made - mean) / mean).toBeLessThan(0.3);
  });

  it('use what an idle one does not, within a quarter of the window', async () => {
    const fleet = fleetOf(4, { keyed: { minute: 400 } });
    await fleet.clock.run(fleet.work(500));
    const idleFrom = fleet.clock.now();
    const { service } = fleet;
    await fleet.clock.run(fleet.work(1_200, [0]));
    expect(fleet.limited).toBe(0);
    // Three minutes' worth for one of them, and no longer than that and a quarter.
    expect(fleet.clock.now() - idleFrom).toBeLessThan(3.25 * 60_000);
    expect(service.requests).toBe(1_700);
  });

  it('know what one of them has learned: costs, so that nobody else sends a first one alone', async () => {
    const fleet = fleetOf(2, { cost: () => 3 });
    await fleet.clock.run(fleet.work(20, [0]));
    await fleet.clock.run(fleet.work(20, [1]));
    const [first] = fleet.events[1]?.filter(({ type }) => type === 'sent') ?? [];
    expect(first).toMatchObject({ units: 3 });
  });

  it('all stop when the service asks one of them to', async () => {
    const fleet = fleetOf(4);
    await fleet.clock.run(fleet.work(100));
    const work = fleet.work(400);
    await fleet.clock.advance(2_000);
    fleet.service.faults.next(1, { status: 503, headers: { 'retry-after': '20' } });
    // Whoever is busy hears of it with its next trip, which is never far.
    await fleet.clock.advance(4_000);
    const before = fleet.service.requests;
    await fleet.clock.advance(14_000);
    expect(fleet.service.requests).toBe(before);
    await fleet.clock.run(work);
  });

  it('do not pause again for a pause that is over when the clock of the store is set back', async () => {
    const fleet = fleetOf(4);
    await fleet.clock.run(fleet.work(100));
    const work = fleet.work(1_500);
    await fleet.clock.advance(2_000);
    fleet.service.faults.next(1, { status: 503, headers: { 'retry-after': '5' } });
    await fleet.clock.advance(60_000);
    fleet.ahead -= 3_600_000;
    const before = fleet.service.requests;
    await fleet.clock.advance(60_000);
    expect(fleet.service.requests - before).toBeGreaterThan(300);
    await fleet.clock.run(work);
  });

  it('pause for an hour at most on the word of the store', async () => {
    const fleet = fleetOf(2);
    await fleet.clock.run(fleet.work(100));
    const work = fleet.work(400);
    fleet.wire = 'lying';
    await fleet.clock.advance(10_000);
    fleet.wire = undefined;
    const before = fleet.service.requests;
    await fleet.clock.advance(3_580_000);
    expect(fleet.service.requests).toBe(before);
    await fleet.clock.advance(20_000);
    expect(fleet.service.requests).toBeGreaterThan(before);
    await fleet.clock.run(work);
  });

  it('hear of a pause that is longer than an hour by one more request each', async () => {
    const fleet = fleetOf(4, { latencyMs: 5 });
    await fleet.clock.run(fleet.work(100));
    const refusal = { status: 503, headers: { 'retry-after': '14400' } };
    fleet.service.faults.next(1, refusal);
    void fleet.work(400).catch(() => {});
    await fleet.clock.advance(10_000);
    const before = fleet.service.requests;
    fleet.service.faults.outage(0, 14_000_000, refusal);
    await fleet.clock.advance(14_000_000);
    expect(fleet.service.requests - before).toBeLessThanOrEqual(4);
    expect(fleet.service.requests).toBeGreaterThan(before);
  });

  it('leave a dear request its turn, however busy the others are', async () => {
    const fleet = fleetOf(8, { cost: ({ url }) => (url.pathname.endsWith('info') ? 1 : 8) });
    const busy = fleet.work(1_500);
    await fleet.clock.advance(12_000);
    const [client] = fleet.clients;
    const from = fleet.clock.now();
    const dear = client?.getAddressAssets('SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159', { cost: 8, priority: 1 });
    await fleet.clock.run(Promise.all([dear, busy]));
    expect(fleet.limited).toBe(0);
    expect(fleet.clock.now() - from).toBeGreaterThan(0);
  });

  it('let no call wait that will not, where their part is spent and others may still spend theirs', async () => {
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

  it.each([18, 48])('go on after %i idle hours, when nobody knows the service’s clock any more', async (hours) => {
    const fleet = fleetOf(4);
    await fleet.clock.run(fleet.work(100));
    await fleet.clock.advance(hours * 3_600_000);
    const from = fleet.clock.now();
    await fleet.clock.run(fleet.work(200));
    expect(fleet.clock.now() - from).toBeLessThan(30_000);
    expect(fleet.limited).toBe(0);
  });

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

describe('where the store cannot be used', () => {
  it.each(['down', 'frozen'] as const)(
    '%s: each goes on with its part, says so once, and pays when it is back',
    async (how) => {
      const fleet = fleetOf(4);
      const work = fleet.work(3_000);
      await fleet.clock.advance(65_000);
      fleet.wire = how;
      await fleet.clock.advance(60_000);
      fleet.wire = undefined;
      await fleet.clock.run(work);
      // At most 2 of 1,000.
      expect(fleet.limited).toBeLessThanOrEqual(6);
      for (const events of fleet.events) {
        expect(ofShare(events).map(({ type }) => type)).toEqual(['share-lost', 'share-regained']);
        expect(ofShare(events)[0]).toMatchObject({
          mode: 'partial',
          code: how === 'down' ? 'ECONNREFUSED' : 'TIMEOUT',
        });
      }
      // Alone for a minute each uses four fifths of its part.
      const minute = fleet.service.log.filter(({ serviceTime }) => Math.floor(serviceTime / 60_000) % 60 === 2);
      expect(minute.length).toBeGreaterThan(390);
    },
  );

  it('a call waits no longer than 50 ms for it', async () => {
    const fleet = fleetOf(2, { latencyMs: 0 });
    await fleet.clock.run(fleet.work(300));
    await fleet.clock.advance(60_000);
    fleet.wire = 'frozen';
    const from = fleet.clock.now();
    await fleet.clock.run(fleet.work(1, [0]));
    expect(fleet.clock.now() - from).toBeLessThanOrEqual(51);
  });

  it('`closed` sends nothing more than what it has, `open` goes on as if the key were its own', async () => {
    const counts: Record<string, number> = {};
    for (const mode of ['closed', 'open'] as const) {
      const fleet = fleetOf(1, { keyed: { minute: 500 } }, { mode });
      await fleet.clock.run(fleet.work(20));
      await fleet.clock.advance(120_000);
      fleet.wire = 'down';
      void fleet.work(450);
      await fleet.clock.advance(30_000);
      counts[mode] = fleet.service.requests - 20;
      expect(fleet.limited).toBe(0);
    }
    expect(counts).toEqual({ closed: 0, open: 450 });
  });

  it('a process that has never reached it begins with a small part, and takes more while nothing else is spent', async () => {
    const fleet = fleetOf(1, { keyed: { minute: 600 } }, { processes: 4 });
    fleet.wire = 'down';
    void fleet.work(600);
    await fleet.clock.advance(4_000);
    expect(fleet.service.requests).toBeLessThanOrEqual(6);
    await fleet.clock.advance(40_000);
    expect(fleet.service.requests).toBeGreaterThan(200);
    expect(fleet.limited).toBe(0);
  });

  it('that it forgot everything costs a few refusals each time, and no storm', async () => {
    const fleet = fleetOf(4);
    const work = fleet.work(2_000);
    for (const at of [10_000, 20_000, 65_000, 75_000]) {
      await fleet.clock.advance(at - fleet.clock.now());
      fleet.flush();
    }
    await fleet.clock.run(work);
    // What others hold is not booked until each of them has told it again.
    expect(fleet.limited).toBeLessThanOrEqual(12);
  });
});

it('one who dies in the middle costs the others at most its part of one window', async () => {
  const fleet = fleetOf(4);
  const work = fleet.work(1_000, [0, 1, 2]);
  const dying = fleet.work(4_000, [3]);
  await fleet.clock.advance(70_000);
  // It is never heard of again: neither its store nor its service answers it any more.
  void dying.catch(() => {});
  await fleet.clock.run(work);
  expect(fleet.limited).toBe(0);
});
