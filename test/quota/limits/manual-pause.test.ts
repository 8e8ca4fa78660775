import { describe, expect, it } from 'vitest';
import { ManualPause } from '../../../src/quota/limits/manual-pause.ts';
import { charge } from '../support/builders.ts';

const CHARGE = charge();

function pausedUntil(instant: number): ManualPause {
  const pause = new ManualPause();
  pause.set(instant);
  return pause;
}

describe('a pause that the caller ordered', () => {
  it('holds nothing back before it is ordered', () => {
    expect(new ManualPause().check(CHARGE, 0)).toBeUndefined();
  });

  it('holds every request back until its instant, which no answer brings nearer', () => {
    const pause = pausedUntil(5_000);
    expect(pause.until).toBe(5_000);
    const hold = pause.check(CHARGE, 4_999);
    expect(hold).toMatchObject({ until: 5_000, isFirm: true, mayEndOnAnswer: false, scope: 'all' });
    expect(hold?.reason()).toEqual({ kind: 'paused', why: 'the client is paused' });
    expect(pause.check(CHARGE, 5_000)).toBeUndefined();
  });

  it('without an end is looked at every minute, and refuses no call for its length', () => {
    const pause = pausedUntil(Infinity);
    expect(pause.check(CHARGE, 1_000)).toMatchObject({ until: 61_000, isFirm: false });
    expect(pause.check(CHARGE, 1e12)).toMatchObject({ until: 1e12 + 60_000, isFirm: false });
  });

  it('is over as soon as the caller ends it', () => {
    const pause = pausedUntil(5_000);
    pause.set(-Infinity);
    expect(pause.check(CHARGE, 0)).toBeUndefined();
  });
});
