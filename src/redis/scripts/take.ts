import { ACCOUNT_LASTS_MS, LOOK_MS, STRETCH_MS } from '../../sharing/store.ts';
import { MOST, NEEDY_LAST_MS, NEEDY_MEMBERS, NEEDY_MS, NEEDY_NOW, URGENT_PARTS } from '../../sharing/store-rules.ts';
import { STATE, TURN } from './state.ts';

/** Number of arguments before those of the windows, and per window. */
const FIXED_ARGUMENTS = 13;
const WINDOW_ARGUMENTS = 5;

/** Number of values in an answer before the grants. */
export const FIXED_ANSWERS = 8;

/**
 * One ask: books totals, applies readings, grants units. An impossible number of a window is read as 0; a key of another type is
 * read as missing and overwritten. Everything is read before the first write.
 *
 * KEYS: state, account, look, the window instances, the needy, facts. ARGV: member, sequence, version, want, need, size,
 * chunk, stay, held, urgent, leaving, slots, windows; for each window: limit, kept, ttl, reading, stretches (0, 1, 2:
 * bounds); for each slot: name, total, wish, how many runs of windows, the first and the last place of each.
 */
export const TAKE: string = `${STATE}${TURN}
local A, tonumber, match, find, format = ARGV, tonumber, string.match, string.find, string.format
local min, max, floor, ceil, call = math.min, math.max, math.floor, math.ceil, redis.call
local me, sequence, slots, windows = A[1], tonumber(A[2]), tonumber(A[12]), tonumber(A[13])
local want, need, stay, leaves = tonumber(A[4]), tonumber(A[5]), tonumber(A[8]), A[11] == '1'
local stored = call('MGET', unpack(KEYS, 1, windows + 3))
local account = stored[2] or ''
if sane(match(account, '^%d+'), ${MOST}) >= sequence then return { sequence, -1 } end

-- By window: units claimed, used by strangers, the highest reading of any process (said), and units claimed in this stretch
-- (fresh) and the one before.
local bound, most, claimed, strangers, fresh, before, said, dirty = {}, {}, {}, {}, {}, {}, {}, {}
local stretch, p = floor(now / ${STRETCH_MS}), ${FIXED_ARGUMENTS + 1}
for i = 1, windows do
  local l, reading = tonumber(A[p]), tonumber(A[p + 3])
  local c, s, r, rest = match(stored[i + 3] or '', '^(%d+) (%d+) (%d+)(.*)$')
  c, s, r, rest = tonumber(c) or 0, tonumber(s) or 0, tonumber(r) or 0, rest or ''
  local m = floor(1.25 * l) + 16
  if r > l then r = 0 end
  if reading > r then dirty[i] = true else reading = r end
  if c > m then c, s, dirty[i] = 0, max(0, reading), true
  elseif s > l then s, dirty[i] = 0, true end
  bound[i], most[i], claimed[i], strangers[i], said[i] = l - tonumber(A[p + 1]), m, c, s, reading
  if A[p + 4] ~= '0' or rest ~= '' then
    local k, a, b = match(rest, '^ (%d+) (%d+) (%d+)$')
    k, a, b = tonumber(k), tonumber(a), tonumber(b)
    -- The record does not tell when units were claimed: all of them may be recent.
    if not k or k > stretch or a > ${MOST} or b > ${MOST} then
      a, b = c, 0
      if c > 0 then dirty[i] = true end
    elseif k == stretch - 1 then a, b = 0, a
    elseif k < stretch then a, b = 0, 0 end
    fresh[i], before[i] = a, b
  end
  p = p + ${WINDOW_ARGUMENTS}
end

-- Totals are booked as differences to the account. New claims are subtracted from strangers: units spent without a grant were
-- counted there.
local firstSlot = p
for _ = 1, slots do
  local more, last = tonumber(A[p + 1]), p + 2 + 2 * A[p + 3]
  if account ~= '' then
    local _, to = find(account, ' ' .. A[p] .. '=', 1, true)
    if to then more = more - sane(match(account, '^%d+', to + 1), ${MOST}) end
  end
  if more ~= 0 then
    for q = p + 4, last, 2 do
      for i = tonumber(A[q]), tonumber(A[q + 1]) do
        claimed[i], dirty[i] = min(max(0, claimed[i] + more), most[i]), true
        if more > 0 then
          strangers[i] = max(0, strangers[i] - more)
          if fresh[i] then fresh[i] = fresh[i] + more end
        end
      end
    end
  end
  p = last + 2
end

-- Readings: units beyond all claims are strangers'; with a bounding reading, older claims that the service did not count are removed.
for i = 1, windows do
  local reading, c, s = said[i], claimed[i], strangers[i]
  if reading > c + s then strangers[i], dirty[i] = reading - c, true
  elseif A[${FIXED_ARGUMENTS} + i * ${WINDOW_ARGUMENTS}] == '2' then
    local excess = c + s - reading - fresh[i] - before[i]
    if excess > 0 then
      local part = min(excess, s)
      claimed[i], strangers[i], dirty[i] = c - excess + part, s - part, true
    end
  end
end

local version, pause, urgent, since, isDue = readState(stored[1])
local pauseMs, lookMs = 0, 0
if pause > 0 then pauseMs = max(1, pause - now) end
local till, looker = readTurn(stored[3], ${LOOK_MS})
if till and looker ~= me then lookMs = till - now end

local needy = KEYS[windows + 4]
local card, others, mine = redis.pcall('ZCARD', needy), 0, false
if card ~= 0 then
  if type(card) == 'number' then others = call('ZCOUNT', needy, now, now + ${NEEDY_MS}) end
  if type(card) ~= 'number' or card > ${NEEDY_MEMBERS} or others > ${NEEDY_NOW} then
    call('DEL', needy)
    others = 0
  else
    mine = call('ZSCORE', needy, me)
    local score = tonumber(mine)
    if score and score >= now and score <= now + ${NEEDY_MS} then others = others - 1 end
  end
end

-- Units of the earliest slots with room; at most a part while other processes are needy.
local part = max(tonumber(A[7]), need, ceil(tonumber(A[6]) / (others + 1)))
local open, isNeedy = want, nil
if others > 0 then open = min(want, part - tonumber(A[9])) end
if leaves or version ~= tonumber(A[3]) or pauseMs > 0 or lookMs > 0 then open = 0 end
local answer = { sequence, now, version, pauseMs, lookMs, others, urgent, now - since }
local totals, n = { A[2] }, ${FIXED_ANSWERS}
p = firstSlot
for j = 1, slots do
  local total, wish, last, grant = tonumber(A[p + 1]), A[p + 2], p + 2 + 2 * A[p + 3], 0
  if wish ~= '0' then
    if open >= need then
      local room, tight = open, nil
      if wish == '1' and others > 0 then room = min(room, part - total) end
      for q = p + 4, last, 2 do
        for i = tonumber(A[q]), tonumber(A[q + 1]) do
          local left = bound[i] - claimed[i] - strangers[i]
          if left < room then room, tight = left, i end
        end
      end
      if room >= need then
        grant, open = room, open - room
        for q = p + 4, last, 2 do
          for i = tonumber(A[q]), tonumber(A[q + 1]) do
            claimed[i], dirty[i] = claimed[i] + room, true
            if fresh[i] then fresh[i] = fresh[i] + room end
          end
        end
      elseif tight then stay = max(stay, tonumber(A[${FIXED_ARGUMENTS + 3 - WINDOW_ARGUMENTS} + tight * ${WINDOW_ARGUMENTS}])) end
    end
    if isNeedy == nil then isNeedy = grant < want end
  end
  answer[n + j], totals[j + 1] = grant, format('%s=%.0f', A[p], total + grant)
  p = last + 2
end

n = n + slots
local told = tonumber(A[10]) * ${URGENT_PARTS}
answer[7] = urgent + told
if told > 0 or isDue then writeState(KEYS[1], isDue and KEYS[windows + 5], version, pause, urgent + told, since) end
for i = 1, windows do
  answer[n + i] = claimed[i] + strangers[i]
  if dirty[i] then
    local text
    if fresh[i] then text = format('%.0f %.0f %.0f %.0f %.0f %.0f', claimed[i], strangers[i], said[i], stretch, fresh[i], before[i])
    else text = format('%.0f %.0f %.0f', claimed[i], strangers[i], said[i]) end
    call('SET', KEYS[i + 3], text, 'PX', A[${FIXED_ARGUMENTS + 3 - WINDOW_ARGUMENTS} + i * ${WINDOW_ARGUMENTS}])
  end
end
if leaves then call('DEL', KEYS[2])
else call('SET', KEYS[2], table.concat(totals, ' '), 'PX', '${ACCOUNT_LASTS_MS}') end
if isNeedy and not leaves then
  call('ZREMRANGEBYSCORE', needy, '-inf', format('(%.0f', now))
  call('ZADD', needy, format('%.0f', now + min(stay, ${NEEDY_MS})), me)
  call('PEXPIRE', needy, '${NEEDY_LAST_MS}')
elseif mine then call('ZREM', needy, me) end
return answer
`;
