// Objects with prototypes, closures and maps: a queue of events that change accounts.
class Account {
  constructor(name) { this.name = name; this.balance = 0; this.log = []; }
  apply(event) {
    if (event.amount < 0 && this.balance + event.amount < 0) { this.log.push("refused"); return false; }
    this.balance += event.amount;
    this.log.push(event.kind);
    return true;
  }
}
class Savings extends Account {
  apply(event) { return super.apply(event.kind === "fee" ? { kind: "free", amount: 0 } : event); }
}
let seed = 42;
const next = n => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
const accounts = new Map();
for (let i = 0; i < 40; i++) accounts.set("a" + i, i % 3 ? new Account("a" + i) : new Savings("a" + i));
const kinds = ["deposit", "withdrawal", "fee"];
let applied = 0;
for (let i = 0; i < 9000; i++) {
  const kind = kinds[next(3)];
  const amount = kind === "deposit" ? next(1000) : -next(300);
  if (accounts.get("a" + next(40)).apply({ kind, amount })) applied++;
}
[...accounts.values()].map(a => a.name + ":" + a.balance + ":" + a.log.filter(k => k === "refused").length).sort().join(",") + applied;
