import { describe, expect, it } from 'vitest';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { SentInWindow } from '../../../../src/quota/window/sent-in-window.ts';
import { BoundaryProbe } from '../../../../src/quota/window/shape/boundary-probe.ts';
import { charge, knownClock } from '../../support/builders.ts';
import { AGE_MS } from '../../support/script.ts';

const END = 60_000;
const LIMIT = 100;
/** Surely past the end: the service's clock shows what ours does, give or take the slack of a stamp. */
const PAST_END = END + 100;

/** A look at a window that ends at a full minute, in which a request of `units` was sent at 0. */
function looking(units = 1): {
  look: BoundaryProbe;
  flights: InFlight;
  send: (units: number, now: number) => void;
} {
  const clock = knownClock();
  const flights = new InFlight(new Concurrency(10), 9_000);
  const sent = new SentInWindow('minute', clock);
  const look = new BoundaryProbe(clock, flights, sent);
  const send = (some: number, now: number): void => {
    look.onSent(some, now);
    sent.onSent(some, now);
  };
  send(units, 0);
  look.onReading(END);
  return { look, flights, send };
}

describe('a look past the end of a window', () => {
  it('has room kept for it until the end: as much as the largest request took', () => {
    const { look, send } = looking(3);
    send(1, 10);
    expect(look.reserved(LIMIT, 20)).toBe(3);
    expect(look.nextProbeAt(20)).toBeGreaterThanOrEqual(END);
    expect(look.nextProbeAt(20)).toBeLessThan(PAST_END);
  });

  it('but never more than a tenth of the window', () => {
    expect(looking(30).look.reserved(LIMIT, 20)).toBe(10);
    expect(looking(1).look.reserved(5, 20)).toBe(0);
  });

  it('may be taken past the end, by one request, when nothing is under way', () => {
    const { look, send } = looking(3);
    expect(look.reserved(LIMIT, PAST_END)).toBe(0);
    send(1, PAST_END);
    expect(look.reserved(LIMIT, PAST_END + 1)).toBe(3);
  });

  it('waits for what is under way, because it may have taken the room', () => {
    const { look, flights } = looking(3);
    flights.take(charge(), END - 100);
    expect(look.reserved(LIMIT, PAST_END)).toBe(3);
    expect(look.nextProbeAt(PAST_END)).toBe(END - 100 + AGE_MS);
  });

  it('needs no room where the service named the end and requests cost one unit', () => {
    const { look } = looking(1);
    look.onNamedEnd(30_500, 0);
    expect(look.reserved(LIMIT, 20)).toBe(0);
    expect(look.trialFor(1, false)).toBeGreaterThanOrEqual(30_500);
    expect(look.trialFor(2, false)).toBe(Infinity);
    const { look: costly } = looking(3);
    costly.onNamedEnd(30_500, 0);
    expect(costly.reserved(LIMIT, 20)).toBe(3);
  });

  it('is tried by one request where other consumers have used what was reserved for it', () => {
    const { look, flights, send } = looking(3);
    expect(look.trialFor(3, false)).toBe(Infinity);
    expect(look.trialFor(3, true)).toBeLessThanOrEqual(PAST_END);
    const flight = flights.take(charge(), PAST_END);
    send(3, PAST_END);
    expect(look.trialFor(3, true)).toBe(Infinity);
    flights.end(flight);
    expect(look.trialFor(3, true)).toBe(Infinity);
  });

  it('forgets a named end when a request has tried it', () => {
    const { look, send } = looking(1);
    look.onNamedEnd(30_500, 0);
    send(1, 31_000);
    expect(look.trialFor(1, false)).toBe(Infinity);
    expect(look.reserved(LIMIT, 31_001)).toBe(1);
  });
});

describe('a look after a rest', () => {
  const REST = 500;

  it('has room kept for it, beside what is kept for the end, until so long nothing was sent', () => {
    const { look } = looking(3);
    look.onReading(END, REST);
    expect(look.reserved(LIMIT, REST - 1)).toBe(6);
    expect(look.nextProbeAt(0)).toBe(REST);
    expect(look.reserved(LIMIT, REST)).toBe(3);
  });

  it('is taken once in a calendar window', () => {
    const { look, send } = looking();
    look.onReading(END, REST);
    send(1, REST);
    expect(look.reserved(LIMIT, REST)).toBe(1);
    expect(look.nextProbeAt(REST)).toBeGreaterThanOrEqual(END);
    look.onReading(2 * END, REST);
    expect(look.reserved(LIMIT, REST)).toBe(2);
  });

  it('waits until it would tell something', () => {
    const { look } = looking();
    look.onReading(END, Infinity);
    expect(look.reserved(LIMIT, REST)).toBe(2);
    expect(look.nextProbeAt(REST)).toBeGreaterThanOrEqual(END);
  });

  it('waits for what is under way, and may be under way itself', () => {
    const { look, flights, send } = looking();
    look.onReading(END, REST);
    flights.take(charge(), 0);
    expect(look.reserved(LIMIT, REST)).toBe(2);
    send(1, REST);
    expect(look.reserved(LIMIT, REST)).toBe(1);
  });

  it('is kept room for where the service named the end, too', () => {
    const { look } = looking();
    look.onReading(END, REST);
    look.onNamedEnd(30_500, 0);
    expect(look.reserved(LIMIT, 20)).toBe(1);
    expect(look.reserved(LIMIT, REST)).toBe(0);
  });
});
