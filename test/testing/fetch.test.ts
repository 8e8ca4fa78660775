import ky from 'ky';
import { describe, expect, it, vi } from 'vitest';
import { createMockService, mockNetwork, type ServiceRequest, virtualClock } from '../../src/testing/index.ts';

const HERE = 'https://here.test';
const THERE = 'https://there.test';
const INFO = '/extended/v1/info';

describe('the fetch of a mock', () => {
  it('takes text, a URL or a Request, and lets init outrank the Request', async () => {
    const service = createMockService({ origin: HERE, keys: ['k'] });
    const keyed = { headers: { 'x-api-key': 'k' } };
    await service.fetch(HERE + INFO, keyed);
    await service.fetch(new URL(INFO, HERE), keyed);
    await service.fetch(new Request(HERE + INFO, keyed));
    await service.fetch(new Request(HERE + INFO, keyed), { method: 'head', headers: {} });
    expect(service.log.map(({ method, key }) => `${method} ${key}`)).toEqual([
      'GET keyed',
      'GET keyed',
      'GET keyed',
      'HEAD keyless',
    ]);
  });

  it('takes null in place of init, as fetch does', async () => {
    const service = createMockService({ origin: HERE });
    expect(await service.fetch(HERE + INFO, null as never)).toMatchObject({ status: 200 });
    await expect(service.fetch(null as never)).rejects.toThrow('Invalid URL');
  });

  it('serves ky', async () => {
    const { fetch } = createMockService({ origin: HERE });
    const response = ky.get(HERE + INFO, { fetch, retry: 0 });
    expect(await response.json()).toMatchObject({ status: 'ready' });
    expect((await response).url).toBe(HERE + INFO);
  });

  it('knows no other origin than its own', async () => {
    const { fetch } = createMockService({ origin: HERE });
    await expect(fetch(THERE + INFO)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ENOTFOUND' } });
    await expect(fetch('/relative')).rejects.toThrow(TypeError);
  });

  it('sends nothing when the signal has aborted before', async () => {
    const service = createMockService({ origin: HERE });
    const reason = new Error('too late');
    await expect(service.fetch(HERE + INFO, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(service.requests).toBe(0);
  });

  it('rejects as soon as the signal aborts, but a request that is on its way still arrives and counts', async () => {
    const clock = virtualClock();
    const service = createMockService({ origin: HERE, clock, latencyMs: 100 });
    const abort = new AbortController();
    const reason = new Error('too slow');
    clock.timer(10, () => abort.abort(reason));
    await expect(clock.run(service.fetch(new Request(HERE + INFO, { signal: abort.signal })))).rejects.toBe(reason);
    expect([clock.now(), service.requests]).toEqual([10, 0]);
    await clock.advance(100);
    expect(service.requests).toBe(1);
  });

  it('fails a body that is read after an abort', async () => {
    const { fetch } = createMockService({ origin: HERE });
    const abort = new AbortController();
    const response = await fetch(HERE + INFO, { signal: abort.signal });
    const reason = new Error('no longer wanted');
    abort.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
  });

  it('fails a slow body at the abort, not at its end', async () => {
    const clock = virtualClock();
    const service = createMockService({ origin: HERE, clock });
    service.faults.next(1, 'slow body');
    const abort = new AbortController();
    clock.timer(2_500, () => abort.abort(new Error('too slow')));
    const reading = clock.run(async () => (await service.fetch(HERE + INFO, { signal: abort.signal })).text());
    await expect(reading).rejects.toThrow('too slow');
    expect(clock.now()).toBe(2_500);
  });

  it('leaves no listener on a signal that outlives many requests', async () => {
    const service = createMockService({ origin: HERE });
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    for (let sent = 0; sent < 5; sent++) await (await service.fetch(HERE + INFO, { signal })).text();
    await Promise.resolve();
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe('a redirect in a network of mocks', () => {
  const secret = { 'x-api-key': 'k', authorization: 'Bearer k' };
  const setUp = (): { fetch: typeof fetch; seen: (string | null)[]; here: ReturnType<typeof createMockService> } => {
    const here = createMockService({ origin: HERE, keys: ['k'] });
    const there = createMockService({ origin: THERE, unknownKey: 'keyless' });
    const seen: (string | null)[] = [];
    const look = ({ headers }: ServiceRequest): undefined =>
      void seen.push(headers.get('x-api-key'), headers.get('authorization'));
    there.faults.when(look);
    here.faults.next(1, { redirect: THERE + INFO });
    return { fetch: mockNetwork(here, there).fetch, seen, here };
  };

  it('is followed across origins like undici does it: authorization stays behind, x-api-key leaks', async () => {
    const { fetch, seen } = setUp();
    const response = await fetch(HERE + INFO, { headers: secret });
    expect([response.status, response.url, response.redirected]).toEqual([200, THERE + INFO, true]);
    expect(seen).toEqual(['k', null]);
  });

  it('is handed over when the caller wants to see it', async () => {
    const { fetch, seen, here } = setUp();
    const response = await fetch(HERE + INFO, { headers: secret, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, THERE + INFO]);
    expect(response.headers.get('x-ratelimit-remaining-stacks-minute')).toBe('499');
    expect(seen).toEqual([]);
    expect(here.log[0]?.status).toBe(302);
  });

  it('is an error when the caller wants none', async () => {
    const { fetch } = setUp();
    await expect(fetch(HERE + INFO, { redirect: 'error' })).rejects.toMatchObject({ message: 'fetch failed' });
  });

  it('keeps everything within the origin, and turns a POST into a GET', async () => {
    const here = createMockService({ origin: HERE });
    const seen: string[] = [];
    here.faults.when(({ method, headers }) => void seen.push(`${method} ${headers.get('authorization')}`));
    here.faults.next(1, { redirect: INFO, status: 303 });
    await here.fetch(`${HERE}/old`, { method: 'POST', headers: { authorization: 'a' } });
    expect(here.log.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /old', `GET ${INFO}`]);
    expect(seen).toEqual(['GET a']);
  });

  it('in a circle comes to an end', async () => {
    const here = createMockService({ origin: HERE, keyless: {} });
    here.faults.when(() => ({ redirect: INFO }));
    await expect(here.fetch(HERE + INFO)).rejects.toMatchObject({ cause: { message: 'redirect count exceeded' } });
    expect(here.requests).toBe(21);
  });
});
