import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createProxy } from '../../src/proxy/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { runs } from '../support/deep.ts';
import { type Answer, closeAll, heard, INFO, KEY, minute, pairOf, soon, stalled } from './support/pair.ts';

afterEach(closeAll);

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

  it('gets 503 with retry-after at once if so many wait before it that it would be sent later than it allows', async () => {
    // The minute of neither clock ends while calls wait for it.
    const { ask, seen, client, port } = await pairOf(
      (_, outgoing) => {
        outgoing.sendDate = false;
        outgoing.writeHead(200, minute(0, 5)).end('{}');
      },
      { client: { clock: virtualClock() } },
    );
    await ask(INFO);
    const waiting = request({ port, path: INFO, agent: false }).on('error', () => {});
    waiting.end();
    await soon(() => client.waiting).toBe(1);
    const { status, headers, json } = await ask(INFO, { headers: { 'x-quota-max-queue-ms': '10' } });
    expect({ status, type: headers['x-quota-error'] }).toEqual({ status: 503, type: 'quota' });
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(json.error).toMatchObject({ message: expect.stringContaining('with 1 waiting'), maxQueueMs: 10 });
    expect(json.error?.message).not.toContain('maxQueueMs');
    expect(seen).toHaveLength(1);
    waiting.destroy();
    await soon(() => client.waiting).toBe(0);
  });

  it('gets 503 without retry-after if it costs more than a window ever holds', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => outgoing.writeHead(200, minute(4, 5)).end('{}'));
    await ask(INFO);
    const { status, headers, json } = await ask(INFO, { headers: { 'x-quota-cost': '50' } });
    expect({ status, type: headers['x-quota-error'] }).toEqual({ status: 503, type: 'quota' });
    expect(headers).not.toHaveProperty('retry-after');
    expect(json.error?.message).toBe('the request takes 50 units, and the minute never holds more than 5');
    expect(json.error).not.toHaveProperty('retryAt');
    expect(seen).toHaveLength(1);
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

  it('gets 503 that says what to do while the service refuses the key, for which nothing is sent', async () => {
    const { ask, seen, serviceUrl } = await pairOf((_, outgoing) => outgoing.writeHead(401).end());
    for (let call = 0; call < 5; call++) expect(await ask(INFO)).toMatchObject({ status: 401 });
    const unsent = await ask(INFO);
    expect(unsent).toMatchObject({ status: 503, headers: { 'x-quota-error': 'connection' } });
    expect(unsent.json.error).toEqual({
      type: 'connection',
      message:
        'GET /extended/v1/info: nothing was sent (KEY_REFUSED: the service refused the API key five times in a row; check it, it is tried again after a minute).',
      endpoint: 'GET /extended/v1/info',
      code: 'KEY_REFUSED',
      attempts: 0,
    });
    expect(unsent.body).not.toContain(serviceUrl);
    expect(seen).toHaveLength(5);
  });

  it('gets 503 that names the failures during an outage, for which nothing is sent', async () => {
    const { ask, seen, serviceUrl } = await pairOf((_, outgoing) => outgoing.destroy(), { client: { maxAttempts: 1 } });
    const answers: Answer[] = [];
    while (answers.at(-1)?.status !== 503 && answers.length < 100)
      answers.push(await ask(INFO, { headers: { 'x-quota-max-wait-ms': '0' } }));
    expect(answers.at(-1)?.json.error).toMatchObject({
      type: 'connection',
      message: expect.stringMatching(
        /^GET \/extended\/v1\/info: nothing was sent \(OUTAGE: the last \d+ requests failed, the latest with \w+\)\.$/,
      ),
      code: 'OUTAGE',
      attempts: 0,
    });
    expect(answers.map(({ body }) => body).join()).not.toContain(serviceUrl);
    expect(seen).toHaveLength(answers.length - 1);
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

describe('a caller who disconnects', () => {
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

it('a proxy that closes disconnects a caller that stops sending or reading, and no other', async () => {
  let answerLast: (() => void) | undefined;
  let isLargeCut = false;
  const { port, ask, close } = await pairOf(({ url }, outgoing) => {
    if (url === '/v2/last') answerLast = () => outgoing.end('{}');
    else outgoing.end(Buffer.alloc(3e7)).on('close', () => (isLargeCut = true));
  });
  const sending = request({ port, method: 'POST', headers: { 'content-length': 9 }, agent: false });
  sending.on('error', () => {}).write('a');
  const reading = request({ port, path: '/v2/large', agent: false }).on('error', () => {});
  // It is not read any further.
  await once(reading.end(), 'response');
  const last = ask('/v2/last');
  await soon(() => answerLast).toBeDefined();
  const closed = close();
  await soon(() => sending.destroyed).toBe(true);
  await soon(() => isLargeCut).toBe(true);
  answerLast?.();
  expect((await last).status).toBe(200);
  await closed;
});

it('a proxy that closes answers all that is in progress on a connection, and no request that comes later', async () => {
  let answerLast: (() => void) | undefined;
  const { port, close } = await pairOf((_, outgoing) => {
    answerLast = () => outgoing.end('{}');
  });
  const line = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const [watching, calling] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  const said = Promise.all([watching, calling].map((socket) => text(socket)));
  watching.write(line('/-/events'));
  calling.write(line('/v2/last') + line('/-/healthz'));
  await soon(() => answerLast).toBeDefined();
  const closed = close();
  calling.write(line('/-/events') + line('/-/quota'));
  await stalled();
  answerLast?.();
  await closed;
  const [watched = '', answered = ''] = await said;
  expect(watched.match(/HTTP\/1.1 \d+|connection: \w+/gi)).toEqual(['HTTP/1.1 200', 'connection: close']);
  expect(answered.match(/HTTP\/1.1 \d+|connection: close/gi)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 503',
    'Connection: close',
  ]);
});

it('a proxy that listens twice counts for the pages of both until it closes each', async () => {
  const client = createClient({ baseUrl: 'http://localhost:1', maxAttempts: 1 });
  const proxy = createProxy(client);
  const [one, other] = await Promise.all([proxy.listen({ port: 0 }), proxy.listen({ port: 0 })]);
  const stream = await fetch(`${other.url}/-/events`);
  await one.close();
  await fetch(other.url + INFO);
  const counted = /"requests":\[[0,]*1/;
  expect(await heard(stream, counted)).toMatch(counted);
  await Promise.all([client.close(), other.close()]);
});

it('many requests at once are all answered, none refused', async () => {
  const { url } = await pairOf((_, outgoing) => outgoing.writeHead(200, minute(99_000, 100_000)).end('{}'));
  const statuses = await Promise.all(
    Array.from({ length: runs(120, 300) }, async () => (await fetch(url + INFO)).status),
  );
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});
