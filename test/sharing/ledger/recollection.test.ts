import { describe, expect, it } from 'vitest';
import { Recollection } from '../../../src/sharing/ledger/recollection.ts';
import type { Facts } from '../../../src/sharing/store/store.ts';
import { windowAsk } from '../../../src/testing/share/asking.ts';
import { answering } from '../support/small.ts';

const WINDOWS = [windowAsk({ name: 'minute:1', limit: 100, ttlMs: 60_000 })];

/** What was known of the other processes. */
const BEFORE = { processes: 3, aheadMs: 1_400 };

/** An answer of a store that is so old and says that so much is used. */
const answer = (forMs: number, used: number) => answering({ urgent: { units: 0, forMs }, used: [used] });

describe('what a process remembers of the store', () => {
  it('is told to no store that remembers as much itself', () => {
    const recollection = new Recollection();
    expect(recollection.hear(WINDOWS, answer(10_000, 40), BEFORE, 0)).toBe(false);
    expect(recollection.hear(WINDOWS, answer(11_000, 50), BEFORE, 1_000)).toBe(false);
    expect(recollection.remind(WINDOWS, 1_000)).toEqual(WINDOWS);
  });

  it('is told to a younger store: of all processes, the one that was granted units last knows of all of them', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 40), BEFORE, 0);
    expect(recollection.hear(WINDOWS, answer(100, 3), BEFORE, 2_000)).toBe(true);
    expect(recollection.remind(WINDOWS, 2_500)[0]?.reading).toBe(40);
    expect(recollection.remind([windowAsk({ name: 'minute:2' })], 2_500)[0]?.reading).toBe(-1);
  });

  it('is told to a store that is more than two seconds younger than it must be', () => {
    const isLost = (forMs: number): boolean => {
      const recollection = new Recollection();
      recollection.hear(WINDOWS, answer(10_000, 40), BEFORE, 5_000);
      return recollection.hear(WINDOWS, answer(forMs, 40), BEFORE, 6_000);
    };
    expect([9_000, 8_999].map(isLost)).toEqual([false, true]);
  });

  it('is what was heard before the loss, by when that was', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 40), BEFORE, 5_000);
    recollection.hear(WINDOWS, answer(1_000, 0), BEFORE, 7_000);
    expect(recollection.remind(WINDOWS, 7_500)[0]?.reading).toBe(40);
    // What the younger store has said since, it knows.
    recollection.hear(WINDOWS, answer(1_500, 7), BEFORE, 7_500);
    expect(recollection.remind(WINDOWS, 7_500)[0]?.reading).toBe(-1);
  });

  it('is never more than the window holds, and no less than what the service has said', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 95), BEFORE, 0);
    recollection.hear(WINDOWS, answer(100, 0), BEFORE, 2_000);
    expect(recollection.remind([windowAsk({ name: 'minute:1', limit: 90 })], 2_500)[0]?.reading).toBe(90);
    const read = [windowAsk({ name: 'minute:1', limit: 300, reading: 250, bounds: 'both' })];
    expect(recollection.remind(read, 2_500)).toEqual(read);
    // That no more than so much is used does not say that so much is.
    const [told] = recollection.remind(
      [windowAsk({ name: 'minute:1', limit: 300, reading: 250, bounds: 'above' })],
      2_500,
    );
    expect(told).toMatchObject({ reading: 95, bounds: 'below' });
  });

  it('is not told of the first step of a window that drains: with what counted in it of those before, it is more than its own', () => {
    const recollection = new Recollection();
    const steps = [0, 2_000].map((drain, nth) => windowAsk({ name: `minute-drain-${nth}`, limit: 100, drain }));
    recollection.hear(steps, { ...answer(10_000, 0), used: [30, 40] }, BEFORE, 0);
    recollection.hear(steps, { ...answer(100, 0), used: [0, 0] }, BEFORE, 2_000);
    expect(recollection.remind(steps, 2_500).map(({ reading }) => reading)).toEqual([-1, 40]);
  });

  it('is told to no store that may only have dropped its age, since no process asked for so long: that one knows facts', () => {
    const reminded = (idleMs: number, facts?: Facts): number | undefined => {
      const recollection = new Recollection();
      const day = [windowAsk({ name: 'day:1', limit: 240, ttlMs: 86_400_000 })];
      const begin = 5_000_000;
      recollection.hear(day, answer(10_000, 40), BEFORE, begin);
      recollection.hear(day, { ...answer(0, 40), facts }, BEFORE, begin + idleMs);
      return recollection.remind(day, begin + idleMs)[0]?.reading;
    };
    const facts = new Map([['l:day', '240']]);
    expect([reminded(2_999_000, facts), reminded(3_000_000, facts), reminded(3_000_000)]).toEqual([40, -1, -1]);
    // One that has lost all is told.
    expect(reminded(3_000_000, new Map())).toBe(40);
  });

  it('is gathered until the slots are over that others may hold, or until all processes have told: only then units are asked for', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 40), BEFORE, 0);
    recollection.hear(WINDOWS, answer(100, 0), BEFORE, 2_000);
    expect([recollection.isGathering(3_399), recollection.isGathering(3_400)]).toEqual([true, false]);
    expect([recollection.told(2), recollection.isGathering(3_399)]).toEqual([false, true]);
    expect([recollection.told(3), recollection.isGathering(3_399)]).toEqual([true, false]);
  });
});
