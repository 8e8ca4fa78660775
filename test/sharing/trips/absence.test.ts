import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { USUAL } from '../../../src/share.ts';
import { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { Absence } from '../../../src/sharing/trips/absence.ts';
import type { FailureMode } from '../../../src/sharing/trips/fallback.ts';
import type { Trips } from '../../../src/sharing/trips/trips.ts';
import { ask, demand } from '../support/ledgers.ts';
import { BEGIN, reading } from '../support/small.ts';

interface World {
  readonly absence: Absence;
  readonly ledger: Ledger;
  /** What the trips to the store know. */
  readonly trips: { lostSince: number | undefined; hasJoined: boolean; live: number | undefined };
}

/** A process that knows a minute of 600, and shares it with three others by what the store said last. */
function worldOf(mode: FailureMode = 'partial'): World {
  const clock = new ServerClock();
  clock.narrow(BEGIN, BEGIN, 0);
  const ledger = new Ledger(clock, () => 0);
  ledger.read(reading({ limit: 600, used: 0, sentAt: 0, receivedAt: 20 }));
  const trips = {
    lostSince: undefined,
    hasJoined: true,
    live: 4,
    retryAt: (now: number) => now + 60_000,
  };
  return { absence: new Absence(trips as unknown as Trips, ledger, () => 0.5, mode, 8), ledger, trips };
}

describe('a process whose store does not answer', () => {
  it('sends nothing on its own for four seconds, in which others may send what they had booked', () => {
    const { absence, trips } = worldOf();
    trips.lostSince = 1_000;
    expect([absence.isNow(4_999), absence.isNow(5_000)]).toEqual([false, true]);
  });

  it('sends nothing on its own while the store answers, however much is free', () => {
    const { absence, ledger } = worldOf();
    ask(ledger, demand(), [1], 100, { used: [0] });
    expect(ledger.policy.isAmple(200)).toBe(true);
    expect(absence.isNow(200)).toBe(false);
  });

  it('sends at once while half of every window is free by the last answer, but not where the others may take a window of four units meanwhile', () => {
    const isNow = (limit: number): boolean => {
      const { absence, ledger, trips } = worldOf();
      ledger.read(reading({ limit, used: 0, sentAt: 0, receivedAt: 20 }));
      ask(ledger, demand(), [1], 100, { used: [0] });
      trips.lostSince = 150;
      return absence.isNow(200);
    };
    expect([isNow(5), isNow(4)]).toEqual([true, false]);
  });

  it('does not wait for that where the store never answered: no process can have booked units in it', () => {
    const { absence, trips } = worldOf();
    trips.hasJoined = false;
    expect(absence.isNow(1_000)).toBe(false);
    trips.lostSince = 1_000;
    expect(absence.isNow(1_000)).toBe(true);
  });

  it('is alone from the first call that asks when it may go, until the store answers', () => {
    const { absence, trips } = worldOf();
    trips.lostSince = 1_000;
    expect([absence.isUngranted, absence.isOverdrawn(5_000)]).toEqual([false, false]);
    expect(absence.earliest(1, 5_000)).toBeGreaterThanOrEqual(5_000);
    expect([absence.isUngranted, absence.isOverdrawn(5_000)]).toEqual([true, true]);
    absence.answered(3_000, 6_000);
    expect([absence.isUngranted, absence.goesUngranted(6_000)]).toEqual([false, true]);
    trips.lostSince = undefined;
    expect([absence.goesUngranted(6_000), absence.isOverdrawn(6_000)]).toEqual([false, false]);
  });

  it('asks the store again when that is sooner than its own turn', () => {
    const { absence, trips } = worldOf('closed');
    trips.lostSince = 0;
    // `closed` sends nothing on its own, so that only the store can let the call go.
    expect(absence.earliest(1, 5_000)).toBe(65_000);
  });

  it('sends its part of the minute by as many processes as were live', () => {
    const { absence, trips } = worldOf();
    trips.lostSince = 0;
    absence.earliest(1, 5_000);
    absence.onSent(5_000);
    // 600 a minute are 10 a second; four fifths of a fourth of that is one in 500 ms.
    expect(absence.earliest(1, 5_000) - 5_000).toBeCloseTo(500);
  });
});

describe('a store that is back', () => {
  it('after more than 3.5 s finds a process alone for another 0.7 s, and overdrawn until 2 s after that', () => {
    const { absence, trips } = worldOf();
    trips.lostSince = 0;
    absence.earliest(1, 5_000);
    absence.answered(5_100, 5_200);
    trips.lostSince = undefined;
    expect([absence.goesUngranted(5_899), absence.goesUngranted(5_900)]).toEqual([true, false]);
    expect(absence.isUngranted).toBe(true);
    absence.answered(5_900, 5_901);
    expect([absence.isUngranted, absence.isOverdrawn(7_899), absence.isOverdrawn(7_900)]).toEqual([false, true, false]);
  });

  it('after 3.5 s is used again at once', () => {
    const { absence, trips } = worldOf();
    trips.lostSince = 0;
    absence.earliest(1, 4_000);
    absence.answered(3_500, 4_010);
    trips.lostSince = undefined;
    expect([absence.goesUngranted(4_010), absence.isUngranted]).toEqual([false, false]);
  });

  it('finds a process no longer alone at the very end of its time', () => {
    const { absence, trips } = worldOf();
    trips.lostSince = 0;
    absence.earliest(1, 5_000);
    absence.answered(5_100, 5_200);
    trips.lostSince = undefined;
    absence.answered(5_800, 5_900);
    expect(absence.isUngranted).toBe(false);
  });

  it('after more than 3.5 s is asked for nothing that begins within two seconds: others may still send it', () => {
    const { absence, ledger, trips } = worldOf();
    const first = (): number => {
      const { slots } = ledger.compose(
        { need: 1, want: 5, rank: USUAL, isUrgent: false, concurrency: 32, maxWaitMs: 0 },
        10_000,
        1,
      );
      return Math.min(...slots.filter(({ wish }) => wish > 0).map(({ name }) => Number(name) * 1_000 - BEGIN));
    };
    trips.lostSince = 6_500;
    absence.ask(10_000);
    expect(first()).toBeLessThanOrEqual(10_000);
    trips.lostSince = 6_499;
    absence.ask(10_000);
    expect(first()).toBeGreaterThanOrEqual(12_000);
  });
});
