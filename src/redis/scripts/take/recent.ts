import { RECENT_STRETCHES, STRETCH_MS } from '../../../sharing/store/store.ts';
import { LONGEST_TTL_MS, MOST } from '../../../sharing/store/store-rules.ts';

const VALUES: number = 2 + RECENT_STRETCHES;
const FORM: string = 'I8'.repeat(VALUES);

/**
 * What all processes claimed lately, this ask (newly) and earlier ones, by stretches of time, the present one first: see `recent-claims.ts`. After the clock
 * was set back it is not known what is recent.
 */
export const RECENT: string = `local newly, stretch, counted, recent = 0, floor(now / ${STRETCH_MS}), now, {}
for k = 1, ${RECENT_STRETCHES} do recent[k] = 0 end
if stored[4] and #stored[4] == ${8 * VALUES} then
  local kept = { read('${FORM}', stored[4]) }
  if kept[2] <= stretch then
    counted = kept[1]
    for k = 1, ${RECENT_STRETCHES} - stretch + kept[2] do recent[k + stretch - kept[2]] = min(kept[k + 2], ${MOST}) end
  end
end
local function recentSince(instant)
  local stretches, units = stretch - floor(instant / ${STRETCH_MS}) + 1, 0
  if stretches > ${RECENT_STRETCHES} or instant < counted then return math.huge end
  for k = 1, stretches do units = units + recent[k] + (k == 1 and newly or 0) end
  return units
end
`;

/** Keeps it. */
export const KEEP_RECENT: string = `if newly > 0 then
  recent[1] = min(recent[1] + newly, ${MOST})
  call('SET', KEYS[4], write('${FORM}', counted, stretch, unpack(recent)), 'PX', '${LONGEST_TTL_MS}')
end
`;
