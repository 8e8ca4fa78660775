import { describe, expect, it } from 'vitest';
import { Bulkhead } from '../../../src/quota/limits/bulkhead.ts';
import { Outages } from '../../../src/quota/limits/outages.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { type Flight, InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const A = charge({ endpoint: 'GET /a' });
const B = charge({ endpoint: 'GET /b' });

/** A bulkhead where these endpoints were answered, and as many requests of `GET /a` are sent, one each millisecond. */
function bulkheadOf(concurrency: number, requests: number, ...answered: readonly string[]) {
  const outages = new Outages();
  for (const endpoint of answered) outages.onAnswer(flightOf(endpoint, 0));
  const limit = new Concurrency(concurrency);
  const inFlight = new InFlight(limit, 9_000);
  const flights = Array.from({ length: requests }, (_, at): Flight => inFlight.take(A, at));
  return { bulkhead: new Bulkhead(inFlight, limit, outages), inFlight, flights };
}

describe('a bulkhead', () => {
  it('leaves a quarter of the concurrency to other endpoints', () => {
    const { bulkhead, inFlight, flights } = bulkheadOf(32, 24, 'GET /a', 'GET /b');
    const hold = bulkhead.check(A, 30);
    expect(hold).toMatchObject({ scope: 'endpoint', isFirm: false, mayEndOnAnswer: true });
    expect(hold?.reason().kind).toBe('concurrency');
    expect(bulkhead.check(B, 30)).toBeUndefined();
    expect(bulkhead.fullOf('GET /a')).toEqual({ limit: 24, open: 24, sentAt: 23 });
    inFlight.end(flights[0] as Flight);
    expect(bulkhead.check(A, 30)).toBeUndefined();
  });

  it('counts requests that have been under way for long', () => {
    const { bulkhead, inFlight } = bulkheadOf(32, 24, 'GET /b');
    inFlight.age(5_000, () => {});
    expect(bulkhead.check(A, 5_000)?.until).toBe(9_000);
  });

  it.each([
    ['no other endpoint was answered', 32, 24, ['GET /a']],
    ['fewer are under way', 32, 23, ['GET /b']],
    ['all of so little are needed', 3, 2, ['GET /b']],
  ])('holds nothing back if %s', (_, concurrency, requests, answered) => {
    const { bulkhead } = bulkheadOf(concurrency, requests, ...answered);
    expect([bulkhead.check(A, 30), bulkhead.fullOf('GET /a')]).toEqual([undefined, undefined]);
  });
});
