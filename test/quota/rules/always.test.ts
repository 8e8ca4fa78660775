import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numbersIn } from '../support/numbers-in.ts';
import { AGE_MS, anySteps, CONCURRENCY, LEASE_MS, Stage } from '../support/script.ts';

describe('whatever happens, in whatever order,', () => {
  it('the units held are those of the leases that are out and may not have arrived', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        for (const { at, open, view } of new Stage({ origin: 0 }).play(steps)) {
          const young = open.filter(({ sentAt }) => at < sentAt + AGE_MS);
          expect(view.held).toBe(young.reduce((units, lease) => units + lease.units, 0));
          expect(view.inFlight).toBe(open.filter(({ sentAt }) => at < sentAt + LEASE_MS).length);
          expect(view.inFlight).toBeLessThanOrEqual(CONCURRENCY);
        }
      }),
    );
  });

  it('the view is made of finite numbers, and no headroom is negative or more than the window', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        for (const { view } of new Stage().play(steps)) {
          expect(numbersIn(view).filter((number) => !Number.isFinite(number))).toEqual([]);
          for (const { headroom, limit } of view.windows) {
            expect(headroom).toBeGreaterThanOrEqual(0);
            expect(headroom).toBeLessThanOrEqual(limit);
          }
        }
      }),
    );
  });

  it('a wait ends, later than now, and has a reason', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        for (const { at, admission } of new Stage({ origin: 0 }).play(steps)) {
          if (!admission || admission.kind === 'granted') continue;
          expect(admission.kind).toBe('wait');
          expect(admission.until).toBeGreaterThan(at);
          expect(admission.until).toBeLessThan(Infinity);
          expect(admission.reason.why).toMatch(/\w/);
        }
      }),
    );
  });

  it('the same events give the same decisions and the same view', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        expect(new Stage().play(steps)).toEqual(new Stage().play(steps));
      }),
    );
  });
});
