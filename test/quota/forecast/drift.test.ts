import { describe, expect, it } from 'vitest';
import { type Books, driftOf } from '../../../src/quota/forecast/drift.ts';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';

/** What is the difference where the service has counted so many units of a minute of 100? */
function drift(used: number, books: Partial<Books> = {}): number | undefined {
  const quota = said({ minute: { limit: 100, remaining: 100 - used } });
  return driftOf(quota, [{ period: 'minute', spent: 20, held: 3, settledSince: 2, ...books }]).minute;
}

function said(stacks: QuotaSnapshot['stacks']): QuotaSnapshot {
  return { receivedAt: 0, stacks, malformed: [], unrecognised: {} };
}

describe('the difference between the service’s count and our bookings', () => {
  it('is none where requests in flight, or answered since, explain it', () => {
    expect([18, 20, 23].map((used) => drift(used))).toEqual([0, 0, 0]);
  });

  it('is what was counted beyond all that we can have used', () => {
    expect(drift(24)).toBe(1);
    expect(drift(60)).toBe(37);
  });

  it('is negative where less was counted than we have surely used', () => {
    expect(drift(17)).toBe(-1);
    expect(drift(0)).toBe(-18);
  });

  it('is unknown of a window that the answer does not name in full', () => {
    const books = [{ period: 'minute', spent: 20, held: 3, settledSince: 2 }] as const;
    for (const minute of [{ limit: 100 }, { remaining: 5 }, {}]) expect(driftOf(said({ minute }), books)).toEqual({});
    expect(driftOf(said({}), books)).toEqual({});
  });
});
