import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.ts';
import { problemOf, type RedisLike, scriptOf, scriptRunner } from '../../src/redis/connection.ts';

const SCRIPT = scriptOf('return 1');

/** A client of one kind: what it was sent, and a server that rejects names with `error`, if there is one. */
function clientOf(byName: 'evalsha' | 'evalSha', error?: unknown) {
  const sent: unknown[][] = [];
  const client = {
    [byName]: async (...args: unknown[]) => {
      sent.push(args);
      if (error !== undefined) throw error;
      return 'by name';
    },
    eval: async (...args: unknown[]) => {
      sent.push(args);
      return 'by text';
    },
  };
  return { sent, run: scriptRunner(client as unknown as RedisLike) };
}

describe.each([
  ['evalsha', [2, 'k1', 'k2', 'a1']],
  ['evalSha', [{ keys: ['k1', 'k2'], arguments: ['a1'] }]],
] as const)('a script by %s', (byName, told) => {
  const run = (client: ReturnType<typeof clientOf>) => client.run(SCRIPT, ['k1', 'k2'], ['a1']);

  it('is run by its name', async () => {
    const client = clientOf(byName);
    expect(await run(client)).toBe('by name');
    expect(client.sent).toEqual([[SCRIPT.sha, ...told]]);
  });

  it.each([new Error('NOSCRIPT No matching script.'), 'NOSCRIPT'])(
    'is sent if the server lacks it: %s',
    async (error) => {
      const client = clientOf(byName, error);
      expect(await run(client)).toBe('by text');
      expect(client.sent).toEqual([
        [SCRIPT.sha, ...told],
        [SCRIPT.text, ...told],
      ]);
    },
  );

  it.each([new Error('ERR as NOSCRIPT is not it'), new Error('NOSCRIPTS'), new Error('OOM'), 'gone'])(
    'is not sent after another error: %s',
    async (error) => {
      const client = clientOf(byName, error);
      await expect(run(client)).rejects.toBe(error);
      expect(client.sent).toHaveLength(1);
    },
  );
});

it.each<unknown>([
  undefined,
  null,
  'redis://127.0.0.1',
  () => undefined,
  {},
  { eval: async () => 1 },
  { evalsha: async () => 1 },
  { evalSha: async () => 1 },
  { evalsha: 'no function', eval: async () => 1 },
])('what is no client is refused: %s', (redis) => {
  const make = () => scriptRunner(redis as never);
  expect(make).toThrow(ConfigError);
  expect(make).toThrow('must be a client of node-redis (4 to 6) or ioredis');
});

describe('the problem of a client', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:6379');
  const watchedClient = () => {
    const client = Object.assign(new EventEmitter(), { evalSha: async () => 1, eval: async () => 1 });
    return { client, redis: client as RedisLike, problem: problemOf(client) };
  };

  it.each<[string, (client: EventEmitter, redis: RedisLike) => unknown]>([
    ['it is ready', (client) => client.emit('ready')],
    ['a script has run', (_, redis) => scriptRunner(redis)(SCRIPT, [], [])],
  ])('is its last error until %s', async (_, mend) => {
    const { client, redis, problem } = watchedClient();
    client.on('error', () => {});
    expect(problem()).toBeUndefined();
    client.emit('error', refused);
    expect(problem()).toBe(refused);
    await mend(client, redis);
    expect(problem()).toBeUndefined();
  });

  it('is watched once for all shares, and in no listener’s place', () => {
    const { client, redis, problem } = watchedClient();
    for (let share = 0; share < 20; share++) problemOf(redis);
    expect([client.listenerCount('ready'), client.listenerCount('error')]).toEqual([1, 0]);
    expect(() => client.emit('error', refused)).toThrow(refused);
    expect(problem()).toBe(refused);
  });

  it('is not known of one without events', () => {
    expect(problemOf({ evalSha: async () => 1, eval: async () => 1 })()).toBeUndefined();
  });
});
