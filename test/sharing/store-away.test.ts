import { describe, expect, it } from 'vitest';
import { cases, runs } from '../support/deep.ts';
import { most } from './support/by-chance.ts';
import { fleetOf, ofShare } from './support/fleet.ts';

describe('clients that share one key, where the store cannot be used,', () => {
  it.each(cases(['frozen'], ['down']))(
    'go on with their parts while it is %s, say so once, and pay when it is back',
    async (how) => {
      const limit = runs(80, 500);
      const fleet = fleetOf(4, { keyed: { second: 20, minute: limit } }, {}, { keepsEvents: true });
      const work = fleet.work(3.2 * limit);
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
      // Alone for a minute each uses most of its part.
      const minute = fleet.service.log.filter(({ serviceTime }) => Math.floor(serviceTime / 60_000) % 60 === 2);
      expect(minute.length).toBeGreaterThan(0.7 * limit);
    },
  );

  // The readings of asks that had waited for 8 s counted as strangers' what the store had dropped: calls failed with 150 of 500 units free.
  it('fail no call for lack of units when it stood still and executes the asks that waited', async () => {
    const fleet = fleetOf(4, { latencyMs: [20, 90] }, {}, { seed: 4 });
    const { clock, clients } = fleet;
    const failed: string[] = [];
    const lightly = async (client: (typeof clients)[number]): Promise<void> => {
      for (let call = 0; call < 110; call++) {
        client.getInfo({ maxWaitMs: 3_000 }).catch(({ message }: Error) => failed.push(message));
        await clock.sleep(300);
      }
    };
    const calls = Promise.all(clients.map(lightly));
    await clock.advance(10_000);
    fleet.wire = 'held';
    await clock.advance(8_000);
    fleet.wire = undefined;
    await clock.run(calls);
    expect(failed).toEqual([]);
  });

  it('let no call wait longer than for three trips that fail, half a second', async () => {
    const fleet = fleetOf(2, { latencyMs: 0 });
    await fleet.clock.run(fleet.work(runs(60, 300)));
    await fleet.clock.advance(60_000);
    fleet.wire = 'frozen';
    const from = fleet.clock.now();
    await fleet.clock.run(fleet.work(1, [0]));
    expect(fleet.clock.now() - from).toBeLessThanOrEqual(500);
  });

  // A process that had heard nothing for ten seconds took one lost answer for an absence: its call was refused by the minute that the other had used up.
  it('send nothing that was not granted where one answer is lost', async () => {
    const fleet = fleetOf(2, { keyed: { minute: 50 }, latencyMs: [20, 80] }, {}, { calendar: ['minute'] });
    const { clock, clients } = fleet;
    await clock.run(clients[1]?.getInfo() ?? Promise.reject());
    void fleet.work(60, [0]).catch(() => {});
    await clock.advance(30_000);
    const next = fleet.trips + 1;
    fleet.answers = (trip) => (trip === next ? 'lost' : 0);
    await clock.run(clients[1]?.getInfo({ maxWaitMs: Infinity }) ?? Promise.reject());
    expect(fleet.limited).toBe(0);
  });

  // The next calls were then sent at once, by a failure of twelve seconds ago, although the other filled each second.
  it.each(cases([1], [2, 3, 4]))('nor where one was lost long before: seed %i', async (seed) => {
    const keyed = { second: 20, minute: 5_000 };
    const terms = { seed, calendar: ['second', 'minute'] } as const;
    const fleet = fleetOf(2, { keyed, latencyMs: [20, 80] }, {}, terms);
    const { clock, clients } = fleet;
    const call = (): Promise<unknown> => clients[1]?.getInfo({ maxWaitMs: Infinity }) ?? Promise.reject();
    await clock.run(call());
    void fleet.work(100_000, [0]).catch(() => {});
    await clock.advance(5_000);
    for (let nth = 0; nth < 3; nth++) {
      const gone = new AbortController();
      fleet.answers = () => 'lost';
      void clients[1]?.getInfo({ maxWaitMs: Infinity, signal: gone.signal }).catch(() => {});
      await clock.advance(1);
      gone.abort();
      fleet.answers = undefined;
      await clock.advance(12_000 + 130 * nth);
      await clock.run(call());
    }
    expect(fleet.limited).toBe(0);
  });

  it('wait for two trips of a store that has become slow, because the next one asks for what begins when its answer comes', async () => {
    const fleet = fleetOf(1, { keyed: { second: 5, day: 60 }, latencyMs: 20 }, { mode: 'closed' });
    const took = async (): Promise<number> => {
      const from = fleet.clock.now();
      await fleet.clock.run(fleet.clients[0]?.getInfo() ?? Promise.reject());
      return fleet.clock.now() - from;
    };
    await took();
    fleet.answers = () => 900;
    await took();
    await fleet.clock.advance(20_000);
    expect(await took()).toBeLessThan(2_000);
  });

  it('say that it is back within seconds of its return, and not before, although they have nothing to do', async () => {
    const fleet = fleetOf(4, { keyed: { second: 20, minute: 500 } }, {}, { keepsEvents: true });
    const said = () => fleet.events.map((events) => ofShare(events).map(({ type }) => type));
    const each = (...types: string[]) => fleet.clients.map(() => types);
    const calls = runs(140, 200);
    void fleet.work(calls).catch(() => {});
    await fleet.clock.advance(calls * 30);
    fleet.wire = 'down';
    // All calls are made, and what was granted before is long over.
    await fleet.clock.advance(60_000);
    expect(fleet.made.reduce((sum, count) => sum + count)).toBe(calls);
    expect(said()).toEqual(each('share-lost'));
    fleet.wire = undefined;
    await fleet.clock.advance(6_000);
    expect(said()).toEqual(each('share-lost', 'share-regained'));
    const { trips } = fleet;
    await fleet.clock.advance(600_000);
    expect(fleet.trips).toBe(trips);
  });

  it('send nothing more than what they hold in the mode `closed`, and as if the key were their own in `open`', async () => {
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

  it.each([
    ['down', 'never reached'],
    ['down', 'reached before'],
    ['frozen', 'never reached'],
    ['frozen', 'reached before'],
  ] as const)(
    'fail a call in the mode `closed` when its patience is over: the store is %s, and was %s',
    async (how, when) => {
      const fleet = fleetOf(1, { keyed: { minute: 5 } }, { mode: 'closed' });
      const why = how === 'down' ? 'ECONNREFUSED' : 'TIMEOUT';
      const call = (maxWaitMs?: number) => fleet.clients[0]?.getInfo({ maxWaitMs }).catch((error: unknown) => error);
      if (when === 'never reached') fleet.wire = how;
      await fleet.clock.run(call() as Promise<unknown>);
      if (when === 'reached before') await fleet.clock.advance(20_000);
      fleet.wire = how;
      const ended: unknown[] = [];
      for (const maxWaitMs of [10_000, 15_000]) void call(maxWaitMs)?.then((end) => ended.push(end));
      await fleet.clock.advance(10_000);
      expect(ended).toMatchObject([
        {
          name: 'QuotaExhaustedError',
          maxWaitMs: 10_000,
          why: expect.stringContaining(`be reached (${why}; onStoreFailure: 'closed')`),
        },
      ]);
      expect((ended[0] as { retryAfterMs: number }).retryAfterMs).toBeLessThan(2_000);
      await fleet.clock.advance(5_000);
      expect(ended).toMatchObject([{}, { maxWaitMs: 15_000 }]);
      expect(fleet.service.requests).toBe(1);
      // The store is back: what follows is served.
      fleet.wire = undefined;
      await fleet.clock.advance(10_000);
      expect(await fleet.clock.run(call(10_000) as Promise<unknown>)).toHaveProperty('data');
    },
  );

  it('begin with a small part if they have never reached it, and take more while nothing else is spent', async () => {
    const fleet = fleetOf(1, { keyed: { minute: 600 } }, { processes: 4 });
    fleet.wire = 'down';
    void fleet.work(600);
    await fleet.clock.advance(4_000);
    expect(fleet.service.requests).toBeLessThanOrEqual(8);
    await fleet.clock.advance(40_000);
    expect(fleet.service.requests).toBeGreaterThan(200);
    expect(fleet.limited).toBe(0);
  });

  it.each(
    cases(
      [[4, 'aligned']],
      [
        [12, 'aligned'],
        [12, 'sliding-log'],
      ],
    ),
  )(
    'use their quota and are refused hardly ever if %i start together and never reach it, where a minute is %s',
    async (size, minute) => {
      const limit = runs(200, 1_000);
      const fleet = fleetOf(size, { keyed: { second: 20, minute: limit }, windows: { minute }, latencyMs: [5, 15] });
      fleet.wire = 'down';
      void fleet.work(100_000).catch(() => {});
      await fleet.clock.advance(runs(113_000, 233_000));
      expect(fleet.limited).toBeLessThanOrEqual(0.002 * fleet.service.requests);
      const times = fleet.service.log.map(({ serviceTime }) => serviceTime);
      const second = Math.floor((times[0] ?? 0) / 60_000) + 1;
      expect(times.filter((time) => Math.floor(time / 60_000) === second).length).toBeGreaterThan(0.85 * limit);
    },
  );

  it.each([
    ['alone with a second of one', 1, { second: 1, minute: 50 }, 12_000, 2_500],
    ['beside a busy one', 4, { second: 20, minute: 500 }, 3_000, 1_000],
  ] as const)(
    'make a call now and then with little delay, though it was never reached: %s',
    async (_, size, keyed, apartMs, mostMs) => {
      const fleet = fleetOf(size, { keyed, latencyMs: [20, 60] });
      fleet.wire = 'down';
      if (size > 1) void fleet.work(100_000, [0]).catch(() => {});
      await fleet.clock.advance(500);
      const took: number[] = [];
      for (let count = 0; count < 40; count++) {
        const from = fleet.clock.now();
        await fleet.clock.run(fleet.clients[size - 1]?.getInfo({ maxWaitMs: 60_000 }) ?? Promise.reject());
        took.push(fleet.clock.now() - from);
        await fleet.clock.advance(apartMs * (0.5 + (count % 7) / 6));
      }
      expect(most(took.sort((one, other) => one - other))).toBeLessThan(mostMs);
    },
  );
});

it('a client that dies costs the others its part of one window at most', async () => {
  const limit = runs(100, 250);
  const fleet = fleetOf(4, { keyed: { second: 20, minute: limit } });
  const work = fleet.work(3.4 * limit, [0, 1, 2]);
  void fleet.work(2_000, [3]).catch(() => {});
  await fleet.clock.advance(70_000);
  fleet.die(3);
  await fleet.clock.run(work);
  expect(fleet.limited).toBe(0);
  const begin = Math.floor((fleet.service.log[0]?.serviceTime ?? 0) / 60_000);
  const served = [0, 0, 0, 0, 0];
  for (const { serviceTime } of fleet.service.log) {
    const minute = Math.floor(serviceTime / 60_000) - begin;
    served[minute] = (served[minute] ?? 0) + 1;
  }
  // It dies in the second minute, of which it had a fourth. The third is used to the last unit.
  expect(served[1]).toBeGreaterThanOrEqual(limit - limit / 4);
  expect(served[2]).toBe(limit);
});

it('a client that dies leaves the others all of each second that begins three seconds later', async () => {
  const second = runs(10, 20);
  const fleet = fleetOf(4, { keyed: { second, minute: 75 * second } });
  const work = fleet.work(runs(230, 600), [0, 1, 2]);
  void fleet.work(2_000, [3]).catch(() => {});
  await fleet.clock.advance(15_000);
  fleet.die(3);
  const diedAt = Math.max(...fleet.service.log.map(({ serviceTime }) => serviceTime));
  await fleet.clock.run(work);
  expect(fleet.limited).toBe(0);
  const served = new Map<number, number>();
  for (const { serviceTime } of fleet.service.log) {
    const second = Math.floor(serviceTime / 1_000);
    served.set(second, (served.get(second) ?? 0) + 1);
  }
  const first = Math.ceil(diedAt / 1_000) + 3;
  const later = [...served].filter(([second]) => second >= first).map(([, units]) => units);
  // The last two are those in which the work ends.
  expect(later.slice(0, -2)).toEqual(later.slice(0, -2).map(() => second));
  expect(later.length).toBeGreaterThan(5);
});
