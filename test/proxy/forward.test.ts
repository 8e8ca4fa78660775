import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, INFO, KEY, minute, pairOf, soon } from './support/pair.ts';

afterEach(closeAll);

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
    expect(seen[0]?.headers.via).toBe('1.1 stacks-quota');
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
    const length = 64 * 1_024 * 1_024;
    const upload = request({
      port,
      path: '/v2/a',
      method: 'POST',
      headers: { 'content-length': length },
      agent: false,
    });
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
    let sent = 0;
    const piece = Buffer.alloc(256 * 1_024, 'x');
    let isFull = false;
    while (sent < length && !isFull) {
      sent += piece.length;
      if (!upload.write(piece)) isFull = await Promise.race([once(upload, 'drain').then(() => false), stalled()]);
    }
    // What the sockets and buffers between hold, and no more.
    expect(seen).toHaveLength(1);
    expect(isFull).toBe(true);
    expect(sent).toBeLessThan(length);
    takeAll();
    while (sent < length) {
      sent += piece.length;
      if (!upload.write(piece)) await once(upload, 'drain');
    }
    upload.end();
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    expect(arrived).toBe(length);
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
    ['x-quota-cost', '-1', 'cost must be a number of units, 0 or more'],
    ['x-quota-max-wait-ms', '-5', 'maxWaitMs must be milliseconds'],
    ['x-quota-timeout-ms', '0', 'timeoutMs must be milliseconds, more than 0'],
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

describe('an answer through the proxy', () => {
  it('is the answer of the service: status, headers, cookies and body', async () => {
    const { ask } = await pairOf((_, outgoing) => {
      outgoing.writeHead(203, 'Quite So', [
        ...['content-type', 'text/plain', 'content-length', '5', 'x-mine', 'a'],
        ...['set-cookie', 'a=1', 'set-cookie', 'b=2', 'date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
        ...Object.entries(minute(7)).flat(),
      ]);
      outgoing.end('words');
    });
    const { status, statusText, headers, body } = await ask(INFO);
    expect({ status, statusText, body }).toEqual({ status: 203, statusText: 'Quite So', body: 'words' });
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'x-mine': 'a',
      'set-cookie': ['a=1', 'b=2'],
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      ...minute(7),
    });
  });

  it.for([204, 304, 400, 401, 404, 410, 422])('is passed on with the status %i', async (status) => {
    const words = status === 204 || status === 304 ? '' : '{"error":"words"}';
    const { ask } = await pairOf((_, outgoing) => outgoing.writeHead(status, { etag: '"a"' }).end(words));
    expect(await ask('/v2/a')).toMatchObject({ status, body: words, headers: { etag: '"a"' } });
  });

  it('to HEAD has the length of the body, and no body', async () => {
    const { ask } = await pairOf((_, outgoing) => outgoing.writeHead(200, { 'content-length': 12_345 }).end());
    expect(await ask(INFO, { method: 'HEAD' })).toMatchObject({ headers: { 'content-length': '12345' }, body: '' });
  });

  it('that came compressed is passed on as plain text, and says so', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => {
      const body = gzipSync('words');
      outgoing.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body);
    });
    const { body, headers } = await ask(INFO, { headers: { 'accept-encoding': 'zstd' } });
    expect(body).toBe('words');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['content-length']).not.toBe(String(gzipSync('words').length));
    expect(seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it('never has the key, though the service repeats it in pieces', async () => {
    const { ask } = await pairOf(async (incoming, outgoing) => {
      const key = String(incoming.headers['x-api-key']);
      outgoing.writeHead(200, { 'x-echo': `of ${key}`, 'content-length': 2 * key.length + 6 });
      outgoing.write(`a ${key.slice(0, 9)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      outgoing.end(`${key.slice(9)} b ${key}!`);
    });
    const { body, headers } = await ask(INFO);
    const stars = '*'.repeat(KEY.length);
    expect(body).toBe(`a ${stars} b ${stars}!`);
    expect(headers['x-echo']).toBe('of [redacted]');
  });

  it('that redirects within the service leads through the proxy again, and any other one is left alone', async () => {
    const targets = ['/base/v2/b?c=1', 'SERVICE/base/v2/b', 'https://elsewhere.test/x', 'SERVICE/other'];
    let service = '';
    const { ask, serviceUrl } = await pairOf(
      (_, outgoing) => outgoing.writeHead(302, { location: targets.shift()?.replace('SERVICE', service) }).end(),
      { basePath: '/base' },
    );
    service = serviceUrl;
    const answers = [await ask('/v2/a'), await ask('/v2/a'), await ask('/v2/a'), await ask('/v2/a')];
    expect(answers.map(({ status, headers }) => [status, headers.location])).toEqual([
      [302, '/v2/b?c=1'],
      [302, '/v2/b'],
      [302, 'https://elsewhere.test/x'],
      [302, `${serviceUrl}/other`],
    ]);
  });

  it('is passed on as it comes, and no faster than it is read', async () => {
    let sent = 0;
    const total = 64 * 1_024 * 1_024;
    const { port } = await pairOf(async (_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': total });
      const piece = Buffer.alloc(64 * 1_024, 'y');
      while (sent < total) {
        sent += piece.length;
        if (!outgoing.write(piece)) await once(outgoing, 'drain');
      }
      outgoing.end();
    });
    const outgoing = request({ port, path: INFO, agent: false }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(incoming, 'readable');
    for (let before = -1; before !== sent; await stalled()) before = sent;
    expect(sent).toBeLessThan(total);
    let read = 0;
    for await (const piece of incoming) read += (piece as Buffer).length;
    expect(read).toBe(total);
  });

  it('that breaks off breaks off: half a body never looks whole', async () => {
    const { port } = await pairOf((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/plain' });
      outgoing.write('half', () => outgoing.destroy());
    });
    const outgoing = request({ port, path: INFO, agent: false }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await expect(text(incoming)).rejects.toThrow('aborted');
  });
});

describe('a call that cannot be made', () => {
  it('gets 503 with retry-after at once if it would wait for longer than its patience, and is not sent', async () => {
    const { ask, seen, client } = await pairOf((_, outgoing) => outgoing.writeHead(200, minute(0, 5)).end('{}'));
    await ask(INFO);
    const patience = { 'x-quota-max-wait-ms': '0' };
    const { status, headers, json, body } = await ask(INFO, { headers: patience });
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'x-quota-error': 'quota', 'content-type': 'application/json; charset=utf-8' });
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(122);
    expect(json.error).toMatchObject({ type: 'quota', window: 'minute', limit: 5, endpoint: `GET ${INFO}` });
    expect(Math.ceil(Number(json.error?.retryAfterMs) / 1_000)).toBe(Number(headers['retry-after']));
    expect(body).not.toContain(KEY);
    expect(seen).toHaveLength(1);
    expect(client.waiting).toBe(0);
  });

  it('gets 502 without a service, and 504 from one that does not answer in time', async () => {
    const { ask, serviceUrl } = await pairOf((incoming, outgoing) => {
      if (incoming.url === '/v2/gone') outgoing.destroy();
    });
    const gone = await ask('/v2/gone', { method: 'POST' });
    expect(gone).toMatchObject({ status: 502, json: { error: { type: 'connection', attempts: 1 } } });
    const late = await ask('/v2/late', { method: 'POST', headers: { 'x-quota-timeout-ms': '40' } });
    expect(late).toMatchObject({ status: 504, json: { error: { type: 'connection', code: 'TIMEOUT' } } });
    expect(gone.body + late.body).not.toContain(serviceUrl);
  });

  it('gets 503 when the client is closed', async () => {
    const { ask, client } = await pairOf((_, outgoing) => outgoing.end('{}'));
    await client.close();
    expect(await ask(INFO)).toMatchObject({ status: 503, json: { error: { type: 'closed' } } });
  });

  it('gets 400 for a GET with a body, which fetch does not send', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.end('{}'));
    expect(await ask(INFO, { body: 'x', headers: { 'content-length': 1 } })).toMatchObject({ status: 400 });
    expect(seen).toEqual([]);
  });
});

describe('a caller who hangs up', () => {
  it('ends the call that waits', async () => {
    const { port, ask, seen, client } = await pairOf((_, outgoing) => outgoing.writeHead(200, minute(0, 5)).end('{}'));
    await ask(INFO);
    const outgoing = request({ port, path: INFO, agent: false }).on('error', () => {});
    outgoing.end();
    await soon(() => client.waiting).toBe(1);
    outgoing.destroy();
    await soon(() => client.waiting).toBe(0);
    expect(seen).toHaveLength(1);
  });

  it('ends the request under way, and the body on its way', async () => {
    const closed: string[] = [];
    const { port, client } = await pairOf((incoming, outgoing) => {
      outgoing.on('close', () => closed.push(incoming.url ?? ''));
      if (incoming.url === '/v2/body') outgoing.write('begun');
    });
    for (const path of ['/v2/silent', '/v2/body']) {
      const outgoing = request({ port, path, agent: false }).on('error', () => {});
      outgoing.end();
      if (path === '/v2/body') await once(outgoing, 'response');
      else await soon(() => client.quota().inFlight).toBe(1);
      outgoing.destroy();
      await soon(() => closed).toContain(path);
    }
    expect(client.quota().inFlight).toBe(0);
  });
});

it('many requests at once are all answered, none refused', async () => {
  const { url } = await pairOf((_, outgoing) => outgoing.writeHead(200, minute(99_000, 100_000)).end('{}'));
  const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await fetch(url + INFO)).status));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

/** Resolves to true after a moment in which nothing moved. */
function stalled(): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(true), 400));
}
