import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import { createMockService, type MockServiceOptions, mockNetwork, virtualClock } from '../../src/testing/index.ts';

const KEY = 'k3y-of-32-characters-0123456789ab';
const INFO = '/extended/v1/info';
const POST = { method: 'POST', body: 'words' };
const reason = new Error('enough');

/** A client and the service it calls, a tenth of a second away, with another on the same network. */
function pair(options: ClientOptions = {}, service: MockServiceOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mock = createMockService({ clock, latencyMs: 100, keyless: { minute: 10_000 }, keys: [KEY], ...service });
  const other = createMockService({ clock, origin: 'https://other.test' });
  const wire = mockNetwork(mock, other).fetch;
  const left: [method: string, path: string, body: string, type: string | null][] = [];
  const codes: string[] = [];
  const client = createClient({
    baseUrl: mock.origin,
    fetch: async (input, init) => {
      const { method, url, headers } = input as Request;
      left.push([method, new URL(url).pathname, await (input as Request).clone().text(), headers.get('content-type')]);
      return wire(input, init);
    },
    clock,
    random: () => 0.5,
    onEvent: (event) => event.type === 'lost' && codes.push(event.code),
    ...options,
  });
  /** What work ends with, error or not. */
  const endOf = <T>(work: Promise<T>): Promise<unknown> => clock.run(work.catch((error: unknown) => error));
  return { clock, mock, other, client, left, codes, endOf };
}

/** A client whose every request is answered by hand. */
function answering(answer: (request: Request) => Response | Promise<Response>, options: ClientOptions = {}) {
  const clock = virtualClock();
  const client = createClient({
    baseUrl: 'https://api.mock.test',
    fetch: async (input) => answer(input as Request),
    clock,
    ...options,
  });
  return { clock, client };
}

describe('an answer to client.fetch', () => {
  it.each([200, 201, 204, 301, 304, 400, 401, 404, 410, 500, 599])(
    'is a Response, whatever its status: %i',
    async (status) => {
      const { clock, mock, client } = pair({ maxAttempts: 1 });
      const body = status === 204 || status === 304 ? '' : '{"error":"words"}';
      mock.faults.next(1, { status, body, headers: { 'x-mine': 'a', 'content-type': 'application/json' } });
      const response = await clock.run(client.fetch(INFO));
      expect(response).toBeInstanceOf(Response);
      expect([response.status, response.ok, response.redirected]).toEqual([
        status,
        status >= 200 && status < 300,
        false,
      ]);
      expect(response.headers.get('x-mine')).toBe('a');
      expect(await clock.run(response.text())).toBe(body);
    },
  );

  it('says where it came from and what its headers are, and so do its clones', async () => {
    const { clock, mock, client } = pair();
    const response = await clock.run(client.fetch(`${INFO}?a=1#there`));
    const copy = response.clone().clone();
    expect([response.url, copy.url, copy.redirected]).toEqual([
      `${mock.origin}${INFO}?a=1`,
      `${mock.origin}${INFO}?a=1`,
      false,
    ]);
    expect(copy.headers.get('x-ratelimit-remaining-stacks-minute')).toBe('9999');
    expect(await clock.run(copy.json())).toEqual(await clock.run(response.json()));
  });

  it('to HEAD has no body', async () => {
    const { clock, client } = pair();
    const response = await clock.run(client.fetch(INFO, { method: 'HEAD' }));
    expect([response.status, response.body]).toEqual([200, null]);
  });

  it('keeps every cookie apart, and its words of status', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const { clock, client } = answering(() => new Response('{}', { headers, statusText: 'Fine' }));
    const response = await clock.run(client.fetch(INFO));
    expect([response.headers.getSetCookie(), response.statusText]).toEqual([['a=1', 'b=2'], 'Fine']);
  });

  it('may have a status that `new Response` rejects', async () => {
    const odd = Object.defineProperties(new Response('odd'), { status: { value: 999 }, ok: { value: false } });
    const { clock, client } = answering(() => odd);
    const response = await clock.run(client.fetch(INFO));
    expect([response.status, response.ok, await response.text()]).toEqual([999, false, 'odd']);
  });

  it('never holds the key, should the service have echoed it in an error or a header', async () => {
    const echo = (): Response =>
      new Response(`No such key: ${KEY}`, {
        status: 401,
        statusText: `No ${KEY}`,
        headers: { 'x-echo': `<${KEY}>`, 'content-length': String(13 + KEY.length) },
      });
    const { clock, client } = answering(echo, { apiKey: KEY });
    const response = await clock.run(client.fetch(INFO));
    expect(response.statusText).toBe('No [redacted]');
    expect([...response.headers]).toContainEqual(['x-echo', '<[redacted]>']);
    expect(await response.text()).toBe('No such key: [redacted]');
    expect(response.headers.get('content-length')).toBe(String('No such key: [redacted]'.length));
  });

  it('keeps the bytes of a success as they are', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    const { clock, client } = answering(() => new Response(bytes));
    const response = await clock.run(client.fetch('/v2/blocks/1'));
    expect(new Uint8Array(await clock.run(response.arrayBuffer()))).toEqual(bytes);
  });
});

describe('a fetch of the caller’s own', () => {
  const calls: [string, (client: Client) => Promise<unknown>][] = [
    ['getInfo', (client) => client.getInfo()],
    ['getInfo for headers', (client) => client.getInfo({ headersOnly: true })],
    ['client.fetch', (client) => client.fetch(INFO)],
  ];
  /** An answer whose words were read on the way, as by who logs them. */
  const logged = async (status: number, headers: Record<string, string> = {}): Promise<Response> => {
    const response = new Response('{}', { status, headers });
    await response.text();
    return response;
  };

  it.each(calls)('that gives no Response is a ConnectionError to %s, and nothing stays held', async (_, call) => {
    const fetch = vi.fn(async () => ({}) as Response);
    const { clock, client } = answering(fetch);
    const error = await clock.run(call(client).catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'INVALID_RESPONSE', attempts: 1 });
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it.each([200, 404])('that has read the body of a %i already is a ConnectionError', async (status) => {
    const { clock, client } = answering(() => logged(status));
    const error = await clock.run(client.fetch(INFO).catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'INVALID_RESPONSE', attempts: 1 });
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
  });

  it('may read the body of a refusal, which nobody else does', async () => {
    const answers = [logged(429, { 'retry-after': '7' }), new Response('{}')];
    const { clock, client } = answering(() => answers.shift() ?? Response.error());
    expect((await clock.run(client.fetch(INFO))).status).toBe(200);
    expect(clock.now()).toBeGreaterThanOrEqual(7_000);
  });
});

describe('a request by client.fetch that the service refuses because of a limit', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])('is sent again with its body, as %s', async (method) => {
    const { clock, mock, client, left } = pair({ maxAttempts: 1 });
    mock.faults.next(2, { status: 429, headers: { 'retry-after': '7' } });
    const body = method === 'GET' ? '' : 'words';
    const response = await clock.run(client.fetch('/v2/transactions', { method, ...(body && { body }) }));
    expect(response.status).toBe(404);
    expect(left.map(([sent, , words]) => [sent, words])).toEqual(Array(3).fill([method, body]));
    expect(clock.now()).toBeGreaterThan(14_000);
  });

  it('five times is answered by the fifth refusal, with its words', async () => {
    const { clock, mock, client } = pair();
    mock.faults.when(() => ({ status: 429, headers: { 'retry-after': '1' }, body: '{"message":"slow down"}' }));
    const response = await clock.run(client.fetch(INFO, POST));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await response.json()).toEqual({ message: 'slow down' });
    expect(mock.requests).toBe(5);
  });

  it('five times is answered by the fifth though its words break off', async () => {
    const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    const { clock, client } = answering(() => new Response(broken(), { status: 429, headers: { 'retry-after': '1' } }));
    const response = await clock.run(client.fetch(INFO));
    expect([response.status, await response.text()]).toEqual([429, '']);
  });

  it('for longer than it would wait is an error, and not sent again', async () => {
    const { mock, client, endOf } = pair();
    mock.faults.when(() => ({ status: 429, headers: { 'retry-after': '1800' } }));
    const error = await endOf(client.fetch(INFO));
    expect(error).toMatchObject({ name: 'QuotaExhaustedError', window: 'cooldown', retryAfterMs: 1_800_000 });
    expect(mock.requests).toBe(1);
  });

  it('is sent again only if it was certainly not done, where it is no GET', async () => {
    const { clock, mock, client } = pair();
    mock.faults.next(1, { status: 504, headers: { 'retry-after': '1' }, body: 'late' });
    const response = await clock.run(client.fetch('/v2/transactions', POST));
    expect([response.status, await response.text(), mock.requests]).toEqual([504, 'late', 1]);
  });
});

describe('a request by client.fetch that fails', () => {
  it('is sent again if it is a GET', async () => {
    const { clock, mock, client, codes } = pair();
    mock.faults.next(1, 'reset');
    mock.faults.next(1, { status: 502 });
    expect((await clock.run(client.fetch(INFO))).status).toBe(200);
    expect([codes, mock.log.length]).toEqual([['ECONNRESET'], 2]);
  });

  it('is not sent again if it is a POST: the service may have done it', async () => {
    const { clock, mock, client, left, endOf } = pair();
    mock.faults.next(1, 'lost');
    expect(await endOf(client.fetch('/v2/transactions', POST))).toMatchObject({ name: 'ConnectionError', attempts: 1 });
    mock.faults.next(1, { status: 502, body: 'bad' });
    expect((await clock.run(client.fetch('/v2/transactions', POST))).status).toBe(502);
    expect(left).toHaveLength(2);
  });

  it('at last with an answer is answered by it', async () => {
    const { clock, mock, client } = pair({ maxAttempts: 2 });
    mock.faults.when(() => ({ status: 503, body: '{"error":"busy"}' }));
    const response = await clock.run(client.fetch(INFO));
    expect([response.status, await response.json(), mock.requests]).toEqual([503, { error: 'busy' }, 2]);
  });
});

describe('a redirect of client.fetch', () => {
  it.each<[number, string, string, string]>([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'DELETE', 'GET', ''],
    [307, 'POST', 'POST', 'words'],
    [308, 'POST', 'POST', 'words'],
    [301, 'PUT', 'PUT', 'words'],
    [303, 'HEAD', 'HEAD', ''],
  ])('with %i makes of %s a %s', async (status, method, then, body) => {
    const { clock, mock, client, left } = pair();
    mock.faults.next(1, { redirect: '/v2/there', status: status as 301 });
    const init = method === 'HEAD' ? { method } : { method, body: 'words' };
    const response = await clock.run(client.fetch('/v2/here', init));
    const type = body === '' ? null : 'text/plain;charset=UTF-8';
    expect(left[1]).toEqual([then, '/v2/there', body, type]);
    expect([response.url, response.redirected]).toEqual([`${mock.origin}/v2/there`, true]);
  });

  it('is not followed to another origin, with the key or without', async () => {
    const { mock, other, client, endOf } = pair({ apiKey: KEY });
    mock.faults.next(1, { redirect: `https://other.test${INFO}` });
    expect(await endOf(client.fetch(INFO))).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT' });
    expect([mock.requests, other.requests]).toEqual([1, 0]);
  });

  it('is an answer where `redirect` is `manual`', async () => {
    const { clock, mock, client } = pair();
    mock.faults.next(1, { redirect: 'https://other.test/', status: 307 });
    const response = await clock.run(client.fetch(INFO, { redirect: 'manual' }));
    expect([response.status, response.headers.get('location')]).toEqual([307, 'https://other.test/']);
    expect(mock.requests).toBe(1);
  });

  it('is an error where `redirect` is `error`', async () => {
    const { mock, client, endOf } = pair();
    mock.faults.next(1, { redirect: '?again' });
    const error = await endOf(client.fetch(INFO, { redirect: 'error' }));
    expect([error, mock.requests]).toMatchObject([{ name: 'ConnectionError', code: 'REDIRECT' }, 1]);
  });
});

describe('the signal of client.fetch', () => {
  const hangingBody = () => new ReadableStream({ pull: () => new Promise(() => {}) });

  it('ends a call before it is sent', async () => {
    const { client, left, endOf } = pair();
    expect(await endOf(client.fetch(INFO, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(left).toEqual([]);
  });

  it('ends a call whose own body is long in coming', async () => {
    const { client, left, endOf } = pair();
    const controller = new AbortController();
    const call = client.fetch(INFO, {
      method: 'POST',
      body: hangingBody(),
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit);
    setImmediate(() => controller.abort(reason));
    expect(await endOf(call)).toBe(reason);
    expect(left).toEqual([]);
  });

  it('ends a call that waits for quota', async () => {
    const { clock, mock, client, endOf } = pair({}, { keyless: { minute: 1 } });
    await endOf(client.fetch(INFO));
    const controller = new AbortController();
    const call = endOf(client.fetch(INFO, { signal: controller.signal }));
    clock.timer(1_000, () => controller.abort(reason));
    expect(await call).toBe(reason);
    expect([mock.requests, clock.now()]).toEqual([1, 1_100]);
  });

  it('ends a call under way', async () => {
    const { clock, client, endOf } = pair();
    const controller = new AbortController();
    clock.timer(50, () => controller.abort(reason));
    expect(await endOf(client.fetch(INFO, { signal: controller.signal }))).toBe(reason);
    expect([clock.now(), client.quota().inFlight]).toEqual([50, 0]);
  });

  it('ends a body while it is read', async () => {
    const { clock, mock, client, endOf, codes } = pair();
    mock.faults.next(1, 'slow body');
    const controller = new AbortController();
    const response = await clock.run(client.fetch(INFO, { signal: controller.signal }));
    clock.timer(2_500, () => controller.abort(reason));
    expect(await endOf(response.text())).toBe(reason);
    expect([clock.now(), codes]).toEqual([2_600, []]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends a body that nobody reads yet', async () => {
    const cancel = vi.fn();
    const { clock, client } = answering(() => new Response(new ReadableStream({ cancel })));
    const controller = new AbortController();
    const response = await clock.run(client.fetch(INFO, { signal: controller.signal }));
    controller.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
    expect(cancel).toHaveBeenCalledWith(reason);
  });

  describe('of a Request that is forgotten', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const collectAll = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn++) {
        await new Promise(setImmediate);
        collect();
      }
    };
    const fetchWith = (client: Client, { signal }: AbortController) =>
      client.fetch(new Request('https://api.mock.test/', { signal }));

    it('is heard while the answer is out', async () => {
      const { clock, client } = answering(() => new Promise<Response>(() => {}));
      const controller = new AbortController();
      const call = fetchWith(client, controller).catch((error) => error);
      await collectAll();
      controller.abort(reason);
      expect(await clock.run(call)).toBe(reason);
    });

    it('is heard while the body is to come', async () => {
      const { clock, client } = answering(() => new Response(hangingBody()));
      const controller = new AbortController();
      const response = await clock.run(fetchWith(client, controller));
      await collectAll();
      controller.abort(reason);
      await expect(clock.run(response.text())).rejects.toBe(reason);
    });
  });

  it('must be an AbortSignal', async () => {
    const { client, left, endOf } = pair();
    const signal = 'stop' as unknown as AbortSignal;
    expect(await endOf(client.fetch(INFO, { signal }))).toMatchObject({ name: 'ConfigError', option: 'signal' });
    expect(left).toEqual([]);
  });

  it('that is null in init overrules that of a Request', async () => {
    const { clock, client } = pair();
    const request = new Request(`https://api.mock.test${INFO}`, { signal: AbortSignal.abort(reason) });
    expect((await clock.run(client.fetch(request, { signal: null }))).status).toBe(200);
  });

  it('is left without a listener when a body has been read, or cancelled', async () => {
    const { clock, client } = pair();
    const { signal } = new AbortController();
    await clock.run((await clock.run(client.fetch(INFO, { signal }))).text());
    await (await clock.run(client.fetch(INFO, { signal }))).body?.cancel();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
