import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Standstill } from '../../../src/sharing/trips/standstill.ts';
import { runs } from '../../support/deep.ts';
import { fleetOf } from '../support/fleet.ts';

describe('a standstill of a share', () => {
  it('lasts too long after eight seconds in which no call could go', () => {
    const standstill = new Standstill();
    for (const now of [1_000, 5_000, 9_000]) expect(standstill.hold(now + 4_000, now)).toBe(false);
    expect(standstill.hold(10_000, 9_001)).toBe(true);
    expect(standstill.hold(20_000, 10_000)).toBe(true);
  });

  it('ends when a call may go', () => {
    const standstill = new Standstill();
    standstill.hold(20_000, 0);
    standstill.end();
    expect([20_000, 28_000, 28_001].map((now) => standstill.hold(30_000, now))).toEqual([false, false, true]);
  });

  it('ends when the call that was held does not ask again: it was aborted', () => {
    const isTooLongAt = (now: number): boolean => {
      const standstill = new Standstill();
      standstill.hold(9_000, 0);
      return standstill.hold(20_000, now);
    };
    expect([isTooLongAt(10_000), isTooLongAt(10_001)]).toEqual([true, false]);
  });
});

it('a call that waits its turn behind those of other processes is no standstill: the store answers', async () => {
  const fleet = fleetOf(16, { keyed: { second: 1 }, latencyMs: [10, 40] }, {}, { calendar: ['second'] });
  const calls = fleet.clients.flatMap((client) => [1, 2, 3].map(() => client.getInfo({ maxWaitMs: 2_000 })));
  const ends = await fleet.clock.run(Promise.allSettled(calls));
  expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(fleet.clock.now()).toBeGreaterThan(40_000);
});

/** What a wire does to a call of the store: it breaks, swallows the answer, or brings it late, always or every so many calls. */
const faults = fc.oneof(
  fc.record({ every: fc.integer({ min: 1, max: 4 }), fate: fc.constant('lost' as const) }),
  fc.record({ every: fc.constantFrom(1, 2, 5), fate: fc.constantFrom(30, 300, 900, 1_500, 5_000) }),
  fc.constant({ every: 1, fate: 'down' as const }),
);

const worlds = fc.record({
  mode: fc.constantFrom('closed', 'partial', 'open'),
  fault: faults,
  isFromStart: fc.boolean(),
  maxWaitMs: fc.constantFrom(0, 1_000, 10_000, 60_000),
  keyed: fc.constantFrom(
    { minute: 5 },
    { second: 20, minute: 500 },
    { second: 1 },
    { hour: 5 },
    { second: 5, day: 60 },
  ),
  seed: fc.integer({ min: 1, max: 1_000 }),
});

/** A call ends no later after its patience than a standstill is borne, and what was under way with it: in milliseconds. */
const LATEST_MS = 8_000 + 2_000;

it('every call ends soon after its patience, whatever becomes of the calls of the store', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ({ mode, fault, isFromStart, maxWaitMs, keyed, seed }) => {
      const fleet = fleetOf(1, { keyed, latencyMs: [10, 40] }, { mode }, { seed });
      const breakStore = (): void => {
        if (fault.fate === 'down') fleet.wire = 'down';
        else fleet.answers = (call) => (call % fault.every === 0 ? (fault.fate as 'lost' | number) : 0);
      };
      if (isFromStart) breakStore();
      for (let count = 0; count < 8; count++) {
        if (count === 2) breakStore();
        let isOver = false;
        void fleet.clients[0]?.getInfo({ maxWaitMs }).then(
          () => (isOver = true),
          () => (isOver = true),
        );
        await fleet.clock.advance(maxWaitMs + LATEST_MS);
        expect(isOver).toBe(true);
      }
    }),
    { numRuns: runs(6, 1_000) },
  );
}, 600_000);
