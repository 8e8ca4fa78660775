import type { Redis } from 'ioredis';
import type { SpoiltAnswers } from './messages.ts';

/** Delays or drops every n-th answer to a script. Redis itself has run the script by then. */
export function spoil(redis: Redis, { every, lateMs }: SpoiltAnswers): void {
  let answers = 0;
  for (const command of ['evalsha', 'eval'] as const) {
    const run = redis[command].bind(redis) as (...args: unknown[]) => Promise<unknown>;
    Reflect.set(redis, command, async (...args: unknown[]) => {
      const answer = await run(...args);
      if (++answers % every !== 0) return answer;
      return new Promise((resolve) => {
        if (lateMs !== undefined) setTimeout(resolve, lateMs, answer);
      });
    });
  }
}
