import { once } from 'node:events';
import { connect } from 'node:net';
import { setupServer } from 'msw/node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createMockService,
  type ListeningService,
  type MockService,
  type MockServiceOptions,
  virtualClock,
} from '../../src/testing/index.ts';
import { handlers } from '../../src/testing/msw.ts';

const INFO = '/extended/v1/info';
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** The same service behind MSW and on a socket: the URL under which the global fetch finds it. */
const DOORS: Record<string, (service: MockService) => Promise<string>> = {
  'MSW handlers': async (service) => {
    const server = setupServer(...handlers(service));
    server.listen({ onUnhandledFrame: 'error' });
    open.push(() => server.close());
    return service.origin;
  },
  'a real port': async (service) => {
    const listening = await service.listen();
    open.push(() => listening.close());
    return listening.url;
  },
};

it('handlers takes a mock service, and says so where it is given something else', () => {
  const complaint = 'handlers takes a mock service, as createMockService makes.';
  expect(() => handlers(undefined as never)).toThrow(complaint);
  expect(() => handlers({ origin: 'https://api.mock.test' } as never)).toThrow(complaint);
});

describe.for(Object.entries(DOORS))('through %s', ([, openDoor]) => {
  const setUp = async (options?: MockServiceOptions): Promise<{ service: MockService; url: string }> => {
    const service = createMockService({ keys: ['k'], ...options });
    return { service, url: (await openDoor(service)) + INFO };
  };

  it('the service answers the global fetch with its own headers', async () => {
    const { service, url } = await setUp({ skewMs: 3_600_000 });
    const response = await fetch(url, { headers: { 'x-api-key': 'k' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-remaining-stacks-minute')).toBe('499');
    expect(Date.parse(response.headers.get('date') ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    expect(await response.json()).toMatchObject({ status: 'ready' });
    expect(service.log).toMatchObject([{ key: 'keyed', path: INFO }]);
  });

  it('the service answers HEAD and errors', async () => {
    const { url } = await setUp({ keyless: { hour: 2 } });
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await fetch(`${url}/further`, { method: 'POST', body: 'unread' })).status).toBe(404);
    const refused = await fetch(url);
    expect([refused.status, await refused.json()]).toEqual([429, { message: 'API rate limit exceeded' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('an answer can be saved by its ETag', async () => {
    const { service, url } = await setUp();
    const assets = url.replace(INFO, '/extended/v1/address/SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK/assets');
    const etag = (await fetch(assets)).headers.get('etag') ?? '';
    const again = await fetch(assets, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(service.requests).toBe(2);
  });

  it('a reset breaks the connection before the request counts', async () => {
    const { service, url } = await setUp();
    service.faults.next(1, 'reset');
    await expect(fetch(url)).rejects.toThrow(TypeError);
    expect(service.requests).toBe(0);
    expect((await fetch(url)).status).toBe(200);
  });

  it('a truncated body breaks off', async () => {
    const { service, url } = await setUp();
    service.faults.next(1, 'truncate');
    const response = await fetch(url);
    expect(response.headers.has('ratelimit-remaining')).toBe(true);
    await expect(response.text()).rejects.toThrow();
  });

  it('a request that hangs ends with its signal', async () => {
    const { service, url } = await setUp();
    const stop = new AbortController();
    const reason = new Error('enough');
    service.faults.when(() => {
      setImmediate(() => stop.abort(reason)); // once the request has arrived, however long that takes
      return 'hang';
    });
    await expect(fetch(url, { signal: stop.signal })).rejects.toBe(reason);
    expect(service.requests).toBe(1);
  });

  it('a redirect is seen, and followed', async () => {
    const { service, url } = await setUp();
    service.faults.next(2, { redirect: `${url}?again` });
    const seen = await fetch(url, { redirect: 'manual' });
    expect([seen.status, seen.headers.get('location')]).toEqual([302, `${url}?again`]);
    const followed = await fetch(url);
    expect([followed.status, followed.url]).toEqual([200, `${url}?again`]);
  });

  it('a mistake in the options shows as a 500, not as a broken network', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { url } = await setUp({
      cost: () => {
        throw new Error('no idea what it costs');
      },
    });
    const response = await fetch(url);
    expect([response.status, (await response.text()).includes('no idea what it costs')]).toEqual([500, true]);
  });
});

describe('a listening mock', () => {
  const setUp = async (): Promise<{ service: MockService; listening: ListeningService }> => {
    const service = createMockService();
    const listening = await service.listen();
    open.push(() => listening.close());
    return { service, listening };
  };

  it('listens on the loopback interface, on the port that is asked for', async () => {
    const { listening } = await setUp();
    expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const port = Number(new URL(listening.url).port);
    await expect(createMockService().listen({ port })).rejects.toThrow('EADDRINUSE');
  });

  it('lets a page of another origin send a key and read the quota, and does not count its question', async () => {
    const { service, listening } = await setUp();
    const origin = 'http://page.test';
    const asked = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' };
    const preflight = await fetch(listening.url + INFO, { method: 'OPTIONS', headers: asked });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, '*']);
    expect(service.requests).toBe(0);
    const { headers } = await fetch(listening.url + INFO, { headers: { origin } });
    expect([headers.get('access-control-allow-origin'), headers.get('access-control-expose-headers')]).toEqual([
      '*',
      '*',
    ]);
    expect((await fetch(listening.url + INFO)).headers.has('access-control-allow-origin')).toBe(false);
  });

  it('sends a slow body piece by piece, in the time of its clock', async () => {
    const clock = virtualClock();
    const service = createMockService({ clock });
    const listening = await service.listen();
    open.push(() => listening.close());
    service.faults.next(1, 'slow body');
    const response = await fetch(listening.url + INFO);
    let text = '';
    let chunks = 0;
    const reading = (async () => {
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        chunks++;
      }
    })();
    for (let second = 1; second <= 8; second++) {
      await clock.advance(1_000);
      while (chunks < second) await new Promise(setImmediate);
    }
    await reading;
    expect([clock.now(), chunks, JSON.parse(text).status]).toEqual([8_000, 8, 'ready']);
  });

  it('answers by the function that it is given around its own', async () => {
    const service = createMockService();
    const statuses: number[] = [];
    const listening = await service.listen({
      async exchange(request) {
        const answer = await service.exchange(request);
        statuses.push(answer.status);
        return { ...answer, headers: [...answer.headers, ['access-control-allow-origin', '*']] };
      },
    });
    open.push(() => listening.close());
    const response = await fetch(listening.url + INFO);
    expect([statuses, response.headers.get('access-control-allow-origin')]).toEqual([[200], '*']);
  });

  it('breaks every connection when it closes, one that hangs as well, and may be closed twice', async () => {
    const { service, listening } = await setUp();
    service.faults.next(1, 'hang');
    const hanging = fetch(listening.url + INFO);
    const broken = expect(hanging).rejects.toThrow(TypeError);
    const idle = connect(Number(new URL(listening.url).port), '127.0.0.1');
    await once(idle, 'connect');
    const dropped = once(idle, 'close');
    while (service.requests === 0) await new Promise(setImmediate);
    await listening.close();
    await listening.close();
    await broken;
    await dropped;
    await expect(fetch(listening.url + INFO)).rejects.toThrow(TypeError);
  });
});
