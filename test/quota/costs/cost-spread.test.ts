import { describe, expect, it } from 'vitest';
import { CostSpread } from '../../../src/quota/costs/cost-spread.ts';
import { numberOf, parametersOf } from '../../../src/quota/costs/parameters.ts';

function spread(...costs: readonly number[]): CostSpread {
  const learned = new CostSpread();
  for (const cost of costs) learned.learn(cost);
  return learned;
}

/** So many answers of one cost. */
const times = (count: number, cost: number): number[] => Array(count).fill(cost);

describe('the costs of equal requests', () => {
  it('are nothing before the first answer', () => {
    const { likely, certain, least, most } = spread();
    expect([likely, certain, least, most]).toEqual([0, 0, 0, 0]);
  });

  it('are one where they were always the same', () => {
    const one = spread(3, 3, 3);
    expect([one.certain, one.most]).toEqual([3, 3]);
    expect(one.likely).toBeCloseTo(3, 9);
  });

  it('are surely their mean where all are the same, and of few that differ hardly more than the least', () => {
    expect([spread(25).surely, spread(1, 3).surely, spread(1, 25).surely]).toEqual([25, 1, 1]);
    const many = spread(...times(30, 1), ...times(10, 25));
    expect(many.surely).toBeGreaterThan(0.8 * many.likely);
    expect(many.surely).toBeLessThan(0.9 * many.likely);
  });

  it('have a mean to which each answer adds less the more have followed: by a hundredth each', () => {
    // The first weighs 0.99, the second 1.
    expect(spread(1, 3).likely).toBeCloseTo((0.99 * 1 + 3) / 1.99, 9);
    expect(spread(3, 1).likely).toBeCloseTo((0.99 * 3 + 1) / 1.99, 9);
  });

  it('are held for at the highest that is no rarity, in whatever order they came', () => {
    expect(spread(9, 1, 5).certain).toBe(9);
    expect(spread(1, ...times(20, 2)).certain).toBe(2);
    expect(spread(9, ...times(20, 1)).certain).toBe(9);
    expect(spread(9, ...times(60, 1)).certain).toBe(1);
    expect(spread(9, ...times(60, 1)).most).toBe(9);
  });

  it('are eight at most: of more, the rarest but the highest counts as the next', () => {
    const eight = spread(1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8);
    eight.learn(9);
    expect(eight.most).toBe(9);
    // 3 was the rarest, and 4 took its place: the mean grows by what that makes of it.
    const before = spread(1, 1, 2, 2, 4, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9);
    expect(eight.likely).toBeCloseTo(before.likely, 9);
  });

  it('are told apart up to the eighth', () => {
    // Each weighs 0.99 times as much as the one that came after it.
    const weights = Array.from({ length: 8 }, (_, at) => 0.99 ** (7 - at));
    const units = weights.reduce((sum, weight, at) => sum + weight * (at + 1), 0);
    const total = weights.reduce((sum, weight) => sum + weight);
    expect(spread(1, 2, 3, 4, 5, 6, 7, 8).likely).toBeCloseTo(units / total, 9);
  });

  it('keep the highest though it is the rarest', () => {
    const costs = spread(9, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8);
    expect([costs.least, costs.most]).toEqual([2, 9]);
  });
});

describe('the parameters of a query', () => {
  it('are its names and values, as they are encoded', () => {
    expect([...parametersOf('limit=20&q=a%20b&x=1=2&flag')]).toEqual([
      ['limit', '20'],
      ['q', 'a%20b'],
      ['x', '1=2'],
      ['flag', ''],
    ]);
    expect([...parametersOf('')]).toEqual([]);
    expect([...parametersOf('=5')]).toEqual([['', '5']]);
  });

  it('are the first eight, and long values count as one', () => {
    const query = Array.from({ length: 9 }, (_, at) => `p${at}=${at}`).join('&');
    expect(parametersOf(query).size).toBe(8);
    const [short, long, longer] = ['x'.repeat(24), 'x'.repeat(25), 'y'.repeat(40)];
    expect(parametersOf(`c=${short}`).get('c')).toBe(short);
    expect(parametersOf(`c=${long}`).get('c')).toBe(parametersOf(`c=${longer}`).get('c'));
  });

  it('are numbers where they have up to fifteen digits and nothing else', () => {
    expect(['0', '20', '999999999999999'].map(numberOf)).toEqual([0, 20, 999_999_999_999_999]);
    expect(['', '-1', '1.5', 'x1', '1x', '1000000000000000', undefined].map(numberOf)).toEqual(
      Array(7).fill(undefined),
    );
  });
});
