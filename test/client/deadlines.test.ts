import { describe, expect, it } from 'vitest';
import {
  type Client,
  type ClientOptions,
  createClient,
  isClosed,
  isConfigError,
  isQuotaExhausted,
  type QuotaExhaustedError,
} from '../../src/index.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  type VirtualClock,
  virtualClock,
} from '../../src/testing/index.ts';

const WALL = Date.UTC(2026, 0, 15, 12, 0, 10);
const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

interface World {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly client: Client;
}

/** A client that has learned the limits by one call. */
async function world(service: MockServiceOptions = {}, options: ClientOptions = {}): Promise<World> {
  const clock = virtualClock({ wall: WALL });
  const mock = createMockService({ clock, latencyMs: 80, keyless: { second: 10, minute: 60 }, ...service });
  const client = createClient({
    baseUrl: mock.origin,
    fetch: mock.fetch,
    clock,
    maxWaitMs: Number.POSITIVE_INFINITY,
    random: () => 0.5,
    ...options,
  });
  await clock.run(client.getInfo());
  return { clock, service: mock, client };
}

/** The error of a call that fails before any time passes. */
async function refused(call: Promise<unknown>): Promise<QuotaExhaustedError | undefined> {
  let error: unknown;
  call.catch((reason: unknown) => {
    error = reason;
  });
  for (let turn = 0; turn < 20; turn++) await undefined;
  return isQuotaExhausted(error) ? error : undefined;
}

/** Limits that hold nothing back. */
const ROOMY: MockServiceOptions = { keyless: { minute: 10_000 } };

const quietly = (calls: Promise<unknown>[]): Promise<unknown> => Promise.allSettled(calls);

describe('maxQueueMs', () => {
  it('refuses at once what would be sent later, with the instant of that', async () => {
    const { clock, client } = await world();
    const others = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    const error = await refused(client.getInfo({ maxQueueMs: 60_000 }));
    expect(error).toMatchObject({ window: 'minute', endpoint: 'GET /extended/v1/info' });
    // 61 of 60 a minute wait for the third minute from here, and the rest for the fourth.
    expect(error?.retryAt.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 15, 12, 3));
    expect(error?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 4));
    expect(error?.message).toMatch(/would be sent in about \d+ ms, with \d+ waiting, .*60000 ms allowed by maxQueueMs/);
    await clock.run(others);
  });

  it('sends what is in time, and what goes first by its priority', async () => {
    const { clock, client } = await world();
    const others = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    const urgent = client.getInfo({ maxQueueMs: 60_000, priority: 1 });
    const patient = client.getInfo({ maxQueueMs: 240_000 });
    await clock.run(Promise.all([urgent, patient, others]));
  });

  it('is an option of the client and of client.fetchWith, too', async () => {
    const { clock, client } = await world({}, { maxQueueMs: 30_000 });
    const others = quietly(Array.from({ length: 70 }, () => client.getInfo({ maxQueueMs: Number.POSITIVE_INFINITY })));
    expect(await refused(client.getInfo())).toBeDefined();
    expect(await refused(client.fetchWith({ maxQueueMs: 20_000 })('/extended/v1/info'))).toBeDefined();
    expect(await refused(client.fetchWith({ maxQueueMs: 200_000 })('/extended/v1/info'))).toBeUndefined();
    await clock.run(others);
  });

  it('counts a pause that the service ordered', async () => {
    const { clock, client, service } = await world();
    service.faults.next(1, { status: 429, headers: { 'retry-after': '100' } });
    const first = quietly([client.getInfo()]);
    await clock.advance(1_000);
    expect(await refused(client.getInfo({ maxQueueMs: 90_000 }))).toMatchObject({ window: 'cooldown' });
    const inTime = client.getInfo({ maxQueueMs: 110_000 });
    await clock.run(Promise.all([first, inTime]));
  });

  it('refuses nothing while no limit is known, and spends nothing where it refuses', async () => {
    const { clock, client, service } = await world();
    const fresh = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, maxQueueMs: 0 });
    await clock.run(fresh.getInfo());
    const others = quietly(Array.from({ length: 100 }, () => client.getInfo()));
    const late = quietly(Array.from({ length: 50 }, () => client.getInfo({ maxQueueMs: 1_000 })));
    await clock.run(Promise.all([others, late]));
    expect(service.requests).toBe(102);
  });

  it.for<[string, MockServiceOptions]>([
    ['aligned windows', {}],
    ['windows from the first request on', { windows: 'first-request' }],
    ['sliding logs', { windows: 'sliding-log' }],
    ['sliding counters', { windows: 'sliding-counter' }],
    ['leaky buckets', { windows: 'leaky' }],
    ['usage booked after the answer', { charge: 'after' }],
    ['calls that cost 3', { cost: () => 3 }],
    ['a clock 40 s ahead', { skewMs: 40_000 }],
    ['slow answers', { latencyMs: 2_500 }],
  ])('is right within one window: %s', async ([, options]) => {
    const { clock, client } = await world(options);
    const reckoned: number[] = [];
    const sent: number[] = [];
    client.subscribe((event) => {
      if (event.type === 'sent' && event.label) sent[Number(event.label)] = event.at.getTime();
    });
    const calls = Array.from({ length: 150 }, async (_, nth) => {
      const asked = await refused(client.getInfo({ maxQueueMs: 0 }));
      reckoned[nth] = asked?.retryAt.getTime() ?? clock.wall();
      await client.getInfo({ label: String(nth) });
    });
    await clock.run(Promise.all(calls));
    const errors = sent.map((at, nth) => at - (reckoned[nth] as number));
    expect(sent).toHaveLength(150);
    // Where the shape of a window is not known yet, the units of a minute may also be spaced, which takes the seconds that they fill.
    expect(Math.max(...errors)).toBeLessThanOrEqual(66_000);
    expect(Math.min(...errors)).toBeGreaterThanOrEqual(-60_000);
  });
});

describe('maxWaiting', () => {
  it('rejects the call that is one more, at once, and those under way do not count', async () => {
    const { clock, client } = await world(ROOMY, { maxWaiting: 3, concurrency: 2 });
    const calls = Array.from({ length: 5 }, () => client.getInfo());
    const error = await refused(client.getInfo());
    expect(error).toMatchObject({ window: 'queue', limit: 3, remaining: 0 });
    expect(error?.message).toContain('3 calls wait already, which is the maximum (option maxWaiting)');
    expect(client.waiting).toBe(3);
    await clock.run(Promise.all(calls));
    await clock.run(client.getInfo());
  });

  it('of 0 sends only what need not wait', async () => {
    const { clock, client } = await world(ROOMY, { maxWaiting: 0, concurrency: 1 });
    const first = client.getInfo();
    expect(await refused(client.getInfo())).toBeDefined();
    await clock.run(first);
  });

  it('lets a call that is attempted again return to its place', async () => {
    const { clock, client, service } = await world(ROOMY, { maxWaiting: 1, concurrency: 1 });
    service.faults.next(1, { status: 503 });
    const calls = [client.getInfo({ label: 'again' }), client.getInfo()];
    await clock.run(Promise.all(calls));
  });

  it('with reject-lowest rejects the last of the lowest priority, wherever it waits', async () => {
    const { clock, client } = await world(
      { ...ROOMY, ceilings: { assets: { limit: 1, period: 'minute' } }, headers: { generic: 'per endpoint ceiling' } },
      { maxWaiting: 3, onOverflow: 'reject-lowest', concurrency: 1 },
    );
    await clock.run(client.getAddressAssets(ADDRESS));
    const order: string[] = [];
    const call = (label: string, priority: number, parked = false) => {
      const made = parked ? client.getAddressAssets(ADDRESS, { priority }) : client.getInfo({ priority });
      return made.then(
        () => order.push(`${label} sent`),
        () => order.push(`${label} rejected`),
      );
    };
    const calls = [call('under way', 0), call('parked', -2, true), call('low', -1), call('high', 1)];
    await clock.advance(0);
    calls.push(call('higher', 2));
    await clock.advance(0);
    expect(order).toEqual(['parked rejected']);
    calls.push(call('as low', -1), call('highest', 3));
    await clock.advance(0);
    expect(order).toEqual(['parked rejected', 'as low rejected', 'low rejected']);
    await clock.run(Promise.all(calls));
    expect(order.slice(3)).toEqual(['under way sent', 'highest sent', 'higher sent', 'high sent']);
  });
});

describe('client.pause', () => {
  it('holds back what waits and what comes, and resume lets it go', async () => {
    const { clock, client, service } = await world();
    client.pause();
    const calls = [client.getInfo(), client.fetch('/extended/v1/info')];
    await clock.advance(600_000);
    expect(service.requests).toBe(1);
    expect(client.quota().paused).toEqual({});
    expect(client.queue()[0]).toMatchObject({ reason: { kind: 'paused', why: 'the client is paused' } });
    client.resume();
    await clock.run(Promise.all(calls));
    expect(client.quota().paused).toBeUndefined();
  });

  it('ends by itself, after milliseconds or at a date', async () => {
    const { clock, client, service } = await world();
    client.pause(5_000);
    const start = clock.now();
    await clock.run(client.getInfo());
    expect(clock.now() - start).toBe(5_080);
    client.pause(new Date(clock.wall() + 7_000));
    expect(client.quota().paused).toEqual({ until: new Date(clock.wall() + 7_000) });
    await clock.run(client.getInfo());
    expect(clock.now() - start).toBe(12_160);
    expect(service.limited).toBe(0);
  });

  it('is counted in estimates, and a call with less patience fails at once', async () => {
    const { client, clock } = await world();
    client.pause(100_000);
    expect(client.estimate().ms).toBeGreaterThanOrEqual(100_000);
    const call = client.getInfo({ maxWaitMs: 50_000 });
    expect(await refused(call)).toMatchObject({ window: 'paused', retryAfterMs: 100_000 });
    client.pause();
    expect(client.estimate().ms).toBeLessThan(1_000);
    client.resume();
    await clock.run(client.getInfo());
  });

  it('lets requests under way come back', async () => {
    const { clock, client } = await world();
    const call = client.getInfo();
    client.pause();
    await clock.run(call);
  });

  it.for([-1, Number.NaN, 'soon', new Date('never')])('refuses %s', async (until) => {
    const { client } = await world();
    expect(() => client.pause(until as number)).toThrow(/until must be milliseconds, 0 or more, or a Date/);
    try {
      client.pause(until as number);
    } catch (error) {
      expect(isConfigError(error)).toBe(true);
    }
  });
});

describe('close and idle', () => {
  it('with drain sends what waits, and says that nothing was rejected', async () => {
    const { clock, client, service } = await world();
    const calls = Array.from({ length: 30 }, () => client.getInfo());
    const closing = client.close({ drain: true });
    const late = client.getInfo().catch(isClosed);
    await clock.run(Promise.all(calls));
    expect(await closing).toEqual({ rejected: 0 });
    expect(await late).toBe(true);
    expect(service.requests).toBe(31);
  });

  it('with drain ends a pause, and may be cut short', async () => {
    const { clock, client } = await world({}, { concurrency: 1 });
    client.pause();
    let sent = 0;
    client.subscribe(({ type }) => {
      if (type === 'sent') sent++;
    });
    const calls = quietly(Array.from({ length: 30 }, () => client.getInfo()));
    const draining = client.close({ drain: true });
    await clock.advance(500);
    expect(sent).toBeGreaterThan(0);
    const closing = client.close();
    await clock.run(Promise.all([calls, draining, closing]));
    expect([await draining, await closing]).toEqual([{ rejected: 30 - sent }, { rejected: 30 - sent }]);
  });

  it('without drain tells how many it rejected', async () => {
    const { clock, client } = await world({}, { concurrency: 1 });
    const calls = quietly(Array.from({ length: 4 }, () => client.getInfo()));
    expect(await clock.run(client.close())).toEqual({ rejected: 3 });
    await calls;
  });

  it('idle resolves when all calls have come back, for everyone who asks', async () => {
    const { clock, client } = await world();
    await client.idle();
    let back = 0;
    for (let nth = 0; nth < 25; nth++) void client.getInfo().then(() => back++);
    const counts = await clock.run(Promise.all([client.idle().then(() => back), client.idle().then(() => back)]));
    expect(counts).toEqual([25, 25]);
  });
});

describe('client.concurrency', () => {
  it('may be raised and lowered while calls wait', async () => {
    const { clock, client } = await world(ROOMY, { concurrency: 2 });
    const calls = quietly(Array.from({ length: 40 }, () => client.getInfo()));
    expect([client.concurrency, client.quota().inFlight]).toEqual([2, 2]);
    client.concurrency = 10;
    expect(client.quota().inFlight).toBe(10);
    client.concurrency = 3;
    await clock.advance(85);
    expect(client.quota().inFlight).toBeLessThanOrEqual(3);
    await clock.run(calls);
  });

  it.for([0, 1.5, '4'])('refuses %s', async (given) => {
    const { client } = await world();
    expect(() => {
      client.concurrency = given as number;
    }).toThrow(/concurrency must be a whole number, 1 or more/);
  });
});

describe('client.queue', () => {
  it('says for each place when it will go, and not what the first waits for', async () => {
    const { clock, client } = await world();
    const sent = new Map<number, number>();
    client.subscribe((event) => {
      if (event.type === 'sent') sent.set(event.call, event.at.getTime());
    });
    const calls = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    await clock.advance(8_000);
    const queue = client.queue({ limit: 1_000 });
    await clock.run(calls);
    expect(queue.length).toBeGreaterThan(100);
    for (const { call, until } of queue) {
      expect(Math.abs((sent.get(call) as number) - (until?.getTime() ?? 0))).toBeLessThan(5_000);
    }
  });
});
