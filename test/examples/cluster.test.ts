import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../redis/support/server.ts';
import { DEEP } from '../support/deep.ts';
import { endAll, isBuilt, run } from './support/start.ts';

const PROCESSES = 2;

/** A busy machine holds a request up for longer than its process can know of, so that it is counted in the next second. */
const MOST_REFUSED = 16;

afterAll(endAll);

describe.skipIf(!hasRedis).concurrent('the backend of several processes', () => {
  // In the ordinary run, `redis/processes` has processes that share through a real Redis.
  it.runIf(DEEP || isBuilt)('makes all of its calls, and hardly any of them is refused', async () => {
    const redis = await startRedis();
    const env = { REDIS_URL: redis.url, PROCESSES: String(PROCESSES), CALLS: '40' };
    const { code, out } = await run('cluster.ts', [], env);
    const connection = await createClient({ url: redis.url }).connect();
    const commands = await connection.info('commandstats');
    connection.destroy();
    await redis.stop();
    expect(code).toBe(0);
    expect(out).toContain('2 processes, 40 calls a second for all of them together');
    const [, requests, refused] = (/^(\d+) calls in [\d.]+ s, (\d+) of them refused$/m.exec(out) ?? []).map(Number);
    expect(refused).toBeLessThanOrEqual(MOST_REFUSED);
    expect(requests).toBe(80 + (refused ?? 0));
    // The processes did share: each has run scripts in Redis to join and to leave.
    expect(Number(/cmdstat_evalsha:calls=(\d+)/.exec(commands)?.[1])).toBeGreaterThan(2 * PROCESSES);
  });

  // The tests of the share hold it without the example.
  it.runIf(DEEP)('makes all of its calls without a Redis that never answers', async () => {
    const redis = await startRedis();
    await redis.stop();
    const { code, out, err } = await run('cluster.ts', [], { REDIS_URL: redis.url, PROCESSES: '2', CALLS: '2' });
    expect(code).toBe(0);
    expect(out).toContain('2 processes, 40 calls a second for all of them together');
    expect(err).toContain('The share is lost');
  });
});
