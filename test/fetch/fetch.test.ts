import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { ADDRESS, INFO, KEY, pair } from './support/pair.ts';

const AGENT = expect.stringMatching(/^stacks-quota\/\d/);
const TRANSACTIONS = '/v2/transactions';

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
      'a Request in place of init',
      [
        TRANSACTIONS,
        new Request('https://api.mock.test/elsewhere', {
          method: 'POST',
          headers: { 'x-mine': 'yes', 'content-type': 'text/x' },
          body: 'words',
        }),
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

  it('passes on the other options of fetch, and `dispatcher` to the fetch of Node', async () => {
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

  it('shares the queue of all other calls, and no limit refuses any', async () => {
    const { clock, mock, client } = pair({}, { keyless: { minute: 30 } });
    const calls = Array.from({ length: 100 }, (_, nth) =>
      nth % 2 ? client.getInfo() : client.fetch(INFO, { method: nth % 4 ? 'POST' : 'GET' }),
    );
    await clock.run(Promise.all(calls));
    expect([mock.requests, mock.limited]).toEqual([100, 0]);
    expect(clock.now()).toBeGreaterThan(120_000);
  });

  it.each([
    ['itself', KEY],
    ['itself', undefined],
    ['in a function', KEY],
    ['in a function', undefined],
  ])('may take the place of the global fetch, %s, with the key %s', async (place, apiKey) => {
    const { clock, mock } = pair();
    vi.stubGlobal('fetch', mock.fetch);
    const { fetch, getInfo } = createClient({ baseUrl: mock.origin, apiKey, clock });
    vi.stubGlobal('fetch', place === 'itself' ? fetch : (...args: Parameters<typeof fetch>) => fetch(...args));
    const paced = Promise.all([globalThis.fetch(`${mock.origin}${INFO}`), getInfo()]);
    expect((await clock.run(paced))[0].status).toBe(200);
    expect([mock.requests, mock.log[0]?.key]).toEqual([2, apiKey ? 'keyed' : 'keyless']);
  });

  it('is rejected when the client closes', async () => {
    const { client, endOf } = pair();
    await client.close();
    expect(await endOf(client.fetch(INFO))).toMatchObject({ name: 'ClosedError' });
  });
});
