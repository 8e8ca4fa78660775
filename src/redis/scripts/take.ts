import { ACCOUNT_LASTS_MS, LIVE_MS, LOOK_MS } from '../../sharing/store/store.ts';
import {
  LIVE_LAST_MS,
  LONGEST_TTL_MS,
  MOST,
  NEEDY_LAST_MS,
  NEEDY_MS,
  NEEDY_NOW,
  NONSENSE_FACTS,
  PARTS,
} from '../../sharing/store/store-rules.ts';
import { STATE, TURN } from './state.ts';
import { KEEP_BATCHES, SLIDE_OUT } from './take/batches.ts';
import { READ_BLOCKS, WRITE_BLOCKS } from './take/blocks.ts';
import { APPLY_READINGS, BOOK_TOTALS } from './take/booking.ts';
import { GRANT } from './take/granting.ts';
import { KEEP_RECENT } from './take/recent.ts';

/**
 * One ask: books totals, applies readings, grants units. An impossible number of a window is read as 0; a key of another type and a block
 * of another form are read as missing and overwritten. Everything is read before the first write.
 *
 * KEYS: state, account, look, what was claimed lately, the blocks, the needy, facts, the live. ARGV: member, sequence, version, want, need, size, chunk, stay, held,
 * urgent, usual, leaving, sign of life, slots, blocks, since when claims may be missing from readings; for each block: the first and the last place asked for,
 * its layout, how many runs of windows; for each run: the first and the last place, limit, kept, ttl of the first, by how
 * much that of the next is longer, reading, what it bounds (0: below, 1: both, 2: above; 3: it drains), drain or by when a slot must have ended to count no more; for each slot: when it ends, name, total,
 * wish, how many runs of windows, and the first and the last window of each, as numbered by the blocks.
 */
export const TAKE: string = `${STATE}${TURN}
local A, tonumber, match, find, format, sub = ARGV, tonumber, string.match, string.find, string.format, string.sub
local min, max, floor, ceil, call = math.min, math.max, math.floor, math.ceil, redis.call
local read, write, latest = struct.unpack, struct.pack, now + ${LONGEST_TTL_MS}
local function mostClaimed(limit) return floor(1.25 * limit) + 16 end
local me, sequence, slots, blocks = A[1], tonumber(A[2]), tonumber(A[14]), tonumber(A[15])
local want, need, stay, leaves, signs = tonumber(A[4]), tonumber(A[5]), tonumber(A[8]), A[12] == '1', A[13] == '1'
local stored = call('MGET', unpack(KEYS, 1, blocks + 4))
local account = stored[2] or ''
local asked, mine = match(account, '^(%d+) (%d+)')
if sane(asked, ${MOST}) >= sequence then return { sequence, -1 } end
mine = sane(mine, ${MOST})

${READ_BLOCKS}${KEEP_BATCHES}${BOOK_TOTALS}${SLIDE_OUT}${APPLY_READINGS}
local state, known, pauseMs, lookMs, facts = readState(stored[1]), tonumber(A[3]), 0, 0, {}
local version, isDue = state.version, state.isDue
if version ~= known then
  facts = redis.pcall('HGETALL', KEYS[blocks + 6])
  if #facts > ${2 * NONSENSE_FACTS} then facts = {} end
end
if state.pause > 0 then pauseMs = max(1, state.pause - now) end
local till, looker = readTurn(stored[3], ${LOOK_MS})
if till and looker ~= me then lookMs = till - now end

local needy = KEYS[blocks + 5]
local others = redis.pcall('ZCOUNT', needy, now, now + ${NEEDY_MS})
if type(others) ~= 'number' or others > ${NEEDY_NOW} then
  call('DEL', needy)
  others = 0
elseif mine >= now and mine <= now + ${NEEDY_MS} then others = max(0, others - 1) end

${GRANT}
n = n + slots
state.urgent, state.usual = state.urgent + A[10] * ${PARTS}, state.usual + A[11] * ${PARTS}
answer[8], answer[11] = state.urgent, state.usual
if A[10] + A[11] > 0 or isDue then writeState(KEYS[1], isDue and KEYS[blocks + 6], state) end
${WRITE_BLOCKS}${KEEP_RECENT}if isDue then call('PEXPIRE', needy, '${NEEDY_LAST_MS}') end
if isNeedy and not leaves then
  totals[2] = format('%.0f', now + min(stay + fullMs, ${NEEDY_MS}))
  if call('ZADD', needy, totals[2], me) ~= 0 then
    call('ZREMRANGEBYSCORE', needy, '-inf', format('(%.0f', now))
    call('ZREMRANGEBYSCORE', needy, format('(%.0f', now + ${NEEDY_MS}), '+inf')
    call('PEXPIRE', needy, '${NEEDY_LAST_MS}')
  end
elseif mine > 0 then call('ZREM', needy, me) end
if signs or leaves then
  local live = KEYS[blocks + 7]
  if type(redis.pcall('ZCARD', live)) ~= 'number' then call('DEL', live) end
  call('ZREMRANGEBYSCORE', live, '-inf', format('(%.0f', now - ${LIVE_MS}))
  call('ZREMRANGEBYSCORE', live, format('(%.0f', now), '+inf')
  if leaves then call('ZREM', live, me) else call('ZADD', live, format('%.0f', now), me) end
  call('PEXPIRE', live, '${LIVE_LAST_MS}')
  if signs then answer[7] = call('ZCARD', live) end
end
for j = 1, #facts do answer[n + windows + j] = facts[j] end
if leaves then call('DEL', KEYS[2])
else call('SET', KEYS[2], table.concat(totals, ' '), 'PX', '${ACCOUNT_LASTS_MS}') end
return answer
`;
