import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientEvent } from '../../src/events.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { SELF_SIGNED } from './support/certificate.ts';
import { type RawServer, rawServer } from './support/raw-server.ts';

const BODY = '{"status":"ready"}';
const LENGTH = `content-length: ${BODY.length}\r\n`;

const WALL = Date.UTC(2026, 0, 15, 12);

/** Headers of a month of 100 units of which so many are left. */
const left = (units: number): string =>
  `date: ${new Date(WALL).toUTCString()}\r\n` +
  `x-ratelimit-limit-stacks-month: 100\r\nx-ratelimit-remaining-stacks-month: ${units}\r\n`;

const good = (units: number): string => `HTTP/1.1 200 OK\r\n${left(units)}${LENGTH}\r\n${BODY}`;

/** A client of a server on real sockets. Its clock stands still, so that no time-out depends on the speed of the machine. */
function clientOf({ url }: Pick<RawServer, 'url'>, options: ClientOptions = {}) {
  const clock = virtualClock({ wall: WALL });
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent): void => void events.push(event);
  const client = createClient({ baseUrl: url, clock, random: () => 0, onEvent, ...options });
  const lost = () => events.flatMap((event) => (event.type === 'lost' ? [event.code] : []));
  const headroom = () => client.quota().windows[0]?.headroom;
  return { clock, client, lost, headroom };
}

const endOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

describe('an answer that HTTP does not allow', () => {
  it.each([
    ['more than 16 KiB of headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', `HTTP/1.1 200 OK\r\n${LENGTH}content-length: 3\r\n\r\n${BODY}`],
    ['a length beyond its end', `HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n${BODY}`],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ])('with %s is a ConnectionError, and the request may have been counted', async (_, bytes) => {
    const server = await rawServer((socket, nth) => (nth === 1 ? socket.end(good(99)) : socket.end(bytes)));
    const { client, headroom } = clientOf(server, { maxAttempts: 1 });
    await client.getInfo();
    expect(headroom()).toBe(99);
    expect(await endOf(client.getInfo())).toMatchObject({ name: 'ConnectionError', attempts: 1 });
    expect(headroom()).toBe(98);
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
  });
});

describe('an answer of an unusual kind', () => {
  it('may follow informational ones, whose headers say nothing of the quota', async () => {
    const hints = `HTTP/1.1 103 Early Hints\r\n${left(3)}link: </style.css>\r\n\r\n`;
    const server = await rawServer((socket) => socket.end(hints + hints + good(42)));
    const { client, headroom } = clientOf(server);
    expect(await client.getInfo()).toMatchObject({ data: { status: 'ready' } });
    expect(headroom()).toBe(42);
  });

  it('may be of HTTP 1.0 and end with its connection', async () => {
    const server = await rawServer((socket, nth) => socket.end(`HTTP/1.0 200 OK\r\n${left(100 - nth)}\r\n${BODY}`));
    const { client, headroom, lost } = clientOf(server);
    for (let call = 0; call < 3; call++) expect(await client.getInfo()).toMatchObject({ data: { status: 'ready' } });
    expect([server.connections.length, headroom(), lost()]).toEqual([3, 97, []]);
  });

  it('is given up where it inflates beyond 32 MiB, and not asked for again', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024));
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    const { client } = clientOf(server);
    expect(bomb.length).toBeLessThan(64 * 1024);
    const message = expect.stringContaining('(TOO_LARGE: more than 32 MiB; client.fetch streams it)');
    expect(await endOf(client.getInfo())).toMatchObject({ code: 'TOO_LARGE', attempts: 1, message });
    expect(server.requests).toBe(1);
  });
});

describe('a header that fetch does not send', () => {
  it.each([
    ['expect', '100-continue', 'UND_ERR_NOT_SUPPORTED'],
    ['keep-alive', 'timeout=5', 'UND_ERR_INVALID_ARG'],
    ['transfer-encoding', 'chunked', 'UND_ERR_INVALID_ARG'],
  ])('fails its own call at once, costs nothing, and is no failure of the service: %s', async (name, value, code) => {
    const server = await rawServer((socket, nth) => socket.write(good(100 - nth)));
    const { client, headroom } = clientOf(server);
    await client.getInfo();
    for (let call = 0; call < 6; call++) {
      const error = await endOf(client.get('/v2/fees', { headers: { [name]: value } }));
      expect(error).toMatchObject({ name: 'ConnectionError', code, attempts: 1 });
    }
    expect(headroom()).toBe(99);
    // No pause as after failures in a row: the clock stands still.
    expect(await client.getInfo()).toMatchObject({ data: { status: 'ready' } });
    expect(server.requests).toBe(2);
  });
});

it('A body that is not as long as its header says fails its own call, and is no failure of the service', async () => {
  const server = await rawServer((socket, nth) => socket.write(good(100 - nth)));
  const { client } = clientOf(server);
  await client.getInfo();
  const init = { method: 'PUT', headers: { 'content-length': '9' }, body: 'short' };
  for (let call = 0; call < 6; call++) {
    const error = await endOf(client.fetch('/v2/fees', init));
    expect(error).toMatchObject({ code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', attempts: 1 });
  }
  // No pause as after failures in a row: the clock stands still.
  expect(await client.fetch('/v2/fees')).toMatchObject({ status: 200 });
});

describe('a connection', () => {
  it('that the service closes while it is kept costs another attempt, and not the call', async () => {
    const server = await rawServer((socket, nth) => (nth === 2 ? socket.destroy() : socket.write(good(100 - nth))));
    const { client, lost } = clientOf(server);
    await client.getInfo();
    expect(await client.getInfo()).toMatchObject({ data: { status: 'ready' } });
    expect([server.requests, server.connections.length, lost().length]).toEqual([3, 2, 1]);
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
  });

  it('that the service closes while it is kept may have carried a request that counts', async () => {
    const server = await rawServer((socket, nth) => (nth === 1 ? socket.write(good(99)) : socket.destroy()));
    const { client, headroom } = clientOf(server, { maxAttempts: 1 });
    await client.getInfo();
    expect(await endOf(client.getInfo())).toMatchObject({ name: 'ConnectionError' });
    expect([server.requests, headroom()]).toEqual([2, 98]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['headers come byte by byte', (socket) => void socket.write('H')],
    ['headers never end', (socket) => void socket.write('HTTP/1.1 200 OK\r\nx-slow: 1\r\n')],
    ['body comes byte by byte', (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${LENGTH}\r\n{`)],
    [
      'body never ends',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`),
    ],
  ])('whose %s is closed when the attempt times out', async (_, dribble) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<Socket>();
    const server = await rawServer((socket) => {
      dribble(socket);
      begin(socket);
    });
    const { clock, client } = clientOf(server, { maxAttempts: 1 });
    const end = endOf(client.getInfo());
    const closed = once(await begun, 'close');
    await clock.advance(30_000);
    expect(await end).toMatchObject({ name: 'ConnectionError', code: 'TIMEOUT', attempts: 1 });
    await closed;
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
    expect(clock.timers).toBe(0);
  });

  it('to a server whose certificate is not trusted is never used, and not tried again', async () => {
    let requests = 0;
    const server = createTlsServer(SELF_SIGNED, (_, response) => {
      requests++;
      response.end(BODY);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    const { client } = clientOf({ url }, { apiKey: 'a-key' });
    const error = await endOf(client.getInfo());
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'DEPTH_ZERO_SELF_SIGNED_CERT', attempts: 1 });
    expect(requests).toBe(0);
  });
});
