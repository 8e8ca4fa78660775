import { describe, expect, it } from 'vitest';
import { Census } from '../src/census.ts';

/** Calls that a test ends by hand. */
function calls(census: Census) {
  return (endpoint: string, options: { readonly cost?: number; readonly priority?: number } = {}) => {
    const call = Promise.withResolvers<void>();
    census.count({ endpoint, maxWaitMs: 0, ...options }, call.promise).catch(() => {});
    return call;
  };
}

describe('the census', () => {
  it('counts the calls that are not over, by endpoint, cost and priority', () => {
    const census = new Census();
    const call = calls(census);
    for (const cost of [undefined, 2, 2]) call('GET /a', cost ? { cost } : {});
    call('GET /b', { priority: 5 });
    call('GET /c', { priority: -1 });
    expect(census.ahead(0, 0)).toEqual([
      { endpoint: 'GET /a', cost: 2, count: 2 },
      { endpoint: 'GET /a', cost: undefined, count: 1 },
      { endpoint: 'GET /b', cost: undefined, count: 1 },
    ]);
    expect(census.ahead(5, 0)).toEqual([{ endpoint: 'GET /b', cost: undefined, count: 1 }]);
  });

  it('leaves out as many as are under way, of the commonest kinds', () => {
    const census = new Census();
    const call = calls(census);
    for (let many = 0; many < 5; many++) call('GET /a');
    call('GET /b');
    expect(census.ahead(0, 3).map(({ count }) => count)).toEqual([2, 1]);
    expect(census.ahead(0, 5)).toEqual([{ endpoint: 'GET /b', cost: undefined, count: 1 }]);
    expect(census.ahead(0, 9)).toEqual([]);
  });

  it('forgets calls that are over, well or not', async () => {
    const census = new Census();
    const call = calls(census);
    const [first, second, third] = [call('GET /a'), call('GET /a'), call('GET /b', { cost: 3 })];
    first.resolve();
    third.reject(new Error('lost'));
    await first.promise;
    await third.promise.catch(() => {});
    expect(census.ahead(0, 0)).toEqual([{ endpoint: 'GET /a', cost: undefined, count: 1 }]);
    second.resolve();
    await census.over();
    expect(census.ahead(0, 0)).toEqual([]);
  });
});
