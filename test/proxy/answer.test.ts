import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, INFO, KEY, minute, pairOf, stalled } from './support/pair.ts';

afterEach(closeAll);

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

  it.for([['words'], ['more', 'words'], ['x'.repeat(1e6), 'y'.repeat(1e6), 'z']])(
    'of unknown length is whole, in however many pieces it comes',
    async (pieces) => {
      const { ask } = await pairOf((_, outgoing) => {
        outgoing.writeHead(200);
        for (const piece of pieces) outgoing.write(piece);
        outgoing.end();
      });
      expect((await ask(INFO)).body).toBe(pieces.join(''));
    },
  );

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

  it('has no header whose name is the key', async () => {
    const { ask } = await pairOf((incoming, outgoing) =>
      outgoing.writeHead(200, { [`x-${incoming.headers['x-api-key']}`]: 'a', 'x-other': 'b' }).end('{}'),
    );
    const { headers } = await ask(INFO);
    expect(headers).toHaveProperty('x-other', 'b');
    expect(JSON.stringify(headers)).not.toContain(KEY);
  });

  it.for(['x-gzip', 'deflate', 'br', 'gzip, br', 'zstd', 'identity'])(
    'that came as %s though it was not asked for is what its headers say',
    async (coding) => {
      const coders: Record<string, (bytes: Buffer) => Buffer> = {
        'x-gzip': gzipSync,
        gzip: gzipSync,
        deflate: deflateSync,
        br: brotliCompressSync,
        zstd: zstdCompressSync,
        identity: (bytes) => bytes,
      };
      const sent = coding
        .split(', ')
        .reduce<Buffer>((bytes, one) => coders[one]?.(bytes) ?? bytes, Buffer.from('words'));
      const { port } = await pairOf((_, outgoing) =>
        outgoing.writeHead(200, { 'content-encoding': coding, 'content-length': sent.length }).end(sent),
      );
      const [incoming] = (await once(request({ port, path: INFO, agent: false }).end(), 'response')) as [
        IncomingMessage,
      ];
      const got = await buffer(incoming);
      const expected = incoming.headers['content-encoding'] === undefined ? Buffer.from('words') : sent;
      expect(got).toEqual(expected);
    },
  );

  it.for(['→', 'é', ''])('may have the reason %j', async (reason) => {
    const { port, client } = await pairOf((_, outgoing) => {
      outgoing.socket?.end(`HTTP/1.1 200 ${reason}\r\ncontent-length: 5\r\n\r\nwords`);
    });
    const [incoming] = (await once(request({ port, path: INFO, agent: false }).end(), 'response')) as [IncomingMessage];
    expect([incoming.statusCode, await text(incoming)]).toEqual([200, 'words']);
    expect(client.quota().inFlight).toBe(0);
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

  it('that redirects to a path with letters beyond ASCII is read as UTF-8, and one with two slashes names no other host', async () => {
    const targets = ['/straße', 'SERVICE//elsewhere.test/x'];
    let service = '';
    const { ask, serviceUrl } = await pairOf((_, outgoing) => {
      const location = Buffer.from(targets.shift()?.replace('SERVICE', service) ?? '').toString('latin1');
      outgoing.writeHead(302, { location }).end();
    });
    service = serviceUrl;
    expect((await ask('/v2/a')).headers.location).toBe('/stra%C3%9Fe');
    expect((await ask('/v2/a')).headers.location).toBe(`${serviceUrl}//elsewhere.test/x`);
  });

  it('with the status 205 is whole, although the service sent a body', async () => {
    const { ask } = await pairOf((_, outgoing) => outgoing.writeHead(205, { 'content-length': 5 }).end('words'));
    expect(await ask(INFO)).toMatchObject({ status: 205, body: '' });
  });

  it('is passed on as it comes, and no faster than it is read', async () => {
    let sent = 0;
    const total = 24 * 1_024 * 1_024;
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

  it('that breaks off before its first piece is an answer of the proxy', async () => {
    const { ask } = await pairOf((_, outgoing) => {
      outgoing.writeHead(200, { 'content-encoding': 'gzip' });
      outgoing.end('this is no gzip');
    });
    const { status, headers, body } = await ask(INFO);
    expect({ status, error: headers['x-quota-error'] }).toEqual({ status: 502, error: 'connection' });
    expect(JSON.parse(body).error).toMatchObject({ code: 'Z_DATA_ERROR', attempts: 1 });
  });
});
