import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Example, endAll, start } from './support/start.ts';

const ACCOUNT = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';
const PATIENCE_MS = 20_000;
const open: (() => Promise<void>)[] = [];

afterAll(async () => {
  await endAll();
  for (const close of open) await close();
});

interface Backend {
  readonly example: Example;
  readonly assetsUrl: string;
  /** What the backend's client knows of its quota. */
  quota(): Promise<{ inFlight: number; waiting: number }>;
}

/** A backend in a process of its own, before the service at a URL, or before a mock of its own. */
async function startBackend(serviceUrl?: string): Promise<Backend> {
  const example = start('backend.ts', [], { PORT: '0', ...(serviceUrl && { STACKS_API_URL: serviceUrl }) });
  const [, url] = await example.says(/^Listening on (http:\S+)$/m);
  return {
    example,
    assetsUrl: `${url}/assets/${ACCOUNT}`,
    quota: async () => (await fetch(`${url}/quota`)).json(),
  };
}

/** A backend before a mock that behaves as told. */
async function startMocked(options?: MockServiceOptions): Promise<Backend & { service: MockService }> {
  const service = createMockService(options);
  const { url, close } = await service.listen();
  open.push(close);
  return { service, ...(await startBackend(url)) };
}

/** A backend before a service that answers no request until it is told to. */
async function startHeld(): Promise<Backend & { release(): void }> {
  const released = Promise.withResolvers<void>();
  const answer = (response: ServerResponse) => response.end('{"limit":20,"offset":0,"total":0,"results":[]}');
  // A request may come after its release: the backend has it under way before it has arrived.
  const server = createServer((_, response) => void released.promise.then(() => answer(response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return {
    ...(await startBackend(`http://127.0.0.1:${port}`)),
    release: () => released.resolve(),
  };
}

/** Two visitors: of a first look at a service there is one, so the other waits. */
async function twoVisitors({ assetsUrl, quota }: Backend, signal?: AbortSignal): Promise<Promise<number | 'gone'>[]> {
  const visit = async (): Promise<number | 'gone'> => {
    const response = await fetch(assetsUrl, signal ? { signal } : {}).catch(() => undefined);
    return response?.status ?? 'gone';
  };
  const visits = [visit(), visit()];
  await vi.waitFor(async () => expect(await quota()).toMatchObject({ inFlight: 1, waiting: 1 }), PATIENCE_MS);
  return visits;
}

describe('the backend', { concurrent: true }, () => {
  /** One before a mock of its own, which several tests ask. */
  let own: Promise<Backend> | undefined;
  const ownBackend = (): Promise<Backend> => (own ??= startBackend());

  it('can be tried by hand, with a mock of its own', async () => {
    const { assetsUrl } = await ownBackend();
    const response = await fetch(assetsUrl);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ limit: 20, offset: 0 });
  });

  it('answers 400 to an address that is none, without asking the service, and 502 when the service fails', async () => {
    const { service, assetsUrl } = await startMocked();
    for (const wrong of ['X', '%00', '%zz', '.1']) {
      const response = await fetch(assetsUrl + wrong);
      expect([wrong, response.status]).toEqual([wrong, 400]);
    }
    expect(service.requests).toBe(0);
    service.faults.next(1, { status: 410 });
    expect((await fetch(assetsUrl)).status).toBe(502);
  });

  it('answers 404 to what it does not have', async () => {
    const { assetsUrl } = await ownBackend();
    for (const path of ['/', '//', '/assets', '/assets/', `/assets/${ACCOUNT}/x`]) {
      expect([path, (await fetch(new URL(assetsUrl).origin + path)).status]).toEqual([path, 404]);
    }
  });

  it('answers 503 with retry-after, at once, when the quota is out for longer than a visitor waits', async () => {
    const { service, assetsUrl } = await startMocked({ keyless: { month: 2 } });
    const statuses = [await fetch(assetsUrl), await fetch(assetsUrl)].map(({ status }) => status);
    const refused = await fetch(assetsUrl);
    expect([...statuses, refused.status]).toEqual([200, 200, 503]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(2);
    expect(await refused.json()).toEqual({ error: expect.stringContaining('the month has 0 of 2 units left') });
    expect(service.requests).toBe(2);
  });

  it('ends the call of a visitor who has disconnected', async () => {
    const backend = await startHeld();
    const hangUp = new AbortController();
    const visits = await twoVisitors(backend, hangUp.signal);
    hangUp.abort();
    await vi.waitFor(async () => expect(await backend.quota()).toMatchObject({ inFlight: 0, waiting: 0 }), PATIENCE_MS);
    expect(await Promise.all(visits)).toEqual(['gone', 'gone']);
  });

  it('on SIGTERM rejects calls that wait, lets those under way finish, and ends', async () => {
    const backend = await startHeld();
    const visits = await twoVisitors(backend);
    backend.example.process.kill('SIGTERM');
    expect(await Promise.race(visits)).toBe(503);
    backend.release();
    expect((await Promise.all(visits)).sort()).toEqual([200, 503]);
    expect(await backend.example.ending).toMatchObject({ code: 0, err: '' });
  });
});
