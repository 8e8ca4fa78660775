import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { closeAll, type Handler, heard, INFO, KEY, minute, pairOf, soon } from './support/pair.ts';

const answering: Handler = (_, outgoing) => outgoing.writeHead(200, minute(4, 5)).end('{}');

afterEach(closeAll);

describe('what the proxy says of itself', () => {
  it('is the quota and the month as JSON', async () => {
    const { ask, seen } = await pairOf((_, outgoing) => {
      const month = { 'x-ratelimit-limit-stacks-month': '1000', 'x-ratelimit-remaining-stacks-month': '900' };
      outgoing.writeHead(200, { ...minute(4, 5), ...month }).end('{}');
    });
    expect((await ask('/-/quota')).json).toEqual({ windows: [], inFlight: 0, held: 0, waiting: 0, month: null });
    await ask(INFO);
    const { headers, json } = await ask('/-/quota');
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    expect(json.windows).toEqual([
      expect.objectContaining({ window: 'minute', limit: 5, remaining: 4, headroom: 4, end: 'guessed' }),
      expect.objectContaining({ window: 'month', limit: 1_000, remaining: 900, headroom: expect.any(Number) }),
    ]);
    expect(json.month).toMatchObject({ limit: 1_000, used: 100, resetsAt: expect.stringMatching(/-01T00:00:0/) });
    expect(seen).toHaveLength(1);
  });

  it('is how the month went also before anyone looked', async () => {
    let left = 1_000;
    const { ask, url } = await pairOf((_, outgoing) => {
      left -= 100;
      const month = { 'x-ratelimit-limit-stacks-month': '1000', 'x-ratelimit-remaining-stacks-month': `${left}` };
      outgoing.writeHead(200, { ...minute(4, 5), ...month }).end('{}');
    });
    for (const path of [INFO, INFO, INFO]) await ask(path);
    const told = await heard(await fetch(`${url}/-/events`), /\n\n/);
    expect(told).toMatch(/"monthTrail":\[\[\d+,900\],\[\d+,700\]\]/);
  });

  it('is the queue as JSON: what waits, and why', async () => {
    const { ask } = await pairOf((_, outgoing) => outgoing.writeHead(200, minute(0, 5)).end('{}'));
    await ask(INFO);
    const calls = [ask(INFO, { headers: { 'x-quota-priority': '3' } }), ask('/v2/a')];
    await soon(async () => (await ask('/-/queue')).json.waiting).toBe(2);
    const { json } = await ask('/-/queue');
    expect(json.calls).toMatchObject([
      { endpoint: `GET ${INFO}`, priority: 3, place: 1, reason: { kind: 'window', window: 'minute' } },
      { endpoint: 'GET /v2/a', priority: 0, place: 2, why: expect.stringContaining('1 call goes before it') },
    ]);
    expect((await ask('/-/queue?limit=1')).json.calls).toHaveLength(1);
    expect(await ask('/-/queue?limit=none')).toMatchObject({ status: 400, json: { error: { type: 'request' } } });
    for (const call of calls) call.catch(() => {});
  });

  it('is metrics for Prometheus', async () => {
    const { ask } = await pairOf(answering);
    await ask(INFO);
    const { headers, body } = await ask('/-/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('stacks_quota_remaining_units{window="minute"} 4\n');
    expect(body).toContain(`stacks_quota_requests_total{endpoint="GET ${INFO}",status="200"} 1\n`);
  });

  it('is a sign of life, and no icon', async () => {
    const { ask, seen } = await pairOf(answering);
    expect(await ask('/-/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await ask('/favicon.ico')).toMatchObject({ status: 204 });
    expect(await ask('/-')).toMatchObject({ status: 308, headers: { location: './-/' } });
    expect(seen).toEqual([]);
  });

  it('is nothing else: another path below /-/ is 404, another method 405', async () => {
    const { ask, seen } = await pairOf(answering);
    expect(await ask('/-/other')).toMatchObject({ status: 404, json: { error: { type: 'path' } } });
    expect(await ask('/-/toString')).toMatchObject({ status: 404 });
    expect(await ask('/-/quota', { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await ask('/-/quota', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(await ask('/-/events', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(seen).toEqual([]);
  });

  it('may be below a path of another server: no link leads to its root', async () => {
    const { ask } = await pairOf(answering);
    const { body } = await ask('/-/');
    expect(body).toMatch(/new EventSource\(["']events["']\)/);
    expect(body).not.toMatch(/["'`]\/-/);
  });

  it('never has the key', async () => {
    const { ask } = await pairOf(answering);
    await ask(INFO);
    for (const path of ['/-/', '/-/quota', '/-/queue', '/-/metrics']) {
      const { body, headers } = await ask(path);
      expect(body + JSON.stringify(headers)).not.toContain(KEY);
    }
  });
});

describe('the stream of events', () => {
  it('begins with everything, follows each change, and ends with the proxy', async () => {
    const { ask, port, client } = await pairOf(answering, { proxy: { clock: systemClock } });
    const [incoming] = (await once(request({ port, path: '/-/events', agent: false }).end(), 'response')) as [
      IncomingMessage,
    ];
    expect(incoming.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    let said = '';
    incoming.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const events = (): { quota: { windows: unknown[] }; seconds: { requests: number[] } }[] =>
      said.split('\n\n').flatMap((event) => (event ? JSON.parse(event.replace('data: ', '')) : []));
    await soon(() => events().length).toBe(1);
    expect(events()[0]).toMatchObject({ quota: { windows: [] }, month: null, queue: [], newCallMs: null });
    await ask(INFO);
    await soon(() => events().at(-1)?.quota.windows).toMatchObject([{ window: 'minute', headroom: 4 }]);
    expect(
      events()
        .at(-1)
        ?.seconds.requests.reduce((sum, count) => sum + count, 0),
    ).toBe(1);
    const ended = once(incoming, 'end');
    await client.close();
    await closeAll();
    await ended;
  });
});
