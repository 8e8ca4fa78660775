/** Number of values in an answer before the grants. What each window has used follows these, and then all facts, unless the process knows them. */
export const FIXED_ANSWERS = 11;

/**
 * Grants units of the earliest slots with room; at most a part while other processes are needy. What is used of a step counts in those after it. Where the
 * next instance has no room either, that one takes longer to have some.
 */
export const GRANT: string = `local part = max(tonumber(A[7]), need, ceil(tonumber(A[6]) / (others + 1)))
local any, given, asked = want, 0, nil
if leaves or known < state.least or known > version or pauseMs > 0 or lookMs > 0 then any = 0 end
local open = others > 0 and min(any, part - tonumber(A[9])) or any
local answer = { sequence, now, version, pauseMs, lookMs, others, 0, 0, now - state.since, 0, 0 }
local totals, isTight = { A[2], 0 }, false
n = ${FIXED_ANSWERS}
p = firstSlot
local function roomOf(i)
  local most = free[i]
  while drains[i + 1] do
    i = i + 1
    if free[i] < most then most = free[i] end
  end
  return most
end
local function freeMs(i)
  if not joins[i] then return end
  if roomOf(i + 1) < need then return 0 end
  local batches = batchesOf(i)
  for _, batch in ipairs(batches) do
    if outBy(i, batches, batch[2]) >= need - roomOf(i) then return max(0, batch[2] - slidBy[i]) end
  end
end
for j = 1, slots do
  local to = tonumber(A[p])
  p = p + 1
  local total, wish, last, grant = tonumber(A[p + 1]), A[p + 2], p + 2 + 2 * A[p + 3], 0
  if wish ~= '0' then
    local room = wish == '2' and any - given or open
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
            if roomOf(i) < need then longest = max(longest, freeMs(i) or math.huge) end
          end
        end
        if longest < math.huge then answer[10] = longest end
      end
      if wish == '3' then room = min(room, max(need, plenty)) end
      if room >= need then
        grant, open, given, newly = room, open - room, given + room, newly + room
        for q = p + 4, last, 2 do
          for i = tonumber(A[q]), tonumber(A[q + 1]) do
            claimed[i], free[i], dirty[i] = claimed[i] + room, free[i] - room, true
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
    asked = asked or wish
  end
  answer[n + j], totals[j + 2] = grant, format('%s=%.0f', A[p], total + grant)
  p = last + 2
end
local isNeedy = asked and asked ~= '3' and given < want
`;
