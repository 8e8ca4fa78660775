import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { answering, INFO, KEY, pair } from './support/pair.ts';

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

  it('keeps every cookie apart, and the text of the status', async () => {
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
  /** An answer whose body was read on the way, as by a logger. */
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

  it('may leave out the reason of the status', async () => {
    const given = { status: 200, headers: new Headers(), body: null } as Response;
    const { clock, client } = answering(() => given, { apiKey: KEY });
    const { status, statusText } = await clock.run(client.fetch(INFO));
    expect([status, statusText]).toEqual([200, '']);
  });

  it('may read the body of a refusal, which the client does not', async () => {
    const answers = [logged(429, { 'retry-after': '7' }), new Response('{}')];
    const { clock, client } = answering(() => answers.shift() ?? Response.error());
    expect((await clock.run(client.fetch(INFO))).status).toBe(200);
    expect(clock.now()).toBeGreaterThanOrEqual(7_000);
  });
});
