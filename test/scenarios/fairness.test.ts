import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { worldOf } from './support/world.ts';

describe('bulk work below 40 users who have a call under way at all times, at 240 a minute', () => {
  it('goes on steadily, and costs the users no more than one call in 32', async () => {
    const { clock, service, client } = worldOf({ keyed: { second: 20, minute: 240 } });
    let [bulk, users] = [0, 0];
    for (let at = 0; at < 500; at++) client.getInfo({ priority: -1 }).then(() => bulk++, String);
    const work = async (): Promise<never> => {
      for (;;) {
        await client.getInfo({ priority: 10 });
        users++;
      }
    };
    for (let user = 0; user < 40; user++) work().catch(String);
    const perMinute: number[] = [];
    for (let minute = 0; minute < runs(3, 5); minute++) {
      const before = bulk;
      await clock.advance(60_000);
      perMinute.push(bulk - before);
    }
    expect(service.limited).toBe(0);
    expect(Math.min(...perMinute)).toBeGreaterThanOrEqual(6);
    // The first of all met an empty queue.
    expect(bulk - 1).toBeLessThanOrEqual((users + bulk) / 32 + 1);
    expect(users).toBeGreaterThan(runs(660, 1_100));
    await clock.run(client.close());
  });
});
