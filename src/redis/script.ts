/**
 * What Redis does in one trip, all of it at once: it books what a process claims, hands out parts of windows, and keeps
 * what processes tell each other. How to pace is not its business.
 *
 * A window is cut into ten slices, numbered from the epoch of the service's clock. In the hash of a period, `<slice>` is
 * what all processes together claim there, `<slice>:<process>` what one does, `f<slice>` what strangers spent, `u<slice>`
 * the most that the service said was used, and `h<process>` what of a long window a process holds unspent, since when.
 *
 * A claim is a total and no difference, so a trip may be made twice, or its answer be lost: the next one puts all right.
 *
 * KEYS: the members, the knowledge, then a hash for each period, longest first. ARGV[1]: the request as JSON.
 */
export const SCRIPT = `
local ask = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local spoilt = {}

-- A key of another kind is somebody else's, or a mistake: start afresh.
local function claim(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
    spoilt[#spoilt + 1] = key
  end
end

-- Nothing that is read is trusted to be a sensible number.
local function sensible(key, value)
  if not value then return 0 end
  local number = tonumber(value)
  if number and number >= 0 and number < 1e14 then return number end
  spoilt[#spoilt + 1] = key
  return 0
end

local function get(key, field) return sensible(key, redis.call('HGET', key, field)) end
local function set(key, field, number) redis.call('HSET', key, field, string.format('%.14g', number)) end

-- Who has work, in an order that all agree on.
local members, knowledge = KEYS[1], KEYS[2]
claim(members, 'zset')
claim(knowledge, 'hash')
local sequence = 'q:' .. ask.me
if get(knowledge, sequence) >= ask.sequence then return cjson.encode({ now = now, stale = 1 }) end
set(knowledge, sequence, ask.sequence)
redis.call('PEXPIRE', knowledge, 3600000)
if ask.work then redis.call('ZADD', members, now, ask.me) else redis.call('ZREM', members, ask.me) end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', now - 60000, 'LIMIT', 0, 32)) do
  redis.call('ZREM', members, gone)
  redis.call('HDEL', knowledge, 'q:' .. gone)
end
redis.call('PEXPIRE', members, 120000)
local live = redis.call('ZRANGEBYSCORE', members, now - ask.live, '+inf')
local peers, rank = math.max(1, #live), 0
for _, name in ipairs(live) do
  if name < ask.me then rank = rank + 1 end
end

-- A memory that has just been made may have been made in place of one that was lost; and who could not reach it for a
-- while is not alone in that. What others spent meanwhile is not booked yet, so for a moment nobody gets more than its part.
local born = get(knowledge, 'born')
if born == 0 or born > now then
  born = now
  set(knowledge, 'born', born)
end
local isFresh = now - born < 3000 or ask.returning
if isFresh and ask.peers > peers then peers = ask.peers end

-- While little is known one process looks and the others wait, for six seconds at most, and not again.
local scout, scoutUntil = redis.call('HGET', knowledge, 'scout'), get(knowledge, 'scoutUntil')
if scoutUntil < now or scoutUntil > now + 6000 then scout = false end
if not scout and ask.doubt and get(knowledge, 'scouted') == 0 then
  scout = ask.me
  redis.call('HSET', knowledge, 'scout', ask.me)
  set(knowledge, 'scoutSince', now)
end
if scout == ask.me then
  local isLong = math.abs(now - get(knowledge, 'scoutSince')) > 6000
  if isLong then set(knowledge, 'scouted', now) end
  if isLong or not ask.doubt then scout = false end
  set(knowledge, 'scoutUntil', scout and now + 1000 or 0)
end
local who = 0
if scout then who = scout == ask.me and 1 or 2 end

local function total(key, from, to)
  local fields = {}
  for slice = from, to do
    fields[#fields + 1] = string.format('%.0f', slice)
    fields[#fields + 1] = string.format('f%.0f', slice)
  end
  local sum = 0
  for _, value in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if value then sum = sum + sensible(key, value) end
  end
  return sum
end

-- What a process holds of a long window is taken from it when it has not been heard of for half a minute.
local function reap(key)
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local name = string.match(all[i], '^h(.+)$')
    local held, slice, since = string.match(all[i + 1], '^(%S+) (%S+) (%S+)$')
    if name and name ~= ask.me and (not since or sensible(key, since) < now - 30000) then
      redis.call('HDEL', key, all[i])
      if slice then
        held = sensible(key, held)
        set(key, slice, math.max(0, get(key, slice) - held))
        local own = slice .. ':' .. name
        set(key, own, math.max(0, get(key, own) - held))
      end
    end
  end
end

local function sweep(key, oldest)
  for _, field in ipairs(redis.call('HKEYS', key)) do
    local slice = tonumber(string.match(field, '^[fu]?(%d+)'))
    if slice and slice < oldest then redis.call('HDEL', key, field) end
  end
end

local grants, lefts, useds, strangers = {}, {}, {}, {}
local room = 1e14
for i, window in ipairs(ask.windows) do
  local key = KEYS[i + 2]
  claim(key, 'hash')
  if window.long and get(key, 'reaped') < now - 5000 then
    set(key, 'reaped', now)
    reap(key)
  end

  -- What a process claims beyond what it was given it spent on its own: whoever saw that before took it for a stranger's.
  for _, claimed in ipairs(window.claims) do
    local slice = string.format('%.0f', claimed[1])
    local own = slice .. ':' .. ask.me
    local more = claimed[2] - get(key, own)
    if more ~= 0 then
      set(key, own, claimed[2])
      set(key, slice, math.max(0, get(key, slice) + more))
      if more > 0 then set(key, 'f' .. slice, math.max(0, get(key, 'f' .. slice) - more)) end
    end
  end

  -- The service counted more than all of us can have spent: the rest is a stranger's.
  strangers[i] = 0
  if window.said then
    local slice = string.format('%.0f', window.said.slice)
    local more = window.said.used - total(key, window.said.from, window.said.to)
    if more > 0 then
      strangers[i] = more
      set(key, 'f' .. slice, get(key, 'f' .. slice) + more)
    end
    if window.said.used > get(key, 'u' .. slice) then set(key, 'u' .. slice, window.said.used) end
  end

  local given, held = 0, window.held
  grants[i], lefts[i], useds[i] = {}, {}, {}
  for j, wish in ipairs(window.wishes) do
    local slice = string.format('%.0f', wish.slice)
    local own = slice .. ':' .. ask.me
    local left = window.limit - total(key, wish.from, wish.to)
    -- The service named an end, and it is past: of all processes one may try what a sliding window would not bear.
    local mayTry = wish.try and left < wish.need and total(key, wish.try, wish.to) == 0
    if mayTry and get(key, 'tried') < now - window.length / 2 then
      set(key, 'tried', now)
      left = wish.need
    end

    -- The parts of all processes add up to the window, whatever is left over when it is divided.
    local part = math.floor((window.limit + (rank + math.floor(wish.slice / 10)) % peers) / peers)
    local mine = get(key, own)
    local due = math.max(0, part - mine)
    local fair = due
    if wish.need > part then fair = math.max(due, wish.need) end
    if wish.late and not isFresh then
      fair = math.max(fair, wish.need, due + math.ceil(math.max(0, left - due) / (2 * peers)))
    end
    if not wish.ahead then fair = math.min(fair, math.max(wish.need, math.ceil(left / 2))) end
    local grant = math.floor(math.min(wish.want, left, fair, wish.most, room - held - given))
    if grant < wish.need or grant < 0 then grant = 0 end
    if grant > 0 then
      set(key, own, mine + grant)
      set(key, slice, get(key, slice) + grant)
      given = given + grant
    end
    grants[i][j], lefts[i][j], useds[i][j] = grant, left - grant, get(key, 'u' .. slice)
  end
  -- What a longer window does not bear need not be asked of a shorter one.
  room = math.min(room, held + given)

  if window.long and #window.claims + #window.wishes > 0 then
    local last = window.wishes[1] and window.wishes[1].slice or window.claims[1][1]
    if held + given > 0 then
      redis.call('HSET', key, 'h' .. ask.me, string.format('%.14g %.0f %.0f', held + given, last, now))
    else
      redis.call('HDEL', key, 'h' .. ask.me)
    end
  end
  redis.call('PEXPIRE', key, window.keep)
  if redis.call('HLEN', key) > 60 + 30 * peers then sweep(key, window.oldest) end
end

-- What processes tell each other.
local isNews = false
for field, value in pairs(ask.tell) do
  local isNewer = true
  if string.sub(field, 1, 2) == 's:' then
    -- What one has ruled out is ruled out for all, until it comes back for all.
    local known = redis.call('HGET', knowledge, field)
    local epoch, dead = string.match(known or '', '^(%d+) (%d+)$')
    local newEpoch, newDead = string.match(value, '^(%d+) (%d+)$')
    if epoch and tonumber(epoch) > tonumber(newEpoch) then isNewer = false end
    if epoch == newEpoch then value = newEpoch .. ' ' .. bit.bor(tonumber(dead), tonumber(newDead)) end
    isNewer = isNewer and value ~= known
  end
  if isNewer and redis.call('HGET', knowledge, field) ~= value then
    redis.call('HSET', knowledge, field, value)
    isNews = true
  end
end

-- A clock may be set back, and anybody may write: a pause has begun, and lasts an hour at most. One that is over is
-- forgotten, so that it is not in force again when its time comes back.
local pause, pauseSince = get(knowledge, 'pause'), get(knowledge, 'pauseSince')
if pause > 0 and (pause <= now or pauseSince > now or pause > pauseSince + 3600000) then
  redis.call('HDEL', knowledge, 'pause', 'pauseSince')
  pause = 0
end
local pauseMs = math.min(ask.pause, 3600000)
if pauseMs > 0 and now + pauseMs > pause then
  pause = now + pauseMs
  set(knowledge, 'pause', pause)
  set(knowledge, 'pauseSince', now)
end
local version = get(knowledge, 'version')
if isNews then
  version = version + 1
  set(knowledge, 'version', version)
end
local known = nil
if version ~= ask.version or born ~= ask.born then known = redis.call('HGETALL', knowledge) end

return cjson.encode({
  now = now, born = born, peers = peers, scout = who, version = version, pause = math.max(0, pause - now),
  grants = grants, left = lefts, used = useds, strangers = strangers, known = known, spoilt = spoilt,
})
`;
