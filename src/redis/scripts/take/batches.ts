import { BATCHES } from '../../../sharing/store/batches.ts';

/**
 * Keeps when units of an instance that slides slide out of it.
 *
 * Of the instances in which a slot counts the last has it in its batches: the next does not count it. Of too many batches two that follow each
 * other become one, those whose units wait the least for that. Units are returned of the last batch that ends no later than their slot, and of those before.
 * Once batches count no more, an instance that slides holds no more than the next one and the later batches.
 */
export const KEEP_BATCHES: string = `local function batchesOf(i)
  local all, v = {}, { read(batchForm, batchTexts[blockOf[i]], from[i] + 1) }
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
  setBatches(i, write(batchForm, unpack(v)))
  dirty[i] = true
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

local function touch(q, more, to)
  local last = tonumber(A[q + 1])
  for i = tonumber(A[q]), last do
    if slidBy[i] and not (joins[i] and i < last) then toBatches(i, more, to) end
  end
end
local function outBy(i, batches, time)
  local out, left = 0, 0
  for _, batch in ipairs(batches) do
    if batch[2] <= time then out = out + batch[1] else left = left + batch[1] end
  end
  local c = claimed[i] - claimed[i + 1]
  return min(out, max(0, max(0, min(c, c + strangers[i] - strangers[i + 1])) - left))
end
`;

/** Takes off what has slid out. All batches are read only where the first one, which ends first, has. */
export const SLIDE_OUT: string = `local out, later = {}, {}
for i in pairs(joins) do
  local units, to = read('I8I8', batchTexts[blockOf[i]], from[i] + 1)
  if to <= slidBy[i] and units + to > 0 then
    local batches, kept = batchesOf(i), {}
    for _, batch in ipairs(batches) do
      if batch[2] > slidBy[i] then kept[#kept + 1] = batch end
    end
    if #kept < #batches then out[i], later[i] = outBy(i, batches, slidBy[i]), kept end
  end
end
for i, units in pairs(out) do
  claimed[i], said[i] = claimed[i] - units, max(0, said[i] - units)
  keepBatches(i, later[i])
end

`;
