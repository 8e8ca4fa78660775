import { expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { Outgoing } from '../../src/http/call.ts';
import { createKeyRing } from '../../src/http/key-ring.ts';
import { createTransport } from '../../src/http/transport.ts';
import { createPool } from '../../src/pool/pool.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { cancelledBy } from '../support/cancelled-by.ts';
import { mockWorld } from '../support/mock-world.ts';
import { withPlanted } from '../support/planted.ts';

const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';

/** What a client sent while every object inherited these values. */
async function sentWith(planted: Readonly<Record<string, unknown>>, call: (client: Client) => Promise<unknown>) {
  const { clock, service, client } = mockWorld({ assetsOf: () => 3 }, { maxAttempts: 1 });
  await withPlanted(planted, () => clock.run(call(client)));
  return service.log.map(({ method, path }) => `${method} ${path}`);
}

type Client = ReturnType<typeof createClient>;

const ASSETS = `GET /extended/v1/address/${ADDRESS}/assets`;

async function walked(client: Client): Promise<void> {
  for await (const _ of client.walkAddressAssets(ADDRESS, { limit: 50 }));
}

it.each<[Readonly<Record<string, unknown>>, string, (client: Client) => Promise<unknown>]>([
  [{ headersOnly: true }, 'GET /extended/v1/info', (client) => client.getInfo()],
  [{ headersOnly: true }, 'GET /extended/v1/info', (client) => client.getInfo({ priority: 1 })],
  [{ limit: 7 }, ASSETS, (client) => client.getAddressAssets(ADDRESS)],
  [{ offset: 7 }, `${ASSETS}?limit=5`, (client) => client.getAddressAssets(ADDRESS, { limit: 5 })],
  [{ unanchored: true, untilBlock: 5 }, ASSETS, (client) => client.getAddressAssets(ADDRESS)],
  [{ offset: 7 }, `${ASSETS}?limit=50&offset=0`, walked],
  [{ schema: {} }, `${ASSETS}?limit=50&offset=0`, walked],
  [{ unanchored: true }, `${ASSETS}?limit=50&offset=0`, walked],
  [{ from: {} }, `${ASSETS}?limit=50&offset=0`, walked],
  [{ body: 'evil' }, 'GET /extended/v1/info', (client) => client.getInfo()],
  [{ body: 'evil' }, 'GET /extended/v1/info', (client) => client.fetch('/extended/v1/info')],
])('%o on Object.prototype is no option of the caller: it stays %s', async (planted, request, call) => {
  expect(await sentWith(planted, call)).toEqual([request]);
});

it.each<[Readonly<Record<string, unknown>>]>([
  [{ json: { evil: true } }],
  [{ query: { evil: 1 } }],
  [{ params: { evil: 1 } }],
  [{ streamBody: true }],
])('a call of a pool has no option that is only on Object.prototype: %o', async (planted) => {
  const clock = virtualClock();
  const left: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { method, url, body } = input as Request;
    left.push([method, url, body]);
    return Response.json({});
  };
  const [one, other] = ['one', 'other'].map((apiKey) => createClient({ baseUrl: INFO.origin, apiKey, clock, fetch }));
  const pool = createPool([one, other] as Client[]);
  await withPlanted(planted, () => clock.run(pool.request('POST', INFO.pathname as string, {})));
  expect(left).toEqual([['POST', INFO.href, null]]);
});

const INFO = new URL('https://api.mock.test/extended/v1/info');

/** What a transport would have sent while every object inherited these values. */
async function leftWith(planted: Readonly<Record<string, unknown>>, outgoing: Partial<Outgoing>): Promise<unknown> {
  const left: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { method, url, redirect, headers } = request;
    const seen = { method, url, redirect, headers: [...headers.keys()] };
    // Longer than a planted time-out.
    await new Promise((resolve) => setTimeout(resolve, 3));
    left.push({ ...seen, key: headers.get('x-api-key'), body: await request.text() });
    return new Response('mine');
  };
  const { signal } = new AbortController();
  const request = { method: 'GET', url: INFO.href, headers: { accept: '*/*' }, ...outgoing };
  const answer = await withPlanted(planted, () =>
    createTransport({ origin: INFO.origin, keys: createKeyRing(() => 'the-key'), fetch }).send(
      request,
      cancelledBy(signal),
    ),
  );
  return [...left, await answer.text()];
}

const outgoings: [string, Partial<Outgoing>][] = [
  ['a GET', {}],
  ['a POST', { method: 'POST', body: 'words' }],
];

it.each(outgoings)('%s leaves as it was meant, whatever is on every object', async (_, outgoing) => {
  const meant = await leftWith({}, outgoing);
  expect(meant).toMatchObject([{ redirect: 'manual', key: 'the-key', body: outgoing.body ?? '' }, 'mine']);
  const planted: readonly Record<string, unknown>[] = [
    { json: { evil: true } },
    { searchParams: { evil: '1' } },
    { hooks: { beforeRequest: [() => new Response('evil')], afterResponse: [() => new Response('evil')] } },
    { method: 'DELETE' },
    { redirect: 'follow' },
    { onDownloadProgress: 'evil' },
    { onUploadProgress: 'evil' },
    { totalTimeout: 1 },
    { body: 'evil' },
    { prefix: 'https://evil.test' },
    { baseUrl: 'https://evil.test' },
  ];
  for (const one of planted) expect([one, await leftWith(one, outgoing)]).toEqual([one, meant]);
});

it('a request keeps its key though every object has headers', async () => {
  expect(await leftWith({ headers: { 'x-api-key': 'evil' } }, {})).toMatchObject([{ key: 'the-key' }, 'mine']);
});
