import type { Redis } from 'ioredis';

/** Scripts that Redis has run, and what they took in microseconds. */
export interface Trips {
  readonly count: number;
  /** From their beginning to their end: other programs may have had the core meanwhile. */
  readonly usec: number;
  /** Processor time of the thread that runs them, with all else that it does: it reads from sockets and writes to them. */
  readonly cpuUsec: number;
}

/** What was added between two readings of the counters. */
export function tripsBetween(before: Trips, after: Trips): Trips {
  return {
    count: after.count - before.count,
    usec: after.usec - before.usec,
    cpuUsec: after.cpuUsec - before.cpuUsec,
  };
}

/** Reads the counters of EVALSHA and EVAL, and of the main thread. */
export async function tripsOf(redis: Redis): Promise<Trips> {
  const [stats, cpu] = [await redis.info('commandstats'), await redis.info('cpu')];
  const lines = [...stats.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+),usec=(\d+)/gm)];
  const sum = (group: number): number => lines.reduce((total, line) => total + Number(line[group]), 0);
  const seconds = [...cpu.matchAll(/^used_cpu_(?:user|sys)_main_thread:([\d.]+)/gm)].map(([, text]) => Number(text));
  return { count: sum(1), usec: sum(2), cpuUsec: seconds.reduce((total, each) => total + each, 0) * 1e6 };
}
