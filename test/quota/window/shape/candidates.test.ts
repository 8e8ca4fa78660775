import { describe, expect, it } from 'vitest';
import { AlignedModel, aligned } from '../../../../src/quota/models/aligned.ts';
import { modelsOf } from '../../../../src/quota/models/all.ts';
import type { Shape, WindowReading } from '../../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../../src/quota/models/sliding-counter.ts';
import { SlidingLogModel, slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../../src/quota/usage/answered.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { knownClock, readingsOf } from '../../support/builders.ts';

const MINUTE_MS = 60_000;

/** Our clock and the service's both show a full minute at 0. */
function minute(periodMs: number = MINUTE_MS): {
  aligned: AlignedModel;
  sliding: SlidingLogModel;
  survivors: CandidateShapes;
  past: AnsweredRequests;
} {
  const clock = new ServerClock();
  clock.observe(0, 0, 10);
  clock.observe(-1_000, -10, -5);
  const [aligned, sliding] = [new AlignedModel('minute', clock), new SlidingLogModel(MINUTE_MS)];
  return {
    aligned,
    sliding,
    survivors: new CandidateShapes([sliding, aligned], periodMs),
    past: new AnsweredRequests(),
  };
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
    survivors.eliminate(reading(61_000, 1), past, true);
    expect(survivors.alive).toEqual([aligned]);
  });

  it('a shape of a window lives on where the reading counts as much as it must have', () => {
    const { survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 5), past, true);
    survivors.eliminate(reading(55_000, 5), past, true);
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window is never killed by what others spend, for it only adds to a reading', () => {
    const { survivors, past } = fiveAt50();
    for (const used of [6, 60, 6_000]) survivors.eliminate(reading(61_000, used), past, true);
    expect(survivors.alive).toHaveLength(2);
  });

  it('a minute of the calendar dies by a reading that counts less than the one just before it, though others spent that', () => {
    const { sliding, survivors, past } = minute();
    // The second is as near to the first as few readings are kept, which lies in the minute before.
    for (const [at, used] of [
      [59_000, 397],
      [61_000, 399],
    ] as const)
      survivors.eliminate(reading(at, used), past, true);
    expect(survivors.alive).toHaveLength(2);
    survivors.eliminate(reading(62_000, 3), past, true);
    expect(survivors.alive).toEqual([sliding]);
  });

  it('a shape of a window is believed again when none is left, because then something else has changed', () => {
    const { survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 1), past, true);
    expect(survivors.alive).toHaveLength(1);
    survivors.eliminate(reading(55_000, 1), past, true);
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window keeps its books after its death, so that it can come back', () => {
    const { sliding, survivors, past } = fiveAt50();
    survivors.eliminate(reading(61_000, 1), past, true);
    survivors.book(2, 61_100, 61_200);
    expect(sliding.spent(61_200)).toBe(7);
    for (let time = 0; time < 2; time++) survivors.reinstate();
    expect(survivors.alive).toHaveLength(2);
  });

  it('a shape of a window cannot be contradicted where there is no other', () => {
    const { sliding, past } = fiveAt50();
    const alone = new CandidateShapes([sliding], 60_000);
    alone.eliminate(reading(55_000, 0), past, true);
    expect(alone.shapes).toEqual({ alive: [sliding.shape], epoch: 0 });
  });

  describe('that requests would hide which a reading counts, too', () => {
    interface CostlyReading extends Partial<WindowReading> {
      readonly isAlone?: boolean;
      readonly readFrom?: number;
      readonly before?: number;
      readonly periodMs?: number;
      readonly isRefusal?: boolean;
    }

    /** A minute after the first reading a request of ten units comes back, and another one 51 s later: which shapes are left. */
    function shapesAfter(
      used: number,
      { isAlone = true, readFrom = -50_000, before = 0, periodMs, isRefusal, ...more }: CostlyReading = {},
    ) {
      const { sliding, aligned, past, survivors } = minute(periodMs);
      survivors.eliminate(reading(readFrom, 1), past, true);
      past.add(-40_000, -39_980, before, before);
      survivors.eliminate(reading(10_000, used, { own: 10, ...more }), past, isAlone);
      past.add(10_000, 10_020, 10, 10);
      past.add(50_000, 50_020, 5, 5);
      // A sliding minute would count these 15, and the request itself.
      survivors.eliminate(reading(61_000, 15, { own: 10, limited: isRefusal ?? false }), past, true);
      return survivors.alive.map((model) => (model === sliding ? 'sliding' : model === aligned && 'aligned'));
    }

    const both = ['sliding', 'aligned'];

    it('are shown where the service counts a request before it answers', () => {
      expect(shapesAfter(10)).toEqual(['aligned']);
    });

    it('are not, where a reading has counted less than its request, or others may have spent', () => {
      expect(shapesAfter(0)).toEqual(both);
      expect(shapesAfter(10, { isAlone: false })).toEqual(both);
      expect(shapesAfter(11)).toEqual(both);
      expect(shapesAfter(12, { held: 9, before: 3 })).toEqual(both);
    });

    it('are not, where what was used before is not known, nor in windows of which not all is remembered', () => {
      expect(shapesAfter(10, { readFrom: -49_999 })).toEqual(both);
      expect(shapesAfter(10, { readFrom: -121_000, periodMs: 60_001 })).toEqual(both);
    });

    it('are not by a refusal, which was not counted, nor by a request that costs nothing', () => {
      expect(shapesAfter(10, { isRefusal: true })).toEqual(both);
      expect(shapesAfter(0, { own: 0 })).toEqual(both);
    });

    it('are, where the request that shows it has a cost of one unit', () => {
      expect(shapesAfter(1, { own: 1 })).toEqual(['aligned']);
    });

    it('are never again once a reading has counted less than its request', () => {
      const { past, survivors } = minute();
      survivors.eliminate(reading(-121_000, 1), past, true);
      survivors.eliminate(reading(-60_000, 0, { own: 10 }), past, true);
      survivors.eliminate(reading(10_000, 10, { own: 10 }), past, true);
      past.add(50_000, 50_020, 5, 5);
      survivors.eliminate(reading(61_000, 10, { own: 10 }), past, true);
      expect(survivors.alive).toHaveLength(2);
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
