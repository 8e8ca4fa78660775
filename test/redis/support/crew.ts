import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { MockService } from 'stacks-quota/testing';
import { expect } from 'vitest';
import type { ClientEvent } from '../../../src/events.ts';
import { NODE_COMPILE_CACHE } from '../../support/child.ts';
import { PROGRAMS } from '../../support/programs.ts';
import type { Job, Word } from './worker.ts';

/** A worker in a process of its own. */
export interface Worker {
  readonly process: ChildProcess;
  readonly served: () => number;
  readonly events: readonly ClientEvent[];
  /** Lets it begin. */
  go(): void;
  /** What it said at its end; undefined if it was killed. */
  readonly end: Promise<(Word & { kind: 'done' }) | undefined>;
}

const FILE = `${PROGRAMS}/worker.js`;
const running = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a worker, which waits until it is told to begin. */
export async function startWorker(job: Job): Promise<Worker> {
  const child = fork(FILE, [JSON.stringify(job)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, NODE_COMPILE_CACHE },
  });
  running.add(child);
  let count = 0;
  let report: (Word & { kind: 'done' }) | undefined;
  const events: ClientEvent[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (word: Word) => {
      if (word.kind === 'ready') resolve();
      if (word.kind === 'served') count = word.count;
      if (word.kind === 'event') events.push(word.event);
      if (word.kind === 'done') {
        report = word;
        count = word.served;
      }
    });
    child.once('exit', () => reject(new Error('The worker ended before it was ready.')));
  });
  const end = once(child, 'exit').then(() => {
    running.delete(child);
    return report;
  });
  await ready;
  return { process: child, served: () => count, events, go: () => void child.send('go'), end };
}

/** Starts workers side by side, and lets them all begin at once. */
export async function startCrew(size: number, job: (index: number) => Job): Promise<Worker[]> {
  const crew = await Promise.all(Array.from({ length: size }, (_, index) => startWorker(job(index))));
  for (const worker of crew) worker.go();
  return crew;
}

/**
 * A busy machine holds a request up for longer than its process can know of, so that it is counted in the next second: what
 * is held here is that all are served, with few refusals. Processes that do not share adapt to each other, and may stay below this
 * bound: that nothing is refused, and how well the quota is used, is held where time is virtual.
 */
const MOST_REFUSED_PART = 0.2;

/** Expects that each worker was served all of its calls. */
export function expectAllServed(service: MockService, ends: readonly Awaited<Worker['end']>[], calls: number): void {
  expect(ends.flatMap((end) => end?.failed)).toEqual([]);
  expect(ends.map((end) => end?.served)).toEqual(ends.map(() => calls));
  const refused = service.log.filter(({ limited }) => limited).length;
  expect(refused / service.log.length).toBeLessThanOrEqual(MOST_REFUSED_PART);
}
