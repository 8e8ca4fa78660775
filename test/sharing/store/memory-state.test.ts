import { describe, expect, it } from 'vitest';
import { pauseLeft, type State, stateAt } from '../../../src/sharing/store/memory-state.ts';
import { STATE_RENEWED_MS } from '../../../src/sharing/store/store-rules.ts';

const NOW = 1_000_000_000;
const STATE: State = { version: 3, least: 2, pauseUntil: 0, urgent: 9_000, usual: 5_000, at: NOW, since: NOW - 500 };

describe('the state of a store in memory', () => {
  it('is empty where none is known, and is to be written', () => {
    expect(stateAt(undefined, NOW)).toEqual({
      ...{ version: 0, least: 0, pauseUntil: 0, urgent: 0, usual: 0, at: NOW, since: NOW, isDue: true },
    });
  });

  it('keeps its versions, and when urgent units were counted first', () => {
    expect(stateAt(STATE, NOW + 10)).toMatchObject({ version: 3, least: 2, at: NOW + 10, since: NOW - 500 });
    // The clock was set back.
    expect(stateAt(STATE, NOW - 900)).toMatchObject({ at: NOW - 900, since: NOW - 900 });
  });

  it('forgets urgent and usual units by a factor of e in a minute, and none where no time has passed', () => {
    const counts = (now: number) => [stateAt(STATE, now).urgent, stateAt(STATE, now).usual];
    expect(counts(NOW + 60_000)).toEqual([9_000, 5_000].map((units) => Math.floor(units / Math.E)));
    expect([NOW, NOW - 60_000].map(counts)).toEqual([
      [9_000, 5_000],
      [9_000, 5_000],
    ]);
  });

  it('begins to count usual units where it was written by a version that did not', () => {
    const { usual: _, ...earlier } = STATE;
    expect([NOW, NOW + 60_000].map((now) => stateAt(earlier, now).usual)).toEqual([0, 0]);
  });

  it('keeps a pause of an hour, and none that is longer', () => {
    const hour = NOW + 3_600_000;
    expect([hour, hour + 1].map((pauseUntil) => stateAt({ ...STATE, pauseUntil }, NOW).pauseUntil)).toEqual([hour, 0]);
  });

  it('is to be written again in each stretch of its life, and after its clock was set back', () => {
    const at = Math.ceil(NOW / STATE_RENEWED_MS) * STATE_RENEWED_MS;
    const isDue = (now: number): boolean => stateAt({ ...STATE, at }, now).isDue;
    expect([at, at + STATE_RENEWED_MS - 1, at + STATE_RENEWED_MS].map(isDue)).toEqual([false, false, true]);
    const later = { ...STATE, at: at + 500 };
    expect([at + 499, at + 500].map((now) => stateAt(later, now).isDue)).toEqual([true, false]);
  });
});

describe('what is left of a pause', () => {
  it('is nothing where there is none, its time, and a millisecond where it is over and not cleared', () => {
    const left = (pauseUntil: number): number => pauseLeft({ ...STATE, pauseUntil }, NOW);
    expect([left(0), left(NOW + 500), left(NOW + 1), left(NOW), left(NOW - 500)]).toEqual([0, 500, 1, 1, 1]);
  });
});
