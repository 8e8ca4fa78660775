import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstRequest } from '../../src/quota/models/first-request.ts';
import { slidingLog } from '../../src/quota/models/sliding-log.ts';
import { periodMsOf } from '../../src/quota/time/periods.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import { cases, runs } from '../support/deep.ts';
import { demand, ledgerOf, TRIP_MS } from './support/ledgers.ts';
import { BEGIN } from './support/small.ts';

const STEPS = 30;
const LIMIT = 12;
const ROUND_TRIP_MS = 20;

/** So much before its window is over a job may begin anew, in milliseconds. */
const EARLY_MS = 10_000;

/** After so long without a trip a process takes it that the store has dropped its account, in milliseconds. */
const FORGOTTEN_MS = 50_000;

/** A job: how many windows and how many parts of a step it begins after the one before; of which process; and how many calls it makes how fast. */
const jobs = fc.array(
  fc.record({
    windows: fc.constantFrom(0, 0, 1, 1, 1),
    steps: fc.oneof(fc.double({ min: 0, max: 0.2, noNaN: true }), fc.double({ min: 0, max: 7.5, noNaN: true })),
    process: fc.nat(2),
    calls: fc.integer({ min: 1, max: 14 }),
    /** Units that are asked for beyond those that are spent. */
    spare: fc.constantFrom(0, 0, 3),
    apartMs: fc.constantFrom(0, 150, 3_000),
    arrivesMs: fc.nat(ROUND_TRIP_MS),
    /** Whether its requests are answered, at the earliest when they arrive. */
    isAnswered: fc.boolean(),
  }),
  { minLength: 4, maxLength: 14 },
);

type Job = typeof jobs extends fc.Arbitrary<(infer T)[]> ? T : never;

/** When the requests of all jobs arrive. */
async function arrivals(period: 'minute' | 'hour', all: readonly Job[]): Promise<number[]> {
  const windowMs = periodMsOf(period);
  let now = 0;
  const store = memoryStore(() => BEGIN + now);
  const processes = [0, 1, 2].map(() => ({
    ledger: ledgerOf({ [period]: LIMIT }, { alive: [firstRequest, slidingLog], roundTripMs: ROUND_TRIP_MS }),
    ...{ sequence: 0, heardAt: 0 },
  }));
  const arrived: number[] = [];
  for (const { windows, steps, process: index, calls, spare, apartMs, arrivesMs, isAnswered } of all) {
    now += Math.max(100, windows * (windowMs - EARLY_MS)) + Math.floor((steps * windowMs) / STEPS);
    const process = processes[index] as (typeof processes)[number];
    for (let call = 0; call < calls; call++) {
      const { ledger } = process;
      now += apartMs;
      if (now - process.heardAt > FORGOTTEN_MS) ledger.book.forgetAccount();
      const composed = ledger.compose(demand({ want: 1 + spare }), now, TRIP_MS);
      const { asked: _, ...told } = composed;
      const rest = { member: `${index}`, sequence: ++process.sequence, version: 0, urgent: 0, usual: 0 };
      const answer = await store.take({ ...told, ...rest });
      if (answer === 'stale') throw new Error('The ask is stale');
      ledger.receive(composed, answer, 3, now, now + TRIP_MS);
      now += TRIP_MS;
      process.heardAt = now;
      if (ledger.left(now) < 1) continue;
      ledger.book.settle(ledger.spend(1, now), 0, isAnswered ? now + arrivesMs : undefined);
      arrived.push(now + arrivesMs);
    }
  }
  return arrived;
}

describe('a window that slides, in which jobs follow each other by its length or by moments,', () => {
  it.each(cases(['minute'], ['hour']))(
    'has no more than its limit in any stretch as long as it, and more in one that is a step longer: %s',
    async (period) => {
      const windowMs = periodMsOf(period);
      let longer = 0;
      await fc.assert(
        fc.asyncProperty(jobs, async (all) => {
          const times = await arrivals(period, all);
          const most = (ms: number): number =>
            Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));
          expect(most(windowMs)).toBeLessThanOrEqual(LIMIT);
          if (most(windowMs + windowMs / STEPS) > LIMIT) longer++;
        }),
        { numRuns: runs(15, 1_500) },
      );
      expect(longer).toBeGreaterThan(runs(1, 150));
    },
  );
});
