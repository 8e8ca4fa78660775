import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Shapes, WindowNews } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { ResetDetector } from '../../../src/sharing/facts/reset-detector.ts';
import { BEGIN, exactly, reading } from '../support/small.ts';

const IN_DOUBT: Shapes = { alive: [aligned, slidingCounter, leaky], epoch: 2 };
const CALENDAR: Shapes = { alive: [aligned], epoch: 2 };

/** What is left of the shapes after the last of these readings, each of which takes 20 ms. */
function judged(
  readings: readonly (readonly [at: number, used: number])[],
  shapes: Shapes = IN_DOUBT,
  period: Period = 'minute',
): Shapes | undefined {
  const detector = new ResetDetector();
  let left: Shapes | undefined;
  for (const [at, used] of readings)
    left = detector.judge(reading({ period, used, shapes }), exactly(BEGIN + at), exactly(BEGIN + at + 20));
  return left;
}

describe('a window whose use drops where the calendar begins a new one', () => {
  it('is known to be aligned with the calendar', () => {
    expect(
      judged([
        [59_000, 90],
        [60_100, 5],
      ]),
    ).toEqual(CALENDAR);
  });

  it('is known to be aligned whatever is used of the new one already, and however little was of the one before', () => {
    const judgedAs = (before: number, after: number) =>
      judged([
        [59_000, before],
        [60_100, after],
      ]);
    expect([judgedAs(90, 80), judgedAs(4, 1)]).toEqual([CALENDAR, CALENDAR]);
  });

  it('is compared with the most that was read of the window before, not with the last reading', () => {
    expect(
      judged([
        [50_000, 90],
        [59_000, 10],
        [60_100, 15],
      ]),
    ).toEqual(CALENDAR);
  });

  it('is not compared with readings of so long ago that as much may have drained since, or be estimated no more', () => {
    const judgedAfter = (before: number) =>
      judged([
        [before, 90],
        [60_100, 2],
      ]);
    expect([judgedAfter(9_000), judgedAfter(6_000)]).toEqual([CALENDAR, IN_DOUBT]);
  });

  it('is known to be aligned if it is a long one, however little was used, where that cannot have drained between two readings', () => {
    // The small ones hold 100; of an hour 1.7 drain in 61 s.
    const [before, after] = [3_540_000, 3_601_000];
    const ofHour = (used: number, at = before) =>
      judged(
        [
          [at, used],
          [after, 1],
        ] as const,
        IN_DOUBT,
        'hour',
      );
    expect(ofHour(4)).toEqual(CALENDAR);
    expect(ofHour(3)).toEqual(IN_DOUBT);
    // Six drain in 216 s, and one is rounded.
    expect(ofHour(8, after + 20 - 215_999)).toEqual(CALENDAR);
    expect(ofHour(8, after + 20 - 216_000)).toEqual(IN_DOUBT);
    // The time counts from the last of equal readings.
    const again = [...[before - 500_000, before].map((at) => [at, 4] as const), [after, 1] as const];
    expect(judged(again, IN_DOUBT, 'hour')).toEqual(CALENDAR);
    const mayDrop: Shapes = { alive: [aligned, slidingLog], epoch: 0 };
    expect(judged(again, mayDrop, 'hour')).toBe(mayDrop);
  });

  it.each([
    ['drops by no more than may have drained', [40_000, 90], [60_100, 56]],
    ['drops by no more than a rounding and what has drained', [59_000, 2], [60_100, 0]],
    ['was last read two windows ago', [1_000, 90], [120_100, 1]],
    ['is read when its beginning is over', [59_000, 90], [63_500, 1]],
    ['drops within one window', [10_000, 90], [59_000, 1]],
    ['drops within the beginning of one window', [60_010, 90], [60_100, 1]],
    ['is read across its edge', [58_000, 90], [119_990, 1]],
  ] as const)('shows nothing where it %s', (_, before, after) => {
    expect(judged([before, after])).toEqual(IN_DOUBT);
  });

  it('may still be one that slides, or that the first request opened and that ends by chance at that moment', () => {
    for (const other of [slidingLog, firstRequest]) {
      const readings = [[59_000, 90] as const, [60_100, 1] as const];
      expect(judged(readings, { alive: [aligned, other, leaky], epoch: 0 })).toEqual({
        alive: [aligned, other],
        epoch: 0,
      });
    }
  });

  it('is not left without a shape', () => {
    for (const alive of [[aligned], [slidingCounter, leaky]]) {
      const shapes: Shapes = { alive, epoch: 0 };
      const readings = [[59_000, 90] as const, [60_100, 1] as const];
      expect(judged(readings, shapes)).toBe(shapes);
    }
  });

  it('shows nothing where it lasts a second, whose beginning no round trip hits', () => {
    const readings = [[900, 90] as const, [1_010, 1] as const];
    expect(judged(readings, IN_DOUBT, 'second')).toBe(IN_DOUBT);
  });
});

describe('a long window of which what was used stays used where the calendar begins a new one', () => {
  const BEFORE = 3_400_000;
  const AFTER = 3_660_000;
  const OPEN: Shapes = { alive: [aligned, firstRequest, leaky], epoch: 2 };

  /** What is left of an hour of which 30 units were used when the calendar's window ended. */
  function left(used: number, claimed: number | undefined, after = AFTER, was = 30, period: Period = 'hour'): string[] {
    const detector = new ResetDetector();
    let shapes = OPEN;
    for (const [at, units] of [
      [BEFORE, was],
      [after, used],
    ] as const)
      shapes = detector.judge(reading({ period, used: units, shapes }), exactly(BEGIN + at), exactly(BEGIN + at + 20), {
        present: claimed,
        estimated: 0,
      });
    return shapes.alive.map(({ name }) => name);
  }

  const OTHERS = ['first-request', 'leaky'];
  const ALL = ['aligned', ...OTHERS];

  it('is none of the calendar’s, if it is more than the processes have claimed since', () => {
    expect(left(31, 1)).toEqual(OTHERS);
    expect(left(24, 1)).toEqual(OTHERS);
  });

  it('may be the calendar’s if they have claimed so much since, if it is not known, or if some has gone', () => {
    expect(left(31, 22)).toEqual(ALL);
    expect(left(31, 21)).toEqual(OTHERS);
    expect(left(31, undefined)).toEqual(ALL);
    expect(left(23, 1)).toEqual(ALL);
  });

  it('may be the calendar’s where few were used, some time after its beginning, or in a minute: others may have used as much since', () => {
    expect(left(12, 0, AFTER, 9)).toEqual(ALL);
    expect(left(12, 0, AFTER, 10)).toEqual(OTHERS);
    expect(left(31, 1, 3_781_000)).toEqual(ALL);
    expect(left(31, 1, 3_420_200, 30, 'minute')).toEqual(ALL);
    // So may what was used two windows later.
    expect(left(31, 1, AFTER + 3_600_000)).toEqual(ALL);
  });

  it('is not left without a shape', () => {
    const detector = new ResetDetector();
    const judge = (at: number, used: number): Shapes =>
      detector.judge(reading({ period: 'hour', used, shapes: CALENDAR }), exactly(BEGIN + at), exactly(BEGIN + at), {
        present: 0,
        estimated: 0,
      });
    judge(BEFORE, 30);
    expect(judge(AFTER, 31)).toEqual(CALENDAR);
  });
});

describe('a long window of which less is used than the claims leave of the calendar’s window before', () => {
  const ESTIMATE: Shapes = { alive: [slidingLog, slidingCounter, firstRequest], epoch: 0 };

  function left(used: number, estimated: number, shapes = ESTIMATE, rest: Partial<WindowNews> = {}, end = 0): string[] {
    const [at, claims] = [exactly(BEGIN + 60_000), { present: undefined, estimated }];
    const news = reading({ period: 'hour', used, shapes, ...rest });
    const { alive } = new ResetDetector().judge(news, at, exactly(at.least + end), claims);
    return alive.map(({ name }) => name);
  }

  it('is not estimated, unless a killed process may have held so much', () => {
    expect(left(13, 18)).toEqual(['sliding-log', 'first-request']);
    expect(left(14, 18)).toEqual(ESTIMATE.alive.map(({ name }) => name));
  });

  it('may be estimated where it is a minute, unless that is a tenth of it, too', () => {
    const ofMinute = (limit: number, used: number): number =>
      left(used, 18, ESTIMATE, { period: 'minute', limit }).length;
    expect([ofMinute(100, 9), ofMinute(100, 8), ofMinute(20, 14), ofMinute(20, 13)]).toEqual([3, 2, 3, 2]);
    expect(left(13, 18, ESTIMATE, { limit: 100 })).toHaveLength(2);
  });

  it('may be estimated where the reading is of an hour that may have ended', () => {
    expect(left(13, 18, ESTIMATE, {}, 3_539_999)).toHaveLength(2);
    expect(left(13, 18, ESTIMATE, {}, 3_540_000)).toHaveLength(3);
  });

  it('may be estimated after a refusal, and is not left without a shape', () => {
    expect(left(1, 18, { ...ESTIMATE, epoch: 1 })).toHaveLength(3);
    expect(left(1, 18, { alive: [slidingCounter], epoch: 0 })).toEqual(['sliding-counter']);
  });
});
