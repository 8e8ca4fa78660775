import { describe, expect, it } from 'vitest';
import { ALL_BEFORE, type Shown } from '../../../../src/quota/window/others/demand.ts';
import { OtherConsumers } from '../../../../src/quota/window/others/other-consumers.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const LIMIT = 500;

/** A reading counts so many units of others: of all the time before, in the middle of a second, unless said otherwise. */
function observe(
  others: OtherConsumers,
  units: number,
  limit: number,
  now: number,
  shown: Shown = { ...ALL_BEFORE, used: units },
  own = 1,
): void {
  others.observe(units, { limit, own, sentAt: now, receivedAt: now }, shown, () => ({
    isShared: false,
    elapsed: 0.5,
    slides: false,
  }));
}

/** Company that takes so many units of each of the first windows. */
function company(units: number, { windows = 6, length = MINUTE_MS, limit = LIMIT } = {}): OtherConsumers {
  const others = new OtherConsumers(length);
  for (let window = 0; window <= windows; window++) observe(others, units, limit, window * length + 1);
  return others;
}

describe('others who spend the same quota', () => {
  it('are not there while nothing is unexplained, nor for what chance explains', () => {
    const others = company(0);
    for (let window = 10; window < 80; window += 10) {
      observe(others, 2, LIMIT, window * MINUTE_MS);
      expect(others.areActive).toBe(false);
    }
  });

  it('are there once they take little in each window', () => {
    expect(company(2).areActive).toBe(true);
  });

  it('are there once windows show more, and gone some windows after the last of it', () => {
    const others = company(100);
    expect(others.areActive).toBe(true);
    for (let window = 7; window < 80; window++) observe(others, 0, LIMIT, window * MINUTE_MS + 1);
    expect(others.areActive).toBe(false);
  });

  it('take as much for each of our units as lately, eight at most', () => {
    expect(company(0).perUnit).toBe(0);
    /** A request of ours waits for each of the minutes. */
    const perUnit = (units: number, own: number): number => {
      const others = new OtherConsumers(MINUTE_MS);
      for (let at = 0; at < 6 * MINUTE_MS; at += MINUTE_MS) {
        observe(others, units, LIMIT, at, { ...ALL_BEFORE, used: units }, own);
        others.onHeld(at);
      }
      return others.perUnit;
    };
    expect(perUnit(60, 20)).toBeCloseTo(3, 1);
    expect(perUnit(100, 1)).toBe(8);
  });

  it('take nothing for each of ours that they take while this client has nothing to send', () => {
    const others = company(100);
    expect(others.perUnit).toBe(0);
    const at = 7 * MINUTE_MS;
    others.onHeld(at);
    observe(others, 100, LIMIT, at);
    expect(others.perUnit).toBe(0);
    observe(others, 4, LIMIT, at + 500, { ...ALL_BEFORE, used: 4 }, 2);
    expect(others.perUnit).toBeGreaterThan(1);
    const before = others.perUnit;
    observe(others, 100, LIMIT, at + 5_000);
    expect(others.perUnit).toBeLessThan(before);
  });

  it('take what they were seen to take where no request of ours was counted', () => {
    const others = new OtherConsumers(MINUTE_MS);
    for (const at of [0, 500]) observe(others, 2, LIMIT, at, { ...ALL_BEFORE, used: 2 }, 0);
    expect(others.perUnit).toBeCloseTo(2, 1);
  });

  it('take nothing for each of ours while chance explains what was seen', () => {
    const others = new OtherConsumers(MINUTE_MS);
    others.onHeld(900);
    observe(others, 2, LIMIT, 1_000);
    expect(others.perUnit).toBe(0);
    observe(others, 1, LIMIT, 1_100);
    expect(others.perUnit).toBeGreaterThan(1);
  });

  it('are left what they usually take, less as the window passes', () => {
    const others = company(100);
    const [early, late] = [others.reserve(LIMIT, 0, 100), others.reserve(LIMIT, 0.9, 100)];
    expect(early).toBeGreaterThan(100);
    expect(early).toBeLessThan(160);
    expect(late).toBeLessThan(early / 4);
  });

  it('are left nothing of a month for what a few minutes showed', () => {
    const others = new OtherConsumers(31 * 24 * 60 * MINUTE_MS);
    for (let minute = 0; minute < 10; minute++) observe(others, 50, 10_000, minute * MINUTE_MS);
    expect(others.reserve(10_000, 0, 100)).toBeLessThan(300);
    const ofAnHour = new OtherConsumers(60 * MINUTE_MS);
    for (let minute = 0; minute < 10; minute++) observe(ofAnHour, 50, 10_000, minute * MINUTE_MS);
    expect(ofAnHour.reserve(10_000, 0, 100)).toBeGreaterThan(2_000);
  });

  it('are left their usual part of a day once a day has shown it', () => {
    const DAY_MS = 24 * 60 * MINUTE_MS;
    const reserved = (last: number): number => {
      const others = new OtherConsumers(DAY_MS);
      for (let hour = 0; hour < 24; hour++) observe(others, 50, 10_000, 1_000 + hour * 60 * MINUTE_MS);
      observe(others, 50, 10_000, 1_000 + last);
      return others.reserve(10_000, 0, 100);
    };
    expect(reserved(DAY_MS - 1)).toBeLessThan(300);
    expect(reserved(DAY_MS)).toBeGreaterThan(1_000);
  });

  it('are left no more for what followed a full minute of the calendar, unless another has begun', () => {
    const reserved = (startedAt: number): number => {
      const others = company(10);
      const at = 7 * MINUTE_MS;
      observe(others, 0, LIMIT, at, { startedAt: at, used: 0, isFull: false, isBlurred: false });
      observe(others, 0, LIMIT, at + 1_000, { startedAt: at, used: LIMIT, isFull: true, isBlurred: false });
      observe(others, 200, LIMIT, at + 61_000, { startedAt, used: 200, isFull: false, isBlurred: false });
      return others.reserve(LIMIT, 0, 100);
    };
    const same = reserved(7 * MINUTE_MS);
    // When a minute began is known the better the more answers there are.
    expect(reserved(7 * MINUTE_MS + 500)).toBe(same);
    expect(reserved(8 * MINUTE_MS)).toBeGreaterThan(same + 20);
  });

  it('are left no more for what followed a full minute where an answer of the one before came late', () => {
    const others = company(10);
    const at = 8 * MINUTE_MS;
    const calendar = (units: number, now: number, startedAt: number, isFull: boolean): void =>
      observe(others, units, LIMIT, now, { startedAt, used: LIMIT, isFull, isBlurred: false });
    calendar(0, at, at, false);
    calendar(0, at + 1_000, at, true);
    calendar(0, at + 1_100, at - MINUTE_MS, true);
    const before = others.reserve(LIMIT, 0, 100);
    calendar(200, at + 1_200, at, false);
    expect(others.reserve(LIMIT, 0, 100)).toBe(before);
  });

  it('are never left more than half, however much they take', () => {
    const others = company(450);
    expect(others.reserve(LIMIT, 0, 100)).toBe(LIMIT / 2);
    expect(others.reserve(LIMIT, 0.5, 100)).toBeLessThan(LIMIT / 4 + 2 * Math.sqrt(LIMIT / 4) + 0.1);
    expect(others.fairSpacing(LIMIT)).toBe(MINUTE_MS / (LIMIT / 2));
  });

  it('are there as soon as a window shows more than chance', () => {
    const others = new OtherConsumers(MINUTE_MS);
    observe(others, 2, LIMIT, 1_000);
    expect(others.areActive).toBe(false);
    observe(others, 1, LIMIT, 1_100);
    expect(others.areActive).toBe(true);
  });

  it('were last seen by the reading that showed them, and not by a later one of the same window', () => {
    const others = new OtherConsumers(MINUTE_MS);
    observe(others, 2, LIMIT, 1_000);
    expect(others.seenAt).toBe(-Infinity);
    observe(others, 1, LIMIT, 1_100);
    observe(others, 0, LIMIT, 1_200);
    expect(others.seenAt).toBe(1_100);
  });

  it('are expected again for two minutes, as programs are that are started with each minute', () => {
    const others = company(12, { length: SECOND_MS, limit: 20 });
    for (let second = 7; second < 120; second++) observe(others, 0, 20, second * SECOND_MS + 1);
    expect(others.areActive).toBe(true);
    for (let second = 120; second < 130; second++) observe(others, 0, 20, second * SECOND_MS + 1);
    expect(others.areActive).toBe(false);
    observe(others, 12, 20, 131 * SECOND_MS);
    expect(others.fairSpacing(20)).toBeGreaterThan(90);
  });

  it('leave the client less of a second in which it was refused, once', () => {
    const others = company(12, { length: SECOND_MS, limit: 20, windows: 60 });
    for (let at = 60_100; at < 61_000; at += 100) observe(others, 20, 20, at);
    const before = others.fairSpacing(20);
    others.onRefused(20, 20, 61_100);
    const once = others.fairSpacing(20);
    expect(once).toBeGreaterThan(1.3 * before);
    others.onRefused(20, 20, 61_900);
    expect(others.fairSpacing(20)).toBe(once);
    others.onRefused(20, 20, 62_100);
    expect(others.fairSpacing(20)).toBeGreaterThan(1.3 * once);
  });

  it('leave the client no less of a minute for a refusal: its answers say in time how much is left', () => {
    const others = company(450);
    const before = others.fairSpacing(LIMIT);
    others.onRefused(0, LIMIT, 1_000);
    expect(others.fairSpacing(LIMIT)).toBe(before);
  });

  it('may take unseen what they took lately, more than they usually do, until no answer has told so for long', () => {
    const others = company(30);
    const usual = others.unobserved(5 * MINUTE_MS, SECOND_MS);
    for (let tenth = 0; tenth < 10; tenth++) observe(others, 2, LIMIT, 7 * MINUTE_MS + tenth * 100);
    expect(others.unobserved(SECOND_MS, SECOND_MS)).toBeGreaterThan(4 * usual);
    expect(others.unobserved(5 * MINUTE_MS, SECOND_MS)).toBe(usual);
  });

  it('may have taken something unseen since the last answer: more the longer it is past, up to a point', () => {
    const others = company(250);
    const [soon, later, muchLater] = [
      others.unobserved(100, SECOND_MS),
      others.unobserved(1_000, SECOND_MS),
      others.unobserved(30_000, SECOND_MS),
    ];
    expect(soon).toBeLessThan(later);
    expect(muchLater).toBeLessThanOrEqual(later);
  });

  it('must be there where a request was refused although none was seen', () => {
    const others = new OtherConsumers(MINUTE_MS);
    others.onRefused(0, LIMIT, 1_000);
    expect(others.areActive).toBe(true);
  });
});

describe('what others are left', () => {
  it('is what they usually take, what chance may add to it, and what may come within a round trip at the end of the window', () => {
    const inAll = 100 + 10 + 0.02 * LIMIT;
    const parts = [
      [company(100).reserve(LIMIT, 0, 100), inAll + 2 * Math.sqrt(inAll)],
      [company(100).reserve(LIMIT, 0.5, 100), inAll / 2 + 2 * Math.sqrt(inAll / 2)],
      [company(100).reserve(LIMIT, 1, 600), 2 * Math.sqrt(inAll / 100)],
      [company(100).reserve(LIMIT, 1, 999_999), 2 * Math.sqrt(inAll)],
    ];
    for (const [reserved = 0, expected = 0] of parts) {
      expect(reserved).toBeGreaterThan(0.95 * expected);
      expect(reserved).toBeLessThan(1.05 * expected);
    }
  });
});

describe('what others may have taken unseen', () => {
  /** Ten units were theirs at once, which is twenty a second for a while. */
  function burst(): OtherConsumers {
    const others = new OtherConsumers(MINUTE_MS);
    observe(others, 10, LIMIT, 1_000);
    return others;
  }

  it('is by their rate, which fades, for as long as is said at most, and two deviations of a second more', () => {
    const unseen = [100, 1_000, 5_000].map((ms) => burst().unobserved(ms, SECOND_MS));
    // 0.02 a millisecond, less by a twenty-thousandth for each: 1.99, 19.0 and 15.6.
    expect(unseen).toEqual([4, 27, 23]);
    expect(burst().unobserved(5_000, 2_000)).toBe(39);
  });

  it('is by a rate of which half a second leaves a good third', () => {
    const others = burst();
    observe(others, 4, LIMIT, 1_500);
    expect(others.unobserved(1_000, SECOND_MS)).toBe(18);
  });

  it('is by what they took at once where a window of the calendar has only just begun, or may not have yet', () => {
    for (const startedAt of [61_000, 61_020]) {
      const others = burst();
      observe(others, 4, LIMIT, 61_000, { startedAt, used: 4, isFull: false, isBlurred: false });
      expect(others.unobserved(1_000, SECOND_MS)).toBe(36);
    }
  });

  it('is by what they took since a window of the calendar began', () => {
    const others = burst();
    observe(others, 4, LIMIT, 61_000, { startedAt: 60_500, used: 4, isFull: false, isBlurred: false });
    expect(others.unobserved(1_000, SECOND_MS)).toBe(18);
  });
});

describe('whether others are there', () => {
  it.each([
    [20, 0.4, 0.5],
    [500, 2.4, 2.5],
  ])('is chance below half a unit, or below a two-hundredth of the limit: %i', (limit, chance, sign) => {
    const isSeen = (units: number): boolean => {
      const others = new OtherConsumers(MINUTE_MS);
      observe(others, units, limit, 1_000);
      return others.areActive;
    };
    expect([isSeen(chance), isSeen(sign)]).toEqual([false, true]);
  });

  it('is believed of a minute for ten of them', () => {
    const isThere = (now: number): boolean => {
      const others = new OtherConsumers(MINUTE_MS);
      observe(others, 50, LIMIT, 1_000);
      observe(others, 0, LIMIT, now);
      return others.areActive;
    };
    expect([isThere(600_999), isThere(601_000)]).toEqual([true, false]);
  });

  it('is believed of a second for two minutes', () => {
    const isThere = (now: number): boolean => {
      const others = new OtherConsumers(SECOND_MS);
      observe(others, 12, 20, 1_000);
      observe(others, 0, 20, now);
      return others.areActive;
    };
    expect([isThere(120_999), isThere(121_000)]).toEqual([true, false]);
  });
});

describe('the client’s part of a second', () => {
  it('is half at first, half of that after a refusal, and half again when no other consumer is there any more', () => {
    const others = new OtherConsumers(SECOND_MS);
    expect(others.fairSpacing(20)).toBe(100);
    others.onRefused(20, 20, 1_000);
    expect(others.fairSpacing(20)).toBe(200);
    observe(others, 0, 20, 121_001);
    observe(others, 0, 20, 125_000);
    expect(others.fairSpacing(20)).toBe(100);
  });
});

describe('what no consumer was seen to take', () => {
  it('is left a fiftieth of the limit, and two deviations more', () => {
    const left = (gone: number, roundTripMs: number): number =>
      new OtherConsumers(MINUTE_MS).reserve(LIMIT, gone, roundTripMs);
    expect(left(0, 100)).toBeCloseTo(10 + 2 * Math.sqrt(10), 9);
    expect(left(0.5, 100)).toBeCloseTo(5 + 2 * Math.sqrt(5), 9);
    expect(left(1, 600)).toBeCloseTo(2 * Math.sqrt(0.1), 9);
    expect(left(1, 120_000)).toBeCloseTo(2 * Math.sqrt(10), 9);
  });
});
