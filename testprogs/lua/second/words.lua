-- Bytes of strings: a cipher, and a check of palindromes.
local text, out = "never odd or even was it a car or a cat i saw", {}
for round = 1, 12 do
  for i = 1, #text do
    local c = string.byte(text, i)
    if c >= 97 and c <= 122 then
      c = 97 + (c - 97 + round) % 26
    end
    out[#out + 1] = string.char(c)
  end
end
local all, same = table.concat(out), 0
for i = 1, #all - 4 do
  if string.byte(all, i) == string.byte(all, i + 4) then
    same = same + 1
  end
end
return same .. " " .. #all
