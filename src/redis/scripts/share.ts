import { FACTS, NONSENSE_FACTS, NOT_DRAINING } from '../../sharing/store/store-rules.ts';
import { STATE } from './state.ts';

/**
 * Merges facts. Of two shapes (`s:…`, `<epoch> <bits>`) the one with the higher epoch is kept; with equal epochs the bits are
 * combined by OR. Any other fact is replaced. KEYS: state, facts. ARGV: the version known to the caller, then fields and values.
 * Returns `now`, the version, and all fields and values if the version is another.
 *
 * If the state was lost but the facts were not (isNews), a new version makes every process read them. A process must know before it is granted units
 * that a limit or the epoch of a shape has changed, or that a window is known to drain (isBinding).
 */
export const SHARE: string = `${STATE}
local facts, known = KEYS[2], {}
local count = redis.pcall('HLEN', facts)
if type(count) ~= 'number' or count > ${NONSENSE_FACTS} then
  redis.call('DEL', facts)
  count = 0
end
local state = readState(redis.call('MGET', KEYS[1])[1])
local isNews, told, fields = state.version == 0 and count > 0, {}, {}
local isBinding = isNews
for i = 2, #ARGV, 2 do fields[#fields + 1] = ARGV[i] end
if #fields > 0 then known = redis.call('HMGET', facts, unpack(fields)) end
for i, field in ipairs(fields) do
  local old, new, kind = known[i], ARGV[2 * i + 1], string.sub(field, 1, 2)
  local binds = kind == 'l:'
  if kind == 's:' then
    local oldEpoch, oldBits = string.match(old or '', '^(%d+) (%d+)$')
    local epoch, bits = string.match(new, '^(%d+) (%d+)$')
    oldEpoch, oldBits = tonumber(oldEpoch), tonumber(oldBits)
    if oldEpoch and oldEpoch < 1e14 and oldBits < 2147483648 then
      if oldEpoch > tonumber(epoch) then new = old
      elseif oldEpoch == tonumber(epoch) then new = string.format('%s %.0f', epoch, bit.bor(oldBits, tonumber(bits))) end
      binds = tonumber(epoch) > oldEpoch
    else binds = tonumber(epoch) > 0 end
    binds = binds or bit.band(tonumber(string.match(new, '%d+$')), ${NOT_DRAINING}) == ${NOT_DRAINING}
  end
  if new ~= old and (old or count < ${FACTS}) then
    if not old then count = count + 1 end
    told[#told + 1] = field
    told[#told + 1] = new
    isBinding = isBinding or binds
  end
end
if #told > 0 then
  redis.call('HSET', facts, unpack(told))
  isNews = true
end
if isNews then state.version = state.version + 1 end
if isBinding then state.least = state.version end
if isNews or state.isDue then writeState(KEYS[1], facts, state) end
if state.version == tonumber(ARGV[1]) then return { now, state.version } end
return { now, state.version, unpack(redis.call('HGETALL', facts)) }
`;
