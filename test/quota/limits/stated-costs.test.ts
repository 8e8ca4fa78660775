import { describe, expect, it } from 'vitest';
import { believableCost, refusedCost } from '../../../src/quota/limits/costs.ts';
import { learned } from '../support/learned-costs.ts';

describe('a stated cost', () => {
  const believed = (cost: number | undefined, stacks: object): number | undefined =>
    believableCost({
      ...{ receivedAt: 0, malformed: [], unrecognised: {} },
      stacks: { ...stacks, ...(cost !== undefined && { cost }) },
    });
  const second = { limit: 10, remaining: 9 };

  it('is believed up to what each window holds', () => {
    expect(believed(undefined, { second })).toBeUndefined();
    expect(believed(3, {})).toBe(3);
    expect(believed(10, { second })).toBe(10);
  });

  it('beyond what a window holds is believed only where another shows that much usage', () => {
    expect(believed(11, { second })).toBeUndefined();
    expect(believed(11, { second, minute: { limit: 500, remaining: 489 } })).toBe(11);
    expect(believed(11, { second, minute: { limit: 500, remaining: 490 } })).toBeUndefined();
    expect(believed(11, { minute: { remaining: 490 }, second: { limit: 10 } })).toBeUndefined();
  });
});

describe('the cost of a refused request', () => {
  const refused = (hadRoom: boolean, stacks: object): number | undefined =>
    refusedCost({ receivedAt: 0, malformed: [], unrecognised: {}, stacks }, hadRoom);
  const [left, full] = [
    { limit: 10, remaining: 4 },
    { limit: 20, remaining: 0 },
  ];

  it('is the cause where it exceeds what is left of a window', () => {
    expect(refused(false, { cost: 5, second: left, minute: { limit: 99, remaining: 50 } })).toBe(5);
  });

  it('is not the cause where as much or more is left, or nothing is stated', () => {
    expect(refused(true, { cost: 4, second: left })).toBeUndefined();
    expect(refused(true, { second: left })).toBeUndefined();
    expect(refused(true, { cost: 4 })).toBeUndefined();
    expect(refused(true, { cost: 4, second: { limit: 3 } })).toBeUndefined();
  });

  it('may not be the cause where a window is full, unless all had room before', () => {
    expect([refused(false, { cost: 5, minute: full }), refused(true, { cost: 5, minute: full })]).toEqual([
      undefined,
      5,
    ]);
    expect(refused(false, { cost: 5, second: left, minute: full })).toBeUndefined();
    expect(refused(false, { cost: 5, second: left, minute: { limit: 20 } })).toBeUndefined();
  });
});

describe('the highest cost', () => {
  it('is never that of a request which was refused for it', () => {
    const costs = learned(2);
    costs.learnRefused('GET /b', 8);
    expect([costs.highest, costs.highestOf('GET /b')]).toEqual([2, 8]);
  });
});
