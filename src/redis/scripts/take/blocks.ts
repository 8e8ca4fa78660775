import { BATCHES } from '../../../sharing/batches.ts';
import { PARTS } from '../../../sharing/store-rules.ts';

/** Number of arguments before those of the blocks. */
const FIXED_ARGUMENTS = 15;

/**
 * Instances of a window whose numbers follow each other are kept in one string, a block, because one command reads or writes all of them:
 * a process that knows no shape yet asks for fifty. A block is a byte, the first place that is used (plus `PLACES` if its places are
 * wide); the time until which it is kept; and for each place from the first on four numbers: until when the instance is kept, units
 * claimed, units used by strangers, and the highest reading of any process. A wide one has two more: what a step of a window that drains has of
 * the step before; and the batches of an instance that slides, each its units and when it ends. A place that is not used is all zeros.
 */
export const PLACES = 32;
const BYTES = 8;
const BATCH = 2 * BYTES;
/** Values of a place: what is asked for seldom, the batches, is one text. */
const [NARROW, WIDE] = [4, 6];
const NARROW_BYTES = BYTES * NARROW;
const WIDE_BYTES: number = BYTES * (WIDE - 1) + BATCH * BATCHES;
const NARROW_FORM: string = 'I8'.repeat(NARROW);
const WIDE_FORM = `${'I8'.repeat(WIDE - 1)}c${BATCH * BATCHES}`;
const HEAD_BYTES = 1 + BYTES;

/** Reads the windows of an ask from their blocks. Places that are not asked for stay text. */
export const READ_BLOCKS: string = `-- By window, as numbered by the blocks: the limit, units claimed, used by strangers, the highest reading of any process (said), the reading that bounds
-- usage from above (bounds), thousandths of units that are left of the steps before when it
-- begins at the latest (carried), how many drain in a step (drains), units of the steps before that count in it (over), the units that may be granted (free); of
-- one that slides by when a slot must have ended to count no more (slidBy), where its batches are (cellOf, from), and whether the next number is the next one (joins).
local limits, claimed, strangers, said, bounds, dirty, free = {}, {}, {}, {}, {}, {}, {}
local carried, drains, over, slidBy, cellOf, from, joins = {}, {}, {}, {}, {}, {}, {}
local prior, following
local p, n = ${FIXED_ARGUMENTS + 1}, 0
local cells, texts, firsts, sizes = {}, {}, {}, {}
local noBatches = string.rep('\\0', ${BATCH * BATCHES})
-- How a number of places is written, and how many bytes one has, by the number of its values.
local forms = { [${NARROW}] = '${NARROW_FORM.repeat(PLACES)}', [${WIDE}] = '${WIDE_FORM.repeat(PLACES)}' }
local lengths = { [${NARROW}] = ${NARROW_FORM.length}, [${WIDE}] = ${WIDE_FORM.length} }
local spans = { [${NARROW}] = ${NARROW_BYTES}, [${WIDE}] = ${WIDE_BYTES} }
for b = 1, blocks do
  local text, low, high = stored[b + 4] or '', tonumber(A[p]), tonumber(A[p + 1])
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
  prior = KEYS[b + 4] == following and -1
  p = p + 4
  for _ = 1, runs do
    local l, told, how, drain = tonumber(A[p + 2]), tonumber(A[p + 6]), A[p + 7], tonumber(A[p + 8])
    local m, open = mostClaimed(l), l - tonumber(A[p + 3])
    for o = (A[p] - low) * size, (A[p + 1] - low) * size, size do
      n = n + 1
      local till, c, s, r = v[o + 1], v[o + 2], v[o + 3], v[o + 4]
      if till <= now or till > latest then
        c, s, r = 0, 0, 0
        if size == ${WIDE} then v[o + 5], v[o + ${WIDE}] = 0, noBatches end
      end
      if r > l then r = 0 end
      if told > r and how ~= '2' then r, dirty[n] = told, true end
      if c > m then c, s, dirty[n] = 0, r, true
      elseif s > l then s, dirty[n] = 0, true end
      limits[n], claimed[n], strangers[n], said[n], free[n], over[n] = l, c, s, r, open, 0
      if how == '3' then
        local k = v[o + 5]
        if k > ${PARTS} * m then k = 0 end
        carried[n], over[n] = k, ceil(k / ${PARTS})
        if drain > 0 and n > 1 then drains[n] = drain else said[n] = 0 end
      else
        if how ~= '0' then bounds[n] = told end
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
    local kind, number = match(KEYS[b + 4], '^(.*/)(%d+)$')
    following = kind .. format('%.0f', number + 1)
  end
end
local windows = n

`;

/** Writes the blocks of windows that have changed, and answers what each window has used. */
export const WRITE_BLOCKS: string = `local i = 0
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
        if size == ${WIDE} then v[o + 5] = carried[i] or 0 end
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
    call('SET', KEYS[b + 4], head .. sub(text, from), 'PX', format('%.0f', ends - now))
  end
end
`;
