/**
 * A backend of several processes that share the quota of one API key: on one machine with nothing installed, on several through Redis.
 *
 *   npm run build && node examples/cluster.ts       four processes, a mock of the service
 *   REDIS_URL=redis://127.0.0.1:6379 PROCESSES=8 node examples/cluster.ts
 *
 * It is the same under PM2 (`pm2 start server.js -i max`) and for cron jobs: all clients with the same `name` and the same key share
 * the quota.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createClient, type QuotaShare } from 'stacks-quota';
import { localShare } from 'stacks-quota/local';
import { redisShare } from 'stacks-quota/redis';
import { createMockService } from 'stacks-quota/testing';

const PROCESSES = Number(process.env.PROCESSES ?? 4);
const CALLS_EACH = Number(process.env.CALLS ?? 60);
const LIMIT = 40;
const apiKey = 'a-key-of-the-mock';

if (cluster.isPrimary) await lead();
else await work();

/** The first process runs the mock, starts the others, and reports the mock's counters. */
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

/** Each other process makes its calls as if it had the key to itself. */
async function work(): Promise<void> {
  const { share, end } = await join();
  const client = createClient({
    apiKey,
    share,
    onEvent: (event) => {
      if (event.type === 'share-lost') console.error(`The share is lost (${event.code}): ${event.mode} mode.`);
      if (event.type === 'share-regained') console.error(`The share is back after ${event.afterMs.toFixed(0)} ms.`);
    },
  });
  await Promise.all(Array.from({ length: CALLS_EACH }, () => client.getInfo()));
  await client.close(); // returns unspent units
  end();
  cluster.worker?.disconnect();
}

async function join(): Promise<{ share: QuotaShare; end: () => void }> {
  const url = process.env.REDIS_URL;
  if (!url) return { share: localShare({ name: 'my-backend' }), end: () => {} };
  const { createClient: connect } = await import('redis'); // here, so that the example needs no package on one machine
  const redis = connect({ url });
  redis.on('error', () => {}); // Without Redis each process continues at an even pace, with a part of the quota.
  redis.connect().catch(() => {}); // Not awaited: it would wait until there is a Redis.
  return { share: redisShare({ redis, name: 'my-backend' }), end: () => redis.destroy() };
}
