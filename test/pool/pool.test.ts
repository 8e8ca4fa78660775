import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { poolAccessOf } from '../../src/client/pool-access.ts';
import {
  type ClientOptions,
  createClient,
  createPool,
  isConfigError,
  isQuotaExhausted,
  type PoolMember,
} from '../../src/index.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { cases, DEEP } from '../support/deep.ts';

const ADDRESS = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

/** Two keys, each of a service of its own, so that their plans can differ. */
function world(
  plans: readonly [MockServiceOptions['keyed'], MockServiceOptions['keyed']],
  {
    options = {},
    bound = [{}, {}],
    service = {},
  }: {
    readonly options?: ClientOptions;
    readonly bound?: readonly Omit<PoolMember, 'client'>[];
    readonly service?: MockServiceOptions;
  } = {},
) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 10) });
  const services = plans.map((keyed, nth) =>
    createMockService({ clock, latencyMs: [60, 140], keys: [`${nth}-key`], keyed, ...service }),
  );
  const clients = services.map(({ origin, fetch }, nth) =>
    createClient({ baseUrl: origin, fetch, clock, apiKey: `${nth}-key`, random: () => 0.5, ...options }),
  );
  const pool = createPool(clients.map((client, nth) => ({ client, ...bound[nth] })));
  const calls = (count: number) => clock.run(Promise.all(Array.from({ length: count }, () => pool.getInfo())));
  const requests = (): readonly number[] => services.map((one) => one.requests);
  const limited = (): number => services.reduce((sum, one) => sum + one.limited, 0);
  return { clock, services, clients, pool, calls, requests, limited };
}

/** How much of a minute's units a service has served, in each whole minute between the first and the last. */
function minutesUsed({ log }: { readonly log: readonly { serviceTime: number }[] }, limit: number): readonly number[] {
  const minutes = new Map<number, number>();
  for (const { serviceTime } of log) {
    const minute = Math.floor(serviceTime / 60_000);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  return [...minutes.entries()]
    .sort(([one], [other]) => one - other)
    .slice(1, -1)
    .map(([, used]) => used / limit);
}

const PLANS = [
  { second: 20, minute: 500 },
  { second: 50, minute: 2_000 },
] as const;

describe('a pool of two keys with different plans', () => {
  it('uses both quotas, and is refused nothing', async () => {
    const plans = [
      { second: 10, minute: 20 },
      { second: 25, minute: 50 },
    ] as const;
    const { services, calls, limited } = world(plans, { options: { maxWaitMs: Infinity } });
    await calls(260);
    expect(limited()).toBe(0);
    const used = services.map((one, nth) => minutesUsed(one, plans[nth]?.minute ?? 0));
    for (const minutes of used) {
      expect(minutes.length).toBeGreaterThanOrEqual(2);
      expect(Math.min(...minutes)).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('divides hundreds of calls at once by what each can send, although nothing is known of either', async () => {
    const { calls, requests, clock } = world([{ minute: 40 }, { minute: 360 }]);
    await calls(400);
    expect(Math.abs((requests()[0] ?? 0) - 40)).toBeLessThanOrEqual(4);
    expect(clock.now()).toBeLessThan(120_000);
  });

  it('passes over a key whose month is out', async () => {
    const { calls, requests, services, limited } = world([
      { minute: 5_000, month: 1_000 },
      { minute: 5_000, month: 1_000 },
    ]);
    services[0]?.spend(995, '0-key');
    await calls(100);
    expect(requests()[0]).toBeLessThanOrEqual(6);
    expect((requests()[0] ?? 0) + (requests()[1] ?? 0)).toBeGreaterThanOrEqual(100);
    expect(limited()).toBe(0);
  });

  it('leaves no call with a key whose last units of the month are kept for others', async () => {
    const month = 100_000;
    const { clock, pool, calls, services, limited } = world([
      { second: 5, minute: 120, month },
      { second: 5, minute: 120, month },
    ]);
    await calls(20);
    services[0]?.spend(month - 25, '0-key');
    for (let second = 0; second < 60; second++) {
      const from = clock.now();
      await clock.run(Promise.all([pool.getInfo(), pool.getInfo()]));
      expect(clock.now() - from).toBeLessThan(5_000);
      await clock.advance(2_000);
    }
    // The others filled the minute, too.
    expect(limited()).toBe(1);
  });

  it.each(
    cases(
      [
        { unknownKey: 401, by: 'a typed call' },
        { unknownKey: 403, by: 'fetch' },
      ],
      [
        { unknownKey: 403, by: 'a typed call' },
        { unknownKey: 401, by: 'fetch' },
      ],
    ),
  )('passes over a key that is revoked ($unknownKey to $by), and no caller is told', async (refusal) => {
    const { unknownKey, by } = refusal;
    const { clock, pool, requests, services } = world(PLANS, { service: { unknownKey } });
    const one = (): Promise<unknown> =>
      by === 'fetch' ? pool.fetch('/extended/v1/info').then(({ status }) => expect(status).toBe(200)) : pool.getInfo();
    const calls = (count: number) => clock.run(Promise.all(Array.from({ length: count }, one)));
    await calls(10);
    services[1]?.revokeKey('1-key');
    const before = requests()[1] ?? 0;
    await calls(100);
    // What was under way when the first five were refused.
    expect((requests()[1] ?? 0) - before).toBeLessThanOrEqual(40);
    const after = requests()[1];
    await calls(20);
    expect(requests()[1]).toBe(after);
  });

  it('gives a fetch the last refusal where all keys are refused, and a foreign one at once', async () => {
    const { clock, pool, requests, services } = world(PLANS, { service: { unknownKey: 403 } });
    for (const [nth, one] of services.entries()) one.revokeKey(`${nth}-key`);
    const response = await clock.run(pool.fetch('/extended/v1/info'));
    expect([response.status, requests()]).toEqual([403, [1, 1]]);
    const elsewhere = vi.fn(async () => new Response('', { status: 403 }));
    const foreign = await clock.run(pool.fetchWith({ elsewhere })('https://other.test/'));
    expect([foreign.status, elsewhere.mock.calls.length]).toEqual([403, 1]);
  });

  it('passes over a client that was closed, and moves what waits there', async () => {
    const { clock, clients, pool, requests, limited } = world(PLANS);
    const calls = Array.from({ length: 400 }, () => pool.getInfo());
    await clock.advance(2_000);
    await clients[1]?.close();
    const [served = 0, before] = requests();
    await clock.run(Promise.all([...calls, pool.getInfo()]));
    expect(requests()).toEqual([401 - Number(before), before]);
    expect(served).toBeLessThan(100);
    expect(limited()).toBe(0);
  });

  it('moves a call whose client is told to pause for longer than the call has patience', async () => {
    const { clock, pool, services, calls, requests } = world(PLANS);
    await calls(10);
    for (const one of services) one.faults.next(1, { status: 429, headers: { 'retry-after': '3000' } });
    services[1]?.faults.clear();
    const all = Promise.all(Array.from({ length: 60 }, () => pool.getInfo()));
    await clock.run(all);
    expect(clock.now()).toBeLessThan(60_000);
    expect(requests()[1]).toBeGreaterThan(40);
  });

  it('hands calls that wait to another client, the first first, when their own is told to pause', async () => {
    const plans = [{ second: 20, minute: 250 }] as const;
    const { clock, services, clients, pool, calls } = world([plans[0], plans[0]]);
    await calls(4);
    services[0]?.faults.next(1, { status: 429, headers: { 'retry-after': '200' } });
    const sent: string[] = [];
    for (const client of clients)
      client.subscribe((event) => {
        if (event.type === 'sent') sent.push(String(event.label));
      });
    const began = clock.now();
    const all = Array.from({ length: 400 }, (_, nth) => pool.getInfo({ label: String(nth) }));
    const cancelled = new AbortController();
    const stopped = pool.get('/extended/v1/info', { signal: cancelled.signal }).catch((error: unknown) => error);
    cancelled.abort('enough');
    expect(await stopped).toBe('enough');
    await clock.run(Promise.all(all));
    // Both keys for the first minutes, and one alone as long as the other pauses.
    expect(clock.now() - began).toBeLessThan(130_000);
    expect(new Set(sent).size).toBe(400);
    expect(services[1]?.limited).toBe(0);
    await clock.run(pool.close());
  });

  it('moves the first call of a client that holds it back, and tries that client again later', async () => {
    const { clock, clients, calls, requests } = world(PLANS);
    clients[0]?.pause(60_000);
    await calls(40);
    expect(clock.now()).toBeLessThan(3_000);
    expect(requests()).toEqual([0, 40]);
    await clock.advance(120_000);
    await calls(2);
    await calls(100);
    expect(Math.min(...requests())).toBeGreaterThan(10);
  });

  it('tries such a client with the last of the calls that wait, so that all of them soon have both keys', async () => {
    const { clients, calls, requests } = world([{ second: 20 }, { second: 20 }]);
    clients[0]?.pause(4_000);
    await calls(500);
    expect(requests()[0]).toBeGreaterThan(150);
  });

  it.for(['hang', 'one-shot'])('waits a second for a first call that is not answered (%s)', async (how) => {
    const { clock, clients, services, pool, calls, requests } = world(PLANS);
    if (how === 'hang') services[0]?.faults.next(1, 'hang');
    else clients[0]?.pause(60_000);
    const first = how === 'hang' ? pool.getInfo() : pool.fetchWith({ streamBody: true })('/extended/v1/info');
    await calls(40);
    expect(clock.now()).toBeLessThan(2_500);
    expect(requests()[1]).toBe(40);
    await clock.run(Promise.resolve<unknown>(first));
    await calls(100);
    expect(Math.min(...requests())).toBeGreaterThan(20);
  });

  it('cuts no request that is under way, and leaves a call where it is that goes as soon there', async () => {
    const { clock, pool, calls, requests, limited } = world([{ minute: 100 }, { minute: 100 }], {
      service: { latencyMs: 4_000 },
    });
    await calls(2);
    const before = requests();
    await calls(300);
    expect(requests().reduce((sum, one) => sum + one, 0) - before.reduce((sum, one) => sum + one, 0)).toBe(300);
    expect(limited()).toBe(0);
    await clock.run(pool.close());
  });

  it('ends a call whose endpoint refuses each key, although it waits for another key less each time', async () => {
    const clock = virtualClock();
    const keys = ['a-key', 'b-key', 'c-key', 'd-key'];
    const routes = { 'GET /served': () => ({}), 'GET /refused': () => ({}) };
    const service = createMockService({ clock, latencyMs: [25, 150], keys, routes });
    const { origin: baseUrl, fetch } = service;
    const clients = keys.map((apiKey) => createClient({ baseUrl, fetch, clock, apiKey, random: () => 0.5 }));
    const pool = createPool(clients);
    for (const client of clients)
      for (const path of ['/served', '/refused'] as const) await clock.run(client.get(path));
    service.faults.when(({ url }) => (url.pathname === '/refused' ? { status: 429 } : undefined));
    const ends: unknown[] = [];
    for (let call = 0; call < 6; call++) {
      void pool.get('/refused').catch((error: unknown) => ends.push(isQuotaExhausted(error)));
      await clock.advance(10_000);
    }
    await clock.advance(3_600_000);
    expect(ends).toEqual(Array(6).fill(true));
  });

  it('fails a call with the sooner of two instants where no key can send it in time', async () => {
    const { clock, pool, services, calls } = world([{ month: 100 }, { minute: 100 }], {
      options: { maxWaitMs: 1_000 },
    });
    await calls(4);
    services[0]?.spend(100, '0-key');
    services[1]?.spend(100, '1-key');
    const errors = await clock.run(
      Promise.all([1, 2, 3, 4].map(() => pool.getInfo().catch((error: unknown) => error))),
    );
    const last = errors.at(-1);
    // The other one is out for the month.
    expect(isQuotaExhausted(last) && last.retryAfterMs).toBeLessThan(120_000);
  });
});

describe('a pool', () => {
  it('binds keys to priorities', async () => {
    const { clock, pool, requests } = world(PLANS, { bound: [{ minPriority: 1 }, { maxPriority: 0 }] });
    const urgent = Array.from({ length: 7 }, () => pool.getInfo({ priority: 5 }));
    const bulk = Array.from({ length: 30 }, () => pool.getAddressAssets(ADDRESS, { priority: -1 }));
    await clock.run(Promise.all([...urgent, ...bulk]));
    expect(requests()).toEqual([7, 30]);
    await expect(pool.getInfo({ priority: 0.5 })).rejects.toSatisfy(isConfigError);
  });

  it('has the calls of a client: any endpoint, fetch with a body, pages, and the quota by headers', async () => {
    const routes: MockServiceOptions['routes'] = {
      'GET /extended/v2/blocks/{height}': ({ params }) => params,
      'POST /v2/fees/transaction': () => ({ fee: 1 }),
    };
    const { clock, pool, services } = world(PLANS, {
      service: { routes, assetsOf: () => 45 },
    });
    const got = await clock.run(pool.get('/extended/v2/blocks/{height}', { params: { height: 7 } }));
    expect(got.data).toEqual({ height: '7' });
    const made = await clock.run(pool.request('POST', '/v2/fees/transaction', { json: {} }));
    expect(made.data).toEqual({ fee: 1 });
    const request = new Request(`${services[0]?.origin}/v2/fees/transaction`, { method: 'POST', body: '{}' });
    expect(await clock.run(pool.fetch(request).then((response) => response.json()))).toEqual({ fee: 1 });
    expect((await clock.run(pool.getInfo({ headersOnly: true }))).status).toBe(200);
    let events = 0;
    await clock.run(
      (async () => {
        for await (const _ of pool.walkAddressAssets(ADDRESS)) events++;
      })(),
    );
    expect(events).toBe(45);
    expect(pool.quota().map(({ windows }) => windows.length)).toEqual([2, 2]);
    expect(pool.clients).toHaveLength(2);
  });

  it('takes a Request in place of the options of fetch', async () => {
    const { clock, pool } = world(PLANS, {
      service: { routes: { 'DELETE /v2/fees': ({ headers }) => headers.get('x-mine') } },
    });
    const init = new Request('https://elsewhere.test', { method: 'DELETE', headers: { 'x-mine': 'yes' } });
    expect(await clock.run(pool.fetch('/v2/fees', init).then((response) => response.text()))).toBe('yes');
  });

  it('sends a body again by another key, if the first refuses it', async () => {
    const { clock, pool, services } = world(PLANS, {
      service: { routes: { 'POST /v2/fees/transaction': () => ({ fee: 1 }) } },
      options: { maxWaitMs: 0 },
    });
    await clock.run(Promise.all([1, 2].map(() => pool.getInfo())));
    for (const one of services.slice(0, 1)) one.revokeKey('0-key');
    const ask = (): Promise<number> =>
      pool
        .fetch(new Request(`${services[0]?.origin}/v2/fees/transaction`, { method: 'POST', body: '{}' }))
        .then(({ status }) => status);
    const statuses = await clock.run(Promise.all(Array.from({ length: 6 }, ask)));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  });

  it('waits, is idle and closes as all of its clients do', async () => {
    const { clock, pool, calls } = world([{ minute: 10 }, { minute: 10 }]);
    await calls(4);
    const waiting = Promise.allSettled(Array.from({ length: 60 }, () => pool.getInfo()));
    await clock.advance(3_000);
    expect(pool.waiting).toBeGreaterThan(20);
    const { rejected } = await clock.run(pool.close());
    expect(rejected).toBeGreaterThan(20);
    await clock.run(Promise.all([waiting, pool.idle()]));
    await expect(pool.getInfo()).rejects.toThrow('closed');
  });

  it('ends the wait for a first answer when the call is aborted', async () => {
    const { clock, pool } = world(PLANS, { service: { latencyMs: 5_000 } });
    const first = [pool.getInfo(), pool.getInfo()];
    const controller = new AbortController();
    const third = pool.getInfo({ signal: controller.signal });
    third.catch(() => {});
    await clock.advance(100);
    controller.abort(new Error('enough'));
    await expect(third).rejects.toThrow('enough');
    expect(clock.now()).toBe(100);
    await clock.run(Promise.all(first));
  });

  it.for([[[]], [['a-key']], [[{ client: 'a-key' }]], [undefined], [[{ minPriority: 1 }]]])('refuses %j', ([given]) => {
    expect(() => createPool(given as never)).toThrow(/client|pool/);
  });

  it('refuses a client twice, and one that would take no call', () => {
    const client = createClient();
    expect(() => createPool([client, { client, minPriority: 1 }])).toThrow('clients must not hold a client, or');
    expect(() => createPool([])).toThrow('clients must be a list of one or more clients');
    expect(() => createPool([{ client, minPriority: 1, maxPriority: 0 }])).toThrow(
      'maxPriority must be at least minPriority (1), not 0',
    );
  });

  it('counts the calls that wait for a first answer among those that wait and those that close rejects', async () => {
    const { clock, pool } = world(PLANS);
    const calls = Promise.allSettled(Array.from({ length: 20 }, () => pool.getInfo()));
    expect(pool.waiting).toBe(18);
    expect(await clock.run(pool.close())).toEqual({ rejected: 18 });
    expect((await calls).filter(({ status }) => status === 'rejected')).toHaveLength(18);
    expect(pool.waiting).toBe(0);
  });

  it('stays open where an option of close is misspelt', async () => {
    const { clock, pool } = world(PLANS);
    await expect(pool.close({ drian: true } as object)).rejects.toThrow('drian is not one of the options of close');
    await clock.run(pool.getInfo());
  });

  it('is idle, and has drained, when the calls that wait for a first answer have been served', async () => {
    const { clock, pool } = world(PLANS);
    let served = 0;
    const ask = (): unknown => pool.getInfo().then(() => served++);
    for (let call = 0; call < 20; call++) ask();
    expect(await clock.run(pool.idle().then(() => served))).toBe(20);
    const fresh = world(PLANS);
    const calls = Promise.allSettled(Array.from({ length: 20 }, () => fresh.pool.getInfo()));
    expect(await fresh.clock.run(fresh.pool.close({ drain: true }))).toEqual({ rejected: 0 });
    expect((await calls).map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'));
    await expect(fresh.pool.getInfo()).rejects.toThrow('closed');
  });
});

describe('a pool', () => {
  it('runs a bulk with the quota of all keys, and says when it ends', async () => {
    const [calls, mostMs, least] = DEEP ? [750, 200_000, 125] : [500, 140_000, 80];
    const { clock, pool, requests, limited } = world([{ minute: 50 }, { minute: 200 }], {
      options: { maxWaitMs: Infinity, concurrency: 10 },
    });
    const items = Array.from({ length: calls }, (_, nth) => nth);
    const bulk = pool.bulk(items, (_, { signal }) => pool.getInfo({ signal }));
    let etaMs: number | undefined;
    const run = async (): Promise<number> => {
      let served = 0;
      for await (const { status } of bulk) {
        if (status === 'fulfilled' && ++served === 300) etaMs = clock.now() + (bulk.progress.etaMs ?? Number.NaN);
      }
      return served;
    };
    expect(await clock.run(run())).toBe(calls);
    expect([bulk.progress.done, limited()]).toEqual([calls, 0]);
    // 250 a minute together: of 50, 60, 60 and the rest of a minute in seconds.
    expect(clock.now()).toBeLessThan(mostMs);
    expect(Math.abs((etaMs ?? Number.NaN) - clock.now())).toBeLessThan(60_000);
    expect(Math.min(...requests())).toBeGreaterThan(least);
  });

  it('says that a bulk never ends, and no date of it, where no key has a unit', async () => {
    const { clock, services, clients, pool } = world([{ month: 50 }, { month: 50 }]);
    for (const keyed of [{ month: 50 }, { month: 0 }]) {
      for (const service of services) service.setLimits({ keyed });
      await clock.run(Promise.allSettled(clients.map((client) => client.getInfo())));
    }
    const { etaMs, finishesAt } = pool.bulk([1, 2, 3], () => 0).progress;
    expect({ etaMs, finishesAt }).toEqual({ etaMs: Infinity, finishesAt: undefined });
  });

  it('walks through pages by whichever key can send first, and has the checkpoints of a client', async () => {
    const { clock, pool, clients, requests } = world([{ minute: 6 }, { minute: 6 }], {
      service: {
        routes: {
          'GET /v2/blocks': ({ url }) => {
            const [offset, limit] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name)));
            const results = Array.from({ length: 45 }, (_, nth) => nth);
            return { limit, offset, total: 45, results: results.slice(offset, (offset ?? 0) + (limit ?? 0)) };
          },
        },
      },
    });
    const options = { query: { limit: 5 } };
    const pages = pool.paginate('/v2/blocks', options);
    const walked: unknown[] = [];
    const walk = async (): Promise<void> => {
      for await (const block of pages) walked.push(block);
    };
    await clock.run(walk());
    expect(walked).toEqual(Array.from({ length: 45 }, (_, nth) => nth));
    expect(clock.now()).toBeLessThan(5_000);
    expect(Math.min(...requests())).toBeGreaterThanOrEqual(3);
    expect(pages.checkpoint.request).toBe(clients[0]?.paginate('/v2/blocks', options).checkpoint.request);
    expect(() => pool.paginate('/v2/{id}', { query: { limit: 5 } } as never)).toThrow(/must have id/);
  });

  it('makes a fetch without options, as a client does', async () => {
    const { clock, pool, services } = world([{ second: 20 }, { second: 20 }]);
    const { fetchWith } = pool as unknown as { fetchWith: () => typeof globalThis.fetch };
    const { status } = await clock.run(fetchWith()(`${services[0]?.origin}/extended/v1/info`));
    expect(status).toBe(200);
  });

  it('may have its fetch in the place of the global fetch', async () => {
    const clock = virtualClock();
    const mock = createMockService({ clock, keys: ['a-key', 'b-key'] });
    vi.stubGlobal('fetch', mock.fetch);
    const pool = createPool(['a-key', 'b-key'].map((apiKey) => createClient({ baseUrl: mock.origin, apiKey, clock })));
    vi.stubGlobal('fetch', pool.fetch);
    const ask = () => globalThis.fetch(`${mock.origin}/extended/v1/info`);
    const answers = await clock.run(Promise.all([ask(), ask(), ask(), pool.getInfo()]));
    expect(answers).toHaveLength(4);
    expect(mock.log.map(({ key }) => key)).toEqual(['keyed', 'keyed', 'keyed', 'keyed']);
  });

  it.for(['ECONNREFUSED', undefined])(
    'passes over a client whose service cannot be reached (%s), and tries it again later',
    async (code) => {
      const clock = virtualClock();
      const mock = createMockService({ clock, latencyMs: 100, keys: ['a-key', 'b-key'] });
      const [ofOne, ofOther] = ['https://a.test', 'https://b.test'];
      const asked: Record<string, number> = { [ofOne]: 0, [ofOther]: 0 };
      let isDown = true;
      let failure = code;
      const fetch: typeof globalThis.fetch = (input, init) => {
        const { url, headers } = input as Request;
        const { origin, pathname } = new URL(url);
        asked[origin] = Number(asked[origin]) + 1;
        if (isDown && origin === ofOne) throw Object.assign(new TypeError('fetch failed'), { code: failure });
        return mock.fetch(new Request(mock.origin + pathname, { headers }), init);
      };
      const of = (baseUrl: string, apiKey: string) => createClient({ baseUrl, apiKey, fetch, clock });
      const pool = createPool([of(ofOne, 'a-key'), of(ofOther, 'b-key')]);
      await clock.run(Promise.all(Array.from({ length: 10 }, () => pool.getInfo())));
      expect(asked).toEqual({ [ofOne]: 3, [ofOther]: 10 });
      await clock.run(pool.getInfo());
      expect(asked).toEqual({ [ofOne]: 3, [ofOther]: 11 });
      isDown = false;
      await clock.advance(60_000);
      await clock.run(Promise.all([pool.getInfo(), pool.getInfo()]));
      expect(asked[ofOne]).toBeGreaterThan(3);
      expect(pool.quota().every(({ windows }) => windows.length > 0)).toBe(true);
      isDown = true;
      failure = 'ECONNREFUSED';
      await clock.run(Promise.all(Array.from({ length: 10 }, () => pool.getInfo())));
    },
  );

  it('knows clients by no object that shows a key', () => {
    const client = createClient({ baseUrl: 'https://api.test', apiKey: 'a-key-of-its-own' });
    const { bulk, queue, ...rest } = poolAccessOf(client) ?? {};
    expect(rest).not.toEqual({});
    expect(inspect({ bulk, queue, ...rest }, { depth: 9, showHidden: true })).not.toContain('a-key-of-its-own');
  });

  it('refuses a key twice for one service, whose quota would be counted twice', () => {
    const of = (options: ClientOptions) => createClient({ baseUrl: 'https://api.test/a', apiKey: 'a-key', ...options });
    const problem = 'clients must not hold a client, or its key, twice: the quota would count twice';
    expect(() => createPool([of({}), of({ baseUrl: 'https://api.test/b' })])).toThrow(problem);
    expect(() => createPool([of({}), { client: of({}), minPriority: 1 }])).toThrow(problem);
    const others = [{ apiKey: 'b-key' }, { baseUrl: 'https://other.test' }, { apiKey: () => 'a-key' }];
    expect(createPool([of({}), ...others.map(of)]).clients).toHaveLength(4);
  });

  it('estimates each client once for a call', async () => {
    const { clients, calls } = world([{ minute: 200 }, { minute: 800 }]);
    await calls(2);
    let estimates = 0;
    for (const client of clients) {
      const { estimate } = client;
      client.estimate = (options) => {
        estimates++;
        return estimate(options);
      };
    }
    await calls(10);
    expect(estimates).toBe(20);
  });
});

describe('a call of a pool with a maxQueueMs', () => {
  /** How long a call took to fail, in milliseconds, and how. */
  async function failed({ clock }: ReturnType<typeof world>, call: () => Promise<unknown>) {
    const from = clock.now();
    const error = await clock.run(call().catch((reason: unknown) => reason));
    return { tookMs: clock.now() - from, isExhausted: isQuotaExhausted(error) };
  }

  // Each client counted it anew: with three of them 6 s.
  it.each([
    ['of its own', {}, 2_000],
    ['of the clients', { maxQueueMs: 2_000 }, undefined],
  ])('%s fails once that is over, whichever client it is handed to', async (_, options, maxQueueMs) => {
    const made = world([{ minute: 60 }, { minute: 60 }], { options: { concurrency: 1, ...options } });
    const { pool, calls, services } = made;
    await calls(2);
    // No estimate tells when the requests under way come back.
    for (const service of services) service.faults.next(1, 'hang');
    const hanging = [0, 1].map(() => pool.getInfo({ maxQueueMs: Infinity }).catch(() => {}));
    const terms = maxQueueMs === undefined ? {} : { maxQueueMs };
    for (const call of [() => pool.getInfo(terms), () => pool.fetchWith(terms)('/extended/v1/info')]) {
      const { tookMs, isExhausted } = await failed(made, call);
      expect(isExhausted).toBe(true);
      expect(tookMs).toBeLessThanOrEqual(2_250);
    }
    await made.clock.run(Promise.all(hanging));
  });

  // It waited for the first answer of either client: for half a minute, if that hung.
  it('does not wait for longer for the first answers of the clients', async () => {
    const made = world([{ minute: 60 }, { minute: 60 }]);
    const { pool, services } = made;
    for (const service of services) service.faults.next(1, 'hang');
    const hanging = [0, 1].map(() => pool.getInfo().catch(() => {}));
    const { tookMs, isExhausted } = await failed(made, () => pool.getInfo({ maxQueueMs: 500 }));
    expect(isExhausted).toBe(true);
    expect(tookMs).toBeGreaterThanOrEqual(500);
    expect(tookMs).toBeLessThanOrEqual(1_250);
    expect(pool.waiting).toBe(0);
    await made.clock.run(Promise.all(hanging));
  });
});
