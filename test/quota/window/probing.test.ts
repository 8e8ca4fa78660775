import { describe, expect, it } from 'vitest';
import { modelsOf } from '../../../src/quota/models/all.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { ShapeProbing } from '../../../src/quota/window/probing.ts';

const MINUTE_MS = 60_000;

/** Doubt about a minute in which a request went at 0, of a service that shows a clock or none. */
function doubtOf(clock: ServerClock): ShapeProbing {
  const flights = new InFlight(10, 9_000);
  const doubt = new ShapeProbing('minute', {
    clock,
    flights,
    shareLimit: wholeShareLimit,
    candidates: { alive: modelsOf('minute', clock) },
  });
  doubt.onSent(1, 0);
  return doubt;
}

/** Until when probing holds a request back; `now`: not at all. */
function heldUntil({ pacings }: ShapeProbing, units: number, limit: number, now: number): number {
  return Math.max(...pacings.map((pacing) => pacing.earliest(units, limit, limit, now)));
}

describe('a window that refused what no shape forbids', () => {
  it('is spent evenly for ten minutes where no clock is shown, with one unit less than it holds', () => {
    const doubt = doubtOf(new ServerClock());
    expect(heldUntil(doubt, 1, 101, 10)).toBe(10);
    doubt.onUnexplainedRefusal(5);
    expect(heldUntil(doubt, 1, 101, 10)).toBe(MINUTE_MS / 100);
    expect(heldUntil(doubt, 1, 101, 600_005)).toBe(600_005);
  });

  it.each([
    [1, 1],
    [2, 1],
    [2, 2],
    [5, 4],
  ])('of %i units lets one of %i go after a window at the latest', (limit, units) => {
    const doubt = doubtOf(new ServerClock());
    doubt.onUnexplainedRefusal(5);
    expect(heldUntil(doubt, units, limit, 10)).toBe(MINUTE_MS);
  });

  it('is no reason to wait where there is a clock, by which its shape will show', () => {
    const clock = new ServerClock();
    clock.observe(0, 0, 0);
    const doubt = doubtOf(clock);
    doubt.onUnexplainedRefusal(5);
    expect(heldUntil(doubt, 1, 101, 10)).toBe(10);
  });
});
