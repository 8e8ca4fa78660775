import { describe, expect, it } from 'vitest';
import { Ramp } from '../../../src/quota/recovery/ramp.ts';
import { Reopening } from '../../../src/quota/recovery/reopening.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

describe('what follows a pause', () => {
  it('is one request while it is half-open, whatever was sent before', () => {
    const reopening = new Reopening('a pause');
    expect(reopening.check(true, 1_000)).toBeUndefined();
    reopening.onSent(flightOf('GET /a', 1_000), true);
    expect(reopening.check(true, 1_001)).toMatchObject({ until: 1_000 + AGE_MS, isFirm: false });
    expect(reopening.check(true, 1_001)?.reason()).toEqual({
      kind: 'half-open',
      why: 'one request probes the service after a pause',
    });
    expect(reopening.check(true, 1_000 + AGE_MS)).toBeUndefined();
  });

  it('is then one after the other', () => {
    const reopening = new Reopening('an outage');
    reopening.open();
    reopening.onSent(flightOf('GET /a', 1_000), false);
    expect(reopening.check(false, 1_024)?.until).toBe(1_025);
    expect(reopening.check(false, 1_024)?.reason()).toEqual({
      kind: 'half-open',
      why: 'requests follow one by one after an outage',
    });
    expect(reopening.check(false, 1_025)).toBeUndefined();
  });
});

describe('a ramp', () => {
  it('spaces nothing where no pause has ended', () => {
    const ramp = new Ramp();
    ramp.onSent(1_000);
    expect(ramp.heldUntil(1_000)).toBe(1_000);
  });

  it('has gaps of 25 ms, a half of it, a third, down to 1 ms, and none after that', () => {
    const ramp = new Ramp();
    ramp.begin();
    const gaps = Array.from({ length: 27 }, () => {
      ramp.onSent(1_000);
      return ramp.heldUntil(1_000) - 1_000;
    });
    expect(gaps.slice(0, 3).map((gap) => Math.round(gap * 1e3) / 1e3)).toEqual([25, 12.5, 8.333]);
    expect(gaps.slice(24)).toEqual([1, 0, 0]);
  });
});
