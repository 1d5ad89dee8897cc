-- Loops and arithmetic: how many steps numbers take until they are 1.
local steps, longest = 0, 0
for i = 1, 700 do
  local x, n = i, 0
  while x ~= 1 do
    if x % 2 == 0 then
      x = x / 2
    else
      x = 3 * x + 1
    end
    n = n + 1
  end
  steps = steps + n
  longest = math.max(longest, n)
end
return steps .. " " .. longest
