import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BATCHES, type Batch, slidOut, withoutUnits, withUnits } from '../../../src/sharing/store/batches.ts';
import { runs } from '../../support/deep.ts';

const MINUTE_MS = 60_000;

const claims = fc.array(
  fc.record({
    units: fc.integer({ min: 1, max: 9 }),
    to: fc.integer({ min: 1, max: 3 * MINUTE_MS }),
    returned: fc.oneof(fc.constant(0), fc.nat(9)),
  }),
  { minLength: 1, maxLength: 20 },
);

/** The batches of claims of which some units were returned, one after the other. */
function batchesOf(
  all: readonly { readonly units: number; readonly to: number; readonly returned: number }[],
): readonly Batch[] {
  return all.reduce<readonly Batch[]>((batches, { units, to, returned }) => {
    const more = withUnits(batches, units, to);
    return returned > 0 ? withoutUnits(more, Math.min(units, returned), to) : more;
  }, []);
}

describe('the batches of an instance', () => {
  it('free no unit before its slot has slid out, and each at last, however many slots there are and whatever is returned', () => {
    fc.assert(
      fc.property(claims, fc.nat(3 * MINUTE_MS), (all, slidBy) => {
        const batches = batchesOf(all);
        const left = (from: number): number =>
          all.reduce((sum, { units, to, returned }) => sum + (to > from ? Math.max(0, units - returned) : 0), 0);
        const held = left(0);
        expect(batches.length).toBeLessThanOrEqual(BATCHES);
        expect(held - slidOut(batches, held, slidBy)).toBeGreaterThanOrEqual(left(slidBy));
        expect(slidOut(batches, held, 3 * MINUTE_MS)).toBe(held);
      }),
      { numRuns: runs(1_000, 20_000) },
    );
  });

  it('free units of a few slots at the end of each', () => {
    const batches = [3_000, 1_000, 4_000, 2_000].reduce<readonly Batch[]>((all, to) => withUnits(all, 2, to), []);
    expect([0, 1_000, 2_999, 3_000, 4_000].map((slidBy) => slidOut(batches, 8, slidBy))).toEqual([0, 2, 4, 6, 8]);
  });

  it('do not free what was claimed without a batch', () => {
    expect(slidOut(withUnits([], 2, 1_000), 5, 1_000)).toBe(2);
  });
});
