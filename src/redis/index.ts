/**
 * A share of a quota among any number of processes and machines, through Redis.
 *
 * @module stacks-quota/redis
 */

export type { IoredisLike, NodeRedisLike, RedisLike } from './connection.ts';
export { type RedisShareOptions, redisShare } from './share.ts';
