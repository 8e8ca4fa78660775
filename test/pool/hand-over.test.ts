import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createClient, createPool, isQuotaExhausted, type Pool } from '../../src/index.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { PLANS, world } from './support/two-keys.ts';

/** What calls give that change it for each of them. */
const REUSED = {
  init: { method: 'POST' },
  form: new URLSearchParams(),
  headers: new Headers(),
  url: new URL('https://api.test/x'),
  options: {},
  index: {} as Record<string, string>,
};

function ofNumber<T extends URLSearchParams | Headers>(given: T, nth: number): T {
  given.set('nth', `${nth}`);
  return given;
}

const ofIndex = (nth: number): Record<string, string> => Object.assign(REUSED.index, { nth: `${nth}` });

/** A body that can be read once. */
async function* once(words: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(words);
}

describe('a pool of two keys with different plans', () => {
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
});

describe('a pool', () => {
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

  it.each<[string, () => BodyInit]>([
    ['a stream', () => new Blob(['words']).stream()],
    ['a generator', () => once('words') as unknown as BodyInit],
    ['a stream of Node', () => Readable.from(['words']) as unknown as BodyInit],
  ])('does not send a body that is %s again, of which nothing is left', async (_, bodyOf) => {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      sent.push(await (input as Request).text());
      return new Response(null, { status: 401 });
    };
    const of = (apiKey: string) => createClient({ baseUrl: 'https://api.test', apiKey, fetch, clock: virtualClock() });
    const pool = createPool([of('a-key'), of('b-key')]);
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: bodyOf(), duplex: 'half' };
    const { status } = await pool.fetch('/v2/transactions', init);
    expect([status, sent]).toEqual([401, ['words']]);
  });

  it('does not send a POST again by another key that may have been executed, although its answer has a retry-after', async () => {
    const { clock, pool, services, requests } = world(PLANS, {
      service: { routes: { 'POST /v2/transactions': () => 'done' } },
    });
    const headers = { 'retry-after': '30' };
    for (const { faults } of services) faults.next(1, { status: 504, headers });
    const error = await clock.run(pool.request('POST', '/v2/transactions', { json: {} })).catch((reason) => reason);
    expect([error.name, error.status, requests()]).toEqual(['ServiceError', 504, [1, 0]]);
  });

  it.each<[string, RequestInit, unknown, readonly string[]]>([
    ['gives a GET by fetch to', {}, 200, ['a', 'a', 'a', 'b']],
    ['gives no POST by fetch to', { method: 'POST', body: 'words' }, 'ECONNRESET', ['a']],
  ])('%s another client where the first has never had a response', async (_, init, end, asked) => {
    const clock = virtualClock();
    const hosts: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      const host = new URL((input as Request).url).hostname.slice(0, 1);
      hosts.push(host);
      if (host === 'a') throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
      return new Response('{}');
    };
    const of = (name: string) => createClient({ baseUrl: `https://${name}.test`, apiKey: `${name}-key`, fetch, clock });
    const call = createPool([of('a'), of('b')]).fetch('/extended/v1/info', init);
    const ended = await clock.run(call.then(({ status }): unknown => status).catch(({ code }): unknown => code));
    expect([ended, hosts]).toEqual([end, asked]);
  });

  it.each<[string, (pool: Pool, nth: number) => Promise<unknown>]>([
    ['by fetch', (pool, nth) => pool.fetch('/x', Object.assign(REUSED.init, { body: `${nth}` }))],
    ['by fetch, in a form', (pool, nth) => pool.fetch('/x', { method: 'POST', body: ofNumber(REUSED.form, nth) })],
    ['by fetch, in headers', (pool, nth) => pool.fetch('/x', { headers: ofNumber(REUSED.headers, nth) })],
    ['by fetch, in a URL', (pool, nth) => pool.fetch(Object.assign(REUSED.url, { search: `?nth=${nth}` }))],
    ['as JSON', (pool, nth) => pool.request('POST', '/x', Object.assign(REUSED.options, { json: ofIndex(nth) }))],
    ['as a query', (pool, nth) => pool.get('/x', { query: ofIndex(nth) })],
    ['as headers', (pool, nth) => pool.get('/x', { headers: ofIndex(nth) })],
  ])('sends what was given when the call was made, although the next one changes it: %s', async (_, call) => {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      const { url, headers } = input as Request;
      const text = url + headers.get('nth') + (await (input as Request).text());
      sent.push(text.replace(/https:..api.test.x|null/g, '').replace(/\D/g, ''));
      return Response.json({});
    };
    const clock = virtualClock();
    const of = (apiKey: string) => createClient({ baseUrl: 'https://api.test', apiKey, fetch, clock });
    const pool = createPool([of('a-key'), of('b-key')]);
    await clock.run(Promise.all([1, 2, 3, 4, 5].map((nth) => call(pool, nth))));
    expect(sent).toEqual(['1', '2', '3', '4', '5']);
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
});
