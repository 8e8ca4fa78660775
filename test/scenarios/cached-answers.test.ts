import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../src/testing/index.ts';
import { worldOf } from './support/world.ts';

const CACHED = { status: 200, counted: false, headers: { age: '30' }, body: '{}' };

/** A client in a minute of so many units, of which the first request took one, and 40 that a cache answered none. */
async function afterCached(minute: number) {
  const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 5) });
  const { service, client } = worldOf({ clock, keyed: { minute } }, { clock });
  await clock.run(client.getInfo());
  service.faults.next(40, CACHED);
  await clock.run(Promise.all(Array.from({ length: 40 }, () => client.get('/extended/v1/info'))));
  return { clock, service, client };
}

describe('answers of a cache', () => {
  it('have cost nothing, so that a minute serves as many requests besides', async () => {
    const { clock, service, client } = await afterCached(50);
    expect(client.quota().windows).toMatchObject([{ headroom: 49 }]);
    await clock.run(Promise.all(Array.from({ length: 49 }, () => client.getInfo())));
    expect([service.limited, clock.wall() < Date.UTC(2026, 2, 10, 14, 1)]).toEqual([0, true]);
  });

  it('have cost what a fresh answer says, and that was no stranger', async () => {
    const { clock, service, client } = await afterCached(500);
    service.spend(40, 'a-key');
    await clock.run(client.getInfo());
    expect(client.quota().windows).toMatchObject([{ headroom: 458 }]);
  });
});
