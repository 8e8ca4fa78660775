import { describe, expect, it } from 'vitest';
import { TotalRate } from '../../../src/quota/window/total-rate.ts';

const MINUTE_MS = 60_000;

/** A rate, and readings of requests that were under way for any time. */
function timed() {
  const rate = new TotalRate(MINUTE_MS);
  const read = (used: number, sentAt: number, receivedAt: number): number | undefined => {
    const served = rate.observe({ used, limit: 500, sentAt, receivedAt });
    return served?.isExact ? served.perMs : undefined;
  };
  return { rate, read };
}

/** A rate whose requests take a tenth of a second. */
function rates() {
  const { read } = timed();
  return (used: number, at: number) => read(used, at - 50, at + 50);
}

/** The same, after a minute that was seen to start anew at 60 s: it counts 20 at 61 s. */
function anew() {
  const read = rates();
  read(0, 1_100);
  read(400, 30_000);
  read(20, 61_000);
  return read;
}

describe('the rate of all consumers together', () => {
  it('is what a reading counts more than one of a second ago or more', () => {
    const read = anew();
    expect(read(60, 65_000)).toBeCloseTo(40 / 4_000, 9);
    expect(read(66, 65_500)).toBeCloseTo(46 / 4_500, 9);
    expect(read(75, 66_000)).toBeCloseTo(15 / 1_000, 9);
    expect(read(75, 69_700)).toBe(0);
  });

  it('is that of the last second, however many readings there are', () => {
    const read = anew();
    let last: number | undefined;
    for (let at = 61_010; at < 64_000; at += 10) last = read(20 + (at - 61_000) / 100, at);
    expect(last).toBeCloseTo(0.01, 3);
    for (let at = 64_000; at < 65_300; at += 10) last = read(50, at);
    expect(last).toBe(0);
  });

  it('is not that of more readings than one in a tenth of a second', () => {
    const read = anew();
    read(30, 61_020);
    read(40, 61_040);
    read(45, 61_100);
    expect(read(50, 62_030)).toBeCloseTo(30 / 1_030, 9);
    expect(read(52, 62_050)).toBeCloseTo(12 / 1_010, 9);
  });

  it('is not known before a second has passed, nor for an answer that was overtaken', () => {
    const read = anew();
    expect(read(30, 61_900)).toBeUndefined();
    expect(read(40, 62_100)).toBeCloseTo(20 / 1_100, 9);
    expect(read(39, 62_050)).toBeUndefined();
    expect(read(41, 62_050)).toBeUndefined();
    expect(read(38, 62_200)).toBeUndefined();
    expect(read(42, 62_300)).toBeCloseTo(22 / 1_300, 9);
  });

  it('begins again with each window', () => {
    const read = anew();
    read(500, 90_000);
    expect(read(5, 120_500)).toBeUndefined();
    expect(read(25, 122_500)).toBeCloseTo(0.01, 9);
  });

  it('is the least, where none is known to have left a window that may slide', () => {
    const rate = new TotalRate(MINUTE_MS);
    const at = (used: number, ms: number) => rate.observe({ used, limit: 500, sentAt: ms, receivedAt: ms });
    expect(at(10, 1_000)).toBeUndefined();
    expect(at(50, 3_000)).toEqual({ perMs: 0.02, isExact: false });
  });

  it('is not known of a window that may slide: all that it counted may have left it', () => {
    const read = rates();
    read(0, 1_000);
    read(400, 20_000);
    // What came in the last minute is still there, and the rest may be of before.
    expect(read(400, 62_000)).toBeUndefined();
    expect(read(120, 100_000)).toBeUndefined();
    expect(read(130, 102_000)).toBeUndefined();
  });

  it.each([
    [197, 0.005],
    [197.5, undefined],
  ])(
    'is known once a window counts less than readings of its own length showed to be added: %d of 200',
    (used, rate) => {
      const read = rates();
      read(100, 1_000);
      read(300, 25_000);
      read(300, 60_390);
      read(used, 60_500);
      const then = read(used + 10, 62_500);
      if (rate === undefined) expect(then).toBeUndefined();
      else expect(then).toBeCloseTo(rate, 9);
    },
  );

  it('is known once a window starts anew that was used at its beginning alone', () => {
    const read = rates();
    read(0, 1_100);
    read(395, 5_000);
    read(400, 30_900);
    read(20, 61_000);
    expect(read(40, 63_000)).toBeCloseTo(0.01, 9);
  });

  it('is known once a window starts anew, however long it was watched before', () => {
    const read = rates();
    for (let at = 5_000; at <= 235_000; at += 10_000) read(at / 500, at);
    read(10, 240_000);
    expect(read(30, 242_000)).toBeCloseTo(0.01, 9);
  });

  it('is not known of a window that lost no more than drains meanwhile', () => {
    const read = rates();
    read(0, 1_100);
    read(490, 31_000);
    // 30 seconds drain 250 of 500 a minute, and 2.5 may be hidden.
    read(237.5, 61_000);
    expect(read(257, 63_000)).toBeUndefined();
    const anew = rates();
    anew(0, 1_100);
    anew(490, 31_000);
    anew(237, 61_000);
    expect(anew(257, 63_000)).toBeCloseTo(0.01, 9);
  });

  it('is not known by a reading that counts less because its request was under way together with that of the one before', () => {
    const { rate, read } = timed();
    read(5, 30_000, 30_100);
    read(14, 62_000, 62_080);
    expect(read(6, 62_010, 62_140)).toBeUndefined();
    expect(rate.hasStartedAnew).toBe(false);
    read(6, 62_080, 62_200);
    expect(rate.hasStartedAnew).toBe(true);
    read(8, 62_300, 62_400);
    expect(rate.hasStartedAnew).toBe(false);
  });

  it('is not known by a reading that counts less than what may have left a window of its length while a request was under way', () => {
    const { rate, read } = timed();
    read(0, 900, 1_100);
    read(400, 20_000, 20_100);
    read(400, 60_600, 60_700);
    read(20, 60_800, 60_901);
    expect(rate.hasStartedAnew).toBe(false);
  });

  it('is of a continuous window that was watched for three of its lengths and did not start anew', () => {
    const [sliding, calendar] = [new TotalRate(MINUTE_MS), new TotalRate(MINUTE_MS)];
    const read = (rate: TotalRate, used: number, at: number) =>
      rate.observe({ used, limit: 500, sentAt: at, receivedAt: at });
    expect(sliding.isContinuous(1_000)).toBe(false);
    for (let at = 1_000; at < 181_000; at += 1_000) {
      read(sliding, Math.min(480, at / 100), at);
      read(calendar, (at % 60_000) / 125, at);
      expect(sliding.isContinuous(at)).toBe(false);
    }
    expect(sliding.isContinuous(181_000)).toBe(true);
    expect(calendar.isContinuous(181_000)).toBe(false);
  });
});
