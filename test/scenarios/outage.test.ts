import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { type World, worldOf } from './support/world.ts';

const LIMITLESS = { keyed: { minute: 100_000 } };

/** How long the calls took that failed, of one made each second for ten minutes, in milliseconds. */
async function tenMinutes({ clock, client }: World, maxWaitMs: number): Promise<number[]> {
  const failed: number[] = [];
  for (let second = 0; second < 600; second++) {
    const from = clock.now();
    void client.getInfo({ maxWaitMs }).catch(() => failed.push(clock.now() - from));
    await clock.advance(1_000);
  }
  return failed;
}

describe('a service that is down', () => {
  it.each<[string, ServiceFault]>([
    ['refuses connections', 'reset'],
    ['answers through a gateway alone', { status: 503 }],
  ])('and %s is asked every two seconds, and a call that may not wait for it fails at once', async (_, fault) => {
    const world = worldOf(LIMITLESS, { maxAttempts: 1 });
    let isDown = false;
    let asked = 0;
    world.service.faults.when(() => {
      asked += Number(isDown);
      return isDown ? fault : undefined;
    });
    await world.clock.run(world.client.getInfo());
    isDown = true;
    const failed = await tenMinutes(world, 0);
    expect(asked).toBeLessThan(400);
    expect(failed).toHaveLength(600);
    expect(Math.max(...failed)).toBeLessThan(2_500);
    const told = [0, 1].map(() => world.client.getInfo({ maxWaitMs: 0 }));
    const [, second] = await world.clock.run(Promise.allSettled(told));
    expect(second).toMatchObject({ reason: { name: 'ConnectionError', code: 'OUTAGE', attempts: 0 } });
  });

  it('may have counted the attempt that a call made before it waits for the end', async () => {
    const { clock, service, client } = worldOf(LIMITLESS, { random: () => 0.9 });
    await clock.run(client.getInfo());
    service.faults.when(() => 'reset');
    const call = () => client.getInfo({ maxWaitMs: 500 }).catch((error) => error);
    const [first] = await clock.run(Promise.all(Array.from({ length: 20 }, call)));
    expect(first).toMatchObject({ code: 'OUTAGE', attempts: 1 });
    expect(first.message).toContain('after 1 attempt (OUTAGE: ');
    expect(await call()).toMatchObject({ code: 'OUTAGE', attempts: 0 });
  });

  it('is waited for as long as maxWaitMs allows, and no longer', async () => {
    const world = worldOf(LIMITLESS, { maxAttempts: 1 });
    let isDown = true;
    world.service.faults.when(() => (isDown ? 'reset' : undefined));
    const failed = await tenMinutes(world, 60_000);
    expect(Math.max(...failed)).toBeLessThan(64_000);
    expect(failed.length).toBeGreaterThan(530);
    isDown = false;
    const { data } = await world.clock.run(world.client.getInfo({ maxWaitMs: Infinity }));
    expect(data).toBeDefined();
  });
});

it('an endpoint that does not answer is no outage: calls of another one are sent as before', async () => {
  const { clock, service, client, ask } = worldOf(LIMITLESS);
  await clock.run(Promise.all([ask(0), client.getInfo()]));
  service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? 'hang' : undefined));
  for (let call = 0; call < 20; call++) void ask(call).catch(() => {});
  const took: number[] = [];
  for (let second = 0; second < 120; second++) {
    const from = clock.now();
    void client.getInfo().then(() => took.push(clock.now() - from));
    await clock.advance(1_000);
  }
  expect(took).toHaveLength(120);
  expect(Math.max(...took)).toBeLessThan(1_000);
});
