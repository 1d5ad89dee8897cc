-- Metatables and closures: stacks of numbers that inherit from each other.
local Stack = {}
Stack.__index = Stack
function Stack.new() return setmetatable({ n = 0 }, Stack) end
function Stack:push(x)
  self.n = self.n + 1
  self[self.n] = x
end
function Stack:pop()
  local x = self[self.n]
  self[self.n] = nil
  self.n = self.n - 1
  return x
end
local Adding = setmetatable({ __index = nil }, { __index = Stack })
Adding.__index = Adding
function Adding:push(x)
  Stack.push(self, x + (self[self.n] or 0) % 7)
end
local function counter()
  local n = 0
  return function()
    n = n + 1
    return n
  end
end
local a, b, next = Stack.new(), setmetatable({ n = 0 }, Adding), counter()
local sum = 0
for _ = 1, 2500 do
  a:push(next())
  b:push(next())
  if next() % 5 == 0 then
    sum = sum + a:pop() + b:pop()
  end
end
return sum .. " " .. a.n .. " " .. b.n
