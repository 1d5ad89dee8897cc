// Arrays and arithmetic: a sieve, a matrix product, and the sorting of numbers.
function sieve(n) {
  const composite = new Uint8Array(n);
  let count = 0;
  for (let i = 2; i < n; i++) {
    if (composite[i]) continue;
    count++;
    for (let j = i + i; j < n; j += i) composite[j] = 1;
  }
  return count;
}
function product(n) {
  const a = [], b = [];
  for (let i = 0; i < n; i++) {
    a.push([]); b.push([]);
    for (let j = 0; j < n; j++) { a[i].push((i * j) % 7 + 0.5); b[i].push((i + j) % 5); }
  }
  let trace = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i][k] * b[k][j];
      if (i === j) trace += sum;
    }
  return trace;
}
const list = [];
for (let i = 0, x = 7; i < 3000; i++) { x = (x * 75 + 74) % 65537; list.push(x); }
list.sort((a, b) => a - b);
[sieve(20000), product(24), list[0], list[1500], list[2999]].join(" ");
