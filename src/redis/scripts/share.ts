import { FACTS, NONSENSE_FACTS } from '../../sharing/store-rules.ts';
import { STATE } from './state.ts';

/**
 * Merges facts. Of two shapes (`s:…`, `<epoch> <bits>`) the one with the higher epoch is kept; with equal epochs the bits are
 * combined by OR. Any other fact is replaced. KEYS: state, facts. ARGV: the version known to the caller, then fields and values.
 * Returns `now`, the version, and all fields and values if the version is another.
 */
export const SHARE: string = `${STATE}
local facts, known = KEYS[2], {}
local count = redis.pcall('HLEN', facts)
if type(count) ~= 'number' or count > ${NONSENSE_FACTS} then
  redis.call('DEL', facts)
  count = 0
end
local version, pause, urgent, since, isDue = readState(redis.call('MGET', KEYS[1])[1])
-- If the state was lost but the facts were not, a new version makes every process read them.
local isNews, told, fields = version == 0 and count > 0, {}, {}
for i = 2, #ARGV, 2 do fields[#fields + 1] = ARGV[i] end
if #fields > 0 then known = redis.call('HMGET', facts, unpack(fields)) end
for i, field in ipairs(fields) do
  local old, new = known[i], ARGV[2 * i + 1]
  if old and string.sub(field, 1, 2) == 's:' then
    local oldEpoch, oldBits = string.match(old, '^(%d+) (%d+)$')
    local epoch, bits = string.match(new, '^(%d+) (%d+)$')
    oldEpoch, oldBits = tonumber(oldEpoch), tonumber(oldBits)
    if oldEpoch and oldEpoch < 1e14 and oldBits < 2147483648 then
      if oldEpoch > tonumber(epoch) then new = old
      elseif oldEpoch == tonumber(epoch) then new = string.format('%s %.0f', epoch, bit.bor(oldBits, tonumber(bits))) end
    end
  end
  if new ~= old and (old or count < ${FACTS}) then
    if not old then count = count + 1 end
    told[#told + 1] = field
    told[#told + 1] = new
  end
end
if #told > 0 then
  redis.call('HSET', facts, unpack(told))
  isNews = true
end
if isNews then version = version + 1 end
if isNews or isDue then writeState(KEYS[1], facts, version, pause, urgent, since) end
if version == tonumber(ARGV[1]) then return { now, version } end
return { now, version, unpack(redis.call('HGETALL', facts)) }
`;
