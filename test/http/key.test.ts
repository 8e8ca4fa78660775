import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { ConfigError, ConnectionError, isConnectionError, isServiceError, ServiceError } from '../../src/errors.ts';
import type { ClientEvent } from '../../src/events.ts';
import { createKeyRing } from '../../src/http/key-ring.ts';
import { createTransport } from '../../src/http/transport.ts';
import type { QuotaSnapshot } from '../../src/quota/headers/snapshot.ts';
import { virtualClock } from '../../src/testing/index.ts';
import type { StandardSchemaV1 } from '../../src/validation/standard-schema.ts';
import { cancelledBy } from '../support/cancelled-by.ts';

type Fetch = typeof globalThis.fetch;

const ORIGIN = 'https://api.mock.test';
const INFO = new URL('/extended/v1/info', ORIGIN);
const KEY = 'k3y/of/32-characters-0123456789az';
const never = cancelledBy(new AbortController().signal);

/** A fetch that answers everything, and the requests it was given. */
function recorder(answer: () => Response = () => new Response('{}')): { fetch: Fetch; requests: Request[] } {
  const requests: Request[] = [];
  const fetch: Fetch = async (input, init) => {
    requests.push(new Request(input, init));
    return answer();
  };
  return { fetch, requests };
}

/** All that an inspected value shows. */
function everythingOf(thing: unknown): string {
  const all = [inspect(thing, { depth: 20, showHidden: true, getters: true }), JSON.stringify(thing), String(thing)];
  for (let at = thing; at instanceof Error; at = at.cause) all.push(at.message, at.stack ?? '', at.name, inspect(at));
  return all.join('\n');
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => {
      throw new Error('It did not fail.', { cause: value });
    },
    (error: unknown) => error,
  );

describe('the key', () => {
  it('travels in the header x-api-key and nowhere else', async () => {
    const { fetch, requests } = recorder();
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(() => KEY), fetch });
    await transport.send({ method: 'GET', url: INFO.href, headers: { accept: 'application/json' } }, never);
    const [request] = requests;
    const carriers = [...(request?.headers ?? [])].filter(([, value]) => value.includes(KEY)).map(([name]) => name);
    expect(carriers).toEqual(['x-api-key']);
    expect(request?.headers.get('x-api-key')).toBe(KEY);
    expect([request?.url, request?.referrer, await request?.text()].join()).not.toContain(KEY);
  });

  it.each([
    'http://api.mock.test/extended/v1/info',
    'https://api.mock.test:8443/extended/v1/info',
    'https://mock.test/extended/v1/info',
    'https://api.mock.test.evil.test/extended/v1/info',
    'https://evil.test/https://api.mock.test/',
  ])('is neither sent nor asked for on the way to another origin: %s', async (url) => {
    const { fetch, requests } = recorder();
    const key = vi.fn(() => KEY);
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(key), fetch });
    await transport.send({ method: 'GET', url: new URL(url).href }, never);
    expect(requests.map(({ headers }) => headers.has('x-api-key'))).toEqual([false]);
    expect(key).not.toHaveBeenCalled();
  });

  it('is left out, and no empty header, where there is none', async () => {
    const { fetch, requests } = recorder();
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(() => undefined), fetch });
    await transport.send({ method: 'GET', url: INFO.href }, never);
    expect(requests.map(({ headers }) => headers.has('x-api-key'))).toEqual([false]);
  });

  it('is asked for anew for each request, so that it can be replaced at any time', async () => {
    const { fetch, requests } = recorder();
    const keys = ['first', undefined, 'second', 'second'];
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(async () => keys.shift()), fetch });
    for (let sent = 0; sent < 4; sent++) await transport.send({ method: 'GET', url: INFO.href }, never);
    expect(requests.map(({ headers }) => headers.get('x-api-key'))).toEqual(['first', null, 'second', 'second']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new ConfigError('apiKey', 'is empty');
      },
    ],
    ['rejects', () => Promise.reject(new ConfigError('apiKey', 'is empty'))],
  ])('stays a ConfigError, with nothing sent, when the function that gives it %s one', async (_, key) => {
    const { fetch, requests } = recorder();
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(key), fetch });
    const error = await errorOf(transport.send({ method: 'GET', url: INFO.href }, never));
    expect(error).toEqual(new ConfigError('apiKey', 'is empty'));
    expect(requests).toHaveLength(0);
  });

  it('that its function never gives holds no call for longer than its signal allows', async () => {
    const { fetch, requests } = recorder();
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(() => new Promise(() => {})), fetch });
    const controller = new AbortController();
    const sent = transport.send({ method: 'GET', url: INFO.href }, cancelledBy(controller.signal));
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    expect(requests).toHaveLength(0);
  });
});

/** Whatever a caller's own fetch may throw. */
const LEAKS: readonly [string, (request: Request) => unknown][] = [
  ['a message', () => new Error(`cannot send ${KEY}`)],
  ['the message of a network error', () => new TypeError('fetch failed', { cause: new Error(`x-api-key: ${KEY}`) })],
  ['a cause of a cause', () => new Error('a', { cause: new Error('b', { cause: new Error(KEY) }) })],
  ['a cause beyond counting', () => Array.from({ length: 30 }).reduce((cause) => new Error(KEY, { cause }), undefined)],
  ['a cause that is no error', () => new Error('odd', { cause: { headers: { 'x-api-key': KEY } } })],
  ['a property with the request', (request) => Object.assign(new Error('odd'), { request })],
  ['a property with headers', () => Object.assign(new Error('odd'), { config: { headers: { 'x-api-key': KEY } } })],
  ['a hidden property', () => Object.defineProperty(new Error('odd'), 'key', { value: KEY })],
  ['a property named by it', () => Object.assign(new Error('odd'), { [KEY]: 1 })],
  ['a code', () => Object.assign(new Error('odd'), { code: `ERR_${KEY}` })],
  ['a name', () => Object.assign(new Error('odd'), { name: `Error of ${KEY}` })],
  ['a stack', () => Object.assign(new Error('odd'), { stack: `at ${KEY}` })],
  ['one of several errors', () => new AggregateError([new Error(KEY)], 'odd')],
  ['a text', () => `cannot send ${KEY}`],
  ['a plain object', () => ({ message: KEY, headers: { 'x-api-key': KEY } })],
];

const clientWith = (fetch: Fetch, onEvent: (event: ClientEvent) => void = () => {}) =>
  createClient({ baseUrl: ORIGIN, apiKey: KEY, fetch, onEvent, maxAttempts: 1, clock: virtualClock() });

describe('no error and no event shows the key', () => {
  it.each(LEAKS)('though a search of what was thrown would find it in %s', (_, thrown) => {
    expect(everythingOf(thrown(new Request(INFO, { headers: { 'x-api-key': KEY } })))).toContain(KEY);
  });

  it.each(LEAKS)('that a fetch puts into %s', async (_, thrown) => {
    const events: ClientEvent[] = [];
    const fetch: Fetch = (input) => Promise.reject(thrown(input as Request));
    const error = await errorOf(clientWith(fetch, (event) => events.push(event)).getInfo());
    expect(isConnectionError(error)).toBe(true);
    expect(everythingOf(error)).not.toContain(KEY);
    expect(everythingOf(events)).not.toContain(KEY);
    expect(events.map(({ type }) => type)).toContain('lost');
  });

  it.each(LEAKS)('that a body puts into %s', async (_, thrown) => {
    const fetch: Fetch = async (input) =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(thrown(input as Request)) }));
    const error = await errorOf(clientWith(fetch).getInfo());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(everythingOf(error)).not.toContain(KEY);
  });

  it.each(LEAKS)('that a fetch puts into %s, by client.fetch', async (_, thrown) => {
    const events: ClientEvent[] = [];
    const fetch: Fetch = (input) => Promise.reject(thrown(input as Request));
    const error = await errorOf(clientWith(fetch, (event) => events.push(event)).fetch(INFO));
    expect(isConnectionError(error)).toBe(true);
    expect(everythingOf([error, events])).not.toContain(KEY);
  });

  it.each(LEAKS)('that a body which is read as it comes puts into %s', async (_, thrown) => {
    const fetch: Fetch = async (input) =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(thrown(input as Request)) }));
    const response = await clientWith(fetch).fetch(INFO);
    const error = await errorOf(response.text());
    expect(isConnectionError(error)).toBe(true);
    expect(everythingOf([error, response])).not.toContain(KEY);
  });

  it.each([
    ['JSON', JSON.stringify({ message: `No such key: ${KEY}`, [KEY]: { headers: [KEY, KEY] } })],
    ['text', `No such key: ${KEY}`],
    ['HTML', `<html><title>${KEY}</title></html>`],
  ])('that the service echoes in an error as %s', async (_, body) => {
    const { fetch } = recorder(() => new Response(body, { status: 401 }));
    const error = await errorOf(clientWith(fetch).getInfo());
    expect(error).toBeInstanceOf(ServiceError);
    expect(everythingOf(error)).not.toContain(KEY);
    expect(isServiceError(error) && JSON.stringify(error.body)).toContain('[redacted]');
  });

  it.each([
    ['slashes', KEY.replaceAll('/', '\\/')],
    ['letters', KEY.replace('k', '\\u006b').replace('z', '\\u007A')],
  ])('that the service echoes in an error with its %s escaped', async (_, escaped) => {
    const body = `{ "message": "No such key: ${escaped}", "${escaped}": [{ "${escaped}": "${escaped}" }] }`;
    expect(everythingOf(JSON.parse(body))).toContain(KEY);
    const error = await errorOf(clientWith(recorder(() => new Response(body, { status: 401 })).fetch).getInfo());
    expect(error).toMatchObject({ body: { message: 'No such key: [redacted]' } });
    expect(everythingOf(error)).not.toContain(KEY);
    const response = await clientWith(recorder(() => new Response(body, { status: 401 })).fetch).fetch(INFO);
    expect(everythingOf(await response.json())).not.toContain(KEY);
  });

  it.each([200, 401])('that the service echoes in a header about quota, with %i', async (status) => {
    const headers = {
      'x-ratelimit-consumer': `=${KEY}=`,
      'x-ratelimit-long': `${'x'.repeat(195)}${KEY}`,
      [`x-ratelimit-${KEY.replaceAll('/', '%2f')}`]: '1',
      'x-ratelimit-remaining-stacks-minute': '7',
    };
    const unrecognised = {
      'x-ratelimit-consumer': '=[redacted]=',
      'x-ratelimit-long': `${'x'.repeat(195)}[reda`,
    };
    const { fetch } = recorder(() => new Response('{}', { status, headers }));
    const events: ClientEvent[] = [];
    const client = clientWith(fetch, (event) => events.push(event));
    const call = client.getInfo();
    const { quota } = (await (status === 200 ? call : errorOf(call))) as { quota: QuotaSnapshot };
    expect(quota).toMatchObject({ stacks: { minute: { remaining: 7 } }, unrecognised });
    expect(quota.unrecognised).toStrictEqual(unrecognised);
    expect(events.filter(({ type }) => type === 'answered')).toMatchObject([{ quota: { unrecognised } }]);
    expect(everythingOf([quota, events])).not.toContain(KEY);
  });

  it('that was replaced while its request was under way', async () => {
    const keys = [KEY, 'another-key'];
    const transport = createTransport({
      origin: ORIGIN,
      keys: createKeyRing(() => keys.shift()),
      fetch: recorder().fetch,
    });
    for (let sent = 0; sent < 2; sent++) await transport.send({ method: 'GET', url: INFO.href }, never);
    expect(transport.redact(`${KEY} and another-key`)).toBe('[redacted] and [redacted]');
  });

  it('that the service echoes in a body that is not as expected', async () => {
    const { fetch } = recorder(() => new Response(JSON.stringify([KEY])));
    expect(everythingOf(await errorOf(clientWith(fetch).getInfo()))).not.toContain(KEY);
  });

  it("that a caller's schema quotes from the body", async () => {
    const issues = [
      { message: `not a name: ${KEY}`, path: ['names', KEY, { key: KEY }] },
      { message: `not a name: ${JSON.stringify({ [KEY]: KEY })}` },
    ];
    const schema: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'mine', validate: () => ({ issues }) } };
    const { fetch } = recorder(() => new Response(JSON.stringify({ names: [KEY] })));
    const error = await errorOf(clientWith(fetch).getInfo({ schema }));
    expect(error).toMatchObject({
      issues: [
        { message: 'not a name: [redacted]', path: 'names.[redacted].[redacted]' },
        { message: 'not a name: {"[redacted]":"[redacted]"}', path: '' },
      ],
    });
    expect(everythingOf(error)).not.toContain(KEY);
  });

  it('nor does the client itself', async () => {
    const { fetch } = recorder();
    const client = clientWith(fetch);
    await client.getInfo();
    const response = await client.fetch(INFO);
    expect(everythingOf([client, client.quota(), client.fetchWith({}), response])).not.toContain(KEY);
  });
});
