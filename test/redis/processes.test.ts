import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { DEEP, runs } from '../support/deep.ts';
import { expectAllServed, startCrew, startWorker, type Worker } from './support/crew.ts';
import { hasRedis, type RedisServer, startRedis } from './support/server.ts';
import type { Job } from './support/worker.ts';

const KEY = 'the-key-of-all';
const NEXT_KEY = 'the-next-key';

const PATIENCE_MS = 60_000;

/** Calls of all processes of a test together. */
const CALLS = runs(100, 480);

interface Stage {
  readonly service: MockService;
  /** What a process is told to do: to make so many calls. */
  readonly job: (calls: number) => Job;
}

// They mostly wait, so they run side by side: each with a service of its own, and a Redis of its own where it harms that.
describe.skipIf(!hasRedis).concurrent('processes that share a key through a real Redis', () => {
  let shared: RedisServer;
  let shares = 0;

  beforeAll(async () => {
    shared = await startRedis();
  });

  afterAll(() => shared.stop());

  async function ownRedis({ onTestFinished }: TestContext): Promise<RedisServer> {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    return redis;
  }

  async function serve(
    { onTestFinished }: TestContext,
    options: MockServiceOptions = {},
    redis = shared,
  ): Promise<Stage> {
    const service = createMockService({
      keys: [KEY, NEXT_KEY],
      keyed: { second: 40, month: 100_000 },
      latencyMs: [5, 20],
      ...options,
    });
    const { url, close } = await service.listen();
    onTestFinished(close);
    const share = `test-${shares++}`;
    const place = { service: url, store: redis.url, share, key: KEY, library: 'ioredis' as const };
    return { service, job: (calls) => ({ ...place, calls, atOnce: 32 }) };
  }

  it.for(DEEP ? [4, 8] : [2])('make all calls of %i processes, through two libraries', async (size, context) => {
    const { service, job } = await serve(context);
    const crew = await startCrew(size, (index) => ({
      ...job(CALLS / size),
      library: index % 2 === 0 ? 'redis' : 'ioredis',
    }));
    expectAllServed(service, await Promise.all(crew.map(({ end }) => end)), CALLS / size);
  });

  // In the ordinary run a process is stopped that keeps the books of a share on one machine: `local/processes`.
  it.runIf(DEEP)('make all calls while each of them is killed and replaced in turn', async (context) => {
    const { service, job } = await serve(context);
    const crew = await startCrew(4, () => job(10_000));
    const replaced: Worker[] = [];
    for (const old of crew) {
      await vi.waitFor(() => expect(old.served()).toBeGreaterThan(10), { timeout: PATIENCE_MS, interval: 20 });
      old.process.kill('SIGKILL');
      const worker = await startWorker(job(40));
      worker.go();
      replaced.push(worker);
    }
    expectAllServed(service, await Promise.all(replaced.map(({ end }) => end)), 40);
  });

  // In one process, the tests of the store hold what follows; with several it is left to the deep run.
  it.runIf(DEEP)('make all calls although Redis was never there', async (context) => {
    const redis = await ownRedis(context);
    const { service, job } = await serve(context, { keyed: { second: 40, minute: 2_000, month: 100_000 } }, redis);
    await redis.stop();
    const calls = 60;
    const crew = await startCrew(2, () => job(calls));
    expectAllServed(service, await Promise.all(crew.map(({ end }) => end)), calls);
  });

  it.runIf(DEEP).for(['frozen', 'restarted'] as const)(
    'make all calls while Redis is %s, and tell of it once',
    async (what, context) => {
      const redis = await ownRedis(context);
      const { service, job } = await serve(context, {}, redis);
      // More than a process may hold ahead, which is three seconds' units: else it ends its work without a trip.
      const calls = 300;
      const crew = await startCrew(4, () => job(calls));
      await vi.waitFor(() => expect(crew[0]?.served()).toBeGreaterThan(20), { timeout: PATIENCE_MS, interval: 20 });
      if (what === 'frozen') {
        process.kill(redis.pid, 'SIGSTOP');
        await vi.waitFor(() => expect(crew.some(({ events }) => events.length > 0)).toBe(true), PATIENCE_MS);
        process.kill(redis.pid, 'SIGCONT');
      } else await redis.restart();
      expectAllServed(service, await Promise.all(crew.map(({ end }) => end)), calls);
      // A process that made no trip just then has not noticed.
      const noticed = crew.map(({ events }) => events.map(({ type }) => type)).filter(({ length }) => length > 0);
      for (const types of noticed) expect(types.slice(0, 2)).toEqual(['share-lost', 'share-regained']);
    },
  );

  describe.runIf(DEEP)('for longer', () => {
    it('fail no call on the third of a month', async (context) => {
      const now = new Date();
      const third = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 3, 10);
      const { service, job } = await serve(context, {
        skewMs: third - now.getTime(),
        keyed: { second: 40, month: 5_000 },
      });
      const crew = await startCrew(2, () => job(200));
      expectAllServed(service, await Promise.all(crew.map(({ end }) => end)), 200);
    });

    it('make all calls while one after the other takes another key', async (context) => {
      const { service, job } = await serve(context);
      const from = Date.now();
      const crew = await startCrew(3, (index) => ({
        ...job(150),
        next: { key: NEXT_KEY, at: from + 3_000 + index * 1_500 },
      }));
      expectAllServed(service, await Promise.all(crew.map(({ end }) => end)), 150);
    });
  });
});
