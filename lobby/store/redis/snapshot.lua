-- Everything at one moment: nobody else is served while this reads. For back-ups; it takes about a second per million
-- records and writes nothing.
local prefix = ARGV[1]

local function named(part)
  local cursor, seen, found = '0', {}, {}
  repeat
    local page = redis.call('SCAN', cursor, 'MATCH', prefix .. part .. '*', 'COUNT', 1000)
    cursor = page[1]
    for _, key in ipairs(page[2]) do
      if not seen[key] then -- a table that grows or shrinks shows some keys twice
        seen[key] = true
        found[#found + 1] = key
      end
    end
  until cursor == '0'
  return found
end

local records, lines = {}, {}
for _, key in ipairs(named('r:')) do
  records[#records + 1] = string.sub(key, #prefix + 3)
  records[#records + 1] = redis.call('HGETALL', key)
end
for _, key in ipairs(named('l:')) do
  lines[#lines + 1] = string.sub(key, #prefix + 3)
  lines[#lines + 1] = redis.call('LRANGE', key, 0, -1)
end
return {records, lines}
