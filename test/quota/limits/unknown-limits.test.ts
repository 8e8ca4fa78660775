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
  limits.onRefused(first, 100, 100);
  expect(untilOf(limits, charge(), 100)).toBeGreaterThan(100);
});
