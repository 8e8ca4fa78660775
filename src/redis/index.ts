export type { IoredisLike, NodeRedisLike, RedisLike } from './connection.ts';
export { type RedisShareOptions, redisShare } from './share.ts';
