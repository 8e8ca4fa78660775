import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Example, endAll, start } from './start.ts';

const ACCOUNT = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';
const open: (() => Promise<void>)[] = [];

afterAll(async () => {
  await endAll();
  for (const close of open) await close();
});

interface Backend {
  readonly service: MockService;
  readonly example: Example;
  readonly assetsUrl: string;
  /** What the backend's client knows of its quota. */
  quota(): Promise<{ inFlight: number; waiting: number }>;
}

/** A backend in a process of its own, before a service that behaves as told. */
async function startBackend(options?: MockServiceOptions): Promise<Backend> {
  const service = createMockService(options);
  const { url, close } = await service.listen();
  open.push(close);
  const example = start('backend.ts', [], { PORT: '0', STACKS_API_URL: url });
  const [, ownUrl] = await example.says(/^Listening on (http:\S+)$/m);
  return {
    service,
    example,
    assetsUrl: `${ownUrl}/assets/${ACCOUNT}`,
    quota: async () => (await fetch(`${ownUrl}/quota`)).json(),
  };
}

describe('the backend', { timeout: 30_000, concurrent: true }, () => {
  it('can be tried by hand, with a mock of its own', async () => {
    const example = start('backend.ts', [], { PORT: '0' });
    const [, url] = await example.says(/^Listening on (http:\S+)$/m);
    const response = await fetch(`${url}/assets/${ACCOUNT}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ limit: 20, offset: 0 });
  });

  it('answers 400 to an address that is none, without asking the service', async () => {
    const { service, assetsUrl } = await startBackend();
    for (const wrong of ['X', '%00', '%zz', '.1']) {
      const response = await fetch(assetsUrl + wrong);
      expect([wrong, response.status]).toEqual([wrong, 400]);
    }
    expect(service.requests).toBe(0);
  });

  it('answers 404 to what it does not have', async () => {
    const { assetsUrl } = await startBackend();
    for (const path of ['/', '//', '/assets', '/assets/', `/assets/${ACCOUNT}/x`]) {
      expect([path, (await fetch(new URL(assetsUrl).origin + path)).status]).toEqual([path, 404]);
    }
  });

  it('answers 503 with retry-after, at once, when the quota is out for longer than a visitor waits', async () => {
    const { service, assetsUrl } = await startBackend({ keyless: { month: 2 } });
    const statuses = [await fetch(assetsUrl), await fetch(assetsUrl)].map(({ status }) => status);
    const refused = await fetch(assetsUrl);
    expect([...statuses, refused.status]).toEqual([200, 200, 503]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(2);
    expect(await refused.json()).toEqual({ error: expect.stringContaining('the month of 2 units has 0 left') });
    expect(service.requests).toBe(2);
  });

  it('answers 502 when the service fails', async () => {
    const { service, assetsUrl } = await startBackend();
    service.faults.next(1, { status: 410 });
    expect((await fetch(assetsUrl)).status).toBe(502);
  });

  it('ends the call of a visitor who has hung up', async () => {
    const { assetsUrl, quota } = await startBackend({ latencyMs: 20_000 });
    const visitors = [new AbortController(), new AbortController()];
    const visits = visitors.map(({ signal }) => fetch(assetsUrl, { signal }).catch(() => 'gone'));
    // Of the first look at a service there is one: the other waits.
    await vi.waitFor(async () => expect(await quota()).toMatchObject({ inFlight: 1, waiting: 1 }), 10_000);
    for (const visitor of visitors) visitor.abort();
    await vi.waitFor(async () => expect(await quota()).toMatchObject({ inFlight: 0, waiting: 0 }), 10_000);
    expect(await Promise.all(visits)).toEqual(['gone', 'gone']);
  });

  it('on SIGTERM turns away who waits, lets what is under way come back, and ends', async () => {
    const { example, assetsUrl, quota } = await startBackend({ latencyMs: 3_000 });
    const visits = [fetch(assetsUrl), fetch(assetsUrl)];
    await vi.waitFor(async () => expect(await quota()).toMatchObject({ inFlight: 1, waiting: 1 }), 10_000);
    example.process.kill('SIGTERM');
    expect((await Promise.all(visits)).map(({ status }) => status).sort()).toEqual([200, 503]);
    expect(await example.ending).toMatchObject({ code: 0, err: '' });
  });
});
