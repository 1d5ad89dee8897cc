-- Strings: building, patterns and formatting.
local words = {}
for i = 1, 400 do
  words[#words + 1] = string.format("%s%d", string.char(97 + i % 26), i * i % 97)
end
local text = table.concat(words, " ")

local seen, distinct = {}, 0
for letter, digits in string.gmatch(text, "(%a)(%d+)") do
  local key = digits .. letter
  if not seen[key] then
    seen[key] = true
    distinct = distinct + 1
  end
end

local swapped = string.gsub(text, "(%a)(%d+)", "%2%1")
local out = ""
for i = 1, 200 do
  out = out .. string.sub(swapped, i, i):upper()
end
return distinct .. " " .. #swapped .. " " .. string.reverse(string.sub(out, 1, 12))
