import { afterAll, describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../redis/support/server.ts';
import { endAll, run } from './support/start.ts';

afterAll(endAll);

describe.skipIf(!hasRedis)('the backend of several processes', { timeout: 120_000 }, () => {
  it('makes all of its calls, and none of them is refused', async () => {
    const redis = await startRedis();
    const { code, out } = await run('cluster.ts', [], { REDIS_URL: redis.url, PROCESSES: '3', CALLS: '40' });
    await redis.stop();
    expect(code).toBe(0);
    expect(out).toContain('3 processes, 40 calls a second for all of them together');
    expect(out).toMatch(/^120 calls in [\d.]+ s, 0 of them refused$/m);
  });
});
