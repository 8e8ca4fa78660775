import { describe, expect, it } from 'vitest';
import { type Client, type ClientOptions, isQuotaExhausted } from '../../src/index.ts';
import type { MockService, MockServiceOptions } from '../../src/testing/index.ts';
import { mockWorld } from '../support/mock-world.ts';

const WALL = Date.UTC(2026, 0, 15, 12, 0, 10);

function world(service: MockServiceOptions = {}, options: ClientOptions = {}) {
  return mockWorld({ latencyMs: 80, keyless: { minute: 10 }, ...service }, { random: () => 0.5, ...options }, WALL);
}

const inspect = (client: Client) => client.getInfo({ headersOnly: true, cost: 0 });

/** The number of requests that only read headers. */
const inspections = (service: MockService): number => service.log.filter(({ method }) => method === 'HEAD').length;

describe('reading the quota by headers alone', () => {
  it('answers while a window is full and calls wait, without delay: a 429 is a result', async () => {
    const { clock, service, client } = world();
    await clock.run(Promise.all(Array.from({ length: 10 }, () => client.getInfo())));
    const waiting = Promise.all(Array.from({ length: 50 }, () => client.getInfo()));
    await clock.advance(0);
    const start = clock.now();
    const { status, quota, response } = await clock.run(inspect(client));
    expect(clock.now() - start).toBe(80);
    expect([status, response.status, quota.stacks.minute?.remaining]).toEqual([429, 429, 0]);
    await clock.run(waiting);
    expect(service.limited).toBe(1);
  });

  it('ignores maxWaitMs: it is no error, however short that is', async () => {
    const { clock, service, client } = world({}, { maxWaitMs: 0, maxQueueMs: 0, maxWaiting: 0 });
    await clock.run(client.getInfo());
    service.spend(20);
    await expect(clock.run(client.getInfo())).rejects.toThrow('is longer than maxWaitMs (0 ms)');
    const both = await clock.run(Promise.all([inspect(client), inspect(client)]));
    expect(both.map(({ status }) => status)).toEqual([429, 429]);
  });

  it('is refused without an extension of the pause, and other calls go on when that is over', async () => {
    const { clock, service, client } = world({ keyless: { minute: 1_000 } });
    service.faults.next(1, { status: 429, headers: { 'retry-after': '30' } });
    const call = client.getInfo();
    await clock.advance(1_000);
    const until = client.quota().cooldown?.until;
    service.faults.next(1, { status: 429, headers: { 'retry-after': '3000000' } });
    expect((await clock.run(inspect(client))).status).toBe(429);
    expect(client.quota().cooldown?.until).toEqual(until);
    await clock.run(call);
    expect(clock.now()).toBeLessThan(31_000);
  });

  it('ends a pause if the service serves it', async () => {
    const { clock, service, client } = world({ keyless: { minute: 1_000 } }, { maxWaitMs: Infinity });
    service.faults.next(1, { status: 429, headers: { 'retry-after': '3000000' } });
    const call = client.getInfo();
    await clock.advance(5_000);
    expect(client.quota().cooldown).toBeDefined();
    expect((await clock.run(inspect(client))).status).toBe(200);
    expect(client.quota().cooldown).toBeUndefined();
    await clock.run(call);
    expect(clock.now()).toBeLessThan(10_000);
  });

  it('notices a month that was raised', async () => {
    const { clock, service, client } = world({ keyless: { month: 5 } });
    await clock.run(Promise.all(Array.from({ length: 5 }, () => client.getInfo())));
    const refused = await client.getInfo().catch((error) => error);
    expect(isQuotaExhausted(refused) && refused.quota?.stacks.month?.remaining).toBe(0);
    expect((await clock.run(inspect(client))).status).toBe(429);
    service.setLimits({ keyless: { month: 1_000 } });
    await clock.advance(2_000);
    expect((await clock.run(inspect(client))).status).toBe(200);
    await clock.run(client.getInfo());
  });

  it('passes one at a time, with growing gaps while it is refused', async () => {
    const { clock, service, client } = world();
    service.faults.when(() => ({ status: 429, headers: { 'retry-after': '100000' } }));
    void client.getInfo({ maxWaitMs: 1_000 }).catch(() => {});
    await clock.advance(1_000);
    const start = clock.now();
    await clock.run(Promise.all(Array.from({ length: 8 }, () => inspect(client))));
    expect(inspections(service)).toBe(8);
    const times = service.log
      .filter(({ method }) => method === 'HEAD')
      .map(({ at }) => Math.round((at - start) / 1_000));
    expect(times).toEqual([0, 2, 6, 14, 30, 62, 122, 182]);
  });

  it('waits its turn where no other call may wait, whatever its maxQueueMs', async () => {
    const { clock, client } = world({}, { concurrency: 1, maxWaiting: 0 });
    const first = client.getInfo();
    const { status } = await clock.run(client.getInfo({ headersOnly: true, cost: 0, maxQueueMs: 0 }));
    expect([status, clock.now()]).toEqual([200, 160]);
    await first;
  });

  it('does not pass a pause of the caller', async () => {
    const { clock, client } = world();
    await clock.run(client.getInfo());
    client.pause(5_000);
    const start = clock.now();
    await clock.run(inspect(client));
    expect(clock.now() - start).toBeGreaterThanOrEqual(5_000);
  });

  it.for(['yes', 0, null])('is not asked for by %o', async (headersOnly) => {
    const { client, service } = world();
    const call = client.getInfo({ headersOnly } as object);
    await expect(call).rejects.toThrow('headersOnly must be true or false, not');
    expect(service.requests).toBe(0);
  });

  it('goes first, also before a call whose turn has come by its age', async () => {
    const { clock, client } = world({ keyless: { minute: 10_000 } }, { concurrency: 1 });
    const order: string[] = [];
    const calls = Array.from({ length: 100 }, (_, nth) => client.getInfo({ priority: nth % 3 }));
    for (const call of calls) void call.then(() => order.push('call'));
    for (let nth = 0; nth < 40; nth++) {
      await clock.advance(100);
      const before = order.length;
      await clock.run(inspect(client));
      expect(order.length - before).toBeLessThanOrEqual(2);
    }
    await clock.run(Promise.all(calls));
  });
});
