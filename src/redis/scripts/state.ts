import { LONGEST_PAUSE_MS, URGENT_MEMORY_MS } from '../../sharing/store.ts';
import { FACTS_LAST_MS, MOST, STATE_LASTS_MS, STATE_RENEWED_MS } from '../../sharing/store-rules.ts';

/** Prelude of each script: `now`, in milliseconds since the Unix epoch, and `sane`, which replaces a number out of bounds by 0. */
export const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function sane(value, most)
  local number = tonumber(value)
  if number and number >= 0 and number <= most then return number end
  return 0
end
`;

/**
 * The state that every ask reads: version of the facts, end of the pause, urgent units in thousandths, when the state was
 * written, and when the counting of urgent units began. `readState` also returns whether to write it even if unchanged.
 */
export const STATE: string = `${CLOCK}
local function readState(text)
  local version, pause, urgent, at, since = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not version then return 0, 0, 0, now, true end
  local elapsed = now - tonumber(at)
  urgent = sane(urgent, ${MOST})
  if elapsed > 0 then urgent = math.floor(urgent * math.exp(-elapsed / ${URGENT_MEMORY_MS})) end
  local isDue = elapsed < 0 or math.floor(now / ${STATE_RENEWED_MS}) ~= math.floor(at / ${STATE_RENEWED_MS})
  return sane(version, ${MOST}), sane(pause, now + ${LONGEST_PAUSE_MS}), urgent, math.min(tonumber(since), now), isDue
end
-- Facts must not expire before their version: if facts is given, its expiry is extended as well.
local function writeState(state, facts, version, pause, urgent, since)
  local text = string.format('%.0f %.0f %.0f %.0f %.0f', version, pause, urgent, now, since)
  redis.call('SET', state, text, 'PX', '${STATE_LASTS_MS}')
  if facts then redis.call('PEXPIRE', facts, '${FACTS_LAST_MS}') end
end
`;

/** Reads and writes a turn, such as a look: `<until> <member>`. One with more time left than it can have is ignored. */
export const TURN = `
local function readTurn(text, lasts)
  local till, member = string.match(text or '', '^(%d+) (.+)$')
  till = sane(till, now + lasts)
  if till > now then return till, member end
end
local function writeTurn(key, member, lasts)
  redis.call('SET', key, string.format('%.0f ', now + lasts) .. member, 'PX', string.format('%.0f', lasts))
end
`;
