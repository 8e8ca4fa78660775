import { describe, expect, it } from 'vitest';
import { WindowLength } from '../../../../src/quota/window/by-reset/window-length.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Of ends that are so far away, give or take nothing. */
function lengthOf(lefts: readonly number[], isGuess = false): WindowLength {
  const length = new WindowLength();
  for (const left of lefts) length.observe(left, left, isGuess);
  return length;
}

describe('a window whose ends are known', () => {
  it.each([
    ['no less than the furthest end', [20_000, 59_200, 40_000], MINUTE],
    ['a second where an end of a few seconds may be rounded by one', [1_900], SECOND],
    ['five seconds where an end is surely further than four', [SECOND, 5_000], 4_000 + SECOND],
  ])('lasts %s', (_, lefts, ms) => {
    expect(lengthOf(lefts).ms).toBe(ms);
  });

  it.each([
    ['the usual one that roundings may have made longer', [62_000], MINUTE],
    ['none where it is longer than that', [62_001], Infinity],
    ['none where it is shorter', [59_000], Infinity],
    ['none where it is a few seconds', [SECOND], Infinity],
  ])('has as its usual length %s', (_, lefts, ms) => {
    expect(lengthOf(lefts).usualMs).toBe(ms);
  });

  it('is not tried with another length', () => {
    const length = lengthOf([100_000]);
    expect([length.onEmptied(), length.onFuller(), length.ms]).toEqual([false, false, 100_000]);
  });

  it('lasts what these say, whatever was guessed before', () => {
    const length = lengthOf([181_000], true);
    length.observe(59_000, 59_000, false);
    length.observe(181_000, 181_000, true);
    expect(length.ms).toBe(59_000);
  });
});

describe('a window whose ends are guessed', () => {
  it.each([
    ['as a minute', 56_000, MINUTE],
    ['as a minute', 64_000, MINUTE],
    ['as a second', 950, SECOND],
    ['as they are', 121_000, 121_000],
  ])('lasts %s where one is %s', (_, left, ms) => {
    expect(lengthOf([left], true).ms).toBe(ms);
  });

  it('is tried as a second after it was full, once', () => {
    const length = lengthOf([121_000], true);
    expect([length.onFuller(), length.ms]).toEqual([false, 121_000]);
    expect([length.onEmptied(), length.ms]).toEqual([true, SECOND]);
    length.observe(121_000, 121_000, true);
    expect([length.onEmptied(), length.ms]).toEqual([false, SECOND]);
  });

  it('is tried with longer ones as it holds more, up to the first', () => {
    const length = lengthOf([121_000], true);
    length.onEmptied();
    const tries = [length.onFuller(), length.ms, length.onFuller(), length.ms, length.onFuller(), length.ms];
    expect(tries).toEqual([true, MINUTE, true, 121_000, false, 121_000]);
  });

  it('is not tried with another length where it is a usual one', () => {
    const length = lengthOf([MINUTE], true);
    expect([length.onEmptied(), length.ms]).toEqual([false, MINUTE]);
  });

  it('lasts a usual time that holds all ends, where some have passed long ago', () => {
    expect(lengthOf([-60_000], true).ms).toBe(SECOND);
    expect(lengthOf([-60_000, -62_900], true).ms).toBe(SECOND);
    expect(lengthOf([-60_000, -63_100], true).ms).toBe(MINUTE);
  });
});
