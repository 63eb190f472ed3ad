-- One batch: every check first, then every change, so that an error in the middle cannot leave half of it behind.
-- Redis runs it as a whole; nobody else is served meanwhile, and with appendfsync always nobody hears of it before the
-- disk has it.
--
-- Keys, each behind the prefix: r:KIND hash of records; i:KIND ids in order; g:KIND:GROUP ids of a group; n:KIND
-- numbers by group; due by time; l:TOPIC lines; news the stream, newsno its last number; version the last version;
-- t:PROCESS the commits of a process that it may send again.
-- A record is its version, its time and its group, each with a line feed behind it, then the data.
local prefix, process, sequence, floor, news, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local at = 6

local function take()
  at = at + 1
  return ARGV[at]
end

local tokens = prefix .. 't:' .. process
if sequence ~= '' then
  if redis.call('ZSCORE', tokens, sequence) then
    return {'done'} -- sent again, because our answer was lost
  end
  local passed = redis.call('ZSCORE', tokens, 'floor')
  if passed and tonumber(sequence) <= tonumber(passed) then
    return {'late'} -- its process has long had another answer, or given it up
  end
end

local found = {}
local function name_of(kind, id)
  return kind .. '\0' .. id
end

for _ = 1, tonumber(take()) do
  local kind, id, version = take(), take(), take()
  local record = redis.call('HGET', prefix .. 'r:' .. kind, id)
  if (record and string.match(record, '^%d+') or '0') ~= version then
    return {'conflict', kind, id}
  end
  found[name_of(kind, id)] = record
end

local function leave_group(kind, group, id)
  redis.call('ZREM', prefix .. 'g:' .. kind .. ':' .. group, id)
  if redis.call('HINCRBY', prefix .. 'n:' .. kind, group, -1) == 0 then
    redis.call('HDEL', prefix .. 'n:' .. kind, group)
  end
end

local function parts_of(record)
  return string.match(record, '^%d+\n(%d*)\n([^\n]*)\n')
end

for _ = 1, tonumber(take()) do
  local kind, id = take(), take()
  local record = found[name_of(kind, id)]
  if record then
    local expires, group = parts_of(record)
    redis.call('HDEL', prefix .. 'r:' .. kind, id)
    redis.call('ZREM', prefix .. 'i:' .. kind, id)
    leave_group(kind, group, id)
    if expires ~= '' then
      redis.call('ZREM', prefix .. 'due', name_of(kind, id))
    end
    found[name_of(kind, id)] = false
  end
end

local puts = tonumber(take())
local version = puts > 0 and redis.call('INCRBY', prefix .. 'version', puts) - puts or 0
for number = 1, puts do
  local kind, id, group, expires, data = take(), take(), take(), take(), take()
  local record = found[name_of(kind, id)]
  local was, of
  if record then
    was, of = parts_of(record)
  else
    was = ''
    redis.call('ZADD', prefix .. 'i:' .. kind, 0, id)
  end
  if of ~= group then
    if of then
      leave_group(kind, of, id)
    end
    redis.call('ZADD', prefix .. 'g:' .. kind .. ':' .. group, 0, id)
    redis.call('HINCRBY', prefix .. 'n:' .. kind, group, 1)
  end
  if was ~= expires then
    if expires == '' then
      redis.call('ZREM', prefix .. 'due', name_of(kind, id))
    else
      redis.call('ZADD', prefix .. 'due', expires, name_of(kind, id))
    end
  end
  local whole = string.format('%.0f', version + number) .. '\n' .. expires .. '\n' .. group .. '\n' .. data
  redis.call('HSET', prefix .. 'r:' .. kind, id, whole)
  found[name_of(kind, id)] = whole
end

for _ = 1, tonumber(take()) do
  redis.call('DEL', prefix .. 'l:' .. take())
end

for _ = 1, tonumber(take()) do
  local topic, keep, data = take(), take(), take()
  local last = redis.call('LINDEX', prefix .. 'l:' .. topic, -1)
  local number = last and tonumber(string.match(last, '^%d+')) + 1 or 1
  redis.call('RPUSH', prefix .. 'l:' .. topic, string.format('%.0f', number) .. '\n' .. data)
  redis.call('LTRIM', prefix .. 'l:' .. topic, -tonumber(keep), -1)
end

if news ~= '' then
  local number = redis.call('INCR', prefix .. 'newsno')
  redis.call('XADD', prefix .. 'news', 'MAXLEN', '~', most, '*', 'n', number, 'd', news)
end

if sequence ~= '' then
  redis.call('ZREMRANGEBYSCORE', tokens, '-inf', floor)
  redis.call('ZADD', tokens, floor, 'floor', sequence, sequence)
  redis.call('EXPIRE', tokens, 86400)
end
return {'ok'}
