import { expect, it } from 'vitest';
import { UnknownLimits } from '../../../src/quota/limits/unknown-limits.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, untilOf } from '../support/builders.ts';

it('where the first answer of all is a refusal, one request goes first again', () => {
  const flights = new InFlight(new Concurrency(1_000), 9_000);
  const limits = new UnknownLimits(flights, wholeShareLimit, () => false);
  const first = flights.take(charge(), 0);
  limits.onRefused(first, { pausedUntil: 100, isExplained: false, isAlone: false }, 100);
  expect(untilOf(limits, charge(), 100)).toBeGreaterThan(100);
});

it('where a refusal follows what was served, its rate is known, and no longer one request goes after the other', () => {
  const flights = new InFlight(new Concurrency(1_000), 9_000);
  const limits = new UnknownLimits(flights, wholeShareLimit, () => false);
  const [first, second] = [flights.take(charge(), 0), flights.take(charge(), 0)];
  limits.onServed(first, 1, 400);
  expect(untilOf(limits, charge(), 400)).toBeGreaterThan(400);
  limits.onRefused(second, { pausedUntil: 400, isExplained: false, isAlone: false }, 400);
  expect(untilOf(limits, charge(), 400)).toBe(400);
});

/** Limits where windows are known: a request is served, and then twice, at a second and at an instant, so many are refused at once. */
function refusedTwice(secondAt: number, isExplained = false, atOnce = 2, served = 1, isAlone = false) {
  const flights = new InFlight(new Concurrency(1_000), 9_000);
  const limits = new UnknownLimits(flights, wholeShareLimit, () => true);
  const send = (now: number) => {
    const flight = flights.take(charge(), now);
    limits.onSent(flight, now);
    return flight;
  };
  const refuse = (now: number) => {
    const sent = Array.from({ length: atOnce }, () => send(now));
    for (const flight of sent) {
      limits.onRefused(flight, { pausedUntil: now + 1_000, isExplained, isAlone }, now + 40);
    }
  };
  const isRate = (now: number, endpoint = 'GET /a') => {
    send(now);
    return limits.check(charge({ endpoint }), now) !== undefined;
  };
  limits.onServed(send(0), 1, 40);
  refuse(1_000);
  expect(isRate(2_000)).toBe(false);
  limits.onServed(send(2_500), served, 2_540);
  refuse(secondAt);
  return { refuse, isRate, serve: (now: number, units: number) => limits.onServed(send(now), units, now + 40) };
}

it.each<[string, number, boolean, number, boolean]>([
  ['that a full window explains say nothing of a rate', 3_000, true, 2, false],
  ['soon after others tell of a rate, although windows are known', 3_000, false, 2, true],
  ['of which none came at once with another may be an endpoint’s own', 3_000, false, 1, false],
  ['long after others may be chance', 63_000, false, 2, false],
])('refusals %s', (_, secondAt, isExplained, atOnce, expected) => {
  expect(refusedTwice(secondAt, isExplained, atOnce).isRate(secondAt + 1_000)).toBe(expected);
});

it('what is refused tells of the rate of all endpoints, unless one refuses alone', () => {
  const { isRate } = refusedTwice(3_000);
  expect(isRate(4_000, 'GET /other')).toBe(true);
});

it('what an endpoint refuses alone tells of its own rate, which holds back no other', () => {
  const { isRate } = refusedTwice(3_000, false, 2, 1, true);
  expect([isRate(4_000), isRate(4_000, 'GET /other')]).toEqual([true, false]);
});

it('a rate is given up for an hour when as many are refused of the requests that it spaces as of others', () => {
  const { refuse, isRate, serve } = refusedTwice(3_000);
  let now = 5_000;
  for (; isRate(now); now += 6_000) {
    serve(now + 500, 1);
    refuse(now + 5_000);
    expect(now).toBeLessThan(60_000);
  }
  for (let later = now + 6_000; later < now + 3_000_000; later += 30_000) {
    refuse(later);
    expect(isRate(later + 1_000)).toBe(false);
  }
  refuse(now + 3_700_000);
  serve(now + 3_701_500, 5);
  refuse(now + 3_702_000);
  expect(isRate(now + 3_703_000)).toBe(true);
});
