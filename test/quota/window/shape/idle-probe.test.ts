import { describe, expect, it } from 'vitest';
import { SentInWindow } from '../../../../src/quota/window/sent-in-window.ts';
import { IdleProbe } from '../../../../src/quota/window/shape/idle-probe.ts';
import { knownClock } from '../../support/builders.ts';

const LIMIT = 20;
/** The end of every fourth second is that of a lull, by a clock that shows what ours does, give or take 20 ms. */
const LULL = 4_000;
const LULL_ENDS = LULL + 1_000;

/** A probe, and what was sent before. */
interface Lull extends Pick<IdleProbe, 'earliest'>, Pick<SentInWindow, 'onSent'> {}

function lullAfter(units: number, at: number, isAllowed = true): Lull {
  const sent = new SentInWindow('second', knownClock());
  const probe = new IdleProbe('second', knownClock(), sent, () => isAllowed);
  sent.onSent(units, at);
  return { earliest: probe.earliest.bind(probe), onSent: sent.onSent.bind(sent) };
}

describe('idle probe', () => {
  it('a lull is the rest of one second in four, behind a busy one', () => {
    const lull = lullAfter(LIMIT / 2, LULL - 500);
    const until = lull.earliest(1, LIMIT, LULL + 500);
    expect(until).toBeGreaterThanOrEqual(LULL_ENDS);
    expect(until).toBeLessThan(LULL_ENDS + 50);
    expect(lull.earliest(1, LIMIT, LULL - 400)).toBe(LULL - 400);
    expect(lull.earliest(1, LIMIT, LULL_ENDS + 100)).toBe(LULL_ENDS + 100);
  });

  it('a lull does not follow a second in which little was sent', () => {
    expect(lullAfter(LIMIT / 2 - 1, LULL - 500).earliest(1, LIMIT, LULL + 500)).toBe(LULL + 500);
  });

  it('a lull does not follow a second in which nothing was sent, however busy the one before', () => {
    expect(lullAfter(LIMIT, LULL - 1_500).earliest(1, LIMIT, LULL + 500)).toBe(LULL + 500);
  });

  it('a lull begins when two fifths of its second are over, whatever was sent in those', () => {
    const lull = lullAfter(LIMIT, LULL - 500);
    lull.onSent(1, LULL + 50);
    expect(lull.earliest(1, LIMIT, LULL + 350)).toBe(LULL + 350);
    expect(lull.earliest(1, LIMIT, LULL + 450)).toBeGreaterThanOrEqual(LULL_ENDS);
  });

  it('a lull follows what was sent in one second, all of it together', () => {
    const twice = lullAfter(LIMIT / 4, LULL - 1_500);
    twice.onSent(LIMIT / 4, LULL - 600);
    expect(twice.earliest(1, LIMIT, LULL + 500)).toBe(LULL + 500);
    twice.onSent(LIMIT / 4, LULL - 500);
    expect(twice.earliest(1, LIMIT, LULL + 500)).toBeGreaterThanOrEqual(LULL_ENDS);
  });

  it('a lull is one second in four only, and none while it is not allowed', () => {
    const other = lullAfter(LIMIT, LULL + 600);
    expect(other.earliest(1, LIMIT, LULL + 1_500)).toBe(LULL + 1_500);
    const forbidden = lullAfter(LIMIT, LULL - 500, false);
    expect(forbidden.earliest(1, LIMIT, LULL + 500)).toBe(LULL + 500);
  });
});
