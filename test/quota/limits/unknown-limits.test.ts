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
  limits.onRefused(first, 100, false, 100);
  expect(untilOf(limits, charge(), 100)).toBeGreaterThan(100);
});

it.each<[string, boolean, number, boolean]>([
  ['that a full window explains says nothing of a rate', true, 3_000, false],
  ['soon after another tells of a rate, although windows are known', false, 3_000, true],
  ['long after another may be chance', false, 63_000, false],
])('a refusal %s', (_, isExplained, secondAt, isRate) => {
  const flights = new InFlight(new Concurrency(1_000), 9_000);
  const limits = new UnknownLimits(flights, wholeShareLimit, () => true);
  const send = (now: number) => {
    const flight = flights.take(charge(), now);
    limits.onSent(flight, now);
    return flight;
  };
  limits.onServed(send(0), 1, 40);
  limits.onRefused(send(1_000), 2_000, isExplained, 1_040);
  send(2_000);
  expect(limits.check(charge(), 2_000)).toBeUndefined();
  limits.onServed(send(2_500), 1, 2_540);
  limits.onRefused(send(secondAt), secondAt + 1_000, isExplained, secondAt + 40);
  send(secondAt + 1_000);
  expect(limits.check(charge(), secondAt + 1_000) !== undefined).toBe(isRate);
});
