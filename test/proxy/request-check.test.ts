import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/create-client.ts';
import { instrument } from '../../src/otel/index.ts';
import { metricsOf } from '../../src/prometheus/index.ts';
import { createProxy } from '../../src/proxy/index.ts';
import { type Asked, closeAll, INFO, KEY, pairOf } from './support/pair.ts';

const TOKEN = 'a-token-of-32-characters-01234567';
const ok = (_: unknown, outgoing: { end(text: string): void }): void => outgoing.end('{}');

afterEach(closeAll);

describe('a proxy without a token', () => {
  it.for<[what: string, asked: Asked, path: string, status: number, type: string]>([
    ['another host, as after DNS rebinding', { headers: { host: 'evil.test' } }, INFO, 421, 'host'],
    ['another host that looks like this machine', { headers: { host: '127.0.0.1.evil.test:80' } }, INFO, 421, 'host'],
    ['a host with a user', { headers: { host: 'localhost@evil.test' } }, INFO, 421, 'host'],
    ['an address that is open to others', { headers: { host: '0.0.0.0:3999' } }, INFO, 421, 'host'],
    ['a page of another site', { headers: { origin: 'https://evil.test' } }, INFO, 403, 'cross-site'],
    ['a page of another port of this machine', { headers: { origin: 'http://127.0.0.1:1' } }, INFO, 403, 'cross-site'],
    ['a page in a sandbox', { headers: { origin: 'null' } }, INFO, 403, 'cross-site'],
    ['an image or a link of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, INFO, 403, 'cross-site'],
    ['a page of the same site', { headers: { 'sec-fetch-site': 'same-site' } }, INFO, 403, 'cross-site'],
    [
      'a page of another site that looks at quota',
      { headers: { origin: 'https://evil.test' } },
      '/-/quota',
      403,
      'cross-site',
    ],
    [
      'a WebSocket',
      { headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' } },
      INFO,
      501,
      'upgrade',
    ],
    [
      'a body that is coded twice',
      { method: 'POST', headers: { 'transfer-encoding': 'gzip, chunked' } },
      INFO,
      501,
      'coding',
    ],
    ['TRACE', { method: 'TRACE' }, INFO, 405, 'method'],
    ['another address', {}, 'http://evil.test/x', 400, 'target'],
    ['another scheme', {}, 'ftp://127.0.0.1/x', 400, 'target'],
    ['an address without a scheme', {}, '//evil.test/x', 400, 'target'],
    ['an address behind a backslash', {}, '/\\evil.test/x', 400, 'target'],
    ['an address behind its own', { headers: { host: 'localhost' } }, 'http://localhost//evil.test/x', 400, 'target'],
    ['everything', { method: 'OPTIONS' }, '*', 400, 'target'],
  ])('refuses %s, and spends nothing', async ([, asked, path, status, type]) => {
    const { ask, seen } = await pairOf(ok);
    const answer = await ask(path, asked);
    expect(answer.json).toEqual({ error: { type, message: expect.stringMatching(/\.$/) } });
    expect(answer).toMatchObject({ status, headers: { 'x-quota-error': type } });
    expect(seen).toEqual([]);
  });

  it('refuses a request without a host', async () => {
    const { port, seen } = await pairOf(ok);
    const socket = connect(port, '127.0.0.1');
    socket.end(`GET ${INFO} HTTP/1.0\r\n\r\n`);
    expect(await text(socket)).toContain(' 421 ');
    expect(seen).toEqual([]);
  });

  it('makes no tunnel', async () => {
    const { port, seen } = await pairOf(ok);
    const tunnel = request({ port, host: '127.0.0.1', method: 'CONNECT', path: 'api.hiro.so:443' }).end();
    const [incoming] = await once(tunnel, 'connect');
    expect([incoming.statusCode, incoming.headers['x-quota-error']]).toEqual([405, 'method']);
    expect(seen).toEqual([]);
  });

  it.for<[what: string, asked: Asked]>([
    ['localhost', { headers: { host: 'localhost:3999' } }],
    ['any address of the loopback', { headers: { host: '127.8.8.8' } }],
    ['the loopback of IPv6', { headers: { host: '[::1]:3999' } }],
    ['a user of a browser', { headers: { 'sec-fetch-site': 'none' } }],
    [
      'its own page',
      { headers: { host: 'localhost:1', origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' } },
    ],
  ])('answers %s', async ([, asked]) => {
    const { ask } = await pairOf(ok);
    expect(await ask(INFO, asked)).toMatchObject({ status: 200 });
  });

  it('answers a whole URL that is its own', async () => {
    const { ask, port, seen } = await pairOf(ok);
    expect(await ask(`http://127.0.0.1:${port}/v2/a?b=1`)).toMatchObject({ status: 200 });
    const host = `LocalHost:${port}`;
    expect(await ask(`http://${host}/v2/a?b=2`, { headers: { host } })).toMatchObject({ status: 200 });
    expect(seen.map(({ url }) => url)).toEqual(['/v2/a?b=1', '/v2/a?b=2']);
  });

  it.for(['0.0.0.0', '::', '192.168.1.2', 'example.test', '', '127.0.0.1:80', '[::1]', ':80'])(
    'does not listen at %s',
    async (host) => {
      const proxy = createProxy(createClient());
      await expect(proxy.listen({ port: 0, host })).rejects.toMatchObject({ name: 'ConfigError', option: 'host' });
    },
  );

  it('does not listen with an option that there is not', async () => {
    const proxy = createProxy(createClient());
    await expect(proxy.listen({ porrt: 4_000 } as object)).rejects.toThrow(
      /^porrt is not one of .* Did you mean port\?$/,
    );
  });

  it.for([-1, 65_536, 1.5, Number.NaN])('does not listen at the port %s', async (port) => {
    const proxy = createProxy(createClient());
    await expect(proxy.listen({ port })).rejects.toMatchObject({ name: 'ConfigError', option: 'port' });
  });
});

describe('a proxy with a token', () => {
  const basic = (user: string): string => `Basic ${Buffer.from(`${user}:${TOKEN}`).toString('base64')}`;

  it.for<[what: string, authorization: string | undefined]>([
    ['no token', undefined],
    ['another', `Bearer ${TOKEN.slice(0, -1)}x`],
    ['a part of it', `Bearer ${TOKEN.slice(0, -1)}`],
    ['the key', `Bearer ${KEY}`],
    ['it without a scheme', TOKEN],
    ['it as the user of Basic', `Basic ${Buffer.from(`${TOKEN}:`).toString('base64')}`],
  ])('refuses a request with %s, and spends nothing', async ([, authorization]) => {
    const { ask, seen } = await pairOf(ok, { proxy: { token: TOKEN } });
    for (const path of [INFO, '/-/quota', '/-/', '/-/events', '/-/healthz']) {
      const answer = await ask(path, { headers: authorization === undefined ? {} : { authorization } });
      expect(answer).toMatchObject({ status: 401, json: { error: { type: 'token' } } });
      expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
      expect(answer.body).not.toContain(TOKEN);
    }
    expect(seen).toEqual([]);
  });

  it.for([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, basic(''), basic('me')])(
    'answers one with %s from anywhere, and keeps the token to itself',
    async (authorization) => {
      const { ask, seen } = await pairOf(ok, { proxy: { token: TOKEN } });
      expect(await ask(INFO, { headers: { authorization, host: 'proxy.test' } })).toMatchObject({ status: 200 });
      expect(seen[0]?.headers).not.toHaveProperty('authorization');
    },
  );

  it('still refuses pages of other sites, whose requests carry what the browser remembers', async () => {
    const { ask, seen } = await pairOf(ok, { proxy: { token: TOKEN } });
    const headers = { authorization: basic('me'), 'sec-fetch-site': 'cross-site' };
    expect(await ask(INFO, { headers })).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
  });

  it.for(['short', 'with a space in the middle', 'ä'.repeat(20), ''])(
    'cannot have the token %j, and does not repeat it',
    (token) => {
      const error = (() => {
        try {
          createProxy(createClient(), { token });
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toMatchObject({ name: 'ConfigError', option: 'token' });
      if (token) expect(String(error)).not.toContain(String(token));
    },
  );

  it('may listen where others can reach it', async () => {
    const client = createClient();
    const { url, close } = await createProxy(client, { token: TOKEN }).listen({ port: 0, host: '0.0.0.0' });
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    await close();
    await client.close();
  });
});

it('passes authorization on where it has no token itself', async () => {
  const { ask, seen } = await pairOf(ok);
  await ask(INFO, { headers: { authorization: 'Bearer mine' } });
  expect(seen[0]?.headers.authorization).toBe('Bearer mine');
});

it('a proxy, metrics and spans are made of a client, and of nothing else', () => {
  for (const client of [undefined, null, {}, 'https://api.hiro.so']) {
    expect(() => createProxy(client as unknown as Client)).toThrow('client must be a client, as createClient makes');
    expect(() => instrument(client as unknown as Client)).toThrow('client must be a client, as createClient makes');
    expect(() => metricsOf(client as unknown as Client)).toThrow('client must be a client, as createClient makes');
  }
});
