import { describe, expect, it } from 'vitest';
import { TotalRate } from '../../../../src/quota/window/others/total-rate.ts';

/** A rate whose requests take a tenth of a second. */
function rates() {
  const rate = new TotalRate();
  return (used: number, at: number) => rate.observe({ used, sentAt: at - 50, receivedAt: at + 50 });
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
    expect(read(42, 62_200)).toBeCloseTo(22 / 1_200, 9);
  });

  it('begins again with each window', () => {
    const read = anew();
    read(500, 90_000);
    expect(read(5, 120_500)).toBeUndefined();
    expect(read(25, 122_500)).toBeCloseTo(0.01, 9);
  });

  it('says nothing new of a reading that counts less because its request was under way together with that of the one before', () => {
    const rate = new TotalRate();
    const read = (used: number, sentAt: number, receivedAt: number) => rate.observe({ used, sentAt, receivedAt });
    read(5, 30_000, 30_100);
    read(14, 62_000, 62_080);
    expect(read(6, 62_010, 62_140)).toBeUndefined();
    expect(read(24, 63_000, 63_080)).toBeCloseTo(0.01, 9);
    read(6, 63_080, 63_200);
    expect(read(24, 64_000, 64_080)).toBeUndefined();
  });
});
