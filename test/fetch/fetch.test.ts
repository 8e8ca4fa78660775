import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientEvent } from '../../src/events.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';

const AGENT = expect.stringMatching(/^stacks-quota\/\d/);
const KEY = 'k3y-of-32-characters-0123456789ab';
const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const INFO = '/extended/v1/info';
const TRANSACTIONS = '/v2/transactions';

/** What a request was when it left. */
interface Left {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A client and the service it calls, a tenth of a second away, both in virtual time. */
function pair(options: ClientOptions = {}, service: MockServiceOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mock = createMockService({ clock, latencyMs: 100, keyless: { minute: 10_000 }, keys: [KEY], ...service });
  const events: ClientEvent[] = [];
  const left: Left[] = [];
  const wire: typeof fetch = async (input, init) => {
    const { method, url, headers } = input as Request;
    const body = await (input as Request).clone().text();
    left.push({ method, url, headers: Object.fromEntries(headers), body });
    return mock.fetch(input, init);
  };
  const client: Client = createClient({
    baseUrl: mock.origin,
    fetch: wire,
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const count = (type: ClientEvent['type']) => events.filter((event) => event.type === type).length;
  /** What a call ends with, error or not. */
  const endOf = <T>(work: Promise<T>): Promise<unknown> => clock.run(work.catch((error: unknown) => error));
  return { clock, mock, client, events, left, count, endOf };
}

const config = (option: string, words: RegExp): unknown =>
  expect.objectContaining({ name: 'ConfigError', option, message: expect.stringMatching(words) });

describe('client.fetch', () => {
  it('goes where fetch would go, with the key, and counts as a request', async () => {
    const { clock, mock, client, left } = pair({ apiKey: KEY });
    const response = await clock.run(client.fetch(`${mock.origin}${INFO}`));
    expect(response).toBeInstanceOf(Response);
    expect(await clock.run(response.json())).toMatchObject({ status: 'ready' });
    expect(mock.log).toMatchObject([{ method: 'GET', path: INFO, key: 'keyed' }]);
    expect(left[0]?.headers).toEqual({ 'x-api-key': KEY, 'user-agent': AGENT });
    expect(client.quota().windows.map(({ window, remaining }) => [window, remaining])).toContainEqual(['minute', 499]);
  });

  it('can be called apart from its client', async () => {
    const { clock, client } = pair();
    const { fetch } = client;
    expect((await clock.run(fetch(INFO))).status).toBe(200);
    expect((await clock.run(Reflect.apply(fetch, undefined, [INFO]))).status).toBe(200);
  });

  it.each<[string, (origin: string) => Parameters<typeof fetch>]>([
    ['text', (origin) => [`${origin}/a?b=c%20d`]],
    ['text with white space around it', (origin) => [`  ${origin}/a?b=c%20d\n`]],
    ['a URL', (origin) => [new URL('/a?b=c%20d', origin)]],
    ['a Request', (origin) => [new Request(`${origin}/a?b=c%20d`)]],
    ['a path', () => ['/a?b=c%20d']],
    ['a path without a slash', () => ['a?b=c%20d']],
    ['a URL with a fragment', (origin) => [`${origin}/a?b=c%20d#there`]],
    [
      'what looks like a Request, of another realm',
      (origin) => [{ url: `${origin}/a?b=c%20d`, method: 'GET' } as Request],
    ],
  ])('takes %s', async (_, args) => {
    const { clock, mock, client, left } = pair();
    const response = await clock.run(client.fetch(...args(mock.origin)));
    expect([response.status, response.url]).toEqual([404, `${mock.origin}/a?b=c%20d`]);
    expect(left.map(({ method, url }) => [method, url])).toEqual([['GET', `${mock.origin}/a?b=c%20d`]]);
  });

  it.each<[string, string]>([
    [INFO, INFO],
    ['extended/v1/info', INFO],
    ['https://api.mock.test/stacks/extended/v1/info', INFO],
    ['?a=1', '/?a=1'],
    ['', '/'],
  ])('finds %s below a base URL with a path', async (input, path) => {
    const { clock, client, left, events } = pair({ baseUrl: 'https://api.mock.test/stacks/' });
    await clock.run(client.fetch(input));
    expect(left.map(({ url }) => url)).toEqual([`https://api.mock.test/stacks${path}`]);
    const [endpoint] = path.split('?');
    expect(events[1]).toMatchObject({ type: 'sent', endpoint: `GET ${endpoint}` });
  });

  it.each<[string, Parameters<typeof fetch>]>([
    ['init', [TRANSACTIONS, { method: 'POST', headers: { 'x-mine': 'yes', 'content-type': 'text/x' }, body: 'words' }]],
    [
      'a Request',
      [
        new Request(`https://api.mock.test${TRANSACTIONS}`, {
          method: 'POST',
          headers: { 'x-mine': 'yes', 'content-type': 'text/x' },
          body: 'words',
        }),
      ],
    ],
    [
      'init over a Request',
      [
        new Request(`https://api.mock.test${TRANSACTIONS}`, {
          method: 'PUT',
          headers: { 'x-other': 'gone' },
          body: 'gone',
        }),
        {
          method: 'POST',
          headers: [
            ['x-mine', 'yes'],
            ['content-type', 'text/x'],
          ],
          body: 'words',
        },
      ],
    ],
    [
      'Headers, and a body that comes as it is read',
      [
        TRANSACTIONS,
        {
          method: 'POST',
          headers: new Headers({ 'x-mine': 'yes', 'content-type': 'text/x' }),
          body: new Blob(['words']).stream(),
          duplex: 'half',
        } as RequestInit,
      ],
    ],
  ])('sends method, headers and body of %s', async (_, args) => {
    const { clock, client, left } = pair();
    await clock.run(client.fetch(...args));
    const headers = { 'x-mine': 'yes', 'content-type': 'text/x', 'user-agent': AGENT };
    expect(left).toEqual([{ method: 'POST', url: `https://api.mock.test${TRANSACTIONS}`, headers, body: 'words' }]);
  });

  it.each<[string, BodyInit, RegExp]>([
    ['a form', new URLSearchParams({ a: '1' }), /^application\/x-www-form-urlencoded/],
    ['text', 'a=1', /^text\/plain/],
    ['a blob', new Blob(['a=1'], { type: 'text/mine' }), /^text\/mine/],
  ])('says of what type %s is, as fetch does', async (_, body, type) => {
    const { clock, client, left } = pair();
    await clock.run(client.fetch(TRANSACTIONS, { method: 'POST', body }));
    expect(left[0]?.headers['content-type']).toMatch(type);
    expect(left[0]?.body).toBe('a=1');
  });

  it('hands on what else fetch can be told, and to this Node’s own which connections to use', async () => {
    const inits: (RequestInit | undefined)[] = [];
    const { clock, client } = pair({
      fetch: async (input, init) => {
        inits.push(init, { cache: (input as Request).cache, referrerPolicy: (input as Request).referrerPolicy });
        return new Response();
      },
    });
    const dispatcher = { dispatch: () => true };
    const init = { cache: 'no-store', referrerPolicy: 'origin', dispatcher };
    await clock.run(client.fetch(INFO, init as unknown as RequestInit));
    expect(inits).toMatchObject([{ dispatcher }, { cache: 'no-store', referrerPolicy: 'origin' }]);
  });

  it('learns with the client’s own calls what an endpoint costs', async () => {
    const { clock, client, events } = pair({}, { cost: { assets: 7 } });
    await clock.run(client.getAddressAssets(ADDRESS));
    await clock.run(client.fetch(`/extended/v1/address/${ADDRESS}/assets?limit=5`));
    const sent = events.flatMap((event) => (event.type === 'sent' ? [event] : []));
    expect(sent[1]).toMatchObject({ endpoint: 'GET /extended/v1/address/{address}/assets', units: 7 });
    expect(new Set(sent.map(({ endpoint }) => endpoint)).size).toBe(1);
  });

  it('stands in the one line with all other calls, and no limit refuses any', async () => {
    const { clock, mock, client } = pair({}, { keyless: { minute: 30 } });
    const calls = Array.from({ length: 100 }, (_, nth) =>
      nth % 2 ? client.getInfo() : client.fetch(INFO, { method: nth % 4 ? 'POST' : 'GET' }),
    );
    await clock.run(Promise.all(calls));
    expect([mock.requests, mock.limited]).toEqual([100, 0]);
    expect(clock.now()).toBeGreaterThan(120_000);
  });

  it('is turned away when the client closes', async () => {
    const { client, endOf } = pair();
    await client.close();
    expect(await endOf(client.fetch(INFO))).toMatchObject({ name: 'ClosedError' });
  });
});

describe('what client.fetch does not send', () => {
  it.each<[string, string, RegExp]>([
    [
      'another origin',
      'https://other.test/a',
      /goes to https:\/\/other\.test, but this client is for https:\/\/api\.mock\.test: use the same base URL for both/,
    ],
    ['another port', 'https://api.mock.test:8443/', /goes to https:\/\/api\.mock\.test:8443/],
    ['another scheme', 'http://api.mock.test/', /goes to http:\/\/api\.mock\.test,/],
    ['another host by two slashes', '//other.test/a', /goes to https:\/\/other\.test,/],
    ['another host by two backslashes', '\\\\other.test/a', /goes to https:\/\/other\.test,/],
    [
      'a host that begins like the service',
      'https://api.mock.test.other.test/',
      /goes to https:\/\/api\.mock\.test\.other\.test,/,
    ],
    ['no host at all', 'data:application/json,{}', /goes to data:,/],
    ['a password', 'https://me:secret@api.mock.test/', /must not have a user name or a password/],
    ['what is no URL', 'https://', /must be a valid URL/],
  ])('is %s: %s', async (_, input, words) => {
    const { client, left, endOf } = pair({ apiKey: KEY });
    const error = await endOf(client.fetch(input));
    expect(error).toEqual(config('input', words));
    expect(String(error)).not.toContain('secret');
    expect(left).toEqual([]);
    expect(client.quota().inFlight).toBe(0);
  });

  it.each([
    'https://api.mock.test/other',
    'https://api.mock.test/stacks/../other',
    '/../other',
    'https://api.mock.test/stacksx',
  ])('is another path than that of the base URL: %s', async (input) => {
    const { client, left, endOf } = pair({ baseUrl: 'https://api.mock.test/stacks' });
    expect(await endOf(client.fetch(input))).toEqual(
      config('input', /goes to another path of https:\/\/api\.mock\.test/),
    );
    expect(left).toEqual([]);
  });

  it('is named without the path of the base URL, which may hold a secret', async () => {
    const { client, endOf } = pair({ baseUrl: 'https://api.mock.test/secret' });
    for (const input of ['https://other.test/secret', 'https://api.mock.test/open']) {
      expect(String(await endOf(client.fetch(input)))).not.toContain('secret');
    }
  });

  it.each([undefined, null, 7, {}])('is what is neither a URL nor a Request: %s', async (input) => {
    const { client, endOf } = pair();
    expect(await endOf(client.fetch(input as unknown as string))).toEqual(
      config('input', /must be a URL, a string or a Request, not/),
    );
  });

  it.each<[string, Parameters<typeof fetch>]>([
    ['init', [INFO, { headers: { 'X-API-Key': 'another-key' } }]],
    ['a Request', [new Request(`https://api.mock.test${INFO}`, { headers: { 'x-api-key': 'another-key' } })]],
    ['init, under its older name', [INFO, { headers: [['x-hiro-api-key', 'another-key']] }]],
  ])('is a key of the other client’s own in %s: there is one key, for there is one quota', async (_, args) => {
    const { client, left, endOf } = pair({ apiKey: KEY });
    const error = await endOf(client.fetch(...args));
    expect(error).toEqual(config('headers', /cannot carry a key in x-(hiro-)?api-key: it is the option apiKey/));
    expect(JSON.stringify(error) + String(error)).not.toContain('another-key');
    expect(left).toEqual([]);
  });

  it('is a header that cannot be sent, and the error does not quote it', async () => {
    const { client, endOf } = pair();
    const error = await endOf(client.fetch(INFO, { headers: { authorization: 'secret\nsecret' } }));
    expect(error).toEqual(config('headers', /without line breaks/));
    expect(String(error)).not.toContain('secret');
  });

  it('is what fetch itself would refuse', async () => {
    const { client, left, endOf } = pair();
    expect(await endOf(client.fetch(INFO, { body: 'words' }))).toBeInstanceOf(TypeError);
    const used = new Request(`https://api.mock.test${INFO}`, { method: 'POST', body: 'words' });
    await used.text();
    expect(await endOf(client.fetch(used))).toBeInstanceOf(TypeError);
    expect(left).toEqual([]);
  });
});

describe('client.fetchWith', () => {
  it('gives what is elsewhere to another fetch, as it was given, without the key', async () => {
    const { clock, client, left } = pair({ apiKey: KEY });
    const elsewhere = vi.fn(async () => new Response('from there'));
    const fetch = client.fetchWith({ elsewhere });
    const init = { method: 'POST', body: 'words' };
    expect(await (await clock.run(fetch('https://other.test/a', init))).text()).toBe('from there');
    expect(elsewhere.mock.calls).toEqual([['https://other.test/a', init]]);
    expect(left).toEqual([]);
    expect((await clock.run(fetch(INFO))).status).toBe(200);
    expect(elsewhere).toHaveBeenCalledOnce();
  });

  it('gives calls a priority', async () => {
    const { clock, client, left } = pair({ concurrency: 1 });
    const urgent = client.fetchWith({ priority: 10 });
    const calls = [client.fetch('/a'), client.fetch('/b'), client.fetch('/c'), urgent('/urgent')];
    await clock.run(Promise.all(calls));
    expect(left.map(({ url }) => new URL(url).pathname)).toEqual(['/a', '/urgent', '/b', '/c']);
  });

  it('bounds how long the line may stand still, and an attempt may take', async () => {
    const { mock, client, endOf } = pair({ maxAttempts: 1 }, { keyless: { minute: 1 } });
    await endOf(client.fetch(INFO));
    const error = await endOf(client.fetchWith({ maxWaitMs: 1_000 })(INFO));
    expect(error).toMatchObject({ name: 'QuotaExhaustedError', window: 'minute', endpoint: `GET ${INFO}` });
    mock.faults.next(1, 'hang');
    expect(await endOf(client.fetchWith({ timeoutMs: 500 })(INFO))).toMatchObject({
      name: 'ConnectionError',
      code: 'TIMEOUT',
    });
  });

  it('says what calls will cost', async () => {
    const { clock, client, events } = pair();
    await clock.run(client.fetchWith({ cost: 9 })(INFO));
    expect(events[1]).toMatchObject({ type: 'sent', units: 9 });
  });

  it.each<[object, string, RegExp]>([
    [{ priority: 'high' }, 'priority', /must be a number/],
    [{ cost: -1 }, 'cost', /must be a number of units, 0 or more, not -1/],
    [{ elsewhere: 'fetch' }, 'elsewhere', /must be a function/],
    [
      { retries: 5 },
      'retries',
      /is not one of the fetch options: priority, maxWaitMs, maxQueueMs, timeoutMs, cost, elsewhere/,
    ],
  ])('refuses %o at once', (options, option, words) => {
    const { client } = pair();
    let error: unknown;
    try {
      client.fetchWith(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toEqual(config(option, words));
  });
});
