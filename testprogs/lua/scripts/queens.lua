-- Backtracking: the number of ways to place n queens, and the first of them.
local n = 7
local column, up, down = {}, {}, {}
local place = {}
local solutions, first = 0, nil

local function try(row)
  if row > n then
    solutions = solutions + 1
    first = first or table.concat(place, "")
    return
  end
  for c = 1, n do
    local u, d = row + c, row - c + n
    if not (column[c] or up[u] or down[d]) then
      column[c], up[u], down[d] = true, true, true
      place[row] = c
      try(row + 1)
      column[c], up[u], down[d] = false, false, false
    end
  end
end

try(1)
return solutions .. " " .. first
