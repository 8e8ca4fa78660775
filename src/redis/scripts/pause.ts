import { PROBE_MS } from '../../sharing/store/store.ts';
import { STATE, TURN } from './state.ts';

/** Replies of {@link RESUME} other than the milliseconds to wait. */
export const FREE = 0;
export const PROBE = -1;

/** Starts or extends a pause. KEYS: state, facts, probe. ARGV: milliseconds. */
export const PAUSE: string = `${STATE}
local state = readState(redis.call('MGET', KEYS[1])[1])
local till = now + tonumber(ARGV[1])
if till > now and till > state.pause then
  state.pause = till
  writeState(KEYS[1], KEYS[2], state)
  redis.call('DEL', KEYS[3])
end
return 0
`;

/** Asks what to do after a pause. KEYS: state, probe. ARGV: member. */
export const RESUME: string = `${STATE}${TURN}
local stored = redis.call('MGET', KEYS[1], KEYS[2])
local pause = readState(stored[1]).pause
if pause == 0 then return ${FREE} end
if pause > now then return pause - now end
local till, member = readTurn(stored[2], ${PROBE_MS})
if till and member ~= ARGV[1] then return till - now end
if not till then writeTurn(KEYS[2], ARGV[1], ${PROBE_MS}) end
return ${PROBE}
`;

/** Clears a pause that is over. KEYS: state, facts. */
export const RESUMED: string = `${STATE}
local state = readState(redis.call('MGET', KEYS[1])[1])
if state.pause > 0 and state.pause <= now then
  state.pause = 0
  writeState(KEYS[1], KEYS[2], state)
end
return 0
`;
