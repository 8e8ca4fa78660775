import { LIVE_MS } from '../../sharing/store.ts';
import { LIVE_LAST_MS } from '../../sharing/store-rules.ts';
import { CLOCK } from './state.ts';

/** Records that a process is live or leaves, and counts live processes. KEYS: live. ARGV: member, whether it leaves (0, 1). */
export const LIVE: string = `${CLOCK}
local live = KEYS[1]
if type(redis.pcall('ZCARD', live)) ~= 'number' then redis.call('DEL', live) end
redis.call('ZREMRANGEBYSCORE', live, '-inf', string.format('(%.0f', now - ${LIVE_MS}))
redis.call('ZREMRANGEBYSCORE', live, string.format('(%.0f', now), '+inf')
if ARGV[2] == '1' then redis.call('ZREM', live, ARGV[1]) else redis.call('ZADD', live, string.format('%.0f', now), ARGV[1]) end
redis.call('PEXPIRE', live, '${LIVE_LAST_MS}')
return redis.call('ZCARD', live)
`;
