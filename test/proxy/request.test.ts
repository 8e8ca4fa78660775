import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createProxy } from '../../src/proxy/index.ts';
import { runs } from '../support/deep.ts';
import { closeAll, INFO, KEY, minute, pairOf, soon, stalled } from './support/pair.ts';

afterEach(closeAll);

/** Waits for the next drain of an upload, by one listener for all of them. */
function drainsOf(upload: ClientRequest): () => Promise<void> {
  let next = Promise.withResolvers<void>();
  upload.on('drain', () => {
    next.resolve();
    next = Promise.withResolvers();
  });
  // What breaks before the answer fails the wait for it.
  upload.on('error', () => {});
  return () => next.promise;
}

describe('a request through the proxy', () => {
  it('goes to the same path of the service, with the key', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'), { basePath: '/base' });
    await ask(`${INFO}?a=1&b=%20`, { headers: { accept: 'application/json', 'user-agent': 'mine/1' } });
    expect(seen).toEqual([
      {
        method: 'GET',
        url: `/base${INFO}?a=1&b=%20`,
        headers: expect.objectContaining({ 'x-api-key': KEY, accept: 'application/json', 'user-agent': 'mine/1' }),
      },
    ]);
  });

  it('keeps to itself what concerns the proxy and one connection', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    await ask(INFO, {
      headers: {
        connection: 'close, x-mine',
        'x-mine': 'a',
        te: 'trailers',
        'proxy-authorization': 'Basic abc',
        'x-quota-priority': '1',
        'x-yours': 'b',
      },
    });
    const names = Object.keys(seen[0]?.headers ?? {});
    expect(names).toContain('x-yours');
    expect(names.filter((name) => /^(x-mine|te|proxy-|x-quota-)/.test(name))).toEqual([]);
    expect(seen[0]?.headers.via).toMatch(/^1\.1 stacks-quota-\w+$/);
  });

  it('keeps the bytes of its headers', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    const value = `a ${Buffer.from('À →').toString('latin1')}`;
    expect(await ask(INFO, { headers: { 'x-mine': value } })).toMatchObject({ status: 200 });
    expect(seen[0]?.headers['x-mine']).toBe(value);
  });

  it('is answered at once if the service is the proxy itself, as where both have their URL from one variable', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:0',
      fetch: (input) => globalThis.fetch(new Request(own, input as Request)),
    });
    const { url, close } = await createProxy(client).listen({ port: 0 });
    const own = url + INFO;
    const answer = await fetch(own);
    expect({ status: answer.status, ...(await answer.json()) }).toMatchObject({ status: 508, error: { type: 'loop' } });
    await Promise.all([client.close(), close()]);
  });

  it('may come through another proxy', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    await ask(INFO, { headers: { via: '1.1 stacks-quota' } });
    expect(seen[0]?.headers.via).toMatch(/^1\.1 stacks-quota, 1\.1 stacks-quota/);
  });

  it('takes a body along, whatever its length', async () => {
    const bodies: string[] = [];
    const { ask, seen } = await pairOf(async (incoming, outgoing) => {
      bodies.push(await text(incoming));
      outgoing.end('{}');
    });
    const long = 'x'.repeat(200_000);
    await ask('/v2/a', { method: 'POST', body: 'words', headers: { 'content-type': 'text/plain' } });
    await ask('/v2/a', { method: 'POST', body: long, headers: { 'content-length': long.length } });
    await ask('/v2/a', { method: 'POST', body: 'in pieces', headers: { 'transfer-encoding': 'chunked' } });
    expect(bodies).toEqual(['words', long, 'in pieces']);
    expect(seen.map(({ headers }) => headers['content-length'])).toEqual(['5', '200000', undefined]);
    expect(seen[0]?.headers['content-type']).toBe('text/plain');
  });

  it('is not sent without its body, which something before the proxy has read', async () => {
    const { client, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    const { handle } = createProxy(client);
    const server = createServer(async (incoming, outgoing) => {
      await text(incoming);
      handle(incoming, outgoing);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (body: BodyInit) =>
      fetch(`http://127.0.0.1:${port}/v2/a`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    for (const body of ['words', new Blob(['in pieces']).stream()]) {
      const answer = await ask(body);
      expect([answer.status, answer.headers.get('x-quota-error')]).toEqual([500, 'internal']);
      expect(await answer.text()).toContain('call its handler before a body parser');
    }
    expect((await ask('')).status).toBe(200);
    expect(seen).toHaveLength(1);
    server.close();
    server.closeAllConnections();
  });

  it('streams a long body, and does not read ahead of a service that reads slowly', async () => {
    let arrived = 0;
    let takeAll: () => void = () => {};
    const { port, seen } = await pairOf((incoming, outgoing) => {
      incoming.once('data', (piece: Buffer) => {
        arrived += piece.length;
        incoming.pause();
        takeAll = () =>
          incoming
            .on('data', (more: Buffer) => {
              arrived += more.length;
            })
            .on('end', () => outgoing.end('{}'))
            .resume();
      });
    });
    const length = runs(32, 64) * 1_024 * 1_024;
    const upload = request({
      port,
      path: '/v2/a',
      method: 'POST',
      headers: { 'content-length': length },
      agent: false,
    });
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
    const drained = drainsOf(upload);
    const piece = Buffer.alloc(256 * 1_024, 'x');
    let sent = piece.length;
    upload.write(piece);
    // From here on only the service keeps more from being sent.
    await soon(() => arrived).toBeGreaterThan(0);
    let isFull = false;
    while (sent < length && !isFull) {
      sent += piece.length;
      if (!upload.write(piece)) isFull = await Promise.race([drained().then(() => false), stalled()]);
    }
    // What the sockets and buffers between hold, and no more.
    expect(seen).toHaveLength(1);
    expect(isFull).toBe(true);
    expect(sent).toBeLessThan(length);
    takeAll();
    while (sent < length) {
      sent += piece.length;
      if (!upload.write(piece)) await drained();
    }
    upload.end();
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    expect(arrived).toBe(length);
  });

  it.for([
    ['a length', { 'content-length': 64 * 1_024 * 1_024 }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
  ] as const)(
    'with a body in %s gets the answer that comes before its end, as when it is too large',
    async ([, headers]) => {
      const { port } = await pairOf((_, outgoing) => {
        outgoing.writeHead(413, { connection: 'close' }).end('too large');
      });
      const upload = request({ port, path: '/v2/a', method: 'POST', headers, agent: false });
      const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
      const drained = drainsOf(upload);
      const piece = Buffer.alloc(1_024 * 1_024, 'x');
      for (let count = 0; count < 64 && !upload.destroyed; count++) {
        if (!upload.write(piece)) await Promise.race([drained(), answered]);
      }
      upload.end();
      const [answer] = await answered;
      expect([answer.statusCode, await text(answer)]).toEqual([413, 'too large']);
    },
  );

  it('finds its connection kept for longer than programs keep theirs', async () => {
    const { ask } = await pairOf((_, outgoing) => outgoing.end('{}'));
    const { headers } = await ask(INFO, { headers: { connection: 'keep-alive' } });
    expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=120' });
  });

  it('may have a header twice', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    await ask(INFO, { headers: { accept: ['a/b', 'c/d'], cookie: ['a=1', 'b=2'] } });
    expect(seen[0]?.headers).toMatchObject({ accept: 'a/b, c/d', cookie: 'a=1; b=2' });
  });

  it('is refused with a key of its own, which would have a quota of its own', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    const { status, json, body } = await ask(INFO, { headers: { 'x-api-key': 'another-key' } });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ type: 'key', message: expect.stringContaining('leave x-api-key out') });
    expect(body).not.toContain('another-key');
    expect(seen).toEqual([]);
  });

  it.for([
    ['x-quota-priority', 'high', 'x-quota-priority must be a number'],
    ['x-quota-cost', '-1', 'x-quota-cost must be a finite number of units, 0 or more'],
    ['x-quota-max-wait-ms', '-5', 'x-quota-max-wait-ms must be milliseconds'],
    ['x-quota-max-queue-ms', '-5', 'x-quota-max-queue-ms must be milliseconds'],
    ['x-quota-timeout-ms', '0', 'x-quota-timeout-ms must be a finite number of milliseconds, more than 0'],
    ['x-quota-prio', '1', 'x-quota-prio is not one of the headers of this proxy'],
  ])('is refused with %s: %s, and nothing is spent', async ([name = '', value, message]) => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    const { status, headers, json } = await ask(INFO, { headers: { [name]: value } });
    expect(status).toBe(400);
    expect(headers['x-quota-error']).toBe('request');
    expect(json.error?.message).toContain(message);
    expect(seen).toEqual([]);
  });

  it('goes before others if it has a higher priority', async () => {
    const waiting: (() => void)[] = [];
    const { ask, seen, client } = await pairOf(
      (_, outgoing) => {
        waiting.push(() => outgoing.writeHead(200, minute(900)).end('{}'));
      },
      { client: { concurrency: 1 } },
    );
    const first = ask('/v2/first');
    await soon(() => waiting.length).toBe(1);
    const low = ask('/v2/low');
    await soon(() => client.waiting).toBe(1);
    const high = ask('/v2/high', { headers: { 'x-quota-priority': '5' } });
    await soon(() => client.waiting).toBe(2);
    for (let count = 1; count <= 3; count++) {
      await soon(() => waiting.length).toBe(count);
      waiting[count - 1]?.();
    }
    await Promise.all([first, low, high]);
    expect(seen.map(({ url }) => url)).toEqual(['/v2/first', '/v2/high', '/v2/low']);
  });
});
