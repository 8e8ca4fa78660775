import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { cases, runs } from '../support/deep.ts';
import { type World, worldOf } from './support/world.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
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
  it.each(
    cases<[string, ServiceFault]>(
      [['refuses connections', 'reset']],
      [['answers through a gateway alone', { status: 503 }]],
    ),
  )('and %s is asked every two seconds, and a call that may not wait for it fails at once', async (_, fault) => {
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

  it('and answers through a gateway alone is said to, with the latest status', async () => {
    const { clock, service, client } = worldOf(LIMITLESS, { maxAttempts: 1 });
    service.faults.when(() => ({ status: 502 }));
    const ask = () => client.getInfo({ maxWaitMs: 0 }).catch((error) => error.message);
    const told: string[] = [];
    for (let call = 0; call < 6; call++) told.push(await clock.run(ask()));
    expect(told.at(-1)).toContain('(OUTAGE: the last 5 requests failed, the latest with 502)');
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

  it('lets no call go behind those that come after its probe', async () => {
    const { clock, service, client } = worldOf({ keyed: { minute: 60 } });
    await clock.run(client.getInfo());
    let isDown = true;
    service.faults.when(() => (isDown ? 'reset' : undefined));
    const sent: number[] = [];
    client.subscribe((event) => event.type === 'sent' && sent.push(event.call));
    const calls = Array.from({ length: 10 }, () => client.getInfo());
    await clock.advance(8_000);
    const probed = new Set(sent);
    isDown = false;
    sent.length = 0;
    const later = Array.from({ length: 60 }, () => client.getInfo());
    await clock.run(Promise.all([...calls, ...later]));
    expect(probed.size).toBeGreaterThan(3);
    expect(Math.max(...Array.from(probed, (call) => sent.lastIndexOf(call)))).toBeLessThan(12);
  });

  it('and answers nothing keeps no call waiting that would be sent too late: estimates count how long none was answered', async () => {
    const { clock, service, client, ask } = worldOf(LIMITLESS, { concurrency: 4 });
    await clock.run(Promise.all([ask(0), ask(1), client.getInfo()]));
    service.faults.when(() => 'hang');
    const from = clock.now();
    const calls = [ask(1), ask(2), ask(3), client.getInfo()].map((call) => call.catch(() => {}));
    await clock.advance(10_000);
    expect(client.estimate().ms).toBeGreaterThan(8_000);
    await expect(client.getInfo({ maxQueueMs: 2_000 })).rejects.toMatchObject({
      window: 'concurrency',
      maxQueueMs: 2_000,
    });
    expect(clock.now() - from).toBe(10_000);
    await clock.run(Promise.all(calls));
  });

  it.each<[string, ServiceFault, object]>([
    ['refuses connections', 'reset', { code: 'ECONNRESET', attempts: 3 }],
    ['answers through a gateway alone', { status: 502 }, { status: 502 }],
  ])('and %s from the start fails the first of many calls soon: its address may be wrong', async (_, fault, error) => {
    const { clock, service, ask } = worldOf();
    service.faults.when(() => fault);
    const calls = Array.from({ length: 300 }, (_, number) => ask(number));
    for (const call of calls) call.catch(() => {});
    await expect(clock.run(Promise.race(calls))).rejects.toMatchObject(error);
    expect(clock.now()).toBeLessThan(15_000);
  });

  it.each(
    cases<[string, ServiceFault]>(
      [['answers through a gateway alone', { status: 502 }]],
      [['refuses connections', 'reset']],
    ),
  )('and %s for four minutes costs none of many waiting calls its attempts', async (_, fault) => {
    const { clock, service, client, ask } = worldOf();
    service.faults.when(() => (clock.now() >= 5_000 && clock.now() < 245_000 ? fault : undefined));
    const failed: unknown[] = [];
    const calls = Array.from({ length: runs(400, 1_000) }, (_, number) =>
      ask(number).catch((error) => failed.push(error)),
    );
    await clock.advance(120_000);
    const [first] = client.queue({ limit: 1 });
    const sent: number[] = [];
    client.subscribe((event) => event.type === 'sent' && sent.push(event.call));
    await clock.run(Promise.all(calls));
    expect(failed).toEqual([]);
    expect(sent[0]).toBe(first?.call);
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

describe('an endpoint that fails', () => {
  /** How long calls of another endpoint took, one each second for so many, in milliseconds. */
  async function others({ clock, client }: World, seconds: number, meanwhile: () => void): Promise<number[]> {
    const took: number[] = [];
    for (let second = 0; second < seconds; second++) {
      const from = clock.now();
      meanwhile();
      void client.getInfo().then(() => took.push(clock.now() - from));
      await clock.advance(1_000);
    }
    await clock.advance(5_000);
    return took;
  }

  it('is no outage where its requests reach their time limit together: calls of another one are sent as before', async () => {
    const world = worldOf(LIMITLESS);
    const { clock, service, client, ask } = world;
    await clock.run(Promise.all([ask(0), client.getInfo()]));
    service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? 'hang' : undefined));
    for (let call = 0; call < 20; call++) void ask(call).catch(() => {});
    const took = await others(world, 120, () => {});
    expect(took).toHaveLength(120);
    expect(Math.max(...took)).toBeLessThan(1_000);
  });

  it.each(
    cases<[string, ServiceFault, number]>(
      [
        ['does not answer', 'hang', 1],
        ['is answered for by a gateway', { status: 503 }, 3],
      ],
      [
        ['breaks connections', 'reset', 3],
        ['answers 500', { status: 500 }, 3],
      ],
    ),
  )(
    'and %s delays no call of another one, even if one in twenty of those needs a retry',
    async (_, fault, perSecond) => {
      const world = worldOf(LIMITLESS);
      const { clock, service, client, ask } = world;
      await clock.run(Promise.all([ask(0), client.getInfo()]));
      let asked = 0;
      service.faults.when(({ url }) => {
        if (url.pathname.endsWith('/assets')) return fault;
        return ++asked % 20 === 0 ? 'reset' : undefined;
      });
      const seconds = runs(150, 300);
      const took = await others(world, seconds, () => {
        for (let call = 0; call < perSecond; call++) void ask(call).catch(() => {});
      });
      expect(took).toHaveLength(seconds);
      expect(Math.max(...took)).toBeLessThan(3_000);
    },
  );

  it('is one of twenty such, beside which the median call of one that does not takes no longer than usual', async () => {
    const routes = Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`GET /e/${number}`, () => ({})]));
    const world = worldOf({ routes });
    const { clock, service, client } = world;
    await clock.run(Promise.all([client.get('/e/0'), client.getInfo()]));
    service.faults.when(({ url }) => (url.pathname.startsWith('/e/') ? { status: 503 } : undefined));
    let made = 0;
    const seconds = runs(150, 300);
    const took = await others(world, seconds, () => {
      for (let call = 0; call < 4; call++) client.get(`/e/${made++ % 20}`).catch(() => {});
    });
    expect(took).toHaveLength(seconds);
    expect(took.toSorted((one, other) => one - other)[seconds / 2]).toBeLessThan(500);
  });

  it('delays no call of another one while its own take all the requests that it may have: nothing answers them', async () => {
    const world = worldOf();
    const { clock, service, client, ask } = world;
    await clock.run(Promise.all([ask(0), client.getInfo()]));
    service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? 'hang' : undefined));
    const took = await others(world, 90, () => {
      for (let number = 0; number < 3; number++) ask(number).catch(() => {});
    });
    expect(took).toHaveLength(90);
    expect(Math.max(...took)).toBeLessThan(1_000);
    // A call of the endpoint itself that may not wait for long is told at once.
    await expect(client.getAddressAssets(ADDRESS, { maxQueueMs: 500 })).rejects.toMatchObject({ maxQueueMs: 500 });
  });

  it('holds back its calls no longer than these may wait in the queue, and says so in estimates', async () => {
    const { clock, service, client, ask } = worldOf(LIMITLESS);
    await clock.run(Promise.all([ask(0), client.getInfo()]));
    service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? 'reset' : undefined));
    for (let call = 0; call < 20; call++) void ask(call).catch(() => {});
    await clock.advance(10_000);
    await clock.run(client.getInfo());
    await clock.run(client.getInfo({ maxQueueMs: 500 }));
    let ended = 0;
    for (let call = 0; call < 20; call++) {
      const late = client.getAddressAssets(ADDRESS, { maxQueueMs: 500 });
      void late.catch(() => ended++);
      await clock.advance(100);
    }
    await clock.advance(10_000);
    expect(ended).toBe(20);
    await clock.run(client.getInfo());
    expect(client.estimate({ endpoint: 'GET /extended/v1/address/{address}/assets' })).toMatchObject({
      window: 'outage',
    });
  });

  it('and has never been answered delays no call of another one for long, although its cost stays unknown', async () => {
    const world = worldOf({
      keyed: { second: 20, minute: 2_000 },
      cost: ({ url }) => (url.pathname.endsWith('/assets') ? 5 : 1),
    });
    const { clock, service, client, ask } = world;
    await clock.run(client.getInfo());
    service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? 'hang' : undefined));
    const fail = (): void => void ask(0).catch(() => {});
    for (let call = 0; call < 20; call++) fail();
    await clock.advance(3_000);
    const took = await others(world, 60, fail);
    expect(took).toHaveLength(60);
    expect(Math.max(...took)).toBeLessThan(4_000);
  });
});
