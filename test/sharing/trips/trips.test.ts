import { describe, expect, it, vi } from 'vitest';
import { seeded } from '../../../src/testing/index.ts';
import { cases, DEEP, runs } from '../../support/deep.ts';
import { type Fleet, type FleetTerms, fleetOf } from '../support/fleet.ts';

/** Units of each second, and of a minute that holds more than can be sent in its seconds. */
const A_SECOND = 20;
const KEYED = { second: A_SECOND, minute: 1_500 };

/** In the first seconds processes hear of each other, in milliseconds. */
const FIRST_MS = 3_000;

/** Of a thousand requests so many may be refused. */
const REFUSED = 2 / 1_000;

/**
 * The part of the seconds that is used. What was granted by an answer that was lost is told as not claimed by the next
 * trip, 50 ms later: a second is full as long as one trip of it comes back.
 */
const USED = 0.95;

/**
 * What others may have booked is over by then, one more second was short while the store went away, and trips that are given
 * up take their time. In milliseconds.
 */
const STANDSTILL_MS = 4_000 + 1_000 + 200;

type Fate = 'lost' | number;

interface Observed {
  readonly requests: number;
  readonly limited: number;
  /** Requests served in each second of the service, from the first one on. */
  readonly seconds: readonly number[];
  /** The longest time in which none was served, in milliseconds. */
  readonly standstill: number;
}

/** Lets all clients of a fleet make as many calls as they may while something happens, for so long. None may fail. */
async function observe(fleet: Fleet, ms: number, happen: (fleet: Fleet) => Promise<void> | void): Promise<Observed> {
  const failures: unknown[] = [];
  const from = fleet.clock.now();
  void fleet.work(1_000_000).catch((error: unknown) => failures.push(error));
  await happen(fleet);
  await fleet.clock.advance(ms - (fleet.clock.now() - from));
  expect(failures).toEqual([]);
  const served = fleet.service.log.filter(({ limited }) => !limited).map(({ serviceTime }) => serviceTime);
  served.sort((a, b) => a - b);
  const first = Math.floor((served[0] ?? 0) / 1_000);
  // The last second is not over for all.
  const seconds = new Array<number>(Math.floor(ms / 1_000) - 1).fill(0);
  for (const time of served) {
    const second = Math.floor(time / 1_000) - first;
    if (second < seconds.length) seconds[second] = (seconds[second] ?? 0) + 1;
  }
  const standstill = Math.max(...served.map((time, index) => time - (served[index - 1] ?? time)));
  return { requests: fleet.service.requests, limited: fleet.limited, seconds, standstill };
}

/** The part of the seconds from `ms` on that was used. */
function usedFrom(ms: number, { seconds }: Observed): number {
  const settled = seconds.slice(ms / 1_000);
  return settled.reduce((sum, count) => sum + count, 0) / (settled.length * A_SECOND);
}

function refusedOf(all: readonly Observed[]): number {
  const count = (of: (one: Observed) => number): number => all.reduce((sum, one) => sum + of(one), 0);
  return count(({ limited }) => limited) / count(({ requests }) => requests);
}

function fleetAt(size: number, when: Pick<FleetTerms, 'start' | 'seed'> = {}): Fleet {
  // With the shapes known already all seconds are full without a fault, so that what is missing is lost by one.
  const terms = { ...when, calendar: ['second', 'minute'] as const };
  return fleetOf(size, { keyed: KEYED, latencyMs: [25, 60] }, {}, terms);
}

const FATES: readonly (readonly [string, Fate])[] = cases<readonly [string, Fate]>(
  [
    ['lost', 'lost'],
    ['late by a second', 1_000],
  ],
  [['late by 50 ms', 50]],
);

/** Answers that are lost each time, and all in the deep run. */
const LOST_OR_ALL: typeof FATES = FATES.slice(0, runs(1, 3));

const SIZES = cases([4], [1, 2, 8]);

/** How long processes work while answers go astray, in milliseconds. */
const LASTS_MS = runs(10_000, 14_000);

describe('processes that share a quota, where answers of the store go astray,', () => {
  it.each(FATES)('are not refused and leave no second empty while every fifth answer is %s', async (_, fate) => {
    const all: Observed[] = [];
    for (const size of SIZES) {
      const observed = await observe(fleetAt(size), LASTS_MS, (fleet) => {
        fleet.answers = (call) => (call % 5 === 0 ? fate : 0);
      });
      all.push(observed);
    }
    expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
    for (const observed of all) {
      expect(usedFrom(FIRST_MS, observed)).toBeGreaterThanOrEqual(USED);
      expect(observed.standstill).toBeLessThan(STANDSTILL_MS);
    }
  });

  // Each of these was refused: a look ended before it was told what was sent in it; a first look that was none; a process that never
  // heard one answer; processes whose asks were answered, and what they told besides was not.
  it.each(
    cases(
      [
        [1_000, 2, 7],
        [50, 4, 3],
        [1_000, 4, 6],
        [1_000, 8, 8],
      ],
      [[1_000, 8, 10]],
    ),
  )('are never refused while every fifth answer is late by %i ms: %i of them, seed %i', async (fate, size, seed) => {
    const { limited } = await observe(fleetAt(size, { seed }), 10_000, (fleet) => {
      fleet.answers = (call) => (call % 5 === 0 ? fate : 0);
    });
    expect(limited).toBe(0);
  });

  it.runIf(DEEP).each(FATES)(
    'are refused no more than two of a thousand times, whatever falls together with every fifth answer, which is %s',
    async (_, fate) => {
      for (let seed = 1; seed <= 13; seed++) {
        const all: Observed[] = [];
        for (const size of SIZES) {
          const observed = await observe(fleetAt(size, { seed }), LASTS_MS, (fleet) => {
            fleet.answers = (call) => (call % 5 === 0 ? fate : 0);
          });
          all.push(observed);
          expect(usedFrom(FIRST_MS, observed)).toBeGreaterThanOrEqual(USED);
        }
        expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
      }
    },
  );

  it('are not refused and leave no second empty while every answer is late by 50 ms', async () => {
    const all: Observed[] = [];
    for (const size of SIZES) {
      const observed = await observe(fleetAt(size), LASTS_MS, (fleet) => {
        fleet.answers = () => 50;
      });
      all.push(observed);
    }
    expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
    for (const observed of all) expect(usedFrom(FIRST_MS, observed)).toBeGreaterThanOrEqual(USED);
  });

  it.each(LOST_OR_ALL)('are not refused when any single one of the very first answers is %s', async (_, fate) => {
    const all: Observed[] = [];
    for (let number = 1; number <= runs(4, 14); number++) {
      // Nothing is known: these are answers to the looks at the service, too.
      const fleet = fleetOf(2, { keyed: KEYED, latencyMs: [25, 60] });
      const observed = await observe(fleet, runs(6_000, 8_000), () => {
        fleet.answers = (call) => (call === number ? fate : 0);
      });
      all.push(observed);
    }
    expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
    for (const { standstill } of all) expect(standstill).toBeLessThan(STANDSTILL_MS);
  });

  // Each of these was refused: a process whose only trip was late sent without a grant, and one that had looked told its unit three seconds later.
  it.each([
    [2, 6],
    [2, 10],
    [12, 5],
  ])(
    'are not refused of four units a minute where a single one of the very first answers is lost: %i of them, answer %i',
    async (size, number) => {
      const fleet = fleetOf(
        size,
        { keyed: { minute: 4 }, latencyMs: [10, 40] },
        {},
        { start: Date.UTC(2025, 0) + 1_377 },
      );
      fleet.answers = (call) => (call === number ? 'lost' : 0);
      const random = seeded(1);
      for (let call = 0; call < 12; call++)
        void fleet.clock
          .sleep(random() * 50)
          .then(() => fleet.clients[call % size]?.getInfo())
          .catch(() => {});
      await fleet.clock.advance(5_000);
      expect([fleet.service.requests, fleet.limited]).toEqual([4, 0]);
    },
  );

  it.each(LOST_OR_ALL)('go on as before when any single later answer is %s', async (_, fate) => {
    const all: Observed[] = [];
    for (let number = 1; number <= runs(2, 6); number++) {
      const observed = await observe(fleetAt(3), 9_000, async (fleet) => {
        await fleet.clock.advance(FIRST_MS);
        const before = fleet.trips;
        fleet.answers = (call) => (call === before + number ? fate : 0);
      });
      all.push(observed);
      // Of one second a process may lose what it had just been granted.
      expect(usedFrom(FIRST_MS, observed)).toBeGreaterThan(0.9);
    }
    expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
  });

  it.each(LOST_OR_ALL)('are not refused when all answers around the beginning of a minute are %s', async (_, fate) => {
    const all: Observed[] = [];
    for (const size of SIZES) {
      const start = Date.UTC(2026, 2, 10, 14, 0, 52);
      const observed = await observe(fleetAt(size, { start }), 16_000, async (fleet) => {
        await fleet.clock.advance(7_300);
        fleet.answers = () => fate;
        await fleet.clock.advance(1_400);
        fleet.answers = undefined;
      });
      all.push(observed);
      expect(observed.standstill).toBeLessThan(STANDSTILL_MS);
      // The store is as good as absent for 1.4 s; tries of it come up to two seconds apart then.
      expect(usedFrom(12_000, observed)).toBeGreaterThanOrEqual(USED);
    }
    expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
  });
});

describe('processes that share a quota, where the store is absent,', () => {
  const ways = (['down', 'frozen'] as const).flatMap((how) =>
    (DEEP ? [5, 30] : [5]).map((seconds) => [how, seconds] as const),
  );

  it.each(ways)('%s for %i seconds, stand still for four seconds at most and are not refused', async (how, seconds) => {
    const all: Observed[] = [];
    for (const size of cases([4], [1])) {
      const observed = await observe(fleetAt(size), runs(14_000, 18_000) + seconds * 1_000, async (fleet) => {
        await fleet.clock.advance(5_000);
        fleet.wire = how;
        await fleet.clock.advance(seconds * 1_000);
        fleet.wire = undefined;
      });
      all.push(observed);
      expect(observed.standstill).toBeLessThan(STANDSTILL_MS);
      // The last of them again together: what each booked alone is over, and all of them have heard the store.
      expect(usedFrom(10_000 + seconds * 1_000, observed)).toBeGreaterThanOrEqual(USED);
    }
    expect(refusedOf(all)).toBeLessThanOrEqual(REFUSED);
  });

  // A try of the store was under way when the first could go on without it; the store came back when that was about to be so.
  it.each([
    [1, 0],
    [8, 96],
  ])(
    'frozen for 5 seconds, stand still no longer than what others may hold, with seed %i, %i ms later',
    async (seed, late) => {
      const start = Date.UTC(2026, 2, 10, 14, 0, 7) + late;
      const { standstill, limited } = await observe(fleetAt(1, { seed, start }), 16_000, async (fleet) => {
        await fleet.clock.advance(5_000);
        fleet.wire = 'frozen';
        await fleet.clock.advance(5_000);
        fleet.wire = undefined;
      });
      expect(limited).toBe(0);
      expect(standstill).toBeLessThan(4_500);
    },
  );

  it.each(cases(['down'], ['frozen']))(
    '%s for a minute, wake up no more often than they may try it again',
    async (how) => {
      const size = runs(2, 4);
      const fleet = fleetOf(size, { keyed: { second: 20, minute: 150 } });
      void fleet.work(480).catch(() => {});
      await fleet.clock.advance(runs(12_000, 65_000));
      fleet.wire = how;
      const timer = vi.spyOn(fleet.clock, 'timer');
      await fleet.clock.advance(60_000);
      // One a millisecond would be 60,000 of each.
      expect(timer.mock.calls.length).toBeLessThan(7_500 * size);
    },
  );
});
