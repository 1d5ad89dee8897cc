//go:build ignore

// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only

// This program runs when a thread of the traced process reaches a probe. All probes of a
// session are one uprobe_multi link, and the cookie of a probe says which site it is. The
// program counts in maps; user space reads them. Nothing is sent per hit.
//
// The program is sleepable, so it reads pages that are not resident, too. It stays on its
// CPU, but another thread may run it there meanwhile. So it has no scratch memory per CPU,
// and adds to per-CPU counters with atomic instructions.

#include "bpf.h"

char LICENSE[] SEC("license") = "GPL";

// What a site is.
enum kind { ENTRY = 1, EXIT = 2, EDGE = 3, CALL = 4, LINE = 5 };

struct site {
	u32 func;
	u8 kind;
	u8 condition; // of EDGE: the low four bits of the jump's opcode
	u8 nwords;
	u8 timed;     // pair entries with exits
	u32 word;     // index of the first word
	u32 depth;    // bytes on the stack between its pointer at the function's entry and here
	u64 limit;    // hits per second on one CPU that switch the site off; 0 is no limit
	u64 off;      // when the program switched it off, in ns of the monotonic clock, or 0
};

struct count {
	u64 hits;
	u64 taken; // of EDGE: how often the jump was taken
	u64 window; // when the current second began
	u64 recent; // hits since then
};

// Where a word is and what may be recorded of it.
enum from { REGISTER = 0, MEMORY = 1 };
enum as { VALUE = 0, NIL = 1, TEXT = 2, SMALL = 3 };

// Numbers that are farther from 0 than that may be addresses. SMALL has HIDDEN for them.
#define FAR (1ULL << 22)
#define HIDDEN (1ULL << 63)

struct word {
	u8 from;
	u8 reg;       // number of the register, or of the base register of the address
	u8 size;      // in bytes: 1, 2, 4 or 8
	u8 as;        // NIL: 1 if it is not 0; TEXT: the string whose length is the next word; SMALL: see FAR
	s32 disp;     // of the address
	u32 bound;    // of distinct values in the table
	u32 distinct; // values in the table
	u64 other;    // words that were not counted: the bound was reached
	u64 full;     // likewise: the table was full
	u64 faults;   // words that could not be read
};

struct value {
	u32 word;
	u32 zero;
	u64 value;
};

enum { TEXT_SIZE = 48 };

struct text {
	u32 word;
	u32 length; // of the string; the key has its first TEXT_SIZE bytes
	u8 bytes[TEXT_SIZE];
};

// A call that has not returned. Stacks of goroutines move, so the distance from the top
// of the stack names the frame. A wrapper that jumps to its function has the same frame.
struct call {
	u64 goroutine;
	u32 frame;
	u32 func;
};

enum { BUCKETS = 48 };

struct durations {
	u64 calls;
	u64 ns;
	u64 unmatched; // exits without an entry: calls that began before the probes
	u64 replaced;  // entries of calls that never returned: panics, Goexit
	u64 full;      // entries that the table of calls had no room for
	u64 faults;    // the goroutine could not be read
	u64 bucket[BUCKETS]; // by the number of bits of the duration in ns
};

// User space sets the numbers of entries.
struct { uint(type, ARRAY); type(key, u32); type(value, struct site); uint(max_entries, 1); } sites SEC(".maps");
struct { uint(type, PERCPU_ARRAY); type(key, u32); type(value, struct count); uint(max_entries, 1); } counts SEC(".maps");
struct { uint(type, ARRAY); type(key, u32); type(value, struct word); uint(max_entries, 1); } words SEC(".maps");
struct { uint(type, HASH); type(key, struct value); type(value, u64); uint(max_entries, 1); } values SEC(".maps");
struct { uint(type, HASH); type(key, struct text); type(value, u64); uint(max_entries, 1); } texts SEC(".maps");
struct { uint(type, HASH); type(key, struct call); type(value, u64); uint(max_entries, 1); } calls SEC(".maps");
struct { uint(type, PERCPU_ARRAY); type(key, u32); type(value, struct durations); uint(max_entries, 1); } times SEC(".maps");

volatile const u32 goid_offset; // of the goroutine's number in runtime.g
volatile u32 generation;        // of the link whose hits count; the high half of its cookies
volatile u64 off;               // how many sites the program switched off

static inline void add(u64 *p, u64 n) { __sync_fetch_and_add(p, n); }

static inline int taken(u64 flags, u32 condition)
{
	u64 cf = flags & 1, pf = flags >> 2 & 1, zf = flags >> 6 & 1, sf = flags >> 7 & 1, of = flags >> 11 & 1, v;
	switch (condition >> 1) {
	case 0: v = of; break;
	case 1: v = cf; break;
	case 2: v = zf; break;
	case 3: v = cf | zf; break;
	case 4: v = sf; break;
	case 5: v = pf; break;
	case 6: v = sf ^ of; break;
	default: v = zf | (sf ^ of); break;
	}
	return v ^ (condition & 1);
}

struct hit {
	u64 r[16]; // registers by their numbers in instructions
	u32 first; // word
};

// operand reads a word. It returns 0, or an error if the memory cannot be read.
static inline long operand(struct hit *h, struct word *w, u64 *v)
{
	u64 x = h->r[w->reg & 15];
	u32 size = w->size;
	if (w->from == MEMORY) {
		const void *p = (const void *)(x + w->disp);
		x = 0;
		if (copy_from_user(&x, 8, p)) { // the page may end before 8 bytes
			x = 0;
			if (size == 8 || copy_from_user(&x, size == 4 ? 4 : size == 2 ? 2 : 1, p))
				return -1;
		}
	}
	if (size < 8)
		x &= (1ULL << (size * 8 & 63)) - 1;
	*v = x;
	return 0;
}

// tally adds 1 to a key of a table, if the bound of the word allows it.
static inline void tally(void *table, const void *key, struct word *w)
{
	u64 one = 1, *n = map_lookup(table, key);
	if (n) {
		add(n, 1);
		return;
	}
	if (w->distinct >= w->bound) {
		add(&w->other, 1);
		return;
	}
	if (map_update(table, key, &one, NOEXIST) == 0) {
		__sync_fetch_and_add(&w->distinct, 1);
		return;
	}
	n = map_lookup(table, key); // another thread was first?
	add(n ? n : &w->full, 1);
}

static long capture(u32 i, struct hit *h)
{
	u32 k = h->first + i, next = k + 1;
	struct word *w = map_lookup(&words, &k);
	if (!w)
		return 1;
	struct value key = {.word = k};
	if (operand(h, w, &key.value)) {
		add(&w->faults, 1);
		return 0;
	}
	if (w->as == TEXT) {
		struct text t = {.word = k};
		struct word *length = map_lookup(&words, &next);
		u64 n;
		if (!length)
			return 1;
		if (operand(h, length, &n)) {
			add(&w->faults, 1);
			return 0;
		}
		t.length = n;
		if (n > TEXT_SIZE)
			n = TEXT_SIZE;
		if (n && copy_from_user(t.bytes, n, (const void *)key.value)) {
			add(&w->faults, 1);
			return 0;
		}
		tally(&texts, &t, w);
		return 0;
	}
	if (w->as == NIL)
		key.value = key.value != 0;
	if (w->as == SMALL && key.value + FAR >= 2 * FAR)
		key.value = HIDDEN;
	tally(&values, &key, w);
	return 0;
}

static inline u32 bits(u64 x)
{
	u32 n = 0;
	if (x >> 32) { n += 32; x >>= 32; }
	if (x >> 16) { n += 16; x >>= 16; }
	if (x >> 8) { n += 8; x >>= 8; }
	if (x >> 4) { n += 4; x >>= 4; }
	if (x >> 2) { n += 2; x >>= 2; }
	if (x >> 1) { n += 1; x >>= 1; }
	return n + (u32)x;
}

// pair keeps when a call was entered, and adds its duration at its exit.
static inline void pair(struct regs *ctx, struct site *s)
{
	u32 func = s->func;
	struct durations *t = map_lookup(&times, &func);
	if (!t)
		return;
	u64 g = ctx->r14, goid = 0, top = 0, now = ktime();
	if (copy_from_user(&goid, 8, (const void *)(g + goid_offset)) || copy_from_user(&top, 8, (const void *)(g + 8))) {
		add(&t->faults, 1);
		return;
	}
	if (!goid) // the thread's own goroutine, g0
		goid = 1ULL << 63 | current_pid_tgid();
	struct call key = {.goroutine = goid, .frame = top - ctx->sp - s->depth, .func = func};
	u64 *begin = map_lookup(&calls, &key);
	if (s->kind == ENTRY) {
		if (begin) {
			add(&t->replaced, 1);
			*begin = now;
		} else if (map_update(&calls, &key, &now, ANY)) {
			add(&t->full, 1);
		}
		return;
	}
	if (!begin) {
		add(&t->unmatched, 1);
		return;
	}
	u64 ns = now - *begin;
	map_delete(&calls, &key);
	add(&t->calls, 1);
	add(&t->ns, ns);
	u32 b = bits(ns);
	if (b >= BUCKETS)
		b = BUCKETS - 1;
	add(&t->bucket[b], 1);
}

SEC("uprobe.multi.s")
int probe(struct regs *ctx)
{
	u64 cookie = attach_cookie(ctx);
	u32 i = cookie;
	if (cookie >> 32 != generation)
		return 0;
	struct site *s = map_lookup(&sites, &i);
	struct count *c = map_lookup(&counts, &i);
	if (!s || !c || s->off)
		return 0;
	if (s->limit) {
		u64 now = ktime();
		if (now - c->window >= 1000000000ULL) {
			c->window = now;
			c->recent = 0;
		}
		if (__sync_fetch_and_add(&c->recent, 1) >= s->limit) {
			if (__sync_val_compare_and_swap(&s->off, 0, now) == 0)
				__sync_fetch_and_add(&off, 1);
			return 0;
		}
	}
	add(&c->hits, 1);
	if (s->kind == EDGE && taken(ctx->flags, s->condition))
		add(&c->taken, 1);
	if (s->nwords) {
		struct hit h = {
			.r = {ctx->ax, ctx->cx, ctx->dx, ctx->bx, ctx->sp, ctx->bp, ctx->si, ctx->di,
			      ctx->r8, ctx->r9, ctx->r10, ctx->r11, ctx->r12, ctx->r13, ctx->r14, ctx->r15},
			.first = s->word,
		};
		loop(s->nwords, capture, &h, 0);
	}
	if (s->timed)
		pair(ctx, s);
	return 0;
}


// bpf2go makes Go types of these, too.
const enum kind *of_sites __attribute__((unused));
const enum from *of_words __attribute__((unused));
const enum as *of_values __attribute__((unused));
