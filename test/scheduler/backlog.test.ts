import { describe, expect, it } from 'vitest';
import { Backlog } from '../../src/scheduler/backlog.ts';

/** Lets calls come. */
function calls(census: Backlog) {
  return (endpoint: string, options: { readonly cost?: number; readonly priority?: number } = {}) =>
    census.add({ endpoint, maxWaitMs: 0, ...options });
}

describe('the backlog', () => {
  it('the backlog counts the calls that are not over, by endpoint, cost and priority', () => {
    const census = new Backlog();
    const call = calls(census);
    for (const cost of [undefined, 2, 2]) call('GET /a', cost ? { cost } : {});
    call('GET /b', { priority: 5 });
    call('GET /c', { priority: -1 });
    expect(census.aheadOf(0, 0)).toEqual([
      { endpoint: 'GET /a', cost: 2, count: 2 },
      { endpoint: 'GET /a', cost: undefined, count: 1 },
      { endpoint: 'GET /b', cost: undefined, count: 1 },
    ]);
    expect(census.aheadOf(5, 0)).toEqual([{ endpoint: 'GET /b', cost: undefined, count: 1 }]);
  });

  it('the backlog leaves out as many as are under way, of the commonest kinds', () => {
    const census = new Backlog();
    const call = calls(census);
    for (let many = 0; many < 5; many++) call('GET /a');
    call('GET /b');
    expect(census.aheadOf(0, 3).map(({ count }) => count)).toEqual([2, 1]);
    expect(census.aheadOf(0, 5)).toEqual([{ endpoint: 'GET /b', cost: undefined, count: 1 }]);
    expect(census.aheadOf(0, 9)).toEqual([]);
  });

  it('the backlog forgets calls that are over', async () => {
    const census = new Backlog();
    const call = calls(census);
    const [first, second, third] = [call('GET /a'), call('GET /a'), call('GET /b', { cost: 3 })];
    census.remove(first);
    census.remove(third);
    expect(census.aheadOf(0, 0)).toEqual([{ endpoint: 'GET /a', cost: undefined, count: 1 }]);
    const over = census.drained();
    census.remove(second);
    await over;
    expect(census.aheadOf(0, 0)).toEqual([]);
  });

  it('the backlog is drained at once where nobody is', async () => {
    await new Backlog().drained();
  });
});
