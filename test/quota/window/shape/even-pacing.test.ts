import { describe, expect, it } from 'vitest';
import { aligned } from '../../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../../src/quota/models/all.ts';
import { firstRequest } from '../../../../src/quota/models/first-request.ts';
import { leaky } from '../../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import { type Period, periodMsOf } from '../../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { EvenPacing } from '../../../../src/quota/window/shape/even-pacing.ts';
import { knownClock } from '../../support/builders.ts';

const LIMIT = 20;

/** The pacing of a window in which the last request was sent at 1 s. */
function pacing(
  shapes: readonly Shape[],
  { period = 'second' as Period, isShared = false, isBusy = true, clock = knownClock() } = {},
): EvenPacing {
  const models = shapes.map((shape) => shape.create(period, clock));
  const candidates = new CandidateShapes(models, periodMsOf(period));
  return new EvenPacing(period, {
    clock,
    shareLimit: { isShared },
    candidates,
    sent: { isBusy: () => isBusy, lastSentAt: 1_000 },
  });
}

const at = (one: EvenPacing, now: number, units = 1, limit = LIMIT): number => one.earliest(units, limit, now);

describe('the requests of a second', () => {
  it('are spaced evenly by their units while it may have several shapes', () => {
    expect(at(pacing(SHAPES), 1_010)).toBe(1_050);
    expect(at(pacing(SHAPES), 1_010, 3)).toBe(1_150);
  });

  it('are not while few are sent, but where a process of a share sends alone to find out the shape', () => {
    expect(at(pacing(SHAPES, { isBusy: false }), 1_010)).toBe(1_010);
    expect(at(pacing([aligned, firstRequest], { isBusy: false }), 8_900)).toBe(8_900);
    expect(at(pacing(SHAPES, { isBusy: false, isShared: true }), 1_010)).toBe(1_050);
  });

  it('are without a `date` after a refusal that nothing explains, however few are sent', () => {
    const quiet = pacing(SHAPES, { isBusy: false, clock: new ServerClock() });
    expect(quiet.onUnexplainedRefusal(1_000)).toBe(true);
    expect(at(quiet, 1_010)).toBeGreaterThan(1_050);
    const dated = pacing([aligned]);
    expect([dated.onUnexplainedRefusal(1_000), at(dated, 1_010)]).toEqual([false, 1_010]);
  });

  it('are not where one shape is left, or only such as no boundary empties', () => {
    expect(at(pacing([aligned]), 1_010)).toBe(1_010);
    expect(at(pacing([slidingLog, slidingCounter, leaky]), 1_010)).toBe(1_010);
    // A process of a share leaves no window empty.
    expect(at(pacing([slidingLog, slidingCounter, leaky], { isShared: true }), 1_010)).toBe(1_050);
    expect(at(pacing([slidingLog, slidingCounter], { isShared: true }), 1_010)).toBe(1_010);
    expect(at(pacing([slidingLog, aligned]), 1_010)).toBe(1_050);
    expect(at(pacing([slidingLog, firstRequest]), 1_010)).toBe(1_050);
  });

  it('are while the service’s clock is vaguer than half of it, whatever shape it has', () => {
    const vague = new ServerClock();
    vague.observe(0, 0, 0);
    expect(at(pacing([aligned], { clock: vague }), 1_010)).toBe(1_050);
    expect(at(pacing([aligned], { clock: new ServerClock() }), 1_010)).toBe(1_010);
  });

  it('are nearly at half', () => {
    const half = new ServerClock();
    half.observe(0, 0, 0);
    half.narrow(0, 500, 0);
    expect(pacing([aligned], { clock: half }).isNeeded(0)).toBe(false);
    expect(pacing([aligned], { clock: half }).isNeeded(100)).toBe(true);
  });
});

describe('the requests of a minute', () => {
  it('are spaced for no shape', () => {
    expect(at(pacing(SHAPES, { period: 'minute' }), 1_010)).toBe(1_010);
  });
});
