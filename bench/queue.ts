/**
 * What it costs to have many calls wait: time to enqueue a call, and memory of one that waits, at 10,000 to a million
 * calls. The service never answers the first request, so nothing moves. Run with --expose-gc; each size in a process of its own.
 */
import { execFileSync } from 'node:child_process';
import ky from 'ky';
import PQueue from 'p-queue';
import { createClient } from '../src/index.ts';
import { ADDRESSES } from './addresses.ts';
import { BASE_URL, KEY } from './service.ts';

const SIZES = [10_000, 100_000, 1_000_000];

/** How the priorities of the calls are mixed. */
const MIXES: Readonly<Record<string, (index: number) => number>> = {
  'one priority': () => 0,
  'ten at random': (index) => hash(index) % 10,
  'all distinct': (index) => hash(index),
};

type Enqueue = (priority: number, index: number) => Promise<unknown>;

/** Those that are compared: each puts calls behind one that never ends. */
const SUBJECTS: Readonly<Record<string, () => Enqueue>> = {
  'stacks-quota': () => {
    const fetch = (): Promise<Response> => new Promise(() => {});
    const client = createClient({ baseUrl: BASE_URL, apiKey: KEY, fetch, timeoutMs: 2 ** 31 });
    return (priority, index) => client.getAddressAssets(ADDRESSES[index % ADDRESSES.length] ?? '', { priority });
  },
  'ky in p-queue': () => {
    const queue = new PQueue({ concurrency: 1 });
    queue.add(() => new Promise(() => {}));
    return (priority, index) => queue.add(() => ky.get(`${BASE_URL}/${index}`).json(), { priority });
  },
};

const [subject, mix, size] = process.argv.slice(2);
if (subject !== undefined && mix !== undefined) {
  console.log(JSON.stringify(measure(subject, mix, Number(size))));
  process.exit();
}

const rows: Record<string, Record<string, string>> = {};
for (const name of Object.keys(SUBJECTS)) {
  for (const order of Object.keys(MIXES)) {
    const cells: Record<string, string> = {};
    for (const calls of SIZES) {
      // p-queue's own list splices newcomers in: a million at random priorities would take hours.
      if (name !== 'stacks-quota' && order !== 'one priority' && calls > 100_000) continue;
      const { us, bytes } = inAProcess(name, order, calls);
      cells[`${calls.toLocaleString('en')} calls`] = `${us.toFixed(1)} µs, ${(bytes / 1024).toFixed(2)} KiB`;
    }
    rows[`${name}, ${order}`] = cells;
  }
}
console.log('Time to enqueue a call, and memory of one that waits');
console.table(rows);

function inAProcess(name: string, order: string, calls: number): { us: number; bytes: number } {
  const node = ['--expose-gc', '--max-old-space-size=8192', import.meta.filename, name, order, String(calls)];
  return JSON.parse(execFileSync(process.execPath, node, { encoding: 'utf8' }));
}

function measure(name: string, order: string, calls: number): { us: number; bytes: number } {
  const enqueue = SUBJECTS[name]?.();
  const priority = MIXES[order];
  if (!enqueue || !priority) throw new Error(`There is no ${name} with ${order}.`);
  for (let index = 0; index < 2_000; index++) enqueue(priority(index), index).catch(() => {});
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  for (let index = 0; index < calls; index++) enqueue(priority(index), index).catch(() => {});
  const us = ((performance.now() - start) * 1_000) / calls;
  globalThis.gc?.();
  return { us, bytes: (process.memoryUsage().heapUsed - before) / calls };
}

/** A number that looks random, the same in every run. */
function hash(index: number): number {
  return Math.imul(index ^ (index >>> 15), 0x2c1b3c6d) >>> 0;
}
