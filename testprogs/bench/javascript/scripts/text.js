// Strings, regular expressions and JSON: words of a text, counted and rewritten.
const words = "the quick brown fox jumps over the lazy dog while naïve café owners wait for their 42 orders of 7 cups".split(" ");
let text = "";
for (let i = 0; i < 600; i++) text += words[(i * i + 3 * i) % words.length] + (i % 11 ? " " : ". ");
const counts = {};
for (const w of text.match(/[\wé-ü]+/g)) counts[w] = (counts[w] || 0) + 1;
const back = JSON.parse(JSON.stringify({ counts, text }));
const upper = back.text.replace(/\b([a-z])(\w*)/g, (_, a, b) => a.toUpperCase() + b);
let hash = 0;
for (let i = 0; i < upper.length; i++) hash = (hash * 31 + upper.charCodeAt(i)) | 0;
Object.keys(back.counts).sort().map(k => k + back.counts[k]).join() + hash;
