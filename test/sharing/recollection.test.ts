import { describe, expect, it } from 'vitest';
import { Recollection } from '../../src/sharing/recollection.ts';
import { windowAsk } from '../../src/testing/share/asking.ts';
import { answering } from './support/small.ts';

const WINDOWS = [windowAsk({ name: 'minute:1', limit: 100, ttlMs: 60_000 })];

/** An answer of a store that is so old and says that so much is used. */
const answer = (forMs: number, used: number) => answering({ urgent: { units: 0, forMs }, used: [used] });

describe('what a process remembers of the store', () => {
  it('is told to no store that remembers as much itself', () => {
    const recollection = new Recollection();
    expect(recollection.hear(WINDOWS, answer(10_000, 40), 0)).toBe(false);
    expect(recollection.hear(WINDOWS, answer(11_000, 50), 1_000)).toBe(false);
    expect(recollection.remind(WINDOWS, 0.01, 1_000)).toEqual(WINDOWS);
  });

  it('is told to a store that is younger, with what others may have been granted since it was heard', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 40), 0);
    expect(recollection.hear(WINDOWS, answer(100, 3), 2_000)).toBe(true);
    const [told] = recollection.remind(WINDOWS, 0.01, 2_500);
    expect(told?.reading).toBe(60);
    expect(recollection.remind([windowAsk({ name: 'minute:2' })], 0.01, 2_500)[0]?.reading).toBe(-1);
  });

  it('is never more than the window holds, and no less than what the service has said', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 95), 0);
    recollection.hear(WINDOWS, answer(100, 0), 2_000);
    expect(recollection.remind(WINDOWS, 0.01, 2_500)[0]?.reading).toBe(100);
    const read = [windowAsk({ name: 'minute:1', limit: 300, reading: 250 })];
    expect(recollection.remind(read, 0.01, 2_500)[0]?.reading).toBe(250);
  });

  it('is gathered from all processes until the store is 1.5 s old: only then units are asked for', () => {
    const recollection = new Recollection();
    recollection.hear(WINDOWS, answer(10_000, 40), 0);
    recollection.hear(WINDOWS, answer(100, 0), 2_000);
    expect([recollection.isGathering(3_399), recollection.isGathering(3_400)]).toEqual([true, false]);
  });
});
