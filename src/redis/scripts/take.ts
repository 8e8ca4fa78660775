import { BATCHES } from '../../sharing/batches.ts';
import { ACCOUNT_LASTS_MS, LIVE_MS, LOOK_MS, STRETCH_MS } from '../../sharing/store.ts';
import {
  LIVE_LAST_MS,
  LONGEST_TTL_MS,
  MOST,
  NEEDY_LAST_MS,
  NEEDY_MS,
  NEEDY_NOW,
  NONSENSE_FACTS,
  PARTS,
} from '../../sharing/store-rules.ts';
import { STATE, TURN } from './state.ts';

/** Number of arguments before those of the blocks. */
const FIXED_ARGUMENTS = 14;

/**
 * Instances of a window whose numbers follow each other are kept in one string, a block, because one command reads or writes all of them:
 * a process that knows no shape yet asks for fifty. A block is a byte, the first place that is used (plus `PLACES` if stretches are
 * counted); the time until which it is kept; and for each place from the first on four numbers: until when the instance is kept, units
 * claimed, units used by strangers, and the highest reading of any process; and more if stretches are counted: the last stretch,
 * units claimed in it, and in the one before; and the batches of an instance that slides, each its units and when it ends. Of steps of a window that
 * drains the first of these three is what they have of the step before. A place that is not used is all zeros.
 */
export const PLACES = 32;
const BYTES = 8;
const BATCH = 2 * BYTES;
/** Values of a place: what is asked for seldom, the batches, is one text. */
const [NARROW, WIDE] = [4, 8];
const NARROW_BYTES = BYTES * NARROW;
const WIDE_BYTES: number = BYTES * (WIDE - 1) + BATCH * BATCHES;
const NARROW_FORM: string = 'I8'.repeat(NARROW);
const WIDE_FORM = `${'I8'.repeat(WIDE - 1)}c${BATCH * BATCHES}`;
const HEAD_BYTES = 1 + BYTES;

/** Number of values in an answer before the grants. What each window has used follows these, and then all facts, if they are told. */
export const FIXED_ANSWERS = 10;

/**
 * One ask: books totals, applies readings, grants units. An impossible number of a window is read as 0; a key of another type and a block
 * of another form are read as missing and overwritten. Everything is read before the first write.
 *
 * KEYS: state, account, look, the blocks, the needy, facts, the live. ARGV: member, sequence, version, want, need, size, chunk, stay, held,
 * urgent, leaving, sign of life, slots, blocks; for each block: the first and the last place asked for, whether
 * stretches are counted (0, 1), how many runs of windows; for each run: the first and the last place, limit, kept, ttl of the first, by how
 * much that of the next is longer, reading, stretches (0, 1, 2: bounds; 3: it drains; 4: caps), drain or by when a slot must have ended to count no more; for each slot: when it ends, name, total,
 * wish, how many runs of windows, and the first and the last window of each, as numbered by the blocks.
 */
export const TAKE: string = `${STATE}${TURN}
local A, tonumber, match, find, format, sub = ARGV, tonumber, string.match, string.find, string.format, string.sub
local min, max, floor, ceil, call = math.min, math.max, math.floor, math.ceil, redis.call
local read, write, latest = struct.unpack, struct.pack, now + ${LONGEST_TTL_MS}
local function mostClaimed(limit) return floor(1.25 * limit) + 16 end
local me, sequence, slots, blocks = A[1], tonumber(A[2]), tonumber(A[13]), tonumber(A[14])
local want, need, stay, leaves, signs = tonumber(A[4]), tonumber(A[5]), tonumber(A[8]), A[11] == '1', A[12] == '1'
local stored = call('MGET', unpack(KEYS, 1, blocks + 3))
local account = stored[2] or ''
local asked, mine = match(account, '^(%d+) (%d+)')
if sane(asked, ${MOST}) >= sequence then return { sequence, -1 } end
mine = sane(mine, ${MOST})

-- By window, as numbered by the blocks: the limit, units claimed, used by strangers, the highest reading of any process (said), units claimed in this
-- stretch (fresh) and the one before, the reading that bounds the older ones (bounds), thousandths of units that are left of the steps before when it
-- begins at the latest (carried), how many drain in a step (drains), units of the steps before that count in it (over), the units that may be granted (free); of
-- one that slides by when a slot must have ended to count no more (slidBy), where its batches are (cellOf, from), and whether the next number is the next one (joins).
local limits, claimed, strangers, said, fresh, before, bounds, dirty, free = {}, {}, {}, {}, {}, {}, {}, {}, {}
local carried, drains, over, slidBy, cellOf, from, joins = {}, {}, {}, {}, {}, {}, {}
local prior, following
local stretch, p, n = floor(now / ${STRETCH_MS}), ${FIXED_ARGUMENTS + 1}, 0
local cells, texts, firsts, sizes = {}, {}, {}, {}
local noBatches = string.rep('\\0', ${BATCH * BATCHES})
-- How a number of places is written, and how many bytes one has, by the number of its values.
local forms = { [${NARROW}] = '${NARROW_FORM.repeat(PLACES)}', [${WIDE}] = '${WIDE_FORM.repeat(PLACES)}' }
local lengths = { [${NARROW}] = ${NARROW_FORM.length}, [${WIDE}] = ${WIDE_FORM.length} }
local spans = { [${NARROW}] = ${NARROW_BYTES}, [${WIDE}] = ${WIDE_BYTES} }
for b = 1, blocks do
  local text, low, high = stored[b + 3] or '', tonumber(A[p]), tonumber(A[p + 1])
  local head = string.byte(text) or 255
  local first, size = head % ${PLACES}, head < ${PLACES} and ${NARROW} or ${WIDE}
  local count = (#text - ${HEAD_BYTES}) / spans[size]
  if head >= ${2 * PLACES} or count < 1 or count > ${PLACES} - first or count ~= floor(count) then
    text, first, count, size = string.rep('\\0', ${HEAD_BYTES}), low, 0, ${NARROW}
  end
  local last = first + count - 1
  if A[p + 2] == '1' and size == ${NARROW} then
    local wide = string.gsub(sub(text, ${HEAD_BYTES + 1}), string.rep('.', ${NARROW_BYTES}), '%0' .. string.rep('\\0', ${WIDE_BYTES - NARROW_BYTES}))
    text, size = sub(text, 1, ${HEAD_BYTES}) .. wide, ${WIDE}
  end
  if low < first then
    text, first = sub(text, 1, ${HEAD_BYTES}) .. string.rep('\\0', (first - low) * spans[size]) .. sub(text, ${HEAD_BYTES + 1}), low
  end
  if high > last then text = text .. string.rep('\\0', (high - last) * spans[size]) end
  -- The places that are not asked for stay text.
  local v = { read(sub(forms[size], 1, lengths[size] * (high + 1 - low)), text, ${HEAD_BYTES + 1} + (low - first) * spans[size]) }
  local runs = tonumber(A[p + 3])
  cells[b], texts[b], firsts[b], sizes[b] = v, text, first, size
  prior = KEYS[b + 3] == following and -1
  p = p + 4
  for _ = 1, runs do
    local l, told, how, drain = tonumber(A[p + 2]), tonumber(A[p + 6]), A[p + 7], tonumber(A[p + 8])
    local m, open = mostClaimed(l), l - tonumber(A[p + 3])
    for o = (A[p] - low) * size, (A[p + 1] - low) * size, size do
      n = n + 1
      local till, c, s, r, k, a, b = v[o + 1], v[o + 2], v[o + 3], v[o + 4], 0, 0, 0
      if size == ${WIDE} then k, a, b = v[o + 5], v[o + 6], v[o + 7] end
      if till <= now or till > latest then
        c, s, r, k = 0, 0, 0, 0
        if size == ${WIDE} then v[o + ${WIDE}] = noBatches end
      end
      if r > l then r = 0 end
      if told > r and how ~= '4' then r, dirty[n] = told, true end
      if c > m then c, s, dirty[n] = 0, r, true
      elseif s > l then s, dirty[n] = 0, true end
      limits[n], claimed[n], strangers[n], said[n], free[n], over[n] = l, c, s, r, open, 0
      if how == '3' then
        if k > ${PARTS} * m then k = 0 end
        carried[n], over[n] = k, ceil(k / ${PARTS})
        if drain > 0 and n > 1 then drains[n] = drain else said[n] = 0 end
      elseif k > 0 or how ~= '0' then
        -- The record does not tell when units were claimed: all of them may be recent.
        if k == 0 or k > stretch or a > ${MOST} or b > ${MOST} then
          a, b = c, 0
          if c > 0 then dirty[n] = true end
        elseif k == stretch - 1 then a, b = 0, a
        elseif k < stretch then a, b = 0, 0 end
        fresh[n], before[n] = a, b
        if how == '2' or how == '4' then bounds[n] = told end
        if drain > 0 then slidBy[n], cellOf[n], from[n] = drain, v, o + ${WIDE} end
      end
      local place = o / size
      if slidBy[n] and slidBy[n - 1] and prior == place - 1 then joins[n - 1] = true end
      prior = place
    end
    p = p + 9
  end
  following = nil
  if slidBy[n] and high == ${PLACES - 1} then
    local kind, number = match(KEYS[b + 3], '^(.*/)(%d+)$')
    following = kind .. format('%.0f', number + 1)
  end
end
local windows = n

-- A step has what did not drain of the step before.
local function carry(i)
  local own, left = ${PARTS} * (claimed[i - 1] + strangers[i - 1]), carried[i - 1] or 0
  over[i] = ceil((own + left) / ${PARTS})
  left = own + max(0, left - drains[i])
  if left ~= carried[i] then carried[i], dirty[i] = left, true end
end

-- Of the instances in which a slot counts the last has it in its batches: the next does not count it. Of too many batches two that follow each
-- other become one, those whose units wait the least for that. Units are returned of the last batch that ends no later than their slot, and of those before.
local batchForm = '${'I8'.repeat(2 * BATCHES)}'
local function batchesOf(i)
  local all, v = {}, { read(batchForm, cellOf[i][from[i]]) }
  for k = 1, ${2 * BATCHES}, 2 do
    if v[k] > 0 then all[#all + 1] = { v[k], v[k + 1] } end
  end
  return all
end
local function keepBatches(i, all)
  local v = {}
  for k = 1, ${BATCHES} do
    local batch = all[k] or { 0, 0 }
    v[2 * k - 1], v[2 * k] = batch[1], batch[2]
  end
  cellOf[i][from[i]] = write(batchForm, unpack(v))
end
local function toBatches(i, more, to)
  local all, place, least, joined = batchesOf(i), 1, math.huge, 0
  if more < 0 then
    for k = #all, 1, -1 do
      if all[k][2] <= to then
        local taken = min(-more, all[k][1])
        all[k][1], more = all[k][1] - taken, more + taken
      end
    end
  else
    while all[place] and all[place][2] <= to do place = place + 1 end
    table.insert(all, place, { more, to })
  end
  if #all > ${BATCHES} then
    for k = 1, ${BATCHES} do
      local waits = all[k][1] * (all[k + 1][2] - all[k][2])
      if waits < least then least, joined = waits, k end
    end
    all[joined + 1][1] = all[joined][1] + all[joined + 1][1]
    table.remove(all, joined)
  end
  keepBatches(i, all)
end

-- Totals are booked as differences to the account. New claims are subtracted from strangers: units spent without a grant were
-- counted there.
local function touch(q, more, to)
  local last = tonumber(A[q + 1])
  for i = tonumber(A[q]), last do
    if slidBy[i] and not (joins[i] and i < last) then toBatches(i, more, to) end
  end
end
local firstSlot = p
for _ = 1, slots do
  local to = tonumber(A[p])
  p = p + 1
  local more, last = tonumber(A[p + 1]), p + 2 + 2 * A[p + 3]
  if account ~= '' then
    local _, to = find(account, ' ' .. A[p] .. '=', 1, true)
    if to then more = more - sane(match(account, '^%d+', to + 1), ${MOST}) end
  end
  if more ~= 0 then
    for q = p + 4, last, 2 do
      for i = tonumber(A[q]), tonumber(A[q + 1]) do
        claimed[i], dirty[i] = min(max(0, claimed[i] + more), mostClaimed(limits[i])), true
        if more > 0 then
          strangers[i] = max(0, strangers[i] - more)
          if fresh[i] then fresh[i] = fresh[i] + more end
        end
      end
      touch(q, more, to)
    end
  end
  p = last + 2
end

-- Once batches count no more, an instance that slides holds no more than the next one and the later batches.
local function outBy(i, batches, time)
  local out, left = 0, 0
  for _, batch in ipairs(batches) do
    if batch[2] <= time then out = out + batch[1] else left = left + batch[1] end
  end
  local c = claimed[i] - claimed[i + 1]
  return min(out, max(0, max(0, min(c, c + strangers[i] - strangers[i + 1])) - left))
end
local function freeMs(i, units)
  if not joins[i] then return end
  local batches = batchesOf(i)
  for _, batch in ipairs(batches) do
    if outBy(i, batches, batch[2]) >= units then return max(0, batch[2] - slidBy[i]) end
  end
end
local out, later = {}, {}
for i in pairs(joins) do
  if cellOf[i][from[i]] ~= noBatches then
    local batches, kept = batchesOf(i), {}
    for _, batch in ipairs(batches) do
      if batch[2] > slidBy[i] then kept[#kept + 1] = batch end
    end
    if #kept < #batches then out[i], later[i] = outBy(i, batches, slidBy[i]), kept end
  end
end
for i, units in pairs(out) do
  claimed[i], said[i], dirty[i] = claimed[i] - units, max(0, said[i] - units), true
  keepBatches(i, later[i])
end

-- Readings: units beyond all claims are strangers'; where one bounds them, older claims that the service did not count are removed.
for i = 1, windows do
  if drains[i] then carry(i) end
  local reading, c, s, o = said[i], claimed[i], strangers[i], over[i]
  if reading > c + s + o then
    s = reading - c - o
    strangers[i], dirty[i] = s, true
  elseif bounds[i] then
    local excess = c + s - max(reading, bounds[i]) - fresh[i] - before[i]
    if excess > 0 then
      local part = min(excess, s)
      c, s = c - excess + part, s - part
      claimed[i], strangers[i], dirty[i] = c, s, true
    end
  end
  free[i] = free[i] - c - s - o
end

local state, known, pauseMs, lookMs, facts = readState(stored[1]), tonumber(A[3]), 0, 0, {}
local version, isDue = state.version, state.isDue
if version ~= known then
  facts = redis.pcall('HGETALL', KEYS[blocks + 5])
  if facts.err or #facts > ${2 * NONSENSE_FACTS} then facts = {} end
end
if state.pause > 0 then pauseMs = max(1, state.pause - now) end
local till, looker = readTurn(stored[3], ${LOOK_MS})
if till and looker ~= me then lookMs = till - now end

local needy = KEYS[blocks + 4]
local others = redis.pcall('ZCOUNT', needy, now, now + ${NEEDY_MS})
if type(others) ~= 'number' or others > ${NEEDY_NOW} then
  call('DEL', needy)
  others = 0
elseif mine >= now and mine <= now + ${NEEDY_MS} then others = max(0, others - 1) end

-- Units of the earliest slots with room; at most a part while other processes are needy.
local part = max(tonumber(A[7]), need, ceil(tonumber(A[6]) / (others + 1)))
local open, isNeedy = want, nil
if others > 0 then open = min(want, part - tonumber(A[9])) end
if leaves or known < state.least or known > version or pauseMs > 0 or lookMs > 0 then open = 0 end
local answer = { sequence, now, version, pauseMs, lookMs, others, 0, 0, now - state.since, 0 }
local totals, isTight = { A[2], 0 }, false
n = ${FIXED_ANSWERS}
p = firstSlot
-- What is used of a step counts in those after it.
local function roomOf(i)
  local most = free[i]
  while drains[i + 1] do
    i = i + 1
    if free[i] < most then most = free[i] end
  end
  return most
end
for j = 1, slots do
  local to = tonumber(A[p])
  p = p + 1
  local total, wish, last, grant = tonumber(A[p + 1]), A[p + 2], p + 2 + 2 * A[p + 3], 0
  if wish ~= '0' then
    if open >= need then
      local room = open
      if wish == '1' and others > 0 then room = min(room, part - total) end
      if room >= need then
        local plenty = room
        for q = p + 4, last, 2 do
          for i = tonumber(A[q]), tonumber(A[q + 1]) do
            local most = roomOf(i)
            if most < room then room = most end
            if wish == '3' then plenty = min(plenty, most - ceil(limits[i] / 2)) end
          end
          if room < need then break end
        end
        if room < need and not isTight then
          isTight = true
          local longest = 0
          for q = p + 4, last, 2 do
            for i = tonumber(A[q]), tonumber(A[q + 1]) do
              local most = roomOf(i)
              if most < need then longest = max(longest, freeMs(i, need - most) or math.huge) end
            end
          end
          if longest < math.huge then answer[10] = longest end
        end
        if wish == '3' then room = min(room, max(need, plenty)) end
      end
      if room >= need then
        grant, open = room, open - room
        for q = p + 4, last, 2 do
          for i = tonumber(A[q]), tonumber(A[q + 1]) do
            claimed[i], free[i], dirty[i] = claimed[i] + room, free[i] - room, true
            if fresh[i] then fresh[i] = fresh[i] + room end
            local step = i + 1
            while drains[step] do
              local o = over[step]
              carry(step)
              free[step], step = free[step] + o - over[step], step + 1
            end
          end
          touch(q, room, to)
        end
      end
    end
    if isNeedy == nil then isNeedy = wish ~= '3' and grant < want end
  end
  answer[n + j], totals[j + 2] = grant, format('%s=%.0f', A[p], total + grant)
  p = last + 2
end

n = n + slots
local told = tonumber(A[10]) * ${PARTS}
state.urgent = state.urgent + told
answer[8] = state.urgent
if told > 0 or isDue then writeState(KEYS[1], isDue and KEYS[blocks + 5], state) end
local i = 0
p = ${FIXED_ARGUMENTS + 1}
for b = 1, blocks do
  local v, size, low, high, runs, ends = cells[b], sizes[b], tonumber(A[p]), tonumber(A[p + 1]), tonumber(A[p + 3]), 0
  p = p + 4
  for _ = 1, runs do
    local ttl, step = tonumber(A[p + 4]), tonumber(A[p + 5])
    for o = (A[p] - low) * size, (A[p + 1] - low) * size, size do
      i = i + 1
      answer[n + i] = claimed[i] + strangers[i] + over[i]
      if isTight and free[i] < need and ttl > stay then stay = ttl end
      if dirty[i] then
        ends = max(ends, now + ttl)
        v[o + 1], v[o + 2], v[o + 3], v[o + 4] = now + ttl, claimed[i], strangers[i], said[i]
        if carried[i] then v[o + 5], v[o + 6], v[o + 7] = carried[i], 0, 0
        elseif fresh[i] then v[o + 5], v[o + 6], v[o + 7] = stretch, fresh[i], before[i]
        elseif size == ${WIDE} then v[o + 5] = 0 end
      end
      ttl = ttl + step
    end
    p = p + 9
  end
  if ends > 0 then
    local text, first, bytes = texts[b], firsts[b], spans[size]
    local till, from = read('I8', text, 2), ${HEAD_BYTES + 1}
    local asked, count = from + (low - first) * bytes, high + 1 - low
    if till <= latest then ends = max(ends, till) end
    text = sub(text, 1, asked - 1) .. write(sub(forms[size], 1, lengths[size] * count), unpack(v, 1, size * count)) .. sub(text, asked + count * bytes)
    -- What has ended is left out.
    while read('I8', text, from) <= now do from, first = from + bytes, first + 1 end
    local head = write('BI8', first + (size == ${WIDE} and ${PLACES} or 0), ends)
    call('SET', KEYS[b + 3], head .. sub(text, from), 'PX', format('%.0f', ends - now))
  end
end
if isDue then call('PEXPIRE', needy, '${NEEDY_LAST_MS}') end
if isNeedy and not leaves then
  totals[2] = format('%.0f', now + min(stay, ${NEEDY_MS}))
  if call('ZADD', needy, totals[2], me) ~= 0 then
    call('ZREMRANGEBYSCORE', needy, '-inf', format('(%.0f', now))
    call('ZREMRANGEBYSCORE', needy, format('(%.0f', now + ${NEEDY_MS}), '+inf')
    call('PEXPIRE', needy, '${NEEDY_LAST_MS}')
  end
elseif mine > 0 then call('ZREM', needy, me) end
if signs or leaves then
  local live = KEYS[blocks + 6]
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
