import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type ClientEvent, type ClientOptions, createClient, isConfigError } from '../../src/index.ts';
import { ROOM, type Routes, routes } from '../support/routes.ts';

const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';
const TRANSACTIONS = '/extended/v2/addresses/{principal}/transactions';

function clientOf(service: Routes, options: ClientOptions = {}) {
  return createClient({ baseUrl: 'https://api.test/base', apiKey: 'the-key', fetch: service.fetch, ...options });
}

/** What calls send that change it for each of them. */
const BYTES = new Uint8Array(1);
const PAIRS = new URLSearchParams();
const FORM = new FormData();
const HEADERS = {};

const refusal = async (call: () => Promise<unknown>): Promise<string> =>
  call().then(
    () => 'none',
    (error) => (isConfigError(error) ? error.message : `no ConfigError: ${error}`),
  );

describe('client.get', () => {
  it('fills the path, encodes the query and gives body, quota and response', async () => {
    const service = routes(() =>
      Response.json({ total: 3 }, { headers: { ...ROOM, etag: '"1"', 'x-request-id': 'r' } }),
    );
    const { data, quota, response } = await clientOf(service).get(TRANSACTIONS, {
      params: { principal: ADDRESS },
      query: { limit: 5, unanchored: true, tx_id: ['0x1', '0x2'], none: undefined, name: 'a b&c' },
    });
    expect(service.seen[0]?.path).toBe(
      `/base/extended/v2/addresses/${ADDRESS}/transactions?limit=5&unanchored=true&tx_id=0x1&tx_id=0x2&name=a+b%26c`,
    );
    expect(service.seen[0]?.headers.get('x-api-key')).toBe('the-key');
    expect(data).toEqual({ total: 3 });
    expect(quota.stacks.cost).toBe(1);
    expect([response.status, response.url]).toEqual([200, `https://api.test${service.seen[0]?.path}`]);
    expect([response.headers.get('etag'), response.headers.get('x-request-id')]).toEqual(['"1"', 'r']);
  });

  it('encodes parameters, so that none can leave its segment', async () => {
    const service = routes(() => ({}));
    await clientOf(service).get('/x/{name}/y', { params: { name: '../a/ü?#%2f' } });
    expect(service.seen[0]?.path).toBe('/base/x/..%2Fa%2F%C3%BC%3F%23%252f/y');
  });

  it('takes any Standard Schema, whose output is the data', async () => {
    const service = routes(() => ({ total: 3 }));
    const schema = z.object({ total: z.number().transform((total) => `${total} in all`) });
    const { data } = await clientOf(service).get('/x', { schema });
    expect(data.total).toBe('3 in all');
    const own = { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 7 }) } } as const;
    expect((await clientOf(service).get('/x', { schema: own })).data).toBe(7);
    await expect(clientOf(service).get('/x', { schema: z.object({ total: z.string() }) })).rejects.toMatchObject({
      name: 'ResponseShapeError',
      endpoint: 'GET /x',
    });
  });

  it.each([undefined, null, true, { issues: 'wrong' }])('says so where a schema returns %o', async (result) => {
    const service = routes(() => ({ results: [] }));
    const message = /^schema must return \{ value \} or \{ issues \}, not /;
    for (const validate of [() => result, async () => result]) {
      const schema = { '~standard': { version: 1, vendor: 'own', validate } } as never;
      expect(await refusal(() => clientOf(service).get('/x', { schema }))).toMatch(message);
      expect(await refusal(() => clientOf(service).paginate('/x', { schema })[Symbol.asyncIterator]().next())).toMatch(
        message,
      );
    }
  });

  it('can be aborted while a schema takes its time', async () => {
    const controller = new AbortController();
    const validate = () => {
      controller.abort(new Error('enough'));
      return new Promise(() => {});
    };
    const schema = { '~standard': { version: 1, vendor: 'own', validate } } as never;
    const client = clientOf(routes(() => ({})));
    await expect(client.get('/x', { schema, signal: controller.signal })).rejects.toThrow('enough');
    await client.idle();
  });

  it('names the endpoint by the template, and a path without placeholders as client.fetch does', async () => {
    const service = routes(() => ({}));
    const endpoints = new Set<string>();
    const client = clientOf(service, { onEvent: (event) => 'endpoint' in event && endpoints.add(event.endpoint) });
    await client.get(TRANSACTIONS, { params: { principal: ADDRESS } });
    await client.get(`/extended/v2/addresses/${ADDRESS}/transactions`);
    await client.fetch(`/extended/v2/addresses/${ADDRESS}/transactions`);
    expect([...endpoints]).toEqual([`GET ${TRANSACTIONS}`, 'GET /extended/v2/addresses/{address}/transactions']);
  });

  it('has the options of every call', async () => {
    const service = routes(() => ({}));
    const events: ClientEvent[] = [];
    const client = clientOf(service, { onEvent: (event) => events.push(event) });
    await client.get('/x', { label: 'mine', cost: 4, priority: 2, headers: { accept: 'application/json' } });
    expect(events).toContainEqual(expect.objectContaining({ type: 'called', label: 'mine', priority: 2 }));
    expect(events).toContainEqual(expect.objectContaining({ type: 'sent', units: 4 }));
    expect(service.seen[0]?.headers.get('accept')).toBe('application/json');
    await expect(client.get('/x', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  it('gives plain text as text', async () => {
    const service = routes(() => new Response('1818000000.123456', { headers: { 'content-type': 'text/plain' } }));
    expect((await clientOf(service).get('/extended/v1/stx_supply/total/plain')).data).toBe('1818000000.123456');
  });

  it('takes the key out of the headers that it hands on', async () => {
    const service = routes(() => Response.json({}, { headers: { 'x-echo': 'was the-key' } }));
    const { response } = await clientOf(service).get('/x');
    expect(response.headers.get('x-echo')).toBe('was [redacted]');
  });

  it('leaves out a header whose name is the key', async () => {
    const service = routes(() => Response.json({}, { headers: { 'x-other': 'a', 'the-key': 'b' } }));
    const { response } = await clientOf(service).get('/x');
    expect([response.headers.get('x-other'), response.headers.has('the-key')]).toEqual(['a', false]);
  });

  it.for<[string, string, object | undefined]>([
    ['path must begin with one slash, such as /v2/info, not be "v2/info"', 'v2/info', undefined],
    ['path must begin with one slash', 'https://elsewhere.test/x', undefined],
    ['path must begin with one slash', '//elsewhere.test/x', undefined],
    ['path must not have a query or a fragment', '/x?limit=1', undefined],
    ['path "/a b" has dot segments or characters that a URL would change', '/a b', undefined],
    ['has dot segments or characters that a URL would change: pass values as params', '/a/../b', undefined],
    ['path "/x/{}" must have a name in each pair of braces, such as {address}', '/x/{}', undefined],
    ['params must have principal, for /x/{principal}', '/x/{principal}', undefined],
    ['params must have text or a number for id, not an object', '/x/{id}', { params: { id: {} } }],
    ['params must not have ".." for id', '/x/{id}', { params: { id: '..' } }],
    ['params must not have "" for id', '/x/{id}', { params: { id: '' } }],
    ['params has "other", which is not in /x/{id}', '/x/{id}', { params: { id: 1, other: 2 } }],
    ['params must be an object of names and values', '/x', { params: ['a'] }],
    ['query must have text or a number for limit, not NaN', '/x', { query: { limit: Number.NaN } }],
    ['query must be an object of names and values', '/x', { query: 'limit=1' }],
    ['json cannot be sent with GET', '/x', { json: {} }],
    ['limt is not one of the call options', '/x', { limt: 1 }],
    ['Did you mean query?', '/x', { qurey: {} }],
    ['Did you mean params?', '/x', { parms: {} }],
  ])('refuses what cannot be meant, before anything is sent: %s', async ([message, path, options]) => {
    const service = routes(() => ({}));
    const client = clientOf(service);
    expect(await refusal(() => client.get(path as string, options as never))).toContain(message);
    expect(service.seen).toEqual([]);
  });
});

describe('client.request', () => {
  it('sends JSON, and text or bytes as they are', async () => {
    const service = routes(() => ({ ok: true }));
    const client = clientOf(service);
    const { data } = await client.request('POST', '/v2/fees/{kind}', {
      params: { kind: 'transaction' },
      json: { a: 1n > 0n },
    });
    await client.request('POST', '/v2/transactions', {
      body: new Uint8Array([104, 105]),
      headers: { 'content-type': 'application/octet-stream' },
    });
    await client.request('PUT', '/x', { json: 1, headers: { 'Content-Type': 'application/vnd.x+json' } });
    expect(data).toEqual({ ok: true });
    expect(service.seen.map(({ method, body, headers }) => [method, body, headers.get('content-type')])).toEqual([
      ['POST', '{"a":true}', 'application/json'],
      ['POST', 'hi', 'application/octet-stream'],
      ['PUT', '1', 'application/vnd.x+json'],
    ]);
  });

  it('gives undefined where there is no body, whatever the status and the headers', async () => {
    const service = routes(
      ({ method }) => new Response(null, { status: method === 'DELETE' ? 204 : 200, headers: ROOM }),
    );
    const client = clientOf(service);
    expect((await client.request('DELETE', '/x')).data).toBeUndefined();
    expect((await client.request('POST', '/x')).data).toBeUndefined();
    const head = await client.request('HEAD', '/x');
    expect([head.data, head.response.status]).toEqual([undefined, 200]);
  });

  it('sends headers and bytes as they are when the call is made, whatever becomes of them while it waits', async () => {
    const service = routes(() => ({}));
    const client = clientOf(service);
    const headers = { 'x-id': 'before' };
    const bytes = new TextEncoder().encode('-before-');
    const bodies = [bytes.subarray(1, 7), new DataView(bytes.buffer, 1, 6), bytes.buffer as ArrayBuffer];
    const calls = bodies.map((body) => client.request('POST', '/x', { headers, body: body as Uint8Array }));
    const inspection = client.getInfo({ headersOnly: true, headers });
    headers['x-id'] = 'after';
    bytes.fill(0);
    await Promise.all([...calls, inspection]);
    expect(service.seen.map(({ body, headers }) => [body, headers.get('x-id')])).toEqual([
      ['before', 'before'],
      ['', 'before'],
      ['before', 'before'],
      ['-before-', 'before'],
    ]);
  });

  it.each<[string, (nth: number) => object]>([
    ['bytes', (nth) => ({ body: BYTES.fill(48 + nth) })],
    ['a buffer', (nth) => ({ body: BYTES.fill(48 + nth).buffer })],
    ['a query', (nth) => ({ body: PAIRS.set('nth', String(nth)) ?? PAIRS })],
    ['a form', (nth) => ({ body: FORM.set('nth', String(nth)) ?? FORM })],
    ['headers', (nth) => ({ headers: Object.assign(HEADERS, { 'x-nth': String(nth) }) })],
  ])('sends %s as they were when the call was made, although the next one changes them', async (_, options) => {
    const service = routes(() => ({}));
    const client = clientOf(service, { concurrency: 1 });
    const calls = [0, 1, 2, 3].map((nth) => client.request('POST', '/x', options(nth)));
    await Promise.all(calls);
    const sent = service.seen.map(({ headers, body }) => headers.get('x-nth') ?? body);
    expect(sent.map((text) => text.match(/(?<=^|=|nth"\s+)\d(?=\s|$)/)?.[0])).toEqual(['0', '1', '2', '3']);
  });

  it('sends a POST again after a refusal because of a limit, with its body, and after no other failure', async () => {
    let nth = 0;
    const service = routes(() =>
      nth++ === 0
        ? new Response('', { status: 429, headers: { 'retry-after': '0' } })
        : new Response('', { status: 502 }),
    );
    await expect(clientOf(service).request('POST', '/x', { json: [1] })).rejects.toMatchObject({ status: 502 });
    expect(service.seen.map(({ body }) => body)).toEqual(['[1]', '[1]']);
  });

  it('gives the answer to a POST that may have been executed, although it has a retry-after', async () => {
    const headers = { 'retry-after': '0' };
    const service = routes(() => Response.json({ error: 'late' }, { status: 504, headers }));
    const error = await clientOf(service)
      .request('POST', '/x', { json: [1] })
      .catch((reason) => reason);
    expect(error).toMatchObject({ name: 'ServiceError', status: 504, body: { error: 'late' } });
    expect(service.seen.length).toBe(1);
  });

  it.for<[string, string, object]>([
    ['method must be one of GET, HEAD', 'post', {}],
    ['json must be a value that JSON can hold, not a function', 'POST', { json: () => 1 }],
    ['not an object (TypeError: Do not know how to serialize a BigInt)', 'POST', { json: { amount: 1n } }],
    ['body cannot be combined with json', 'POST', { json: 1, body: '' }],
    ['body must be text, bytes, a Blob or a form, not an object', 'POST', { body: new ReadableStream() }],
  ])('refuses what cannot be sent: %s', async ([message, method, options]) => {
    const service = routes(() => ({}));
    expect(await refusal(() => clientOf(service).request(method as 'POST', '/x', options))).toContain(message);
    expect(service.seen).toEqual([]);
  });
});

describe('the two typed calls', () => {
  it('give the response, too', async () => {
    const service = routes(() =>
      Response.json({ limit: 20, offset: 0, total: 0, results: [] }, { headers: { etag: '"2"' } }),
    );
    const client = clientOf(service);
    for (const { response } of [
      await client.getInfo(),
      await client.getAddressAssets(ADDRESS),
      await client.getInfo({ headersOnly: true }),
    ]) {
      expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    }
  });
});

describe('the event deprecated', () => {
  const events: ClientEvent[] = [];
  const told = async (headers: Record<string, string>, paths = ['/x', '/x', '/y']): Promise<ClientEvent[]> => {
    events.length = 0;
    const client = clientOf(
      routes(() => Response.json({}, { headers })),
      { onEvent: (event) => events.push(event) },
    );
    for (const path of paths) await client.get(path);
    return events.filter(({ type }) => type === 'deprecated');
  };

  it('comes once per endpoint, by Warning: 299', async () => {
    const found = await told({
      warning: '299 - "Deprecated: use \\"v3\\", the-key"',
      sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
    });
    expect(found).toEqual([
      expect.objectContaining({ endpoint: 'GET /x', notice: 'Deprecated: use "v3", [redacted]' }),
      expect.objectContaining({ endpoint: 'GET /y', sunset: new Date('2028-01-01T00:00:00Z') }),
    ]);
  });

  it('comes by Deprecation, without a sunset where that is no date', async () => {
    const [found] = await told({ deprecation: '@1688169599', sunset: 'soon' }, ['/x']);
    expect(found).toMatchObject({ notice: '@1688169599' });
    expect(found).not.toHaveProperty('sunset');
  });

  it('has no more than 500 characters of what the service says', async () => {
    const [found] = await told({ deprecation: 'x'.repeat(600) }, ['/x']);
    expect(found).toMatchObject({ notice: 'x'.repeat(500) });
  });

  it('does not come by other warnings', async () => {
    expect(await told({ warning: '110 - "Response is stale"', deprecation: 'false' })).toEqual([]);
  });
});
