import { describe, expect, it } from 'vitest';
import { SlowStart } from '../../../src/quota/limits/slow-start.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, untilOf } from '../support/builders.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge();
const SLOW_MS = 400;

/** How many more requests may go at once. */
function room(look: SlowStart, flights: InFlight): number {
  let many = 0;
  for (; many < 99 && untilOf(look, CHARGE, 0) <= 0; many++) flights.take(CHARGE, 0);
  return many;
}

function begin(): { look: SlowStart; flights: InFlight } {
  const flights = new InFlight(new Concurrency(1_000), 9_000);
  return { look: new SlowStart(flights, wholeShareLimit), flights };
}

describe('slow start', () => {
  it('the first look is that of one request, which the others wait for until it must have arrived', () => {
    const { look, flights } = begin();
    expect(room(look, flights)).toBe(1);
    expect(untilOf(look, CHARGE, 5)).toBe(AGE_MS);
    expect(look.check(CHARGE, 5)?.isFirm).toBe(false);
    expect(look.check(CHARGE, AGE_MS)).toBeUndefined();
    expect(look.check(CHARGE, 5)?.reason().kind).toBe('slow-start');
  });

  it('the first look grows by one with each round trip of answers that name no window', () => {
    const { look, flights } = begin();
    const allowed = [1, 2, 3, 4].map((many) => {
      for (let answer = 0; answer < many; answer++) look.onServed(SLOW_MS + 100, false);
      room(look, flights);
      return flights.requests;
    });
    expect(allowed).toEqual([2, 3, 4, 5]);
  });

  it('the first look grows by one in 0.4 s where round trips are shorter, because all that are in flight may be refused', () => {
    const { look, flights } = begin();
    const allowed = [1, 2].map((many) => {
      for (let answer = 0; answer < 4 * many; answer++) look.onServed(SLOW_MS / 4, false);
      room(look, flights);
      return flights.requests;
    });
    expect(allowed).toEqual([2, 3]);
  });

  it('the first look grows by a step that has begun', () => {
    const { look, flights } = begin();
    const allowed = [1, 2, 3, 4, 5].map(() => {
      look.onServed(SLOW_MS / 4, false);
      room(look, flights);
      return flights.requests;
    });
    expect(allowed).toEqual([2, 2, 2, 2, 3]);
  });

  it('the first look is none where a share grants units', () => {
    const flights = new InFlight(new Concurrency(1_000), 9_000);
    expect(room(new SlowStart(flights, { isGranting: true }), flights)).toBe(99);
  });

  it('the first look is over with the first answer that names one', () => {
    const { look, flights } = begin();
    look.onServed(SLOW_MS, true);
    expect(room(look, flights)).toBe(99);
    look.onRefused();
    expect(room(look, flights)).toBe(99);
  });

  it('the first look is over with a refusal, unless that is the first answer of all: it shows no rate', () => {
    const { look, flights } = begin();
    look.onRefused();
    expect(room(look, flights)).toBe(1);
    look.onServed(SLOW_MS, false);
    look.onRefused();
    expect(room(look, flights)).toBe(99);
  });
});
