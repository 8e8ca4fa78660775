import { describe, expect, it } from 'vitest';
import { AlignedModel, aligned } from '../../../src/quota/models/aligned.ts';
import { modelsOf } from '../../../src/quota/models/all.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { SlidingLogModel, slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { CandidateShapes } from '../../../src/quota/window/candidates.ts';
import { knownClock, readingsOf } from '../support/builders.ts';

const MINUTE_MS = 60_000;

/** Our clock and the service's both show a full minute at 0. */
function minute(): {
  aligned: AlignedModel;
  sliding: SlidingLogModel;
  survivors: CandidateShapes;
  past: AnsweredRequests;
} {
  const clock = new ServerClock();
  clock.observe(0, 0, 10);
  clock.observe(-1_000, -10, -5);
  const [aligned, sliding] = [new AlignedModel('minute', clock), new SlidingLogModel(MINUTE_MS)];
  return { aligned, sliding, survivors: new CandidateShapes([sliding, aligned], 60_000), past: new AnsweredRequests() };
}

const reading = readingsOf(10_000, 20);

/** Five units that came back at 50 s, before the minute was over. */
function fiveAt50(): ReturnType<typeof minute> {
  const all = minute();
  all.survivors.book(5, 49_900, 50_000);
  all.past.add(49_900, 50_000, 5, 5);
  return all;
}

describe('candidate shapes', () => {
  it('a shape of a window dies by a reading that counts less than it must have counted', () => {
    const { aligned, survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 1), past);
    expect(survivors.alive).toEqual([aligned]);
  });

  it('a shape of a window lives on where the reading counts as much as it must have', () => {
    const { survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 5), past);
    survivors.eliminate(reading(55_000, 5), past);
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window is never killed by what others spend, for it only adds to a reading', () => {
    const { survivors, past } = fiveAt50();
    for (const used of [6, 60, 6_000]) survivors.eliminate(reading(61_000, used), past);
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window is believed again when none is left, because then something else has changed', () => {
    const { survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 1), past);
    expect(survivors.alive).toHaveLength(1);
    survivors.eliminate(reading(55_000, 1), past);
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window keeps its books after its death, so that it can come back', () => {
    const { sliding, survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 1), past);
    survivors.book(2, 61_100, 61_200);
    expect(sliding.spent(61_200)).toBe(7);
    for (let time = 0; time < 2; time++) survivors.reinstate();
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window cannot be contradicted where there is no other', () => {
    const { sliding, past } = fiveAt50();
    const alone = new CandidateShapes([sliding], 60_000);
    alone.eliminate(reading(55_000, 0), past);
    expect(alone.alive).toEqual([sliding]);
  });

  describe('that expensive requests would hide', () => {
    /** Long after the first reading a request of ten units comes back, and another one 61 s later. */
    function dear(first: number, isAlone = true): ReturnType<typeof minute> {
      const all = minute();
      const { survivors, past } = all;
      survivors.eliminate(reading(-121_000, 1), past);
      survivors.eliminate(reading(10_000, first, { own: 10 }), past, isAlone);
      past.add(10_000, 10_020, 10, 10);
      past.add(50_000, 50_020, 5, 5);
      // A sliding minute would count these 15, and the request itself.
      survivors.eliminate(reading(61_000, 15, { own: 10 }), past);
      return all;
    }

    it('are shown where the service counts a request before it answers', () => {
      const { survivors, aligned } = dear(10);
      expect(survivors.alive).toEqual([aligned]);
    });

    it('are not, where a reading has counted less than its request, or others may have spent', () => {
      expect(dear(0).survivors.alive).toHaveLength(2);
      expect(dear(10, false).survivors.alive).toHaveLength(2);
    });
  });
});

it('a refusal of what fits all other shapes is taken for one of an estimate once, and only while an estimate is left', () => {
  const second = (...shapes: readonly Shape[]): CandidateShapes =>
    new CandidateShapes(modelsOf('second', knownClock(), shapes), 1_000);
  const estimated = second(slidingLog, slidingCounter);
  expect([estimated.suspectEstimate(), estimated.shapes.epoch]).toEqual([true, 1]);
  expect([estimated.suspectEstimate(), estimated.shapes.epoch]).toEqual([false, 1]);
  const counted = second(slidingLog, aligned);
  expect([counted.suspectEstimate(), counted.shapes.epoch]).toEqual([false, 0]);
});
