import { describe, expect, it } from 'vitest';
import { untilNext } from '../../bench/at-random.ts';
import { seeded } from '../../src/testing/index.ts';
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

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

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

  it('make few round trips a call, and next to none in the middle of a minute', async () => {
    const calls = runs(400, 8_000);
    const fleet = fleetOf(runs(3, 8), { keyed: { minute: runs(300, 2_000) } });
    await fleet.clock.run(fleet.work(calls));
    expect(fleet.limited).toBe(0);
    expect(fleet.trips / calls).toBeLessThan(0.15);
  });

  it('make a trip for every second call at most where a month bounds them', async () => {
    const calls = runs(150, 600);
    const fleet = fleetOf(4, { keyed: { second: 40, month: 100_000 } });
    await fleet.clock.run(fleet.work(runs(200, 300)));
    const before = fleet.trips;
    await fleet.clock.run(fleet.work(calls));
    expect((fleet.trips - before) / calls).toBeLessThan(0.5);
  });

  // Of seeds 1 to 24, three to six need more than the first six seconds to find out.
  it.runIf(DEEP).each(Array.from({ length: 24 }, (_, at) => at + 1))(
    'know the shape of the second after a minute, and make few trips: seed %i',
    async (seed) => {
      const calls = 300;
      const fleet = fleetOf(8, {}, {}, { seed });
      await fleet.clock.run(fleet.work(600));
      const before = fleet.trips;
      await fleet.clock.run(fleet.work(calls));
      expect((fleet.trips - before) / calls).toBeLessThan(0.4);
    },
  );

  it('know the shape of a minute when the first one that they fill is over, and make half a trip a call from then on', async () => {
    const limit = runs(120, 500);
    const fleet = fleetOf(runs(3, 16), { keyed: { second: 20, minute: limit }, latencyMs: [5, 15] });
    void fleet.work(100_000).catch(() => {});
    await fleet.clock.advance(53_000);
    for (const most of DEEP ? [0.6, 0.5] : [0.5]) {
      const [calls, trips] = [fleet.service.requests, fleet.trips];
      await fleet.clock.advance(60_000);
      expect(fleet.service.requests - calls).toBeGreaterThanOrEqual(limit - 1);
      expect((fleet.trips - trips) / (fleet.service.requests - calls)).toBeLessThan(most);
    }
    expect(fleet.limited).toBe(0);
  });

  it.each(
    cases(
      // Processes, calls a second of each, limits, most trips a call in the first minute, or two minutes.
      [[4, 1, { second: 20, minute: 1_000 }, 0.8]],
      [
        [4, 3, { second: 100, minute: 5_000 }, 0.4],
        [16, 0.5, { second: 20, minute: 1_000 }, 1],
      ],
    ),
  )(
    'make at most one trip a call from the first one on, where %i of them make %d light calls a second',
    async (size, rate, keyed, most) => {
      let early = 0;
      for (let seed = 1; seed <= runs(1, 5); seed++) {
        const fleet = fleetOf(size, { keyed, latencyMs: [5, 15] }, {}, { seed });
        const call = async (index: number): Promise<void> => {
          const random = seeded(1_000 * seed + index);
          for (;;) {
            await fleet.clock.sleep(untilNext(1_000 / rate, random));
            void fleet.clients[index]?.getInfo();
          }
        };
        for (let index = 0; index < size; index++) void call(index);
        await fleet.clock.advance(10_000);
        early += fleet.trips - fleet.service.requests;
        await fleet.clock.advance(runs(50_000, 110_000));
        expect(fleet.trips / fleet.service.requests).toBeLessThanOrEqual(most);
        expect(fleet.limited).toBe(0);
      }
      // In the first ten seconds: the first trip of each process learns which windows there are, and one of them has looked and told.
      expect(early / runs(1, 5)).toBeLessThanOrEqual(size + 12);
    },
  );

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
