import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { anySteps, type Moment, Stage } from '../support/script.ts';

/** An answer: sent some time after the one before it, stamped by a clock that may be a little old, and received. */
const answers = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 3_600_000 })),
    upMs: fc.double({ min: 0, max: 2_000, noNaN: true }),
    downMs: fc.double({ min: 0, max: 2_000, noNaN: true }),
    staleMs: fc.integer({ min: 0, max: 20 }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('rule 4, err late with clocks:', () => {
  const lead = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2030, 0) });
  /** How much faster the service's clock runs than ours. */
  const drift = fc.double({ min: -5e-5, max: 5e-5, noNaN: true });

  it("the service's clock is always within the interval, and never behind an instant that it has surely reached", () => {
    fc.assert(
      fc.property(answers, lead, drift, fc.integer({ min: 0, max: 7_200_000 }), (given, ahead, fast, laterMs) => {
        const clock = new ServerClock();
        const shows = (at: number): number => at * (1 + fast) + ahead;
        let now = 0;
        for (const { pauseMs, upMs, downMs, staleMs } of given) {
          const sentAt = now + pauseMs;
          const stampedAt = shows(sentAt + upMs) - staleMs;
          now = sentAt + upMs + downMs;
          clock.observe(Math.floor(stampedAt / 1_000) * 1_000, sentAt, now);
          for (const at of [now, now + laterMs]) {
            expect(clock.least(at)).toBeLessThanOrEqual(shows(at));
            expect(clock.most(at)).toBeGreaterThanOrEqual(shows(at));
            const reached = clock.surely(shows(at));
            expect(reached).toBeGreaterThanOrEqual(at - 0.01);
            expect(shows(reached)).toBeGreaterThanOrEqual(shows(at) - 0.01);
          }
        }
      }),
    );
  });

  it('many answers narrow it to little more than a round trip', () => {
    const clock = new ServerClock();
    for (let sent = 0; sent < 60; sent++) {
      const sentAt = sent * 377;
      clock.observe(Math.floor((sentAt + 40 + 250) / 1_000) * 1_000, sentAt, sentAt + 80);
    }
    const now = 60 * 377;
    expect(clock.most(now) - clock.least(now)).toBeLessThan(80 + 2 * 20 + 2 * 17);
  });

  it('a clock that was set is believed from the next answer on', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 6_000, max: 90_000 }), fc.boolean(), (given, size, isForward) => {
        const clock = new ServerClock();
        let now = 0;
        for (const { pauseMs, upMs, downMs } of given) {
          const sentAt = now + pauseMs;
          now = sentAt + upMs + downMs;
          clock.observe(Math.floor((sentAt + upMs) / 1_000) * 1_000, sentAt, now);
        }
        const step = isForward ? size : -size;
        clock.observe(Math.floor((now + step + 50) / 1_000) * 1_000, now, now + 100);
        expect(clock.least(now + 100)).toBeLessThanOrEqual(now + 100 + step);
        expect(clock.most(now + 100)).toBeGreaterThanOrEqual(now + 100 + step);
      }),
    );
  });
});

describe('rule 8, one time base, the monotonic clock:', () => {
  it('what it showed at the beginning makes no difference', () => {
    const decisions = (moments: readonly Moment[], origin: number): unknown =>
      moments.map(({ admission, view }) => ({
        kind: admission?.kind,
        until: admission && 'until' in admission ? (admission.until - origin).toFixed(2) : undefined,
        headroom: view.windows.map(({ headroom }) => headroom),
        held: view.held,
      }));
    fc.assert(
      fc.property(anySteps, fc.integer({ min: 1_000_000, max: 1_000_000_000 }), (steps, origin) => {
        const moved = decisions(new Stage({ origin }).play(steps), origin);
        expect(moved).toEqual(decisions(new Stage({ origin: 1_000_000 }).play(steps), 1_000_000));
      }),
    );
  });
});
