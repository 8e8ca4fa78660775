import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { type Period, periodMsOf } from '../../../src/quota/time/periods.ts';
import { BacklogPacing } from '../../../src/quota/window/backlog-pacing.ts';
import { SentInWindow } from '../../../src/quota/window/sent-in-window.ts';
import { CandidateShapes } from '../../../src/quota/window/shape/candidates.ts';
import { knownClock } from '../support/builders.ts';

const LIMIT = 20;

/** The pacing of a window of which two units were sent 100 ms after it began, and calls were held at these instants. */
function pacing(
  heldAt: readonly number[],
  { shapes = [aligned] as readonly Shape[], period = 'second' as Period, beganAt = 2_000 } = {},
): BacklogPacing {
  const clock = knownClock();
  const models = shapes.map((shape) => shape.create(period, clock));
  const sent = new SentInWindow(period, clock);
  const one = new BacklogPacing(period, { candidates: new CandidateShapes(models, periodMsOf(period)), sent });
  for (const at of heldAt) one.onFull(at);
  sent.onSent(1, beganAt + 100);
  sent.onSent(1, beganAt + 100);
  return one;
}

const at = (one: BacklogPacing, now: number, units = 1, limit = LIMIT): number => one.earliest(units, limit, now);

describe('the requests of a calendar second', () => {
  it('are spaced over a quarter of it once calls have waited for longer than a second', () => {
    expect(at(pacing([300, 1_000]), 2_100)).toBe(2_125);
    expect(at(pacing([1_000]), 2_100)).toBe(2_125);
    expect(at(pacing([1_200]), 2_100)).toBe(2_100);
  });

  it('are spaced by the units that were sent since it began, not by those that follow, so that a timer that is late delays none', () => {
    expect(at(pacing([300, 1_000]), 2_180, 5)).toBeLessThan(2_180);
    expect(at(pacing([300, 1_000]), 2_100, 5)).toBe(2_125);
  });

  it('are not where no call was held lately', () => {
    expect(at(pacing([300, 1_000], { beganAt: 9_000 }), 9_100)).toBe(9_100);
    expect(at(pacing([300, 1_000, 8_500], { beganAt: 9_000 }), 9_100)).toBe(9_100);
    expect(at(pacing([]), 2_100)).toBe(2_100);
  });

  it('are not where it may slide, or begin with a request', () => {
    for (const shapes of [[slidingLog], [slidingCounter], [firstRequest], [aligned, slidingLog]]) {
      expect(at(pacing([300, 1_000], { shapes }), 2_100)).toBe(2_100);
    }
  });
});

it('the requests of a calendar minute are not spaced', () => {
  expect(at(pacing([1_000, 62_000], { period: 'minute', beganAt: 120_000 }), 120_100)).toBe(120_100);
});
