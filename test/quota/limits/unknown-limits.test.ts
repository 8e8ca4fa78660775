import { expect, it } from 'vitest';
import { UnknownLimits } from '../../../src/quota/limits/unknown-limits.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, untilOf } from '../support/builders.ts';

it('after a refusal one request goes first again, while no answer has named a limit', () => {
  const flights = new InFlight(1_000, 9_000);
  const limits = new UnknownLimits(flights, wholeShareLimit, () => false);
  const first = flights.take(charge(), 0);
  limits.onServed(1, 100);
  expect(untilOf(limits, charge(), 100)).toBe(100);
  limits.onRefused(first, 100, 100);
  expect(untilOf(limits, charge(), 100)).toBeGreaterThan(100);
});
