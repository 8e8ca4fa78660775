import { describe, expect, it } from 'vitest';
import type { QuotaExhaustedError } from '../../src/index.ts';
import type { ServiceFault } from '../../src/testing/index.ts';
import { cases, runs } from '../support/deep.ts';
import { type World, worldOf } from './support/world.ts';

/** For so long a client makes a call each second beside endpoints that refuse. */
const SECONDS = runs(300, 600);

/** How long calls of the quota's info took, one each second for so many, in milliseconds; `meanwhile` is done before each. */
async function infoCalls(
  { clock, client }: World,
  seconds: number,
  meanwhile: (second: number) => void,
): Promise<number[]> {
  const took: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const from = clock.now();
    meanwhile(second);
    void client.getInfo().then(() => took.push(clock.now() - from));
    await clock.advance(1_000);
  }
  await clock.advance(5_000);
  return took;
}

describe('an endpoint that refuses', () => {
  const FAUCET = '/extended/v1/faucets/stx';

  it.each(
    cases<[string, ServiceFault, number]>(
      [
        ['although every window has room', { status: 429 }, 500],
        ['without any header', { status: 429, counted: false }, 4_000],
      ],
      [
        [
          'although every window has room, and asks for a minute',
          { status: 429, headers: { 'retry-after': '60' } },
          500,
        ],
      ],
    ),
  )('%s, delays no call of another one for long, and its own fail after five refusals', async (_, fault, mostMs) => {
    const world = worldOf();
    const { clock, service, client } = world;
    service.faults.when(({ url }) => (url.pathname === FAUCET ? fault : undefined));
    await clock.run(client.getInfo());
    const failed: unknown[] = [];
    const took = await infoCalls(world, SECONDS, (second) => {
      if (second % 100 === 5) void client.request('POST', FAUCET).catch((error) => failed.push(error));
    });
    expect(took).toHaveLength(SECONDS);
    expect(Math.max(...took)).toBeLessThan(mostMs);
    await clock.advance(1_800_000);
    expect(failed).toHaveLength(SECONDS / 100);
    for (const error of failed) expect(error).toMatchObject({ name: 'QuotaExhaustedError', window: 'cooldown' });
  });

  it('says in the error when its pause ends', async () => {
    const { clock, service, client } = worldOf();
    service.faults.when(({ url }) =>
      url.pathname === FAUCET ? { status: 429, headers: { 'retry-after': '60' } } : undefined,
    );
    await clock.run(client.getInfo());
    const error: QuotaExhaustedError = await clock.run(client.request('POST', FAUCET).catch((error) => error));
    expect(error.retryAt.getTime() - clock.wall()).toBeGreaterThan(59_000);
  });

  it('says so for its calls, in the queue and in estimates, and is tried again alone', async () => {
    const { clock, service, client } = worldOf();
    service.faults.when(({ url }) =>
      url.pathname === FAUCET ? { status: 429, headers: { 'retry-after': '60' } } : undefined,
    );
    await clock.run(client.getInfo());
    const calls = [1, 2, 3].map(() => client.request('POST', FAUCET).catch((error) => error));
    await clock.advance(1_000);
    const queue = client.queue();
    expect(queue.map(({ reason }) => reason?.kind)).toEqual(Array(3).fill('cooldown'));
    for (const { until } of queue) expect(Number(until) - clock.wall()).toBeGreaterThan(58_000);
    service.faults.clear();
    await clock.run(client.getInfo());
    expect(client.waiting).toBe(3);
    await clock.run(Promise.all(calls));
    expect(service.log.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(3);
  });
});

describe('endpoints that refuse beside a client that sends little', () => {
  const UNNAMED = ['without any header', { status: 429, counted: false }] as const;
  const ROOMY = ['although every window has room', { status: 429 }] as const;
  const PATHS = ['a', 'b', 'c', 'd'].map((name) => `/extended/v1/${name}`);
  const refuse = (client: World['client'], path: string) => void client.request('GET', path).catch(() => {});

  it.each(cases([UNNAMED], [ROOMY]))(
    '%s, two at once, make the calls of others wait for seconds, not for hours',
    async (_, fault) => {
      const world = worldOf();
      world.service.faults.when(({ url }) => (PATHS.includes(url.pathname) ? fault : undefined));
      await world.clock.run(world.client.getInfo());
      const took = await infoCalls(world, SECONDS, (second) => {
        if (second % 30 === 5) for (const path of PATHS.slice(0, 2)) refuse(world.client, path);
      });
      expect(took).toHaveLength(SECONDS);
      expect(Math.max(...took)).toBeLessThan(5_000);
    },
  );

  it.each(cases([ROOMY], [UNNAMED]))('%s, four in turn, do so, too', async (_, fault) => {
    const world = worldOf();
    world.service.faults.when(({ url }) => (PATHS.includes(url.pathname) ? fault : undefined));
    await world.clock.run(world.client.getInfo());
    const took = await infoCalls(world, SECONDS, (second) => {
      if (second % 10 === 5) refuse(world.client, PATHS[Math.floor(second / 10) % 4] ?? '');
    });
    expect(Math.max(...took)).toBeLessThan(1_000);
  });

  it.each(cases([9], [1, 5]))('%i times of ten make the calls of others wait no longer, either', async (often) => {
    const world = worldOf();
    let asked = 0;
    const { status, counted } = UNNAMED[1];
    world.service.faults.when(({ url }) =>
      url.pathname === PATHS[0] && (asked++ * 7) % 10 < often ? { status, counted } : undefined,
    );
    await world.clock.run(world.client.getInfo());
    const took = await infoCalls(world, 1.5 * SECONDS, (second) => {
      if (second % 5 === 0) refuse(world.client, PATHS[0] ?? '');
    });
    expect(took).toHaveLength(1.5 * SECONDS);
    expect(Math.max(...took)).toBeLessThan(5_000);
  });
});
