import { MOST, PARTS } from '../../../sharing/store/store-rules.ts';
import { RECENT } from './recent.ts';

/**
 * Books the totals of an ask.
 *
 * They are booked as differences to the account, those of all slots of a window together: what only changes its slot claims nothing, and is not new. New
 * claims are subtracted from strangers: units spent without a grant were counted there.
 *
 * A step of a window that drains has what did not drain of the step before (carry).
 */
export const BOOK_TOTALS: string = `${RECENT}local function carry(i)
  local own, left = ${PARTS} * (claimed[i - 1] + strangers[i - 1]), carried[i - 1] or 0
  over[i] = ceil((own + left) / ${PARTS})
  left = own + max(0, left - drains[i])
  if left ~= carried[i] then carried[i], dirty[i] = left, true end
end

local firstSlot, changes = p, {}
for _ = 1, slots do
  local to = tonumber(A[p])
  p = p + 1
  local more, last = tonumber(A[p + 1]), p + 2 + 2 * A[p + 3]
  if account ~= '' then
    local _, to = find(account, ' ' .. A[p] .. '=', 1, true)
    if to then more = more - sane(match(account, '^%d+', to + 1), ${MOST}) end
  end
  if more ~= 0 then
    newly = newly + more
    for q = p + 4, last, 2 do
      for i = tonumber(A[q]), tonumber(A[q + 1]) do changes[i] = (changes[i] or 0) + more end
      touch(q, more, to)
    end
  end
  p = last + 2
end
for i, more in pairs(changes) do
  if more ~= 0 then claimed[i], dirty[i] = min(max(0, claimed[i] + more), mostClaimed(limits[i])), true end
  if more > 0 then strangers[i] = max(0, strangers[i] - more) end
end
newly = max(0, newly)

`;

/**
 * Applies the readings.
 *
 * Units beyond all claims are strangers'; where one bounds usage from above, claims that were not counted are removed, but for recent ones.
 * No reading tells when strangers' units slide out: by a recent one they count in the instances after it, too.
 */
export const APPLY_READINGS: string = `local missing = recentSince(tonumber(A[16]))
local beyond
for i = 1, windows do
  if drains[i] then carry(i) end
  local c, s, o, before = claimed[i], strangers[i], over[i], joins[i - 1] and beyond or 0
  local more = max(before, said[i] - c - s - o)
  beyond = bounds[i] and more or before
  s = s + more
  local excess = max(0, c + s - max(said[i], bounds[i] or math.huge) - missing)
  local part = min(excess, s)
  claimed[i], strangers[i] = c - excess + part, s - part
  dirty[i] = dirty[i] or more + excess > 0
  free[i] = free[i] - claimed[i] - strangers[i] - o
end

`;
