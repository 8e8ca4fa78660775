import { describe, expect, it } from 'vitest';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { type Flight, InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, untilOf } from '../support/builders.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge({ units: 2 });

/** Three requests under way, sent at 0, 10 and 20, of no more than three. */
function three(): { flights: InFlight; taken: readonly Flight[] } {
  const flights = new InFlight(new Concurrency(3), 9_000);
  return { flights, taken: [0, 10, 20].map((now) => flights.take(CHARGE, now)) };
}

/** The instants at which those were sent that are booked at an instant. */
function aged(flights: InFlight, now: number): number[] {
  const booked: number[] = [];
  flights.age(now, ({ sentAt }) => booked.push(sentAt));
  return booked;
}

describe('requests in flight', () => {
  it('what is in flight is counted, and so are its units', () => {
    const { flights } = three();
    expect([flights.open, flights.requests, flights.units]).toEqual([3, 3, 6]);
  });

  it('what is in flight is no more than may be at once', () => {
    const { flights, taken } = three();
    expect(untilOf(flights, CHARGE, 30)).toBe(AGE_MS);
    expect(flights.check(CHARGE, 30)?.reason().kind).toBe('concurrency');
    expect(flights.check(CHARGE, 30)?.isFirm).toBe(false);
    for (const flight of taken.slice(1, 2)) flights.end(flight);
    expect(untilOf(flights, CHARGE, 30)).toBe(30);
  });

  it('what is in flight gives its units back when it ends, once', () => {
    const { flights, taken } = three();
    for (const flight of [...taken.slice(0, 2), ...taken.slice(0, 2)]) flights.end(flight);
    expect([flights.open, flights.units]).toEqual([1, 2]);
    flights.take(CHARGE, 30);
    expect(flights.check(CHARGE, 30)).toBeUndefined();
    flights.take(CHARGE, 30);
    expect(flights.check(CHARGE, 30)).toBeDefined();
  });

  it('what is in flight weighs on every window until it must have arrived, and is then booked, once, the oldest first', () => {
    const { flights } = three();
    expect(flights.nextAge()).toBe(AGE_MS);
    expect(aged(flights, AGE_MS - 1)).toEqual([]);
    expect(aged(flights, AGE_MS + 10)).toEqual([0, 10]);
    expect(aged(flights, AGE_MS + 10)).toEqual([]);
    expect([flights.open, flights.requests, flights.units]).toEqual([3, 1, 2]);
    expect(flights.nextAge()).toBe(AGE_MS + 20);
  });

  it('what is in flight takes a place until it is settled or was forgotten for too long', () => {
    const { flights } = three();
    aged(flights, 8_999);
    expect(untilOf(flights, CHARGE, 8_999)).toBe(9_000);
    aged(flights, 9_000);
    expect(flights.open).toBe(2);
    expect(untilOf(flights, CHARGE, 9_000)).toBe(9_000);
  });

  it('what is in flight holds nothing back once the oldest must have arrived, though it was not looked at since', () => {
    const { flights } = three();
    expect(flights.check(CHARGE, AGE_MS - 1)?.until).toBe(AGE_MS);
    expect(flights.check(CHARGE, AGE_MS)).toBeUndefined();
    expect(flights.check(CHARGE, AGE_MS + 1)).toBeUndefined();
  });

  it('what is in flight is nothing at first, and nothing of it will age', () => {
    const flights = new InFlight(new Concurrency(3), 9_000);
    expect([flights.open, flights.units, flights.nextAge()]).toEqual([0, 0, Infinity]);
  });

  it('units in flight that are fractions add up to nothing when all are settled', () => {
    const flights = new InFlight(new Concurrency(8), 9_000);
    const taken = [0.1, 0.2, 0.3].map((units) => flights.take({ endpoint: 'GET /a', units, priority: 0 }, 0));
    for (const flight of taken) flights.end(flight);
    expect(flights.units).toBe(0);
  });

  it('what is in flight is counted by endpoint, until it must have arrived', () => {
    const flights = new InFlight(new Concurrency(8), 9_000);
    const [first] = [0, 10, 20].map((now) => flights.take(CHARGE, now));
    flights.take({ ...CHARGE, endpoint: 'GET /b', units: 5 }, 30);
    expect(flights.heldOf(new Set(['GET /b', 'GET /c']), true)).toBe(5);
    expect(flights.heldOf(new Set([CHARGE.endpoint, 'GET /b', 'GET /c']), false)).toBe(4);
    if (first) flights.end(first);
    expect(flights.heldOf(new Set([CHARGE.endpoint]), false)).toBe(2);
    aged(flights, AGE_MS + 10);
    expect(flights.heldOf(new Set([CHARGE.endpoint]), false)).toBe(1);
    aged(flights, AGE_MS + 20);
    expect([flights.heldOf(new Set([CHARGE.endpoint]), false), flights.heldOf(new Set(['GET /b']), false)]).toEqual([
      0, 1,
    ]);
  });

  it('what is in flight remembers what was sent since an instant, whether it has come back or not', () => {
    const { flights, taken } = three();
    for (const flight of taken) flights.end(flight);
    expect([0, 5, 10, 20, 21].map((instant) => flights.sentSince(instant))).toEqual([6, 4, 4, 2, 0]);
  });
});
