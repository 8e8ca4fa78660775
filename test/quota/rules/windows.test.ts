import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/quota/admission.ts';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { LIMITS, quotaSteps, Stage } from '../support/script.ts';

describe('rule 2, windows are told apart by their end:', () => {
  /** Some requests under way in the middle of a minute, of a service that others use too. */
  const crowd = fc.integer({ min: 2, max: 6 }).chain((many) =>
    fc.record({
      /** How long each goes after the one before. */
      gaps: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: many, maxLength: many }),
      /** What others spend before each arrives. */
      others: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: many, maxLength: many }),
      arrivals: permutation(many),
      returns: permutation(many),
    }),
  );

  function permutation(many: number): fc.Arbitrary<number[]> {
    const places = Array.from({ length: many }, (_, place) => place);
    return fc.shuffledSubarray(places, { minLength: many, maxLength: many });
  }

  /** Sends them, and says what the answer to each will be. */
  function send(
    stage: Stage,
    { gaps, others, arrivals }: { gaps: number[]; others: number[]; arrivals: number[] },
  ): Flight[] {
    stage.play([
      { do: 'ask', endpoint: 'GET /a' },
      { do: 'pass', ms: 30 },
    ]);
    stage.play([{ do: 'answer', which: 0, saying: { hasDate: true, cost: 1, minuteLeft: 1_000, monthLeft: 1_000 } }]);
    stage.play(
      gaps.flatMap((ms) => [{ do: 'pass', ms } as const, { do: 'ask', endpoint: 'GET /a', cost: 1 } as const]),
    );
    stage.play([{ do: 'pass', ms: 60 }]);
    let used = 0;
    return arrivals.map((place, turn) => {
      used += 1 + (others[turn] ?? 0);
      const lease = stage.open[place] as Lease;
      const minute = { limit: LIMITS.minute, remaining: LIMITS.minute - used };
      const month = { limit: LIMITS.month, remaining: LIMITS.month - used };
      return { lease, quota: { ...stage.quota({ hasDate: true }), stacks: { cost: 1, minute, month } } };
    });
  }

  interface Flight {
    readonly lease: Lease;
    readonly quota: QuotaSnapshot;
  }

  /** What others spent may hide beneath what was under way; an answer to a request sent when all is back shows it. */
  function tellAll(stage: Stage, flights: readonly Flight[]): void {
    const { minute, month } = flights.at(-1)?.quota.stacks ?? {};
    // So long that what others may take unseen is little again.
    stage.play([
      { do: 'pass', ms: 30_000 },
      { do: 'ask', endpoint: 'GET /a', cost: 1 },
    ]);
    const lease = stage.open.at(-1) as Lease;
    const next = (
      window: { limit?: number; remaining?: number } | undefined,
    ): { limit: number; remaining: number } => ({
      limit: window?.limit ?? 0,
      remaining: (window?.remaining ?? 0) - 1,
    });
    const stacks = { cost: 1, minute: next(minute), month: next(month) };
    stage.settle(lease, { kind: 'answered', quota: { ...stage.quota({ hasDate: true }), stacks }, limited: false });
  }

  it('answers of one window give the same view in whatever order they come in, once a later one has told all', () => {
    fc.assert(
      fc.property(crowd, ({ returns, ...rest }) => {
        const views = [returns.toSorted((a, b) => a - b), returns].map((order) => {
          const stage = new Stage();
          const flights = send(stage, rest);
          for (const place of order) {
            const flight = flights[place];
            if (flight) stage.settle(flight.lease, { kind: 'answered', quota: flight.quota, limited: false });
          }
          tellAll(stage, flights);
          const { windows, ...view } = stage.pacer.view(stage.now);
          // Which shapes were contradicted on the way depends on the order.
          return { ...view, windows: windows.map(({ shapes, end, ...window }) => window) };
        });
        expect(views[1]).toEqual(views[0]);
      }),
    );
  });
});

describe('rule 3, believe the server, guess the calendar:', () => {
  it('past its end a window counts as full again, whatever happened in it, after two lengths for a shape that looks back as far', () => {
    fc.assert(
      fc.property(quotaSteps, (steps) => {
        const stage = new Stage();
        stage.play(steps);
        stage.play([{ do: 'pass', ms: 3_000 + 2 * 60_000 + 1_000 }]);
        const { windows } = stage.pacer.view(stage.now);
        for (const { headroom, limit } of windows) expect(headroom).toBe(limit);
      }),
    );
  });

  it('and before its end what is left grows by no more than the service says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 40_000 }), (minuteLeft, ms) => {
        const stage = new Stage();
        const saying = { hasDate: true, minuteLeft };
        const [, , , end] = stage.play([
          { do: 'ask', endpoint: 'GET /a' },
          { do: 'pass', ms: 20 },
          { do: 'answer', which: 0, saying },
          { do: 'pass', ms },
        ]);
        const [minute] = end?.view.windows ?? [];
        expect(minute?.headroom).toBe(minute?.remaining);
      }),
    );
  });
});

describe('rule 10, a month is refused, not slept:', () => {
  const FIVE_MINUTES_MS = 300_000;

  /** A stage in a month of which nothing is left, this long before its end. */
  function monthIsOut(year: number, month: number, leftMs: number): Stage {
    const stage = new Stage({ wall: Date.UTC(year, month + 1) - leftMs });
    stage.play([
      { do: 'ask', endpoint: 'GET /a' },
      { do: 'answer', which: 0, saying: { hasDate: true, monthLeft: 0 } },
    ]);
    return stage;
  }

  const month = [fc.integer({ min: 2024, max: 2032 }), fc.integer({ min: 0, max: 11 })] as const;

  it('callers learn at once when to come back: at the end of the UTC month, no sooner and hardly later', () => {
    fc.assert(
      fc.property(...month, fc.integer({ min: 310_000, max: 27 * 86_400_000 }), (year, of, leftMs) => {
        const stage = monthIsOut(year, of, leftMs);
        const refusal = stage.ask('GET /a', 1, FIVE_MINUTES_MS);
        expect(refusal).toMatchObject({ kind: 'wait', reason: { kind: 'window', window: 'month', headroom: 0 } });
        if (refusal.kind !== 'wait') return;
        expect(refusal.until - stage.now).toBeGreaterThanOrEqual(leftMs);
        expect(refusal.until - stage.now).toBeLessThan(leftMs * 1.0002 + 1_100);
      }),
    );
  });

  it('a call whose maxWaitMs allows it is sent at that instant, or by the hourly trial before it', () => {
    fc.assert(
      fc.property(...month, fc.integer({ min: 310_000, max: 27 * 86_400_000 }), (year, of, leftMs) => {
        const stage = monthIsOut(year, of, leftMs);
        const refusal = stage.ask('GET /a', 1, FIVE_MINUTES_MS);
        const wait = stage.ask('GET /a', 1);
        expect(wait).toMatchObject({ kind: 'wait', until: refusal.kind === 'wait' ? refusal.until : Number.NaN });
        if (wait.kind !== 'wait') return;
        const waitMs = Math.ceil(wait.until - stage.now);
        stage.play([{ do: 'pass', ms: Math.min(waitMs, 3_600_000) - 1 }]);
        expect(stage.ask('GET /a', 1).kind).toBe('wait');
        stage.play([{ do: 'pass', ms: 1 }]);
        expect(stage.ask('GET /a', 1).kind).toBe('granted');
      }),
    );
  });

  it('when the month ends within the patience of the caller, it is slept', () => {
    const wait = monthIsOut(2026, 1, 200_000).ask('GET /a', 1, FIVE_MINUTES_MS);
    expect(wait).toMatchObject({ kind: 'wait', reason: { window: 'month' } });
  });
});
