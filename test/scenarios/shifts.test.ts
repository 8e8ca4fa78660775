import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { type World, worldOf } from './support/world.ts';

/** Makes calls, and changes something after so many seconds. */
async function make({ clock, ask }: World, calls: number, afterS = 0, change: () => unknown = () => {}): Promise<void> {
  const all = Promise.all(Array.from({ length: calls }, (_, number) => ask(number)));
  await clock.run(Promise.all([all, clock.sleep(afterS * 1_000).then(change)]));
}

/** The requests that arrived within each minute of the calendar. */
function byMinute({ service }: World): readonly number[] {
  const minutes = Map.groupBy(service.log, ({ serviceTime }) => Math.floor(serviceTime / 60_000));
  return Array.from(minutes.values(), (requests) => requests.length);
}

describe('a service that changes its limits while they are used', () => {
  it('to higher ones is used up to them in the same minute, and refuses nothing', async () => {
    const world = worldOf({ keyed: { second: 20, minute: 200 } });
    await make(world, 520, 64, () => world.service.setLimits({ keyed: { second: 20, minute: 360 } }));
    expect(world.service.limited).toBe(0);
    // At 200 a minute the last calls would leave after two minutes.
    expect(world.clock.now()).toBeLessThan(81_000);
  });

  it('to lower ones refuses no more than is under way, not a whole second, and nothing after it', async () => {
    const world = worldOf({ keyed: { second: 20, minute: 200 } });
    await make(world, 400, 64, () => world.service.setLimits({ keyed: { second: 10, minute: 120 } }));
    const refusals = world.service.log.filter(({ limited }) => limited).map(({ at }) => at);
    expect(refusals.length).toBeLessThan(5);
    for (const at of refusals) expect(at).toBeLessThan(64_400);
    expect(world.clock.now()).toBeLessThan(133_000);
  });
});

describe('a limit of 5 a second that only ratelimit-* names', () => {
  it('is used up to the new one as soon as it is raised to 50, and nothing is refused', async () => {
    const world = worldOf({ keyed: { second: 5 }, headers: { family: false } });
    await make(world, 700, 30, () => world.service.setLimits({ keyed: { second: 50 } }));
    expect(world.service.limited).toBe(0);
    expect(world.clock.now()).toBeLessThan(45_000);
  });
});

describe('a service', () => {
  it('of three nodes that count apart refuses nothing, and gets hardly more in a minute than one of them allows', async () => {
    const world = worldOf({ nodes: 3 });
    await make(world, runs(700, 2_000));
    expect(world.service.limited).toBe(0);
    // A request that is served although it did not fit shows that there is more, and lets a few others follow.
    expect(Math.max(...byMinute(world))).toBeLessThanOrEqual(1.05 * 500);
  });

  it('whose quota others behind the same address use refuses few calls, and they keep what they usually take', async () => {
    const world = worldOf({ keyless: { minute: 500 } }, { apiKey: undefined });
    const { clock, service } = world;
    const theirs = 120;
    const others = (): void => {
      service.spend(1);
      clock.timer(60_000 / theirs, others);
    };
    others();
    const calls = runs(1_200, 4_000);
    await make(world, calls);
    expect(service.limited).toBeLessThan(calls / 200);
    expect(clock.now()).toBeLessThan((calls / 380 + 1) * 60_000);
    // In the first minute they have not been seen yet, and in the second their rate is known only in part.
    for (const ours of byMinute(world).slice(2)) expect(ours).toBeLessThanOrEqual(500 - 0.8 * theirs);
  });
});
