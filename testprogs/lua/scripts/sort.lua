-- Tables: sorting records by table.sort with a closure, and by an insertion
-- sort in Lua itself, until both agree.
local seed = 42
local function random(limit)
  seed = (seed * 16807) % 2147483647
  return seed % limit
end

local records = {}
for i = 1, 600 do
  records[i] = { key = random(5000), id = i }
end

local function less(a, b)
  if a.key ~= b.key then
    return a.key < b.key
  end
  return a.id < b.id
end

local slow = {}
for i = 1, 150 do
  local r = records[i]
  local j = i
  while j > 1 and less(r, slow[j - 1]) do
    slow[j] = slow[j - 1]
    j = j - 1
  end
  slow[j] = r
end

local fast = {}
for i = 1, 150 do
  fast[i] = records[i]
end
table.sort(fast, less)
for i = 1, #fast do
  assert(fast[i] == slow[i], "the sorts disagree")
end

table.sort(records, less)
local sum = 0
for i, r in ipairs(records) do
  sum = (sum * 31 + r.id * i) % 1000003
end
return sum
