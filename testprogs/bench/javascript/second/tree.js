// A binary tree of objects without classes, generators, and exceptions.
function insert(node, key) {
  if (!node) return { key, left: null, right: null };
  if (key === node.key) throw new RangeError("twice: " + key);
  if (key < node.key) node.left = insert(node.left, key); else node.right = insert(node.right, key);
  return node;
}
function* inOrder(node) {
  if (!node) return;
  yield* inOrder(node.left);
  yield node.key;
  yield* inOrder(node.right);
}
let root = null, twice = 0;
for (let i = 0, x = 3; i < 900; i++) {
  x = (x * 171 + 11213) % 53125;
  try { root = insert(root, x % 2000); } catch (e) { twice++; }
}
let sum = 0, n = 0;
for (const key of inOrder(root)) sum = (sum * 3 + key * ++n) % 1000003;
[sum, n, twice].join(" ");
