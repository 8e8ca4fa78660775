import { describe, expect, it } from 'vitest';
import { createMockService, type MockService, type VirtualClock, virtualClock } from '../../src/testing/index.ts';

const INFO = 'https://api.mock.test/extended/v1/info';

const setUp = (): { clock: VirtualClock; service: MockService; ask: (init?: RequestInit) => Promise<Response> } => {
  const clock = virtualClock();
  const service = createMockService({ clock, keyless: { minute: 9 } });
  return { clock, service, ask: (init) => clock.run(service.fetch(INFO, init)) };
};

describe('a fault of the mock', () => {
  it('strikes the next requests, as many as told, one plan after the other', async () => {
    const { service, ask } = setUp();
    service.faults.next(2, { status: 502 });
    service.faults.next(1, { status: 503 });
    service.faults.next(0, { status: 504 });
    const seen: number[] = [];
    for (let sent = 0; sent < 4; sent++) seen.push((await ask()).status);
    expect(seen).toEqual([502, 502, 503, 200]);
  });

  it('strikes where a rule finds one, until the rule is taken away', async () => {
    const { service, ask } = setUp();
    const stop = service.faults.when(({ method }) => (method === 'HEAD' ? { status: 500 } : undefined));
    expect([(await ask()).status, (await ask({ method: 'HEAD' })).status]).toEqual([200, 500]);
    stop();
    expect((await ask({ method: 'HEAD' })).status).toBe(200);
  });

  it('strikes all through an outage, and at no other time', async () => {
    const { clock, service, ask } = setUp();
    service.faults.outage(1_000, 3_000);
    service.faults.outage(3_000, 4_000, { status: 503 });
    expect((await ask()).status).toBe(200);
    await clock.advance(1_000);
    await expect(ask()).rejects.toThrow('fetch failed');
    await clock.advance(2_000);
    expect((await ask()).status).toBe(503);
    await clock.advance(1_000);
    expect((await ask()).status).toBe(200);
  });

  it('is gone when all are cleared', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, 'reset');
    service.faults.when(() => 'reset');
    service.faults.outage(0, 1_000);
    service.faults.clear();
    expect((await ask()).status).toBe(200);
  });
});

describe('of the kinds of fault', () => {
  it('another answer comes with headers and body of its own, and counts', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, {
      status: 503,
      headers: { 'Retry-After': '3', 'content-type': 'text/plain' },
      body: 'busy',
    });
    const response = await ask();
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([503, 'busy', '3']);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('ratelimit-remaining')).toBe('8');
    expect([service.requests, service.log[0]?.status]).toEqual([1, 503]);
  });

  it('another answer has no headers and no body of its own where they are undefined', async () => {
    const { service, ask } = setUp();
    const none = undefined;
    service.faults.next(2, { status: 503, headers: none, body: none });
    service.faults.next(1, { status: 502, headers: none, body: none, counted: false });
    for (const [status, body] of [
      [503, ''],
      [503, ''],
      [502, expect.stringContaining('Cloudflare')],
    ] as const) {
      const response = await ask();
      expect([response.status, await response.text()]).toEqual([status, body]);
    }
  });

  it('another answer never hides that a limit refused', async () => {
    const { service, ask } = setUp();
    service.spend(9);
    service.faults.next(1, { status: 503 });
    expect((await ask()).status).toBe(429);
  });

  it('an answer from the edge knows no quota and does not count', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, { status: 502, body: '<html>', headers: { server: 'edge' }, counted: false });
    const response = await ask();
    expect([response.status, response.headers.get('server')]).toEqual([502, 'edge']);
    expect([...response.headers.keys()].join()).not.toContain('ratelimit');
    expect(service.requests).toBe(0);
    expect((await ask()).headers.get('ratelimit-remaining')).toBe('8');
  });

  it.for([520, 521, 522, 523, 524, 525, 526, 527, 530, 502])(
    'an edge that says %d sends a page of HTML',
    async (status) => {
      const { service, ask } = setUp();
      service.faults.next(1, { status, counted: false });
      const response = await ask();
      expect([response.status, response.headers.get('server')]).toEqual([status, 'cloudflare']);
      expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
      expect(await response.text()).toMatch(new RegExp(`^<!DOCTYPE html>[^]*api.mock.test \\| ${status}: `));
      expect([...response.headers.keys()].join()).not.toContain('ratelimit');
    },
  );

  it('an edge page has the headers that are given for it', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, { status: 522, headers: { Server: 'other', 'retry-after': '3' }, counted: false });
    const response = await ask();
    expect([response.headers.get('server'), response.headers.get('retry-after')]).toEqual(['other', '3']);
  });

  it('a store that is down lets all pass, uncounted and without quota headers, but not without their key', async () => {
    const { clock, service, ask } = setUp();
    service.spend(9);
    service.faults.outage(0, 1_000, 'store down');
    for (let sent = 0; sent < 20; sent++) {
      const response = await ask();
      expect([response.status, ...response.headers.keys()]).toEqual([200, 'content-type', 'date']);
    }
    expect((await ask({ headers: { 'x-api-key': 'made up' } })).status).toBe(401);
    expect([service.requests, service.limited]).toEqual([21, 0]);
    await clock.advance(1_000);
    expect((await ask()).status).toBe(429);
  });

  it('a reset is a network error of a request that never arrived', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, 'reset');
    await expect(ask()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
    expect(service.requests).toBe(0);
  });

  it('a lost answer is one late, of a request that counts', async () => {
    const { clock, service, ask } = setUp();
    service.faults.next(1, 'lost');
    await expect(ask()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect([clock.now(), service.requests]).toEqual([5_000, 1]);
  });

  it('a request that hangs counts, and ends only when its signal aborts', async () => {
    const { clock, service } = setUp();
    service.faults.next(2, 'hang');
    const hanging = service.fetch(INFO).then(() => 'ended');
    const abort = new AbortController();
    clock.timer(60_000, () => abort.abort(new Error('given up')));
    await expect(clock.run(service.fetch(INFO, { signal: abort.signal }))).rejects.toThrow('given up');
    expect(await Promise.race([hanging, 'hanging'])).toBe('hanging');
    expect([clock.now(), service.requests]).toEqual([60_000, 2]);
  });

  it('a truncated body fails half-way, after the headers', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, 'truncate');
    const response = await ask();
    expect(response.headers.get('ratelimit-remaining')).toBe('8');
    await expect(response.text()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } });
  });

  it('a slow body comes whole, after eight seconds', async () => {
    const { clock, service, ask } = setUp();
    service.faults.next(1, 'slow body');
    const response = await ask();
    expect(clock.now()).toBe(0);
    expect(await clock.run(response.json())).toMatchObject({ status: 'ready' });
    expect(clock.now()).toBe(8_000);
  });

  it('an answer without quota headers counts all the same', async () => {
    const { service, ask } = setUp();
    service.faults.next(1, 'no quota headers');
    const response = await ask();
    expect(response.headers.has('date')).toBe(true);
    expect([...response.headers.keys()].join()).not.toContain('ratelimit');
    expect((await ask()).headers.get('ratelimit-remaining')).toBe('7');
  });
});
