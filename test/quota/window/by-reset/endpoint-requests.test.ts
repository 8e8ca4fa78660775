import { describe, expect, it } from 'vitest';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { EndpointRequests } from '../../../../src/quota/window/by-reset/endpoint-requests.ts';

/** Requests of these endpoints, counted a tenth of a second after each was sent, a second apart. */
function counting(...endpoints: readonly string[]): EndpointRequests & { readonly flights: InFlight } {
  const flights = new InFlight(new Concurrency(10), 9_000);
  const requests = new EndpointRequests(flights);
  for (const endpoint of new Set(endpoints)) requests.take(endpoint);
  requests.begin(60_000);
  for (const [at, endpoint] of endpoints.entries()) requests.add(endpoint, at * 1_000, at * 1_000 + 100, 1, true);
  return Object.assign(requests, { flights });
}

describe('the requests that count in a window', () => {
  it('are those of endpoints that it takes', () => {
    const requests = counting('GET /a');
    requests.add('GET /b', 0, 100, 1, true);
    expect([requests.has('GET /a'), requests.has('GET /b')]).toEqual([true, false]);
    expect(requests.countedBefore(9_000)).toBe(1);
  });

  it('are counted before an instant where they were answered by then, save for refusals and what is posted late', () => {
    const requests = counting('GET /a', 'GET /b');
    expect([50, 149, 150, 1_150].map((instant) => requests.countedBefore(instant))).toEqual([0, 0, 1, 2]);
    requests.add('GET /b', 3_000, 3_100, 1, false);
    expect(requests.countedBefore(9_000)).toBe(2);
    expect([requests.countedBefore(9_000, 'GET /b'), requests.countedBefore(9_000, 'GET /c')]).toEqual([1, 0]);
    expect([requests.settledSince(1_149), requests.settledSince(1_150)]).toEqual([2, 1]);
  });

  it('begin anew with an end that is more than half a second later: of one endpoint, or of all', () => {
    const counted = (resetAt: number, endpoint?: string): number => {
      const requests = counting('GET /a', 'GET /b');
      requests.begin(resetAt, endpoint);
      return requests.countedBefore(9_000);
    };
    expect([59_000, 60_500, Number.NaN].map((resetAt) => counted(resetAt))).toEqual([2, 2, 2]);
    expect([counted(60_501), counted(60_501, 'GET /b')]).toEqual([0, 1]);
  });

  it('move to another window together with their endpoint, and stay if it is there', () => {
    const [one, other] = [counting('GET /a', 'GET /b', 'GET /b'), counting('GET /c')];
    other.take('GET /b', one);
    expect([one.has('GET /b'), other.has('GET /b')]).toEqual([false, true]);
    expect([one.countedBefore(9_000), other.countedBefore(9_000)]).toEqual([1, 3]);
    other.take('GET /b');
    expect(other.countedBefore(9_000)).toBe(3);
  });
});
