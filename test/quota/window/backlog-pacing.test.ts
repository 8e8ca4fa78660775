import { expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { type Period, periodMsOf } from '../../../src/quota/time/periods.ts';
import { BacklogPacing } from '../../../src/quota/window/backlog-pacing.ts';
import { SentInWindow } from '../../../src/quota/window/sent-in-window.ts';
import { CandidateShapes } from '../../../src/quota/window/shape/candidates.ts';
import { charge, knownClock } from '../support/builders.ts';

const LIMIT = 20;

/** When a call that has waited so long may go at `now`, in a window of which two units were sent, both at 2,100. */
function at(
  now: number,
  { waitedMs = 1_000, units = 1, shapes = [aligned] as readonly Shape[], period = 'second' as Period } = {},
): number {
  const clock = knownClock();
  const models = shapes.map((shape) => shape.create(period, clock));
  const sent = new SentInWindow(period, clock);
  const pacing = new BacklogPacing(period, { candidates: new CandidateShapes(models, periodMsOf(period)), sent });
  sent.onSent(1, 2_100);
  sent.onSent(1, 2_100);
  return pacing.earliest({ ...charge({ units }), waitedMs }, LIMIT, now);
}

it('a call that has waited for a second is spaced over a quarter of the next, and one that came later is not', () => {
  expect(at(2_100)).toBe(2_125);
  expect(at(2_100, { waitedMs: 999 })).toBe(2_100);
});

it('it is spaced by the units that were sent since the second began, not by its own, so that a timer that is late delays none', () => {
  expect(at(2_100, { units: 5 })).toBe(2_125);
  expect(at(2_180, { units: 5 })).toBeLessThan(2_180);
  expect(at(3_050)).toBeLessThan(3_050);
});

it('it is not spaced where the second may slide or begin with a request, nor in a minute', () => {
  for (const shapes of [[slidingLog], [slidingCounter], [firstRequest], [aligned, slidingLog]]) {
    expect(at(2_100, { shapes })).toBe(2_100);
  }
  expect(at(2_100, { period: 'minute', waitedMs: 90_000 })).toBe(2_100);
});
