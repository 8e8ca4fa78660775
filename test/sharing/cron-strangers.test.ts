import { describe, expect, it } from 'vitest';
import { seeded } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';
import { again } from './support/jobs.ts';

describe('jobs beside a consumer that uses three units of a minute of 30, of processes that share a key,', () => {
  // The three were counted only until the next step of the minute began, or not at all, so the tenth job was sent and refused.
  it.each(
    cases(
      [
        ['sliding-log', 'not known', ['new', 'two']],
        ['sliding-counter', 'known', ['new']],
      ],
      [
        ['aligned', 'not known', ['new', 'two']],
        ['first-request', 'not known', ['new', 'two']],
        ['sliding-counter', 'not known', ['new', 'two']],
        ['sliding-log', 'known', ['new', 'two']],
      ],
    ),
  )('make no call that is refused, and use all that is left: the minute is %s, %s', async (minute, known, each) => {
    for (const by of each) {
      const quota = { keyed: { second: 5, minute: 30 }, windows: { minute }, latencyMs: [20, 80] } as const;
      const start = Date.UTC(2026, 2, 3, 9, 30, 8);
      const terms = known === 'known' ? { calendar: ['second'] as const, shapes: { minute } } : {};
      const fleet = fleetOf(by === 'two' ? 2 : 12, quota, {}, { start, ...terms });
      await fleet.clock.run(Promise.all([fleet.foreign(), fleet.foreign(), fleet.foreign()]));
      let served = 0;
      await again(fleet, { times: 12, everyMs: 1_500, lateMs: 0 }, seeded(1), by === 'new', (client) => {
        const call = (): Promise<unknown> => client.getInfo({ maxWaitMs: 3_000 });
        return Promise.allSettled([call(), call(), call()]).then((calls) => {
          served += calls.filter(({ status }) => status === 'fulfilled').length;
        });
      });
      expect({ by, served, refused: fleet.limited }).toEqual({ by, served: 27, refused: 0 });
    }
  });
});

describe('jobs that make 18 calls at once each minute of 30, beside a consumer that makes six, of two processes in turn that share a key,', () => {
  // All that the store granted was sent at once, whatever a response had just said is left: 19, 12 and 219 were refused.
  it.each(
    cases(
      [['sliding-counter', 60]],
      [
        ['sliding-log', 8],
        ['first-request', 4],
      ],
    ),
  )('are refused seldom: the minute is %s, of 216 calls %i at most', async (minute, most) => {
    const fleet = fleetOf(2, { keyed: { minute: 30 }, windows: { minute }, latencyMs: [20, 80] }, {}, { seed: 1 });
    const { clock, service, clients } = fleet;
    const random = seeded(3_001);
    let others = 0;
    const other = async (atMs: number): Promise<void> => {
      await clock.sleep(atMs);
      if (await fleet.foreign()) others++;
    };
    const job = async (nth: number): Promise<void> => {
      await clock.sleep(nth * 60_000 + seeded(nth)() * 10_000);
      await Promise.all(Array.from({ length: 18 }, () => clients[nth % 2]?.getInfo({ maxWaitMs: Infinity })));
    };
    const jobs = Array.from({ length: 12 }, (_, nth) => job(nth));
    await clock.run(Promise.all([...jobs, ...Array.from({ length: 72 }, () => other(random() * 720_000))]));
    expect(service.log.length).toBeGreaterThan(216);
    expect(fleet.limited - others).toBeLessThanOrEqual(most);
  });
});
