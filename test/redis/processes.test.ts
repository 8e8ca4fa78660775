import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startCrew, type Worker } from './support/crew.ts';
import { hasRedis, type RedisServer, startRedis } from './support/server.ts';

const PATIENCE_MS = 60_000;

/** What a machine that has other things to do shows by stalling is its own, and not ours. */
const AGAIN = 2;

describe.skipIf(!hasRedis)('processes that share one key through a real Redis', { retry: AGAIN }, () => {
  let redis: RedisServer;
  let close: () => Promise<void>;

  beforeEach(async () => {
    redis = await startRedis();
  });

  afterEach(async () => {
    await close();
    await redis.stop();
  });

  async function start(
    size: number,
    calls: number,
    options: MockServiceOptions = {},
  ): Promise<{ service: MockService; crew: Worker[] }> {
    const service = createMockService({
      keys: ['the-key-of-all'],
      keyed: { second: 40, month: 100_000 },
      latencyMs: [5, 20],
      ...options,
    });
    const { url, close: closeService } = await service.listen();
    close = closeService;
    const crew = await startCrew(size, (index) => ({
      service: url,
      redis: redis.url,
      library: index % 2 === 0 ? 'redis' : 'ioredis',
      calls,
      atOnce: 32,
    }));
    return { service, crew };
  }

  it.each([1, 4, 8])(
    '%i of them are never refused, and use all of every second',
    { timeout: 120_000 },
    async (size) => {
      const { service, crew } = await start(size, 640 / size);
      const ends = await Promise.all(crew.map(({ end }) => end));
      // On a machine so busy that a trip takes 50 ms Redis counts as lost, and who is on its own cannot be exact.
      const isDisturbed = crew.some(({ events }) => events.length > 0);
      expect(refused(service)).toBeLessThanOrEqual(isDisturbed ? 24 : 0);
      expect(ends.map((end) => end?.served)).toEqual(Array(size).fill(640 / size));
      expect(ends.flatMap((end) => end?.failed)).toEqual([]);
      const seconds = bySecond(service);
      // How well the quota is used is measured where time is virtual; a busy machine that is late leaves some of it unused.
      // The first few show the shape of the window, and the last two are what was left.
      const whole = seconds.slice(7, -2);
      expect(whole.reduce((sum, count) => sum + count, 0) / (40 * whole.length)).toBeGreaterThanOrEqual(
        isDisturbed ? 0.7 : 0.85,
      );
      const trips = ends.reduce((sum, end) => sum + (end?.trips ?? 0), 0);
      expect(trips / 640).toBeLessThan(0.5);
    },
  );

  it('go on when one of them is killed, and use what it left', { timeout: 120_000 }, async () => {
    const { service, crew } = await start(4, 150);
    const [first, ...others] = crew;
    await vi.waitFor(() => expect(first?.served()).toBeGreaterThan(40), { timeout: PATIENCE_MS, interval: 20 });
    const killedAt = Math.floor(Date.now() / 1_000);
    first?.process.kill('SIGKILL');
    const ends = await Promise.all(others.map(({ end }) => end));
    expect(ends.map((end) => end?.served)).toEqual([150, 150, 150]);
    expect(refused(service)).toBe(0);
    // It counts as one of them until it has not been heard of for twelve seconds: until then a quarter is left unused.
    const after = countsFrom(service, killedAt + 1).slice(0, -2);
    expect(after.reduce((sum, count) => sum + count, 0) / after.length).toBeGreaterThanOrEqual(20);
  });

  it.each(['restarted', 'frozen'] as const)(
    'go on with a cautious part while Redis is %s, and say so once',
    { timeout: 120_000 },
    async (what) => {
      const { service, crew } = await start(4, 150);
      await vi.waitFor(() => expect(crew[0]?.served()).toBeGreaterThan(30), { timeout: PATIENCE_MS, interval: 20 });
      if (what === 'frozen') {
        process.kill(redis.pid, 'SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        process.kill(redis.pid, 'SIGCONT');
      } else await redis.restart();
      const ends = await Promise.all(crew.map(({ end }) => end));
      expect(ends.map((end) => end?.served)).toEqual([150, 150, 150, 150]);
      expect(refused(service)).toBe(0);
      // Whoever made no trip just then has not noticed.
      const noticed = crew.map(({ events }) => events.map(({ type }) => type)).filter(({ length }) => length > 0);
      if (what === 'frozen') expect(noticed).not.toEqual([]);
      for (const types of noticed) expect(types.slice(0, 2)).toEqual(['share-lost', 'share-regained']);
    },
  );
});

function refused(service: MockService): number {
  return service.log.filter(({ limited }) => limited).length;
}

/** Requests in each second of the service's clock, from the first. */
function bySecond(service: MockService): number[] {
  return countsFrom(service, 0);
}

function countsFrom(service: MockService, from: number): number[] {
  const counts = new Map<number, number>();
  for (const { serviceTime } of service.log) {
    const second = Math.floor(serviceTime / 1_000);
    if (second >= from) counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return [...counts].sort(([one], [other]) => one - other).map(([, count]) => count);
}
