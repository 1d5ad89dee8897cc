// A grid of cells that live and die (Conway), in arrays of arrays.
let cells = [];
for (let y = 0; y < 32; y++) {
  cells.push([]);
  for (let x = 0; x < 32; x++) cells[y].push((x * 7 + y * 13 + x * y) % 5 < 2);
}
for (let n = 0; n < 8; n++) {
  cells = cells.map((row, y) => row.map((alive, x) => {
    let around = 0;
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++)
        if ((dx || dy) && cells[(y + dy + 32) % 32][(x + dx + 32) % 32]) around++;
    return around === 3 || alive && around === 2;
  }));
}
cells.map(row => row.filter(alive => alive).length).join(" ");
