import { describe, expect, it } from 'vitest';
import { aligned } from '../../../../src/quota/models/aligned.ts';
import { modelsOf } from '../../../../src/quota/models/all.ts';
import { firstRequest } from '../../../../src/quota/models/first-request.ts';
import type { Shape } from '../../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { Capacity } from '../../../../src/quota/window/shape/capacity.ts';
import { knownClock } from '../../support/builders.ts';

const MINUTE_MS = 60_000;
const LIMIT = 10;

/** A minute of which ten units were counted at 50 s. */
function full(shapes: readonly Shape[], clock: ServerClock = knownClock()): Capacity {
  const candidates = new CandidateShapes(modelsOf('minute', clock, shapes), MINUTE_MS);
  candidates.book(LIMIT, 49_900, 50_000);
  return new Capacity('minute', clock, candidates);
}

describe('what a window holds by its candidate shapes', () => {
  it('is used as much as it is by any of them, or by those of them that are asked for', () => {
    const capacity = full([slidingLog, aligned]);
    expect(capacity.spent(61_000)).toBe(LIMIT);
    expect(capacity.spent(61_000, [aligned])).toBe(0);
    expect(capacity.spent(61_000, [slidingLog])).toBe(LIMIT);
  });

  it('admits units when each of them does, beside those that are held and below a cap', () => {
    const capacity = full([slidingLog, slidingCounter]);
    expect(full([slidingCounter]).earliest(1, 0, LIMIT, 55_000)).toBeLessThan(60_100);
    expect(capacity.earliest(1, 0, LIMIT, 55_000)).toBeGreaterThanOrEqual(110_000);
    expect(capacity.earliest(1, 0, LIMIT + 1, 55_000)).toBe(55_000);
    expect(capacity.earliest(1, 1, LIMIT + 1, 55_000)).toBeGreaterThanOrEqual(110_000);
  });

  it('is, without the clock of the service, that of the most cautious alone', () => {
    const capacity = full([slidingLog, slidingCounter], new ServerClock());
    expect(capacity.binding.map(({ shape }) => shape)).toEqual([slidingLog]);
    expect(full([slidingLog, slidingCounter]).binding).toHaveLength(2);
  });

  it('does not hold back a trial where a reset that the service names may end the window', () => {
    const [named, calendar] = [full([firstRequest]), full([aligned])];
    expect(named.earliest(1, 0, LIMIT, 55_000)).toBeGreaterThan(55_000);
    expect(named.earliest(1, 0, LIMIT, 55_000, true)).toBe(55_000);
    expect(calendar.earliest(1, 0, LIMIT, 55_000, true)).toBe(calendar.earliest(1, 0, LIMIT, 55_000));
  });

  it('does not hold back a trial either where the service’s clock cannot tell whether a minute of the calendar has ended', () => {
    const clock = new ServerClock();
    clock.observeEnd('minute', MINUTE_MS, 0, 10_000);
    const capacity = full([aligned], clock);
    expect(capacity.earliest(1, 0, LIMIT, 55_000)).toBeGreaterThan(MINUTE_MS);
    expect(capacity.earliest(1, 0, LIMIT, 55_000, true)).toBe(55_000);
  });

  it('ends with the calendar surely where each of them follows it, and perhaps where one does', () => {
    const {
      certainty,
      from = 0,
      to = 0,
    } = full([slidingLog, aligned]).end(5_100) as { certainty: string; from?: number; to?: number };
    expect(certainty).toBe('guessed');
    expect([from > 59_900 && from < MINUTE_MS, to > MINUTE_MS && to < 60_100]).toEqual([true, true]);
    expect(full([aligned]).end(5_100).certainty).toBe('known');
    expect(full([slidingLog]).end(5_100)).toEqual({ certainty: 'unknown' });
    expect(full([slidingLog, aligned], new ServerClock()).end(5_100)).toEqual({ certainty: 'unknown' });
  });
});
