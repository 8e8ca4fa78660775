import { LONGEST_PAUSE_MS, URGENT_MEMORY_MS } from '../../sharing/store/store.ts';
import { LONGEST_TTL_MS, MOST, STATE_LASTS_MS, STATE_RENEWED_MS } from '../../sharing/store/store-rules.ts';

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
 * The state that every ask reads: version of the facts, the version that a process must know to be granted units, end of the pause, urgent
 * and usual units in thousandths, when the state was written, and when their counting began. `isDue`: it is to be written even if
 * unchanged. Facts must not expire before their version: to write the state extends their expiry, too, if they are given.
 */
export const STATE: string = `${CLOCK}
local function readState(text)
  local version, least, pause, urgent, usual, at, since =
    string.match(text or '', '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not version then return { version = 0, least = 0, pause = 0, urgent = 0, usual = 0, since = now, isDue = true } end
  local elapsed = now - tonumber(at)
  local left = elapsed > 0 and math.exp(-elapsed / ${URGENT_MEMORY_MS}) or 1
  return {
    version = sane(version, ${MOST}), least = sane(least, ${MOST}), pause = sane(pause, now + ${LONGEST_PAUSE_MS}),
    urgent = math.floor(sane(urgent, ${MOST}) * left), usual = math.floor(sane(usual, ${MOST}) * left),
    since = math.min(tonumber(since), now),
    isDue = elapsed < 0 or math.floor(now / ${STATE_RENEWED_MS}) ~= math.floor(at / ${STATE_RENEWED_MS})
  }
end
local function writeState(key, facts, state)
  local text = string.format(
    '%.0f %.0f %.0f %.0f %.0f %.0f %.0f',
    state.version, state.least, state.pause, state.urgent, state.usual, now, state.since)
  redis.call('SET', key, text, 'PX', '${STATE_LASTS_MS}')
  if facts then redis.call('PEXPIRE', facts, '${LONGEST_TTL_MS}') end
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
