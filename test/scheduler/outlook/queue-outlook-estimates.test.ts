import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/quota/forecast/estimate.ts';
import { LIMIT, outlook, PLAN } from '../support/outlook.ts';

describe('an estimate behind much work', () => {
  type Said = ReturnType<typeof outlook>['said'];

  it.each<[string, Partial<Plan & Said>, number]>([
    ['of another endpoint', { endpoint: 'GET /b' }, 0],
    ['of more calls', { count: 2 }, 0],
    ['of another priority', {}, 1],
    ['of calls that cost twice as much', { cost: 2 }, 0],
    ['for another key', { key: 2 }, 0],
    ['with another pause', { pausedUntil: 5_000 }, 0],
    ['with another concurrency', { concurrency: 9 }, 0],
  ])('is made anew %s, and not otherwise', (_, { endpoint, count, ...other }, priority) => {
    const { said, waiting, of } = outlook();
    waiting({ priority: 9 }, 100_000);
    const first = of.estimate(PLAN, 0);
    expect(of.estimate(PLAN, 0)).toBe(first);
    Object.assign(said, other);
    expect(of.estimate({ endpoint: endpoint ?? 'GET /a', count: count ?? 1 }, priority)).not.toBe(first);
    expect(said.estimates).toBe(2);
  });

  it('is made anew when the work ahead has changed or some time has passed', async () => {
    const { said, clock, waiting, of } = outlook();
    waiting({}, 10_000);
    of.estimate(PLAN, 0);
    waiting({}, 10_000);
    of.estimate(PLAN, 0);
    await clock.advance(1_000);
    of.estimate(PLAN, 0);
    expect(said.estimates).toBe(3);
  });
});

describe('an estimate', () => {
  it('says never where the stated cost exceeds a whole window, but for what is sure, which a cost says that was never stated', () => {
    const { of } = outlook();
    const plan = { ...PLAN, cost: LIMIT + 1 };
    expect(of.estimate(plan, 0)).toMatchObject({ sentAt: Infinity, window: 'minute' });
    expect(of.estimate(plan, 0, 'sure')).toMatchObject({ sentAt: 1_000 });
  });

  it.each([
    ['likely', [undefined, 2, 9, 2]],
    ['sure', [3, 2, 9, 2]],
    // It may pass what costs more.
    ['best', [1, 2, 2]],
  ] as const)('that is %s reckons with what calls ahead cost', (reckoning, costs) => {
    const { said, asked, waiting, of } = outlook();
    said.sure = 3;
    waiting();
    waiting({ cost: 2 }, 2);
    waiting({ cost: 9 }, 9);
    of.estimate({ ...PLAN, cost: 2 }, 0, reckoning);
    expect(asked.map(({ isBest }) => isBest)).toEqual([reckoning === 'best']);
    expect(asked[0]?.plans.map(({ cost }) => cost)).toEqual(costs);
  });
});
