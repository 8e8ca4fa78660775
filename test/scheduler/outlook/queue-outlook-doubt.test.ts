import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/http/call.ts';
import type { Plan } from '../../../src/quota/forecast/estimate.ts';
import { outlook } from '../support/outlook.ts';

describe('a call that is late by what is likely and by what is sure, while a window may have several shapes', () => {
  /** It would be sent after 9 s, and at the soonest after some time. */
  function doubtful(bestAt: number, windowMs: number, isShapeOpen = true) {
    const one = outlook();
    Object.assign(one.said, { isShapeOpen });
    Object.assign(one.told, { windowMs, sentAt: (_: Plan, isBest: boolean) => (isBest ? bestAt : 9_000) });
    const isRefused = (maxQueueMs: number): boolean =>
      one.of.latenessOf({ ask: { endpoint: 'GET /a' }, maxQueueMs } as Call) !== undefined;
    return { ...one, isRefused };
  }

  it.each([
    ['in time by more than a window', 5_000, 2_000, 5_000 - 3_000],
    ['within a window from now', 3_500, 2_000, 1_500],
  ])(
    'waits if the most favourable shape has it sent %s, and is looked at again soon',
    (_, maxQueueMs, windowMs, until) => {
      const { of, isRefused } = doubtful(until, windowMs);
      expect(isRefused(maxQueueMs)).toBe(false);
      expect(of.recheckAt).toBe(windowMs / 32);
      expect(doubtful(until + 1, windowMs).isRefused(maxQueueMs)).toBe(true);
    },
  );

  it('is looked at again when it can be in time no more, if that is sooner', () => {
    const { of, isRefused } = doubtful(1, 2_000);
    expect(isRefused(2_001)).toBe(false);
    expect(of.recheckAt).toBe(1);
  });

  it.each([
    ['no window binds', 5_000, 0, true],
    ['all shapes are known', 5_000, 2_000, false],
    ['its instant is no more than a window away', 2_000, 2_000, true],
  ])('is refused at once where %s', (_, maxQueueMs, windowMs, isShapeOpen) => {
    const { asked, isRefused } = doubtful(0, windowMs, isShapeOpen);
    expect(isRefused(maxQueueMs)).toBe(true);
    expect(asked.some(({ isBest }) => isBest)).toBe(false);
  });

  it('is reckoned by what it likely costs', () => {
    const { said, asked, isRefused } = doubtful(0, 2_000);
    Object.assign(said, { cost: 5, sure: 3 });
    isRefused(5_000);
    expect(asked.map(({ plans }) => plans.at(-1)?.cost)).toEqual([undefined, 3, 5]);
  });
});

describe('waiting calls that are late, while a window may have several shapes', () => {
  /** Calls of a cost each that wait since the beginning and are to be sent within 5 s, of windows of 2 s. */
  function late(costs: readonly number[], late: readonly number[], bestLate: readonly number[]) {
    const one = outlook();
    Object.assign(one.said, { isShapeOpen: true });
    Object.assign(one.told, { late, bestLate: () => bestLate, windowMs: 2_000, sentAt: () => 9_000 });
    const bounds = new Map(
      costs.map(
        (cost) => [one.waiting({ cost, endpoint: `GET /${cost}` }, cost, 5_000), { by: 5_000, since: 0 }] as const,
      ),
    );
    const refused = (): readonly (number | undefined)[] =>
      [...one.of.lateErrors(bounds).keys()].map(({ ask }) => ask.cost);
    return { ...one, refused };
  }

  it('are refused but for those that the most favourable shape has sent in time, which are looked at again', async () => {
    const { told, of, clock, refused, said } = late([1, 1, 1], [0, 3], [0, 1]);
    expect(refused()).toHaveLength(1);
    expect(of.recheckAt).toBe(2_000 / 32);
    const before = said.estimates;
    told.bestLate = () => [0, 2];
    await clock.advance(2_000 / 32 - 1);
    expect([refused().length, said.estimates]).toEqual([0, before]);
    await clock.advance(1);
    expect(refused()).toHaveLength(2);
  });

  it('of higher cost are passed by those of lower cost, each cost is reckoned once, and its own reckoning decides', () => {
    const { told, asked, refused } = late([1, 3, 1], [0, 1, 0, 1, 0, 1], []);
    // Where the costly one goes, too, it is late.
    told.bestLate = (plans) => (plans[3]?.count === 0 ? [0, 0, 0, 0, 0, 0] : [0, 0, 0, 1, 0, 0]);
    expect(refused()).toEqual([3]);
    const best = asked.filter(({ isBest }) => isBest);
    // Calls without an instant, and with one: of one unit, of three, and of one.
    expect(best.map(({ plans }) => plans.map(({ endpoint, count }) => `${endpoint} ${count}`))).toEqual([
      ['GET /1 0', 'GET /1 1', 'GET /3 0', 'GET /3 0', 'GET /1 0', 'GET /1 1'],
      ['GET /1 0', 'GET /1 1', 'GET /3 0', 'GET /3 1', 'GET /1 0', 'GET /1 1'],
    ]);
    expect(best[0]?.plans.map(({ by }) => by)).toEqual([undefined, 2_000, undefined, 2_000, undefined, 2_000]);
  });

  it('and have no chance any more are refused beside others like them that have one', async () => {
    const { said, told, clock, waiting, of } = outlook();
    Object.assign(said, { isShapeOpen: true });
    Object.assign(told, { late: [0, 1, 1], bestLate: () => [0, 0, 0], windowMs: 2_000, sentAt: () => 9_000 });
    const [first, second] = [waiting({}, 1, 5_000), waiting({}, 1, 8_000)];
    await clock.advance(2_000);
    const bounds = new Map([
      [first, { by: 5_000, since: 0 }],
      [second, { by: 8_000, since: 1_000 }],
    ]);
    expect([...of.lateErrors(bounds).keys()]).toEqual([first]);
  });

  it('are all refused where no shape is more favourable, and nothing is looked at again', () => {
    const { of, refused } = late([1, 1], [0, 2], [0, 2]);
    expect(refused()).toHaveLength(2);
    expect(of.recheckAt).toBe(Infinity);
  });

  it('are refused once their chance is over: a window before their instant, or a window after they came', async () => {
    const { asked, clock, refused } = late([1], [0, 1], [0, 0]);
    await clock.advance(2_000);
    expect(refused()).toHaveLength(1);
    expect(asked.some(({ isBest }) => isBest)).toBe(false);
  });

  it('are not estimated by the most favourable shape where none of them is late', () => {
    const { asked, refused } = late([1], [0, 0], [0, 0]);
    expect(refused()).toEqual([]);
    expect(asked.map(({ isBest }) => isBest)).toEqual([false]);
  });
});
