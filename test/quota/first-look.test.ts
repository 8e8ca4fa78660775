import { describe, expect, it } from 'vitest';
import { FirstLook } from '../../src/quota/first-look.ts';
import { InFlight } from '../../src/quota/in-flight.ts';
import { wholePart } from '../../src/quota/part.ts';
import { AGE_MS } from './script.ts';

const CHARGE = { endpoint: 'GET /a', units: 1, priority: 0 };

/** How many more requests may go at once. */
function room(look: FirstLook, flights: InFlight): number {
  let many = 0;
  for (; many < 99 && look.earliest(CHARGE, 0) <= 0; many++) flights.take(CHARGE, 0);
  return many;
}

function begin(): { look: FirstLook; flights: InFlight } {
  const flights = new InFlight(1_000, 9_000);
  return { look: new FirstLook(flights, wholePart), flights };
}

describe('the first look', () => {
  it('is that of one request, which the others wait for until it must have arrived', () => {
    const { look, flights } = begin();
    expect(room(look, flights)).toBe(1);
    expect(look.earliest(CHARGE, 5)).toBe(AGE_MS);
    expect(look.isFirm()).toBe(false);
    expect(look.explain().limit).toBe('first look');
  });

  it('doubles with every answer that names no window', () => {
    const { look, flights } = begin();
    for (const _ of [1, 2, 3]) look.welcome(false);
    expect(room(look, flights)).toBe(8);
  });

  it('is over with the first answer that names one', () => {
    const { look, flights } = begin();
    look.welcome(true);
    expect(room(look, flights)).toBe(99);
    look.rebuff();
    expect(room(look, flights)).toBe(99);
  });

  it('begins again with one after a refusal that names no window', () => {
    const { look, flights } = begin();
    for (const _ of [1, 2, 3]) look.welcome(false);
    look.rebuff();
    expect(room(look, flights)).toBe(1);
  });
});
