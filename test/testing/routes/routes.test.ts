import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { setupServer } from 'msw/node';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createMockService,
  type MockServiceOptions,
  type RouteHandler,
  virtualClock,
} from '../../../src/testing/index.ts';
import { handlers } from '../../../src/testing/msw.ts';

const ORIGIN = 'https://api.mock.test';
const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Routes = Record<string, RouteHandler>;

const serviceOf = (routes: Routes, options: MockServiceOptions = {}) => createMockService({ routes, ...options });

/** Where requests come in: each gives a function like `fetch` for paths. */
const DOORS: Record<string, (service: ReturnType<typeof serviceOf>) => Promise<typeof fetch>> = {
  fetch: async (service) => (path, init) => service.fetch(ORIGIN + path, init),
  'MSW handlers': async (service) => {
    const server = setupServer(...handlers(service));
    server.listen({ onUnhandledFrame: 'error' });
    open.push(() => server.close());
    return (path, init) => fetch(ORIGIN + path, init);
  },
  'a real port': async (service) => {
    const { url, close } = await service.listen();
    open.push(close);
    return (path, init) => fetch(url + path, init);
  },
};

describe.for(Object.entries(DOORS))('a route, through %s', ([, openDoor]) => {
  const through = (routes: Routes, options?: MockServiceOptions) => openDoor(serviceOf(routes, options));

  it('answers with what its handler makes of path, query and headers', async () => {
    const ask = await through({
      'GET /extended/v2/addresses/{principal}/transactions': ({ params, url, headers }) => ({
        of: params.principal,
        limit: url.searchParams.get('limit'),
        accept: headers.get('Accept'),
      }),
    });
    const path = `/extended/v2/addresses/${ADDRESS}.a%20b/transactions?limit=5`;
    const response = await ask(path, { headers: { accept: 'application/json' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(response.headers.get('x-ratelimit-remaining-stacks-minute')).toBe('49');
    expect(await response.json()).toEqual({ of: `${ADDRESS}.a b`, limit: '5', accept: 'application/json' });
  });

  it('is found by a path of any letters, and not by one with another slash before it', async () => {
    const ask = await through({ 'GET /straße/{x}': ({ params }) => params.x });
    expect(await (await ask('/straße/é')).text()).toBe('é');
    const response = await ask('//host/straße/1');
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { message: 'Route GET://host/stra%C3%9Fe/1 not found' },
    ]);
  });

  it('reads the body as JSON, text and bytes', async () => {
    const ask = await through({
      'POST /echo': async (request) => ({
        json: await request.json(),
        text: await request.text(),
        bytes: [...(await request.bytes())].length,
        type: request.headers.get('content-type'),
      }),
    });
    const body = JSON.stringify({ fee: 'ü' });
    const response = await ask('/echo', { method: 'POST', body });
    expect(await response.json()).toEqual({
      json: { fee: 'ü' },
      text: body,
      bytes: body.length + 1,
      type: 'text/plain;charset=UTF-8',
    });
  });

  it('sends bytes as they came', async () => {
    const ask = await through({ 'POST /v2/transactions': ({ bytes }) => bytes() });
    const sent = Uint8Array.from([0, 255, 128, 7]);
    const response = await ask('/v2/transactions', { method: 'POST', body: sent });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(sent);
  });

  it('sends the bytes of a buffer, too, and says that a function is no result', async () => {
    const ask = await through({
      'GET /buffer': async () => Uint8Array.from([0, 255]).buffer,
      'GET /none': () => () => 1,
    });
    expect(new Uint8Array(await (await ask('/buffer')).arrayBuffer())).toEqual(Uint8Array.from([0, 255]));
    const none = await ask('/none');
    expect([none.status, (await none.json()).message]).toEqual([
      500,
      'A function is nothing that a handler may return',
    ]);
  });

  it('sends a Response with its status and headers, beside those of the gateway', async () => {
    const ask = await through({
      'GET /gone': async () =>
        Response.json({ error: 'Gone' }, { status: 410, headers: { 'x-request-id': 'abc', 'set-cookie': 'a=1' } }),
    });
    const response = await ask('/gone');
    expect([response.status, response.headers.get('x-request-id')]).toEqual([410, 'abc']);
    expect(response.headers.get('x-ratelimit-cost-stacks')).toBe('1');
    expect(await response.json()).toEqual({ error: 'Gone' });
  });

  it('sends a Response that states its length, and one that fetch has received and decoded', async () => {
    const body = gzipSync('{"a":1}');
    const far = createServer((_, outgoing) =>
      outgoing.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length, 'x-far': '1' }).end(body),
    );
    await once(far.listen(0, '127.0.0.1'), 'listening');
    open.push(() => far.close());
    const received = await fetch(`http://127.0.0.1:${(far.address() as AddressInfo).port}`);
    const stated = new Response('abc', { headers: { 'content-length': '3' } });
    const ask = await through({
      'GET /received': () => received,
      'GET /stated': () => stated,
      'HEAD /head': () => new Response(null, { headers: { 'content-length': '123' } }),
    });
    expect(await (await ask('/stated')).text()).toBe('abc');
    expect((await ask('/head', { method: 'HEAD' })).headers.get('content-length')).toBe('123');
    const response = await ask('/received');
    expect([response.headers.get('x-far'), await response.json()]).toEqual(['1', { a: 1 }]);
  });

  it('answers by a 500 when its handler fails, at once or later', async () => {
    const ask = await through({
      'GET /now': () => {
        throw new Error('no such fixture');
      },
      'GET /later': async () => Promise.reject('no error'),
    });
    const [now, later] = [await ask('/now'), await ask('/later')];
    expect([now.status, later.status]).toEqual([500, 500]);
    expect(await now.json()).toEqual({ statusCode: 500, error: 'Internal Server Error', message: 'no such fixture' });
    expect(await later.json()).toMatchObject({ message: 'no error' });
  });

  it('is broken off half-way, of text and of bytes', async () => {
    const service = serviceOf({ 'GET /text': () => 'half of this', 'GET /bytes': () => new Uint8Array(10) });
    const ask = await openDoor(service);
    for (const path of ['/text', '/bytes']) {
      service.faults.next(1, 'truncate');
      const response = await ask(path);
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
  });
});

describe('the routes of a mock', () => {
  const ask = (routes: Routes, path: string, init?: RequestInit, options?: MockServiceOptions): Promise<Response> =>
    serviceOf(routes, options).fetch(ORIGIN + path, init);

  it.for<[result: unknown, status: number, type: string | null, body: string]>([
    [{ a: 1 }, 200, 'application/json; charset=utf-8', '{"a":1}'],
    [[1, 2], 200, 'application/json; charset=utf-8', '[1,2]'],
    [null, 200, 'application/json; charset=utf-8', 'null'],
    ['pong', 200, 'text/plain; charset=utf-8', 'pong'],
    ['', 200, 'text/plain; charset=utf-8', ''],
    [undefined, 204, null, ''],
    [new Response(null, { status: 304 }), 304, null, ''],
  ])('send %j', async ([result, status, type, body]) => {
    for (const handle of [() => result, async () => result]) {
      const response = await ask({ 'GET /x': handle }, '/x');
      expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
        status,
        type,
        body,
      ]);
    }
  });

  it('say how a connection is broken where one returns Response.error()', async () => {
    const response = await ask({ 'GET /x': () => Response.error() }, '/x');
    expect([response.status, (await response.json()).message]).toEqual([500, expect.stringContaining("'reset'")]);
  });

  it('may return the same Response each time', async () => {
    const same = Response.json({ a: 1 });
    const service = serviceOf({ 'GET /x': () => same });
    for (let sent = 0; sent < 3; sent++) {
      expect(await (await service.fetch(`${ORIGIN}/x`)).json()).toEqual({ a: 1 });
    }
  });

  it('send the value as it was when the handler returned it', async () => {
    const state = { height: 1 };
    const service = serviceOf({ 'GET /x': () => state });
    const response = await service.fetch(`${ORIGIN}/x`);
    state.height = 2;
    expect(await response.json()).toEqual({ height: 1 });
  });

  it('take fixed segments for more than placeholders, in whatever order they are written', async () => {
    const block = (name: string) => () => ({ name });
    const routes = {
      'GET /blocks/{height}': block('one'),
      'GET /blocks/latest': block('latest'),
      'GET /{any}/latest': block('any'),
      'GET /blocks/{height}/txs': block('txs'),
    };
    const nameAt = async (path: string): Promise<string> => (await (await ask(routes, path)).json()).name;
    expect(await Promise.all(['/blocks/7', '/blocks/latest', '/pox/latest', '/blocks/7/txs'].map(nameAt))).toEqual([
      'one',
      'latest',
      'any',
      'txs',
    ]);
    expect((await ask(routes, '/blocks/')).status).toBe(404);
    expect((await ask(routes, '/blocks/7/8/txs')).status).toBe(404);
  });

  it('match characters that mean something in patterns literally', async () => {
    const routes = { 'GET /a.b/(c)/{x}.{y}': ({ params }: { params: object }) => params };
    expect(await (await ask(routes, '/a.b/(c)/SP1.name')).json()).toEqual({ x: 'SP1', y: 'name' });
    expect((await ask(routes, '/aXb/(c)/SP1.name')).status).toBe(404);
  });

  it('serve HEAD by the handler of GET, without its body', async () => {
    const response = await ask({ 'GET /x': () => ({ a: 1 }) }, '/x', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('answer another method by a 405 that names those there are, also at the paths of the service itself', async () => {
    const routes = { 'GET /x': () => 1, 'PUT /x': () => 2 };
    const response = await ask(routes, '/x', { method: 'POST', body: 'unread' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PUT']);
    expect(await response.json()).toMatchObject({
      statusCode: 405,
      message: '/x has a route for GET, PUT, not for POST',
    });
    expect((await ask({}, '/extended/v1/info', { method: 'POST' })).status).toBe(405);
  });

  it('replace pages of the service itself, which keep their short names for costs and ceilings', async () => {
    const routes = {
      'GET /extended/v1/info': () => ({ mine: true }),
      'GET /extended/v1/address/{principal}/assets': ({ params }: { params: object }) => params,
    };
    const info = await ask(routes, '/extended/v1/info', {}, { cost: { info: 4 } });
    expect([await info.json(), info.headers.get('x-ratelimit-cost-stacks')]).toEqual([{ mine: true }, '4']);
    const assets = await ask(routes, '/extended/v1/address/no-address/assets');
    expect(await assets.json()).toEqual({ principal: 'no-address' });
  });

  it('name the endpoint for costs, ceilings and the log', async () => {
    const name = 'GET /v2/accounts/{principal}';
    const service = serviceOf(
      { [name]: () => ({ nonce: 5 }) },
      { clock: virtualClock(), cost: { [name]: 7 }, ceilings: { [name]: { limit: 2, period: 'minute' } } },
    );
    const statuses: number[] = [];
    for (const who of ['a', 'b', 'c']) statuses.push((await service.fetch(`${ORIGIN}/v2/accounts/${who}`)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(service.log[0]).toMatchObject({ endpoint: name, cost: 7, path: '/v2/accounts/a', status: 200 });
  });

  it('are reached by no request that a limit or a key stopped', async () => {
    let reached = 0;
    const service = serviceOf({ 'GET /x': () => ++reached }, { clock: virtualClock(), keyless: { minute: 1 } });
    const init = { headers: { 'x-api-key': 'made up' } };
    const statuses: number[] = [];
    for (const each of [{}, {}, init]) statuses.push((await service.fetch(`${ORIGIN}/x`, each)).status);
    expect([statuses, reached]).toEqual([[200, 429, 401], 1]);
  });

  it('may take time, while the request is already counted and logged', async () => {
    const clock = virtualClock();
    const service = serviceOf({ 'GET /x': () => clock.sleep(500).then(() => 'late') }, { clock });
    const asking = service.fetch(`${ORIGIN}/x`);
    await clock.advance(100);
    expect([service.requests, service.log[0]?.status]).toEqual([1, 0]);
    expect(await (await clock.run(asking)).text()).toBe('late');
    expect([clock.now(), service.log[0]?.status]).toEqual([500, 200]);
  });

  it('send the body again with a redirect that keeps the method', async () => {
    const service = serviceOf({ 'POST /new': ({ text }) => text() });
    service.faults.next(1, { redirect: '/new', status: 307 });
    const response = await service.fetch(`${ORIGIN}/old`, { method: 'POST', body: 'same' });
    expect(await response.text()).toBe('same');
  });

  it('answer synchronously where their handler does', () => {
    const service = serviceOf({ 'GET /now': () => 'text', 'GET /later': async () => 'text' });
    const answer = (path: string) =>
      service.answer({ method: 'GET', url: new URL(ORIGIN + path), headers: new Headers() });
    expect(answer('/now').body()).toBe('text');
    expect(() => answer('/later')).toThrow('The route of /later is asynchronous: use exchange instead of answer.');
  });

  it.for(['/v2/info', 'get /v2/info', 'GET v2/info', 'GET https://api.hiro.so/v2/info', 'GET /v2/info?limit=1'])(
    'are refused when they are named %s',
    (name) => {
      expect(() => serviceOf({ [name]: () => 1 })).toThrow(
        `The name of a route must be a method and a path, such as "GET /extended/v2/blocks/{height}", not "${name}".`,
      );
    },
  );
});
