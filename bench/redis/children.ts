import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Hours, ServiceEntry, ServiceJob, ServiceMessage, WorkerJob, WorkerMessage } from './messages.ts';

/** The service process. */
export interface Service {
  readonly origin: string;
  /** Sets how far the service's clock is ahead of this machine's. */
  setClock(aheadMs: number): Promise<void>;
  /** Every request counted so far. */
  log(): Promise<readonly ServiceEntry[]>;
  end(): void;
}

/** A worker process that is ready. */
export interface Worker {
  begin(hours: Hours): void;
  kill(): void;
  /** What the worker said at its end; undefined if it was killed. */
  readonly report: Promise<(WorkerMessage & { kind: 'report' }) | undefined>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
process.once('SIGINT', () => process.exit(130));

export async function startService(job: ServiceJob): Promise<Service> {
  const child = start(new URL('service.ts', import.meta.url), job);
  const ask = async <Kind extends ServiceMessage['kind']>(
    message: object | 'log',
  ): Promise<ServiceMessage & { kind: Kind }> => {
    child.send(message);
    return (await next(child)) as ServiceMessage & { kind: Kind };
  };
  const { origin } = (await next(child)) as ServiceMessage & { kind: 'listening' };
  return {
    origin,
    setClock: async (aheadMs) => void (await ask<'clock set'>({ aheadMs })),
    log: async () => (await ask<'log'>('log')).entries,
    end: () => void child.kill('SIGKILL'),
  };
}

export async function startWorker(job: WorkerJob): Promise<Worker> {
  const child = start(new URL('worker.ts', import.meta.url), job);
  await next(child);
  const report = next(child).then(
    (message) => message as WorkerMessage & { kind: 'report' },
    () => undefined,
  );
  const kill = (): void => void child.kill('SIGKILL');
  void report.then(kill);
  return { begin: (hours) => void child.send(hours), kill, report };
}

function start(file: URL, job: object): ChildProcess {
  const child = fork(fileURLToPath(file), [JSON.stringify(job)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** The next message of a process. @throws Error if the process ends first. */
async function next(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  child.once('exit', end);
  try {
    const [message] = await once(child, 'message', { signal: ended.signal });
    return message;
  } finally {
    child.off('exit', end);
  }
}
