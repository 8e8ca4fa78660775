import { LOOK_MS, LOOKS, LOOKS_APART_MS } from '../../sharing/store/store.ts';
import { LOOKS_LAST_MS } from '../../sharing/store/store-rules.ts';
import { CLOCK, STATE, TURN } from './state.ts';

/** Replies of {@link LOOK} other than the remaining milliseconds of another process's look. */
export const GRANTED = 0;
export const OVER = -1;
export const STALE = -2;

/** Requests a look. KEYS: look, looks, state. ARGV: member, and the version of the facts that it knows, or nothing. */
export const LOOK: string = `${STATE}${TURN}
local stored = redis.call('MGET', unpack(KEYS))
local till, member = readTurn(stored[1], ${LOOK_MS})
if till and member == ARGV[1] then
  if till - now > ${LOOK_MS / 2} then return ${GRANTED} end
elseif till then return till - now
elseif ARGV[2] ~= '' and tonumber(ARGV[2]) ~= readState(stored[3]).version then return ${STALE} end
local lasts, usedMs = readTurn(stored[2], ${LOOKS_LAST_MS})
usedMs = sane(usedMs, ${LOOKS * LOOK_MS})
if lasts then
  local sinceMs = now - lasts + ${LOOKS_LAST_MS}
  usedMs = usedMs + (sinceMs < ${LOOKS_APART_MS} and math.max(sinceMs, ${LOOK_MS}) or ${LOOK_MS})
end
if usedMs > ${(LOOKS - 1) * LOOK_MS} then return ${OVER} end
writeTurn(KEYS[2], string.format('%.0f', usedMs), ${LOOKS_LAST_MS})
writeTurn(KEYS[1], ARGV[1], ${LOOK_MS})
return ${GRANTED}
`;

/** Ends the look of a process early. KEYS: look. ARGV: member. */
export const END_LOOK: string = `${CLOCK}${TURN}
local till, member = readTurn(redis.call('MGET', KEYS[1])[1], ${LOOK_MS})
if till and member == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0
`;
