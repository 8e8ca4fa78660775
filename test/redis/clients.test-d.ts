import type { Cluster, Redis } from 'ioredis';
import type { createClient, createClientPool, createCluster } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import type { RedisShareOptions } from '../../src/redis/index.ts';

type Taken = RedisShareOptions['redis'];

describe('a share is made with', () => {
  it('ioredis, a cluster of it too', () => {
    expectTypeOf<Redis>().toExtend<Taken>();
    expectTypeOf<Cluster>().toExtend<Taken>();
  });

  it('node-redis, a pool and a cluster of it too', () => {
    expectTypeOf<ReturnType<typeof createClient>>().toExtend<Taken>();
    expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<Taken>();
    expectTypeOf<ReturnType<typeof createCluster>>().toExtend<Taken>();
  });

  it('nothing else', () => {
    expectTypeOf<{ get(): void }>().not.toExtend<Taken>();
  });
});
