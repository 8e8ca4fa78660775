import type { Redis } from 'ioredis';

/** Scripts that Redis has run, and the microseconds that they took. */
export interface Trips {
  readonly count: number;
  readonly usec: number;
}

/** Reads the counters of EVALSHA and EVAL. */
export async function tripsOf(redis: Redis): Promise<Trips> {
  const stats = await redis.info('commandstats');
  const lines = [...stats.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+),usec=(\d+)/gm)];
  const sum = (group: number): number => lines.reduce((total, line) => total + Number(line[group]), 0);
  return { count: sum(1), usec: sum(2) };
}
