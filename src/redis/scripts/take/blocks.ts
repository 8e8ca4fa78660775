import { BATCHES } from '../../../sharing/store/batches.ts';
import { LINGER_MS } from '../../../sharing/store/store.ts';
import { PARTS } from '../../../sharing/store/store-rules.ts';

/** Number of arguments before those of the blocks. */
const FIXED_ARGUMENTS = 16;

/**
 * Instances of a window whose numbers follow each other are kept in one string, a block, because one command reads or writes all of them:
 * a process that knows no shape yet asks for fifty. A block is a byte, the first place that is used plus `PLACES` times its layout; the time until
 * which it is kept; and for each place from the first on numbers: until when the instance is kept, units claimed, units used by strangers, and
 * the highest reading of any process. A step of a window that drains has a fifth, what it has of the step before. After the numbers of all places follow the
 * batches of each, if instances slide: of each batch its units and when it ends. They are read where they are needed. A place that is not used is all zeros.
 */
export const PLACES = 32;

/** Layouts of a block, and how many numbers a place has in each. */
export const LAYOUTS = { plain: 0, drains: 1, slides: 2 } as const;
const VALUES: readonly number[] = [4, 5, 4];

const BYTES = 8;
const HEAD_BYTES = 1 + BYTES;
const PLAIN_BYTES = 4 * BYTES;
const BATCHES_BYTES: number = 2 * BYTES * BATCHES;

/** A number or text of each layout, as a table of Lua. */
function each(of: (values: number, layout: number) => string | number): string {
  const [first, ...others] = VALUES.map(of);
  return `{ [0] = ${[first, ...others].join(', ')} }`;
}

/**
 * Reads the windows of an ask from their blocks. Places that are not asked for stay text.
 *
 * By window, as numbered by the blocks: the limit, units claimed, used by strangers, the highest reading of any process (said), the reading that bounds
 * usage from above (bounds), thousandths of units that are left of the steps before when it
 * begins at the latest (carried), how many drain in a step (drains), units of the steps before that count in it (over), the units that may be granted (free); of
 * one that slides by when a slot must have ended to count no more (slidBy), the block that has its batches and where (blockOf, from), and whether the next
 * number is the next one (joins).
 *
 * By layout: how many values a place has (sizes, lengths), how they are written (forms), and how many bytes a place has without and with batches (spans,
 * wholes).
 */
export const READ_BLOCKS: string = `local limits, claimed, strangers, said, bounds, dirty, free = {}, {}, {}, {}, {}, {}, {}
local carried, drains, over, slidBy, blockOf, from, joins = {}, {}, {}, {}, {}, {}, {}
local prior, following
local p, n = ${FIXED_ARGUMENTS + 1}, 0
local cells, texts, firsts, layouts, batchTexts = {}, {}, {}, {}, {}
local sizes, lengths = ${each((values) => values)}, ${each((values) => 2 * values)}
local forms = ${each((values) => `'${'I8'.repeat(values * PLACES)}'`)}
local spans, wholes = ${each((values) => BYTES * values)}, ${each((values, layout) => BYTES * values + (layout === LAYOUTS.slides ? BATCHES_BYTES : 0))}
local batchForm = '${'I8'.repeat(2 * BATCHES)}'
local function zeros(count) return string.rep('\\0', count) end
local function setBatches(i, text)
  local b, at = blockOf[i], from[i]
  batchTexts[b] = sub(batchTexts[b], 1, at) .. text .. sub(batchTexts[b], at + ${BATCHES_BYTES + 1})
end
for b = 1, blocks do
  local text, low, high, layout = stored[b + 4] or '', tonumber(A[p]), tonumber(A[p + 1]), tonumber(A[p + 2])
  local head = string.byte(text) or 255
  local first, known = head % ${PLACES}, floor(head / ${PLACES})
  local count = (#text - ${HEAD_BYTES}) / (wholes[known] or 1)
  local isOther = known ~= ${LAYOUTS.plain} and layout ~= ${LAYOUTS.plain} and known ~= layout
  if head >= ${PLACES * VALUES.length} or isOther or count < 1 or count > ${PLACES} - first or count ~= floor(count) then
    text, first, count, known = zeros(${HEAD_BYTES}), low, 0, layout
  end
  local batches = ''
  if known == ${LAYOUTS.slides} then
    local ends = ${HEAD_BYTES} + count * ${PLAIN_BYTES}
    text, batches = sub(text, 1, ends), sub(text, ends + 1)
  elseif layout == ${LAYOUTS.slides} then batches = zeros(count * ${BATCHES_BYTES})
  elseif layout == ${LAYOUTS.drains} and known == ${LAYOUTS.plain} then
    text = sub(text, 1, ${HEAD_BYTES}) .. string.gsub(sub(text, ${HEAD_BYTES + 1}), string.rep('.', ${PLAIN_BYTES}), '%0' .. zeros(${BYTES}))
  end
  layout = max(known, layout)
  local size, span, last = sizes[layout], spans[layout], first + count - 1
  local perPlace = wholes[layout] - span
  if low < first then
    text, batches = sub(text, 1, ${HEAD_BYTES}) .. zeros((first - low) * span) .. sub(text, ${HEAD_BYTES + 1}), zeros((first - low) * perPlace) .. batches
    first = low
  end
  if high > last then text, batches = text .. zeros((high - last) * span), batches .. zeros((high - last) * perPlace) end
  local v = { read(sub(forms[layout], 1, lengths[layout] * (high + 1 - low)), text, ${HEAD_BYTES + 1} + (low - first) * span) }
  local runs = tonumber(A[p + 3])
  cells[b], texts[b], firsts[b], layouts[b], batchTexts[b] = v, text, first, layout, batches
  prior = KEYS[b + 4] == following and -1
  p = p + 4
  for _ = 1, runs do
    local l, told, how, drain = tonumber(A[p + 2]), tonumber(A[p + 6]), A[p + 7], tonumber(A[p + 8])
    local m, open = mostClaimed(l), l - tonumber(A[p + 3])
    for o = (A[p] - low) * size, (A[p + 1] - low) * size, size do
      n = n + 1
      local till, c, s, r, place = v[o + 1], v[o + 2], v[o + 3], v[o + 4], o / size
      if perPlace > 0 then blockOf[n], from[n] = b, (place + low - first) * ${BATCHES_BYTES} end
      if till <= now or till > latest then
        c, s, r = 0, 0, 0
        if size > 4 then v[o + 5] = 0 end
        if till > 0 and perPlace > 0 then setBatches(n, zeros(${BATCHES_BYTES})) end
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
        if drain > 0 and perPlace > 0 then slidBy[n] = drain end
      end
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

/** Writes the blocks of windows that have changed, without the places that have ended, and answers what each window has used. */
export const WRITE_BLOCKS: string = `local i, fullMs = 0, 0
p = ${FIXED_ARGUMENTS + 1}
for b = 1, blocks do
  local v, layout, low, high, runs, ends = cells[b], layouts[b], tonumber(A[p]), tonumber(A[p + 1]), tonumber(A[p + 3]), 0
  local size = sizes[layout]
  p = p + 4
  for _ = 1, runs do
    local ttl, step = tonumber(A[p + 4]), tonumber(A[p + 5])
    for o = (A[p] - low) * size, (A[p + 1] - low) * size, size do
      i = i + 1
      answer[n + i] = claimed[i] + strangers[i] + over[i]
      if isTight and free[i] < need then fullMs = max(fullMs, ttl - ${LINGER_MS}) end
      if dirty[i] then
        ends = max(ends, now + ttl)
        v[o + 1], v[o + 2], v[o + 3], v[o + 4] = now + ttl, claimed[i], strangers[i], said[i]
        if size > 4 then v[o + 5] = carried[i] or 0 end
      end
      ttl = ttl + step
    end
    p = p + 9
  end
  if ends > 0 then
    local text, first, bytes = texts[b], firsts[b], spans[layout]
    local till, at = read('I8', text, 2), ${HEAD_BYTES + 1}
    local asked, count = at + (low - first) * bytes, high + 1 - low
    if till <= latest then ends = max(ends, till) end
    text = sub(text, 1, asked - 1) .. write(sub(forms[layout], 1, lengths[layout] * count), unpack(v, 1, size * count)) .. sub(text, asked + count * bytes)
    local out = 0
    while read('I8', text, at) <= now do at, out = at + bytes, out + 1 end
    local head = write('BI8', first + out + ${PLACES} * layout, ends)
    local batches = sub(batchTexts[b], out * (wholes[layout] - bytes) + 1)
    call('SET', KEYS[b + 4], head .. sub(text, at) .. batches, 'PX', format('%.0f', ends - now))
  end
end
`;
