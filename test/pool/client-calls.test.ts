import { describe, expect, it, vi } from 'vitest';
import { createClient, createPool, type Pool } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { DEEP } from '../support/deep.ts';
import { PLANS, world } from './support/two-keys.ts';

/** What has the members of an AbortSignal, and is none of this realm. */
function foreignSignal(): { readonly signal: AbortSignal; abort(reason: unknown): void } {
  const own = new AbortController();
  const bound = (name: keyof AbortSignal): unknown => {
    const member: unknown = Reflect.get(own.signal, name);
    return typeof member === 'function' ? member.bind(own.signal) : member;
  };
  const signal = new Proxy({} as AbortSignal, { get: (_, name) => bound(name as keyof AbortSignal) });
  return { signal, abort: (reason) => own.abort(reason) };
}

const ADDRESS = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

describe('a pool', () => {
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

  it('takes a Request of another realm or package, also where its body is sent again', async () => {
    const { clock, pool, services, requests } = world([{ minute: 100 }, { minute: 100 }], {
      service: { routes: { 'PUT /v2/fees': async (asked) => [await asked.text(), asked.headers.get('x-mine')] } },
    });
    /** What has the fields of a Request, as getters, and is none of this realm. */
    class Foreign {
      readonly #own: Request;

      constructor(own: Request) {
        this.#own = own;
        const fields = Object.entries(Object.getOwnPropertyDescriptors(Request.prototype));
        for (const [name, { get }] of fields)
          if (get) Object.defineProperty(this, name, { get: () => Reflect.get(own, name), enumerable: false });
      }

      clone(): Foreign {
        return new Foreign(this.#own.clone());
      }
    }
    const foreign = (url: string): Request => {
      const init = { method: 'PUT', headers: { 'x-mine': 'yes' }, body: 'words' };
      return new Foreign(new Request(url, init)) as unknown as Request;
    };
    const read = (answer: Promise<Response>): Promise<unknown> => clock.run(answer.then((one) => one.json()));
    // The first client refuses it, so another one sends its body again.
    services[0]?.faults.next(1, { status: 401 });
    expect(await read(pool.fetch(foreign(`${services[0]?.origin}/v2/fees`)))).toEqual(['words', 'yes']);
    expect(requests()).toEqual([1, 1]);
    expect(await read(pool.fetch('/v2/fees', foreign('https://elsewhere.test')))).toEqual(['words', 'yes']);
    const fields = { url: `${services[0]?.origin}/v2/fees`, method: 'PUT' } as Request;
    expect(await read(pool.fetch(fields))).toEqual(['', null]);
  });

  it('ends a call by a signal of another realm or package, and refuses what is no signal', async () => {
    const { clock, pool, requests } = world(PLANS);
    const reason = new Error('enough');
    const calls: ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => pool.get('/extended/v1/info', { signal }),
      (signal) => pool.fetch('/extended/v1/info', { signal }),
    ];
    for (const call of calls) {
      const { signal, abort } = foreignSignal();
      const called = call(signal);
      abort(reason);
      await expect(clock.run(called)).rejects.toBe(reason);
      const junk = call('junk' as unknown as AbortSignal);
      await expect(clock.run(junk)).rejects.toThrow('signal must be an AbortSignal, not "junk"');
    }
    expect(requests()).toEqual([0, 0]);
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

  it('stays open where an option of close is misspelt', async () => {
    const { clock, pool } = world(PLANS);
    for (const options of [{ drian: true }, { drain: true, drian: true }])
      await expect(pool.close(options as object)).rejects.toThrow('drian is not one of the options of close');
    await clock.run(pool.getInfo());
  });

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

  it('runs a bulk by clients that another package has wrapped', async () => {
    const { clock, clients } = world(PLANS);
    const pool = createPool(clients.map((client) => ({ ...client })));
    const run = async (): Promise<readonly string[]> => {
      const statuses: string[] = [];
      for await (const { status } of pool.bulk([1, 2, 3], () => pool.getInfo())) statuses.push(status);
      return statuses;
    };
    expect(await clock.run(run())).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
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

  it('refuses what is no input of fetch, as a client does', async () => {
    const { pool } = world(PLANS);
    for (const input of [undefined, null])
      await expect(pool.fetch(input as unknown as string)).rejects.toThrow(
        'input must be a URL, a string or a Request',
      );
  });

  it.each<[string, (pool: Pool) => Promise<unknown>, string]>([
    ['null for options', (pool) => pool.get('/v2/info', null as never), 'call options must be an object, not null'],
    ['a promise of options', (pool) => pool.get('/v2/info', Promise.resolve({}) as never), 'call options must be'],
    ['a symbol for a path', (pool) => pool.get(Symbol('x') as never), 'path must begin with one slash'],
    ['a symbol for a method', (pool) => pool.request(Symbol('x') as never, '/v2/info'), 'method must be one of'],
    ['null for options of getInfo', (pool) => pool.getInfo(null as never), 'call options must be an object, not null'],
  ])('refuses %s, as a client does', async (_, call, message) => {
    const { clock, pool, requests } = world(PLANS);
    await expect(clock.run(call(pool))).rejects.toThrow(message);
    expect(requests()).toEqual([0, 0]);
  });

  it('takes null for the options of fetch, as fetch does', async () => {
    const { clock, pool } = world(PLANS);
    expect((await clock.run(pool.fetch('/extended/v1/info', null as never))).status).toBe(200);
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
});
