import { describe, expect, it } from 'vitest';
import { Probe } from '../../../src/quota/recovery/probe.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

describe('a probe', () => {
  it('holds the others back until it must have arrived', () => {
    const probe = new Probe();
    expect(probe.heldUntil(5)).toBe(5);
    probe.onSent(flightOf('GET /a', 5));
    expect([probe.heldUntil(6), probe.heldUntil(9_000)]).toEqual([5 + AGE_MS, 9_000]);
  });

  it('holds the others back no longer once it has ended', () => {
    const probe = new Probe();
    const flight = flightOf('GET /a', 5);
    probe.onSent(flight);
    flight.isOver = true;
    expect(probe.heldUntil(6)).toBe(6);
  });
});
