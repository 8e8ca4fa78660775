import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { Look } from '../../../src/quota/window/boundary-probe.ts';
import { AGE_MS } from '../support/script.ts';

const END = 60_000;
const LIMIT = 100;
/** Surely past the end: the service's clock shows what ours does, give or take the slack of a stamp. */
const PAST_END = END + 100;

/** A look at a window that ends at a full minute, in which a request of `units` was sent at 0. */
function looking(units = 1): { look: Look; flights: InFlight } {
  const clock = new ServerClock();
  clock.hear(0, 0, 0);
  clock.hear(-1_000, -1, -1);
  const flights = new InFlight(10, 9_000);
  const look = new Look(clock, flights);
  look.take(units, 0);
  look.hear(END);
  return { look, flights };
}

describe('a look past the end of a window', () => {
  it('has room kept for it until the end: as much as the dearest request took', () => {
    const { look } = looking(3);
    look.take(1, 10);
    expect(look.kept(LIMIT, 20)).toBe(3);
    expect(look.due(20)).toBeGreaterThanOrEqual(END);
    expect(look.due(20)).toBeLessThan(PAST_END);
  });

  it('but never more than a tenth of the window', () => {
    expect(looking(30).look.kept(LIMIT, 20)).toBe(10);
    expect(looking(1).look.kept(5, 20)).toBe(0);
  });

  it('may be taken past the end, by one request, when nothing is under way', () => {
    const { look } = looking(3);
    expect(look.kept(LIMIT, PAST_END)).toBe(0);
    look.take(1, PAST_END);
    expect(look.kept(LIMIT, PAST_END + 1)).toBe(3);
  });

  it('waits for what is under way, because it may have taken the room', () => {
    const { look, flights } = looking(3);
    flights.take({ endpoint: 'GET /a', units: 1, priority: 0 }, END - 100);
    expect(look.kept(LIMIT, PAST_END)).toBe(3);
    expect(look.due(PAST_END)).toBe(END - 100 + AGE_MS);
  });

  it('needs no room where the service named the end and requests cost one unit', () => {
    const { look } = looking(1);
    look.hearNamed(30_500, 0);
    expect(look.kept(LIMIT, 20)).toBe(0);
    expect(look.namedFor(1)).toBeGreaterThanOrEqual(30_500);
    expect(look.namedFor(2)).toBe(Number.POSITIVE_INFINITY);
  });

  it('forgets a named end when a request has tried it', () => {
    const { look } = looking(1);
    look.hearNamed(30_500, 0);
    look.take(1, 31_000);
    expect(look.namedFor(1)).toBe(Number.POSITIVE_INFINITY);
    expect(look.kept(LIMIT, 31_001)).toBe(1);
  });
});

describe('a look after a rest', () => {
  const REST = 500;

  it('has room kept for it, beside what is kept for the end, until so long nothing was sent', () => {
    const { look } = looking(3);
    look.hear(END, REST);
    expect(look.kept(LIMIT, REST - 1)).toBe(6);
    expect(look.due(0)).toBe(REST);
    expect(look.kept(LIMIT, REST)).toBe(3);
  });

  it('is taken once in a calendar window', () => {
    const { look } = looking();
    look.hear(END, REST);
    look.take(1, REST);
    expect(look.kept(LIMIT, REST)).toBe(1);
    expect(look.due(REST)).toBeGreaterThanOrEqual(END);
    look.hear(2 * END, REST);
    expect(look.kept(LIMIT, REST)).toBe(2);
  });

  it('waits until it would tell something', () => {
    const { look } = looking();
    look.hear(END, Number.POSITIVE_INFINITY);
    expect(look.kept(LIMIT, REST)).toBe(2);
    expect(look.due(REST)).toBeGreaterThanOrEqual(END);
  });

  it('waits for what is under way, and may be under way itself', () => {
    const { look, flights } = looking();
    look.hear(END, REST);
    flights.take({ endpoint: 'GET /a', units: 1, priority: 0 }, 0);
    expect(look.kept(LIMIT, REST)).toBe(2);
    look.take(1, REST);
    expect(look.kept(LIMIT, REST)).toBe(1);
  });

  it('is kept room for where the service named the end, too', () => {
    const { look } = looking();
    look.hear(END, REST);
    look.hearNamed(30_500, 0);
    expect(look.kept(LIMIT, 20)).toBe(1);
    expect(look.kept(LIMIT, REST)).toBe(0);
  });
});
