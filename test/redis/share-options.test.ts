import { expect, it } from 'vitest';
import { redisShare } from '../../src/redis/index.ts';
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
