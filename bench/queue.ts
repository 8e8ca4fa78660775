/**
 * Benchmark of waiting calls: time to enqueue one, memory of one, and time to send one once the service answers, with 10,000 to a
 * million calls waiting. Run with --expose-gc; each size runs in its own process.
 */
import { execFileSync } from 'node:child_process';
import ky from 'ky';
import PQueue from 'p-queue';
import { createClient } from '../src/index.ts';
import { ADDRESSES } from './addresses.ts';
import { answering, BASE_URL, holding, KEY } from './service.ts';

const SIZES = [10_000, 100_000, 1_000_000];

/** Number of calls from which the cost of sending one is measured. */
const DRAINED = 5_000;

/** Mixtures of priorities. */
const MIXES: Readonly<Record<string, (index: number) => number>> = {
  'one priority': () => 0,
  'ten at random': (index) => hash(index) % 10,
  'all distinct': (index) => hash(index),
};

type Enqueue = (priority: number, index: number) => Promise<unknown>;

/** The compared clients, each with at most 32 calls in flight. */
const SUBJECTS: Readonly<Record<string, (fetch: typeof globalThis.fetch) => Enqueue>> = {
  'stacks-quota': (fetch) => {
    const client = createClient({ baseUrl: BASE_URL, apiKey: KEY, fetch, maxWaitMs: Infinity, timeoutMs: 2 ** 30 });
    return (priority, index) => client.getAddressAssets(ADDRESSES[index % ADDRESSES.length] ?? '', { priority });
  },
  'ky in p-queue': (fetch) => {
    const queue = new PQueue({ concurrency: 32 });
    const api = ky.create({ fetch, timeout: false });
    return (priority, index) => queue.add(() => api.get(`${BASE_URL}/${index}`).json(), { priority });
  },
};

interface Cost {
  readonly enqueueUs: number;
  readonly bytes: number;
  readonly drainUs: number;
}

const [subject, mix, size] = process.argv.slice(2);
if (subject !== undefined && mix !== undefined) {
  console.log(JSON.stringify(await measure(subject, mix, Number(size))));
  process.exit();
}

const rows: Record<string, Record<string, string>> = {};
for (const name of Object.keys(SUBJECTS)) {
  for (const order of Object.keys(MIXES)) {
    const cells: Record<string, string> = {};
    for (const calls of SIZES) {
      // p-queue's own list inserts by splice: a million calls with random priorities would take hours.
      if (name !== 'stacks-quota' && order !== 'one priority' && calls > 100_000) continue;
      const { enqueueUs, bytes, drainUs } = inAProcess(name, order, calls);
      cells[calls.toLocaleString('en')] =
        `${enqueueUs.toFixed(0)} µs in, ${(bytes / 1024).toFixed(1)} KiB, ${drainUs.toFixed(0)} µs out`;
    }
    rows[`${name}, ${order}`] = cells;
  }
}
console.log('\nA call in the queue, by how many wait');
console.table(rows);

function inAProcess(name: string, order: string, calls: number): Cost {
  const node = ['--expose-gc', '--max-old-space-size=8192', import.meta.filename, name, order, String(calls)];
  return JSON.parse(execFileSync(process.execPath, node, { encoding: 'utf8' }));
}

async function measure(name: string, order: string, calls: number): Promise<Cost> {
  const { fetch, release } = holding(answering(0));
  const enqueue = SUBJECTS[name]?.(fetch);
  const priority = MIXES[order];
  if (!enqueue || !priority) throw new Error(`There is no ${name} with ${order}.`);
  let left = DRAINED;
  const { promise: drained, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    if (--left === 0) resolve();
  };
  for (let index = 0; index < 2_000; index++) enqueue(priority(index), index).then(end, end);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  for (let index = 0; index < calls; index++) enqueue(priority(index), index).then(end, end);
  const enqueueUs = ((performance.now() - start) * 1_000) / calls;
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / calls;
  const releaseAt = performance.now();
  release();
  await drained;
  return { enqueueUs, bytes, drainUs: ((performance.now() - releaseAt) * 1_000) / DRAINED };
}

/** A pseudo-random number, the same in every run. */
function hash(index: number): number {
  return Math.imul(index ^ (index >>> 15), 0x2c1b3c6d) >>> 0;
}
