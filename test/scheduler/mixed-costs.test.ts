import { describe, expect, it } from 'vitest';
import { type ClientEvent, createClient } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, seeded, virtualClock } from '../../src/testing/index.ts';
import { cases, DEEP, runs } from '../support/deep.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';

/** Units by page size: a page of 4 takes one. */
const byPage = ({ url }: { readonly url: URL }): number => Number(url.searchParams.get('limit')) / 4;

/** Makes calls of these costs all at once, and says what came of it. */
async function callsOf(
  costs: readonly number[],
  options: Partial<MockServiceOptions> & {
    readonly isStated?: boolean;
    readonly seed?: number;
    readonly wall?: number;
  },
) {
  const { isStated = false, seed = 3, wall = Date.UTC(2026, 2, 10, 14, 0, 7, 300), ...service } = options;
  const clock = virtualClock({ wall });
  const mock = createMockService({
    clock,
    keys: [KEY],
    latencyMs: [40, 200],
    random: seeded(seed),
    cost: byPage,
    ...service,
  });
  const sent: { readonly label: string | undefined; readonly call: number; readonly at: number }[] = [];
  const onEvent = (event: ClientEvent): void => {
    if (event.type === 'sent') sent.push({ label: event.label, call: event.call, at: clock.now() });
  };
  const client = createClient({
    baseUrl: mock.origin,
    apiKey: KEY,
    fetch: mock.fetch,
    clock,
    onEvent,
    random: seeded(seed + 6),
    ...(isStated ? { cost: byPage } : {}),
  });
  const calls = costs.map((cost, index) =>
    client.getAddressAssets(ADDRESS, { limit: 4 * cost, offset: index * 20, label: `${cost}` }),
  );
  const outcomes = await clock.run(Promise.race([Promise.allSettled(calls), clock.sleep(3_600_000)]));
  return {
    outcomes: outcomes ?? [],
    sent,
    seconds: clock.now() / 1_000,
    refused: mock.log.filter(({ limited }) => limited).length,
  };
}

describe('calls of different costs', () => {
  it('one page of 25 units among 300 of one delays the others by no more than itself, and is not refused', async () => {
    const costs = Array.from({ length: 300 }, (_, index) => (index === 150 ? 25 : 1));
    const { outcomes, seconds, refused } = await callsOf(costs, { keyed: { second: 50 } });
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect([refused, outcomes.length]).toEqual([0, 300]);
    expect(seconds).toBeLessThan(325 / 50 + 2);
  });

  it('of 1 and 25 units, half and half, fill a window of 50 a second', async () => {
    const costs = Array.from({ length: 200 }, (_, index) => (index % 2 ? 25 : 1));
    const seeds = runs(1, 6);
    let seconds = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await callsOf(costs, { keyed: { second: 50 }, seed });
      expect([run.refused, run.outcomes.length]).toEqual([0, 200]);
      seconds += run.seconds / seeds;
    }
    // On average: how long the shape stays in doubt is chance.
    expect(seconds).toBeLessThan(2_600 / 50 / 0.94);
  });

  it('of 1 and 25 units, half and half, send two of the costly ones in each minute of 60, whose shape stays unknown', async () => {
    const costs = Array.from({ length: 40 }, (_, index) => (index % 2 ? 25 : 1));
    const { refused, seconds, outcomes } = await callsOf(costs, { keyed: { minute: 60 } });
    expect([refused, outcomes.length]).toEqual([0, 40]);
    // One a minute took 19 minutes: units were kept for a probe that none of them can be.
    expect(seconds).toBeLessThan(11 * 60);
  });

  it('pass one that does not fit what is left of the minute, and it goes first in the next', async () => {
    const costs = [
      ...Array(100).fill(1),
      ...Array(50)
        .fill(0)
        .flatMap(() => [1, 1, 15]),
    ];
    const { sent, refused } = await callsOf(costs, { keyed: { minute: 100 }, isStated: true });
    const third = sent.filter(({ at }) => at >= 112_000 && at < 172_000).map(({ label }) => Number(label));
    expect(third[0]).toBe(15);
    expect(third.reduce((sum, units) => sum + units, 0)).toBeGreaterThanOrEqual(95);
    expect(refused).toBe(0);
  });

  it.each(
    cases(
      [
        ['sliding-counter', { minute: 91 }, 25, 40, 450],
        ['sliding-log', { second: 50 }, 25, 200, 68],
      ],
      [
        ['sliding-counter', { second: 50 }, 25, 200, 105],
        ['sliding-counter', { minute: 100 }, 13, 90, 420],
        ['leaky', { second: 50 }, 25, 200, 58],
      ],
    ),
  )('in a window that is a %s of %o, one and %i units by turns, are never refused', async (...terms) => {
    const [windows, keyed, costly, count, most] = terms;
    const costs = Array.from({ length: count }, (_, index) => (index % 2 ? costly : 1));
    const { outcomes, refused, seconds } = await callsOf(costs, { keyed, windows });
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect([refused, outcomes.length]).toEqual([0, count]);
    expect(seconds).toBeLessThan(most);
  });

  it.each(cases(['leaky'], ['sliding-log']))('of 25 units alone use a second of 50 that is a %s', async (windows) => {
    const { refused, seconds } = await callsOf(Array(100).fill(25), { keyed: { second: 50 }, windows });
    expect(refused).toBe(0);
    expect(seconds).toBeLessThan(100 / 2 / 0.75);
  });

  it.each(
    cases(
      [['sliding-counter', { minute: 91 }]],
      [
        ['leaky', { minute: 91 }],
        ['sliding-log', { second: 50 }],
      ],
    ),
  )('in a window that is a %s of %o, those of 25 units do not starve behind those of one', async (windows, keyed) => {
    for (const seed of DEEP ? [1, 2, 3] : [1]) {
      const costs = Array.from({ length: 200 }, (_, index) => (index % 10 === 5 ? 25 : 1));
      const { sent, refused } = await callsOf(costs, { keyed, windows, seed });
      expect(refused).toBe(0);
      // Half of them are sent by the time at which half of all are.
      const median = (all: typeof sent): number => all[all.length >> 1]?.at ?? 0;
      expect(median(sent.filter(({ label }) => label === '25')) / median(sent)).toBeLessThan(1.5);
    }
  });

  it('are sent in their order where they are equal, also when an answer shows sooner than was thought that a window has begun again', async () => {
    const draw = seeded(106);
    const costs = Array.from({ length: 60 }, () => (draw() < 0.25 ? 25 : 1));
    const wall = Date.UTC(2026, 2, 10, 14, 0, 55, 300);
    const { sent, refused } = await callsOf(costs, { keyed: { minute: 100 }, isStated: true, wall });
    const costly = sent.filter(({ label }) => label === '25').map(({ call }) => call);
    expect(costly).toEqual(costly.toSorted((one, other) => one - other));
    expect(refused).toBe(0);
  });

  it('all end, where what they take is learned while they wait, and some take more than a whole window', async () => {
    const random = seeded(5);
    const costs = Array.from({ length: 60 }, () => 1 + Math.floor(random() * 25));
    const { outcomes, refused } = await callsOf(costs, { keyed: { second: 20, minute: 500 }, charge: 'after' });
    expect(outcomes.map(({ status }) => status)).toEqual(costs.map(() => 'fulfilled'));
    expect(refused).toBe(0);
  });

  it.for([
    ['alone', Array(30).fill(25)],
    ['among others', Array.from({ length: 90 }, (_, nth) => (nth % 3 === 1 ? 25 : 1))],
  ] as const)('are not sent again once an answer says that they exceed a whole window: %s', async ([, costs]) => {
    const { outcomes, refused, seconds } = await callsOf(costs, { keyed: { second: 20, minute: 3_000 } });
    expect(outcomes.map(({ status }) => status)).toEqual(costs.map((cost) => (cost > 20 ? 'rejected' : 'fulfilled')));
    expect(outcomes[1]).toMatchObject({
      reason: { message: expect.stringContaining('takes 25 units, and the second never') },
    });
    // Those that were under way together, and one more whose other parameters are news: it may cost less.
    expect(refused).toBeLessThanOrEqual(4);
    expect(seconds).toBeLessThan(12);
  });

  it.for([false, true])(
    'are not sent again either where others of their endpoint cost less for an unknown reason; refused ones count: %s',
    async (countRefused) => {
      const cost = ({ url }: { readonly url: URL }): number => Number(url.searchParams.get('limit') ?? 1);
      const mock = createMockService({
        clock: virtualClock(),
        keyless: { second: 20, minute: 500 },
        latencyMs: 50,
        cost,
        countRefused,
      });
      const clock = mock.clock as ReturnType<typeof virtualClock>;
      const client = createClient({ baseUrl: mock.origin, fetch: mock.fetch, clock });
      await clock.run(client.get('/extended/v1/info'));
      const calls = Array.from({ length: 20 }, () => client.get('/extended/v1/info', { query: { limit: 25 } }));
      const outcomes = await clock.run(Promise.allSettled(calls));
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
      // The second went by the word of retry-after.
      expect(mock.log.filter(({ limited }) => limited)).toHaveLength(2);
      await clock.run(client.get('/extended/v1/info'));
    },
  );

  it.for(cases([2], [1, 6]))(
    'learn what they cost from a refusal, so that none is refused for it again: seed %i',
    async (seed) => {
      const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, seed) });
      const cost = ({ url }: { readonly url: URL }): number => Number(url.searchParams.get('units'));
      const mock = createMockService({
        clock,
        cost,
        random: seeded(seed),
        latencyMs: [40, 160],
        keyless: { second: 10, minute: 60 },
      });
      const client = createClient({ baseUrl: mock.origin, fetch: mock.fetch, clock, random: seeded(seed + 1) });
      const draw = seeded(77 * seed);
      const costs = Array.from({ length: 40 }, () => [1, 1, 1, 2, 5, 8, 10][Math.floor(draw() * 7)]);
      await clock.run(Promise.all(costs.map((units) => client.get('/extended/v1/info', { query: { units } }))));
      expect(mock.log.filter(({ limited }) => limited).length).toBeLessThanOrEqual(1);
    },
  );

  it('are told at once that a stated cost never fits', async () => {
    const { outcomes, seconds, sent } = await callsOf([1, 25, 1], { keyed: { second: 20 }, isStated: true });
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({
      reason: { name: 'QuotaExhaustedError', message: expect.stringContaining('takes 25 units, and the second never') },
    });
    expect(sent.map(({ label }) => label)).toEqual(['1', '1']);
    expect(seconds).toBeLessThan(2);
  });
});
