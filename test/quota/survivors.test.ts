import { describe, expect, it } from 'vitest';
import { AlignedWindow } from '../../src/quota/models/aligned.ts';
import type { Reading } from '../../src/quota/models/model.ts';
import { SlidingLog } from '../../src/quota/models/sliding-log.ts';
import { Past } from '../../src/quota/past.ts';
import { ServerClock } from '../../src/quota/server-clock.ts';
import { Survivors } from '../../src/quota/survivors.ts';

const MINUTE_MS = 60_000;

/** Our clock and the service's both show a full minute at 0. */
function minute(): { aligned: AlignedWindow; sliding: SlidingLog; survivors: Survivors; past: Past } {
  const clock = new ServerClock();
  clock.hear(0, 0, 10);
  clock.hear(-1_000, -10, -5);
  const [aligned, sliding] = [new AlignedWindow('minute', clock), new SlidingLog(MINUTE_MS)];
  return { aligned, sliding, survivors: new Survivors([sliding, aligned], 60_000), past: new Past() };
}

function reading(sentAt: number, used: number): Reading {
  return { sentAt, receivedAt: sentAt + 20, limit: 10_000, used, own: 1, held: 0, settledSince: 0, limited: false };
}

/** Five units that came back at 50 s, before the minute was over. */
function fiveAt50(): ReturnType<typeof minute> {
  const all = minute();
  all.survivors.book(5, 49_900, 50_000);
  all.past.add(49_900, 50_000, 5, 5);
  return all;
}

describe('a shape of a window', () => {
  it('dies by a reading that counts less than it must have counted', () => {
    const { aligned, survivors, past } = fiveAt50();
    survivors.judge(reading(61_000, 1), past);
    expect(survivors.alive).toEqual([aligned]);
  });

  it('lives on where the reading counts as much as it must have', () => {
    const { survivors, past } = fiveAt50();
    survivors.judge(reading(61_000, 5), past);
    survivors.judge(reading(55_000, 5), past);
    expect(survivors.alive).toHaveLength(2);
  });

  it('is never killed by what others spend, for it only adds to a reading', () => {
    const { survivors, past } = fiveAt50();
    for (const used of [6, 60, 6_000]) survivors.judge(reading(61_000, used), past);
    expect(survivors.alive).toHaveLength(2);
  });

  it('is believed again when none is left, because then something else has changed', () => {
    const { survivors, past } = fiveAt50();
    survivors.judge(reading(61_000, 1), past);
    expect(survivors.alive).toHaveLength(1);
    survivors.judge(reading(55_000, 1), past);
    expect(survivors.alive).toHaveLength(2);
  });

  it('keeps its books after its death, so that it can come back', () => {
    const { sliding, survivors, past } = fiveAt50();
    survivors.judge(reading(61_000, 1), past);
    survivors.book(2, 61_100, 61_200);
    expect(sliding.spent(61_200)).toBe(7);
    for (let time = 0; time < 2; time++) survivors.surprise();
    expect(survivors.alive).toHaveLength(2);
  });

  it('cannot be contradicted where there is no other', () => {
    const { sliding, past } = fiveAt50();
    const alone = new Survivors([sliding], 60_000);
    alone.judge(reading(55_000, 0), past);
    expect(alone.alive).toEqual([sliding]);
  });
});
