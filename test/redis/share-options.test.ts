import { expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { redisShare } from '../../src/redis/index.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { withPlanted } from '../support/planted.ts';

it.each([
  ['secret', ''],
  ['onStoreFailure', 'panic'],
  ['processes', 0],
  ['timeoutMs', -1],
  ['name', 'Not A Name'],
])('a share does not take %s from every object', async (name, value) => {
  const redis = { evalsha: async () => '', eval: async () => '' };
  const made = await withPlanted({ [name]: value }, async () => redisShare({ redis, name: 'mine' }));
  expect(made).toMatchObject({ join: expect.any(Function) });
});

it('a share whose name is only on every object has none', async () => {
  const redis = { evalsha: async () => '', eval: async () => '' };
  const make = async () => redisShare({ redis } as never);
  await expect(withPlanted({ name: 'planted' }, make)).rejects.toThrow('name must be 1 to 32 lower-case letters');
});

it('a share of a client that is no option says where it belongs', () => {
  const client = { evalsha: async () => '', eval: async () => '' };
  expect(() => redisShare(client as never)).toThrow('redisShare takes the client as an option: { redis, name }');
});

it('a share keeps all that it knows under its name', async () => {
  const keys = new Set<string>();
  const evalsha = async (_: string, count: number, ...rest: string[]) => {
    for (const key of rest.slice(0, count)) keys.add(key);
    throw new Error('away');
  };
  const clock = virtualClock();
  const service = createMockService({ clock });
  const share = redisShare({ redis: { evalsha, eval: evalsha }, name: 'mine' });
  const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, share });
  await clock.run(client.getInfo());
  await clock.run(client.close());
  // As `printf 'https://api.mock.test\0' | openssl dgst -sha256 -hmac stacks-quota` says: all versions must find the same keys.
  const tag = 'sq6:{mine:lC7Uxl_eruV9OF80pr6qy3}:';
  expect([...keys]).toContain(`${tag}f`);
  expect([...keys].filter((key) => !key.startsWith(tag))).toEqual([]);
});
