import { describe, expect, it } from 'vitest';
import { cases, DEEP } from '../support/deep.ts';
import { type Fleet, fleetOf } from './support/fleet.ts';

const HOUR_MS = 3_600_000;
const NIGHTS = 3;

const HOURS = 6;
const LATER_MS = 10_000;

/** Lets a client make calls one after the other. @returns how many failed. */
async function job({ clients, clock }: Fleet, index: number, calls: number): Promise<number> {
  let failed = 0;
  const work = async (): Promise<void> => {
    for (let nth = 0; nth < calls; nth++) await clients[index]?.getInfo({ maxWaitMs: 30_000 }).catch(() => failed++);
  };
  await clock.run(work());
  return failed;
}

describe('a job that uses nearly all of a day in minutes, each night, while nobody knows the shape of the day,', () => {
  const quota = { keyed: { second: 10, day: 50, month: 1_500 }, latencyMs: [20, 80] } as const;
  const start = Date.UTC(2026, 2, 10, 2);
  /** Sooner at night than the night before, so that what was used then still counts in whatever slides. */
  const EARLIER_MS = 600_000;

  it.each([
    ['of a process that lives on', true],
    ['of a new process each night', false],
  ])('%s, has no call that fails', async (_, livesOn) => {
    const fleet = fleetOf(NIGHTS, quota, {}, { start });
    const failed: number[] = [];
    for (let night = 0; night < NIGHTS; night++) {
      failed.push(await job(fleet, livesOn ? 0 : night, 45));
      if (!livesOn) await fleet.clock.run(Promise.resolve(fleet.clients[night]?.close()));
      await fleet.clock.advance(24 * HOUR_MS - EARLIER_MS);
    }
    expect(failed).toEqual([0, 0, 0]);
    expect(fleet.limited).toBe(0);
  });

  it('of a process that lives on and uses all of it, has none fail but for two units, which are kept for what shows the shape', async () => {
    const fleet = fleetOf(1, quota, {}, { start });
    const failed: number[] = [];
    for (let night = 0; night < NIGHTS; night++) {
      failed.push(await job(fleet, 0, 50));
      await fleet.clock.advance(24 * HOUR_MS - EARLIER_MS);
    }
    expect(Math.max(...failed)).toBeLessThanOrEqual(2);
    expect(fleet.limited).toBe(0);
  });

  it.runIf(DEEP)('has a unit in each of the hours after it, too, where hourly jobs make a call', async () => {
    const fleet = fleetOf(30, quota, {}, { start });
    let failed = await job(fleet, 0, 24);
    for (let hour = 1; hour < 30; hour++) {
      await fleet.clock.advance(HOUR_MS - 60_000);
      failed += await job(fleet, hour, hour === 23 ? 25 : 1);
      await fleet.clock.run(Promise.resolve(fleet.clients[hour]?.close()));
    }
    expect(failed).toBe(0);
    expect(fleet.limited).toBe(0);
  });
});

describe('a job that uses all of an hour each hour, ten seconds later than the hour before,', () => {
  it.each(
    cases(
      [['sliding-log', false]],
      [
        ['first-request', true],
        ['first-request', false],
        ['sliding-log', true],
      ],
    ),
  )(
    'of a window that is known to be none of the calendar’s, %s, has no call that fails: living on %s',
    async (kind, livesOn) => {
      const start = Date.UTC(2026, 2, 10, 2, 0, 30);
      const quota = { keyed: { second: 10, hour: 18 }, windows: { hour: kind }, latencyMs: [20, 80] } as const;
      const fleet = fleetOf(HOURS, quota, {}, { start, calendar: ['second'], shapes: { hour: kind } });
      const failed: number[] = [];
      for (let hour = 0; hour < HOURS; hour++) {
        const index = livesOn ? hour % 2 : hour;
        failed.push(await job(fleet, index, 18));
        if (!livesOn) await fleet.clock.run(Promise.resolve(fleet.clients[index]?.close()));
        await fleet.clock.advance(start + (hour + 1) * (HOUR_MS + LATER_MS) - fleet.clock.wall());
      }
      expect(failed).toEqual(new Array(HOURS).fill(0));
      expect(fleet.limited).toBe(0);
    },
  );
});
