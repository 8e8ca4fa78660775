/**
 * A backend of several processes that share one API key, and so one quota, through Redis.
 *
 *   npm run build && node examples/cluster.ts       four processes, a mock of the service, a Redis at 127.0.0.1:6379
 *   REDIS_URL=… PROCESSES=8 node examples/cluster.ts
 *
 * Under PM2 (`pm2 start server.js -i max`) or behind several machines it is the same: whoever makes its client like this,
 * with the same name and the same key, shares.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createClient as connect } from 'redis';
import { createClient } from 'stacks-quota';
import { redisShare } from 'stacks-quota/redis';
import { createMockService } from 'stacks-quota/testing';

const PROCESSES = Number(process.env.PROCESSES ?? 4);
const CALLS_EACH = Number(process.env.CALLS ?? 60);
const LIMIT = 40;
const apiKey = 'a-key-of-the-mock';

if (cluster.isPrimary) await lead();
else await work();

/** The first process runs the mock, starts the others, and counts what they did. */
async function lead(): Promise<void> {
  const service = createMockService({ keys: [apiKey], keyed: { second: LIMIT, month: 150_000 }, latencyMs: [5, 25] });
  const { url, close } = await service.listen();
  const from = performance.now();
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork({ STACKS_API_URL: url }));
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  await close();
  console.log(`${PROCESSES} processes, ${LIMIT} calls a second for all of them together`);
  console.log(`${service.requests} calls in ${seconds} s, ${service.limited} of them refused`);
}

/** Each of the others makes its calls as if it were alone. */
async function work(): Promise<void> {
  const redis = connect({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' });
  redis.on('error', () => {}); // Without Redis each process goes on with a cautious part of the quota.
  await redis.connect();

  const client = createClient({
    apiKey,
    share: redisShare({ redis, name: 'my-backend' }),
    onEvent: (event) => {
      if (event.type === 'share-lost') console.error(`Redis is lost (${event.code}): ${event.mode} mode.`);
      if (event.type === 'share-regained') console.error(`Redis is back after ${event.afterMs.toFixed(0)} ms.`);
    },
  });
  await Promise.all(Array.from({ length: CALLS_EACH }, () => client.getInfo()));
  await client.close(); // gives back what was not spent
  redis.destroy();
  cluster.worker?.disconnect();
}
