-- Token buckets that all processes share: each bucket is a hash of its level and the time at which that was right.
-- A bucket that is full again is the same as one that was never used, so it may vanish by then.
local prefix, now, by = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local answers = {}
for at = 4, #ARGV, 3 do
  local key, rate, burst = prefix .. 'b:' .. ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local held = redis.call('HMGET', key, 'level', 'at')
  local level, last = tonumber(held[1] or burst), tonumber(held[2] or now)
  if now > last then
    level = math.min(burst, level + (now - last) / 1000 * rate)
    last = now
  end
  local wait, after = 0, math.min(burst, level - by)
  if by > 0 and level < by then
    wait, after = (by - level) / rate, level
  end
  redis.call('HSET', key, 'level', string.format('%.17g', after), 'at', string.format('%.0f', last))
  redis.call('PEXPIRE', key, math.ceil(burst / rate * 1000) + 60000)
  answers[#answers + 1] = string.format('%.17g', wait)
  answers[#answers + 1] = string.format('%.17g', level)
end
return answers
