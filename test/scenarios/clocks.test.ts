import { beforeAll, describe, expect, it } from 'vitest';
import { machineClock } from '../../bench/efficiency/machine.ts';
import { createClient } from '../../src/index.ts';
import { seeded } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { type World, worldOf } from './support/world.ts';

const CALLS = 600;

/** Makes the calls, and whatever else happens in the meantime. */
function make({ clock, ask }: Pick<World, 'clock' | 'ask'>, meanwhile: () => unknown = () => {}): Promise<unknown> {
  const all = Promise.all(Array.from({ length: CALLS }, (_, number) => ask(number)));
  return clock.run(Promise.all([all, clock.sleep(7_000).then(meanwhile)]));
}

describe('the wall clock of this machine', () => {
  let undisturbed: readonly number[] = [];

  beforeAll(async () => {
    const world = worldOf();
    await make(world);
    undisturbed = world.service.log.map(({ at }) => at);
  });

  it.each(
    cases(
      [['is set to 1970', -Date.UTC(2026, 0)]],
      [
        ['is set ahead by half a minute', 30_000],
        ['is set back by half a minute', -30_000],
        ['is set back by an hour', -3_600_000],
      ],
    ),
  )('changes nothing when it %s', async (_, jump) => {
    const world = worldOf();
    await make(world, () => world.clock.setWall(world.clock.wall() + jump));
    expect(world.service.log.map(({ at }) => at)).toEqual(undisturbed);
    expect(world.service.limited).toBe(0);
  });
});

describe('a process that stands still', () => {
  it.each(
    cases(
      [
        ['for five seconds, because its event loop is blocked,', 5_000, false],
        ['for a quarter of an hour, and its monotonic clock with it,', 917_300, true],
      ],
      [['for a quarter of an hour, because the machine is suspended,', 917_300, false]],
    ),
  )('%s goes on without a refusal', async (_, stillMs, standsStill) => {
    const { clock, service } = worldOf();
    const own = machineClock(clock, seeded(5), { fromMs: 9_300, toMs: 9_300 + stillMs, standsStill });
    const client = createClient({
      ...{ baseUrl: service.origin, apiKey: 'a-key', clock: own, random: seeded(8), timeoutMs: 5_000 },
      async fetch(input, init) {
        const response = await service.fetch(input, init);
        await own.awake();
        return response;
      },
    });
    await make({ clock, ask: () => client.getInfo({ maxWaitMs: Infinity }) });
    expect(service.limited).toBe(0);
    expect(client.quota()).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});
