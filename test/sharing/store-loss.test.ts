import { describe, expect, it } from 'vitest';
import { seeded } from '../../src/testing/index.ts';
import { cases, DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

describe('clients that share one key, where the store loses its memory,', () => {
  it.each(DEEP ? [4, 8, 16] : [4])(
    'are refused hardly ever when it has forgotten everything: %i tell it what they know',
    async (size) => {
      let refused = 0;
      const seeds = runs(1, 6);
      for (let seed = 1; seed <= seeds; seed++) {
        const fleet = fleetOf(size, { keyed: { second: 20, minute: 500 }, latencyMs: [5, 15] }, {}, { seed });
        void fleet.work(100_000).catch(() => {});
        // Of two losses within ten seconds, the second comes before each process has counted the others anew.
        for (const at of DEEP ? [10_000, 20_000, 40_000, 75_000, 85_000] : [10_000, 20_000]) {
          await fleet.clock.advance(at - fleet.clock.now());
          fleet.flush();
        }
        await fleet.clock.advance(runs(10_000, 60_000));
        refused += fleet.limited;
      }
      expect(refused).toBeLessThanOrEqual(seeds);
    },
  );

  // What the others might have been granted was told as if it were used, so that half of the minute seemed to be.
  it('fail no call for lack of units when it has forgotten everything under light load', async () => {
    const failed: string[] = [];
    for (let seed = DEEP ? 1 : 9; seed <= runs(9, 40); seed++) {
      const fleet = fleetOf(12, { keyed: { minute: 50 }, latencyMs: [50, 300] }, {}, { seed });
      const { clock, clients } = fleet;
      const random = seeded(seed);
      const lightly = async (client: (typeof clients)[number]): Promise<void> => {
        for (let call = 0; call < 4; call++) {
          await clock.sleep(26_000 * (0.3 + 1.4 * random()));
          const priority = [0, 0, 0, 1, -1][Math.floor(random() * 5)] ?? 0;
          await client.getInfo({ maxWaitMs: 5_000, priority }).catch(({ message }: Error) => failed.push(message));
        }
      };
      const calls = Promise.all(clients.map(lightly));
      for (const at of [28_000, 55_000, 85_000]) {
        await clock.advance(at - clock.now());
        fleet.flush();
      }
      await clock.run(calls);
    }
    expect(failed).toEqual([]);
  });

  // The process that knew what was used has left, and the others know what was used long before.
  it('send one request first, which shows what is used', async () => {
    const fleet = fleetOf(3, { keyed: { minute: 50 } }, {}, { calendar: ['minute'] });
    const [job, web] = fleet.clients;
    const send = (client: typeof job, calls: number): Promise<unknown> =>
      Promise.all(Array.from({ length: calls }, () => client?.getInfo({ maxWaitMs: Infinity })));
    await fleet.clock.run(Promise.all(fleet.clients.map((client) => send(client, 1))));
    await fleet.clock.advance(8_000);
    await fleet.clock.run(send(job, 35));
    await fleet.clock.run(async () => void (await job?.close()));
    fleet.flush();
    await fleet.clock.run(send(web, 30));
    expect(fleet.limited).toBeLessThanOrEqual(1);
  });

  // The longest time in which none of these sends anything: all of a second may have been sent at its beginning.
  it.each(
    cases(
      [[4, 4, 1_100]],
      [
        [4, 2, 2_100],
        [1, 1, 1_100],
        [16, 16, 2_100],
      ],
    ),
  )('do not stand still when it has forgotten everything: of %i, %i are busy', async (size, busy, longest) => {
    const known = { calendar: ['second', 'minute'] } as const;
    const fleet = fleetOf(size, { keyed: { second: 20, minute: 3_000 }, latencyMs: [5, 15] }, {}, known);
    await fleet.clock.run(fleet.work(size));
    void fleet
      .work(
        100_000,
        fleet.clients.slice(0, busy).map((_, index) => index),
      )
      .catch(() => {});
    for (const at of [12_000, 21_300, 30_600].slice(0, runs(2, 3))) {
      await fleet.clock.advance(at - fleet.clock.now());
      fleet.flush();
    }
    await fleet.clock.advance(8_000);
    const sent = fleet.service.log.map(({ serviceTime }) => serviceTime).sort((a, b) => a - b);
    const gaps = sent.map((time, index) => time - (sent[index - 1] ?? time));
    expect(Math.max(...gaps.slice(size))).toBeLessThan(longest);
    expect(fleet.limited).toBe(0);
  });
});
