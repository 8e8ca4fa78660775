import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../src/quota/admission.ts';
import { Costs } from '../../../src/quota/limits/costs.ts';
import { learned } from '../support/learned-costs.ts';

describe('the charge of a request', () => {
  const charged = (costs: Costs, ask: object = {}, shortestLimit = 9): Charge =>
    costs.charge({ endpoint: 'GET /a', maxWaitMs: 0, ...ask }, { shortestLimit });

  it('is what its caller states, of whatever endpoint', () => {
    const stated = { endpoint: 'GET /new', cost: 3, priority: 2 };
    expect(charged(learned(2), stated)).toMatchObject({ units: 3, isStated: true, priority: 2 });
  });

  it('is its expected cost, at no priority unless the caller says one', () => {
    expect(charged(learned(2))).toMatchObject({ units: 2, likely: 2, least: 0, priority: 0 });
    expect(charged(learned(2), { priority: 5 }).priority).toBe(5);
  });

  it('is half of the shortest window where its cost is unknown, or the highest cost if that is more', () => {
    const news = { endpoint: 'GET /new' };
    expect([9, 10, 2].map((limit) => charged(learned(2), news, limit).units)).toEqual([5, 5, 2]);
    expect(charged(new Costs(), news).units).toBe(1);
  });

  it('says from which cost on such requests were refused, until one is served', () => {
    const costs = learned(2);
    const least = (query?: string, endpoint = 'GET /a'): number | undefined =>
      charged(costs, { endpoint, query }).least;
    expect(least()).toBe(0);
    costs.learnRefused('GET /a', 6, 'limit=50');
    costs.learnRefused('GET /b', 7);
    expect([least('limit=50'), least(), least('', 'GET /b'), least(undefined, 'GET /b')]).toEqual([6, 2, 7, 7]);
    expect(least(undefined, 'GET /new')).toBe(0);
    costs.learn('GET /a', 4, 'limit=50');
    expect(least('limit=50')).toBe(2);
    costs.learn('GET /b', 4);
    expect(least()).toBe(0);
  });

  it('remembers a thousand of those that were refused', () => {
    const costs = new Costs();
    for (let page = 0; page <= 1_000; page++) costs.learnRefused('GET /a', page === 999 ? 5 : 3, `page=${page}`);
    const least = (page: number): number | undefined => charged(costs, { query: `page=${page}` }).least;
    expect([least(999), least(1_000)]).toEqual([5, 3]);
    costs.learnRefused('GET /a', 2, 'page=1001');
    expect(least(1_001)).toBe(2);
    costs.learnRefused('GET /a', 9, 'page=1002');
    expect(least(1_002)).toBe(2);
  });
});
