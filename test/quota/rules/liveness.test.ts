import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/deep.ts';
import { drive, LEASE_MS, PATIENCE_MS, type Run } from '../support/drive.ts';
import { lossy, STEP_MS, stepped } from '../support/worlds.ts';

/**
 * A minute by a clock that may run a little slow and a quarter of the next, by which a window that may be an estimate of
 * eight has sunk enough; the wait for an answer or a lease that does not return, and what ages first.
 */
const LONGEST_PAUSE_MS = 75_000 * 1.001 + Math.max(PATIENCE_MS, LEASE_MS) + 3_000;

function longestPause({ sends }: Run): number {
  return Math.max(0, ...sends.slice(1).map(({ at }, place) => at - (sends[place]?.at ?? 0)));
}

describe('while there is work and quota,', () => {
  it('something is sent within a window and the time that a request may be under way, whatever became of the others', () => {
    fc.assert(
      fc.property(lossy, ({ terms, job }) => {
        const run = drive(terms, job);
        expect(run.doneAt).toBeDefined();
        expect(longestPause(run)).toBeLessThan(LONGEST_PAUSE_MS);
      }),
      { numRuns: runs(25, 100) },
    );
  });

  it("and when the service's clock is set, within that time and as much as it was set by", () => {
    fc.assert(
      fc.property(stepped, ({ terms, job }) => {
        const run = drive(terms, job);
        expect(run.doneAt).toBeDefined();
        expect(longestPause(run)).toBeLessThan(LONGEST_PAUSE_MS + STEP_MS);
      }),
      { numRuns: runs(25, 100) },
    );
  });
});
