import type { Client } from '../../../src/index.ts';
import type { Fleet } from './fleet.ts';

/** How often a job is made. */
export interface Repetition {
  readonly times: number;
  readonly everyMs: number;
  /** It begins up to so much later than it should. */
  readonly lateMs: number;
}

/** Makes a job again and again, by each client in turn; `isAnew`: each makes it once, and is closed then. */
export async function again(
  { clock, clients }: Fleet,
  { times, everyMs, lateMs }: Repetition,
  random: () => number,
  isAnew: boolean,
  job: (client: Client) => Promise<unknown>,
): Promise<void> {
  const begin = clock.now();
  for (let time = 0; time < times; time++) {
    await clock.advance(Math.max(0, begin + time * everyMs + random() * lateMs - clock.now()));
    const client = clients[time % clients.length] as Client;
    await clock.run(job(client));
    if (isAnew) await clock.run(Promise.resolve(client.close()));
  }
}
