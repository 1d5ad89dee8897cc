//go:build ignore

// This program runs when a thread of the traced process reaches a probe. All probes of a
// session are one uprobe_multi link, and the cookie of a probe says which site it is. The
// program counts in maps; user space reads them. Nothing is sent per hit.
//
// The program is sleepable, so it reads pages that are not resident, too. It stays on its
// CPU, but another thread may run it there meanwhile. So it adds to per-CPU counters with
// atomic instructions, and its scratch memory is slots that it takes and gives back.
//
// A fused probe stands at an instruction that the kernel emulates, and interprets forward
// from there to the instruction whose operands are wanted, which would be dear to probe.

#include "../run.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { MAP_DEFAULT = 0 }; // of map_update: whether the key is there or not

static long (*map_delete)(void *map, const void *key) = (void *)3;
static long (*copy_from_user)(void *to, u32 n, const void *addr) = (void *)148;

#define NAME(x) x##_probe
#define READ(to, n, addr) copy_from_user(to, n, (const void *)(addr))
#include "../interp.h"

// What a site is.
enum kind { ENTRY = 1, EXIT = 2, EDGE = 3, CALL = 4, LINE = 5 };

struct site {
	u32 func;
	u8 kind;
	u8 condition; // low four bits of the opcode, if the site is a conditional jump
	u8 nwords;
	u8 timed;     // pair entries with exits
	u8 direction; // of a fused probe at a conditional jump: which executions are meant
	u8 unused;
	u16 steps;    // of a fused probe: instructions to interpret; 0 for other probes
	u32 word;     // index of the first word
	u32 depth;    // bytes on the stack between its pointer at the function's entry and here
	u64 limit;    // hits on one CPU that, in less than a second, switch the site off; 0 is no limit
	u32 op;       // of a fused probe: index of the op at which it stands
	u64 arrives;  // of a fused probe: address of the instruction that is wanted
	u64 off;      // when the program switched it off, in ns of the monotonic clock, or 0
};

enum direction { ANY = 0, NOT_TAKEN = 1, TAKEN = 2 };

struct hits {
	u64 hits;
	u64 taken; // of EDGE: how often the jump was taken
	u64 others; // executions that are no hits: the jump led elsewhere, or the site was off
	u64 window; // when the hits that count for the limit began
	u64 recent; // hits since then
};

// Where a word is and what may be recorded of it.
enum from { HELD = 0, STORED = 1, POINTED = 2 };
enum as { VALUE = 0, NIL = 1, TEXT = 2, SMALL = 3, ITAB = 4 };

// Numbers that are farther from 0 than that may be addresses. SMALL has HIDDEN for them.
#define FAR (1ULL << 22)
#define HIDDEN (1ULL << 63)

struct word {
	u8 from;
	u8 reg;       // number of the register, or of the base register of the address
	u8 size;      // in bytes: 1, 2, 4 or 8
	u8 as;        // NIL: 1 if it is not 0; TEXT: the string whose length is the next word; SMALL: see FAR; ITAB: see itabs
	s32 disp;     // of the address
	s32 then;     // of POINTED: the address there leads to the word, at this distance
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

// Scratch memory of the interpreter, with room for probes that run at the same time.
enum { SLOTS = 256, TRIES = 4 };

struct slot {
	u64 busy;
	struct run run;
};

// User space sets the numbers of entries.
#define MAP(kind, k, v, name) struct { UINT(type, kind); TYPE(key, k); TYPE(value, v); UINT(max_entries, 1); } name SEC(".maps")
MAP(MAP_ARRAY, u32, struct site, sites);
MAP(MAP_PERCPU_ARRAY, u32, struct hits, counts);
MAP(MAP_ARRAY, u32, struct word, words);
MAP(MAP_HASH, struct value, u64, values);
MAP(MAP_HASH, struct text, u64, texts);
MAP(MAP_HASH, u64, u64, itabs); // the type that each itab has. A read takes as long as a hit, so itabs are read once
MAP(MAP_HASH, struct call, u64, calls);
MAP(MAP_PERCPU_ARRAY, u32, struct durations, times);
MAP(MAP_ARRAY, u32, u64, ends); // by function: when its calls were timed no longer, in ns of the monotonic clock, or 0
MAP(MAP_ARRAY, u32, struct slot, slots);

volatile const u32 goid_offset; // of the goroutine's number in runtime.g
volatile const u32 interprets;  // there are fused probes
volatile u32 generation;        // of the link whose hits count; the high half of its cookies
volatile u64 off;               // how many sites the program switched off

INLINE void add(u64 *p, u64 n) { __sync_fetch_and_add(p, n); }

INLINE int taken(u64 flags, u32 condition)
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
	struct run *run; // of a fused probe
	u32 known; // which registers are known
	u32 first; // word
	u32 lost;  // the interpreter did not arrive
};

// fetch reads memory, of a fused probe as it is after the interpreted instructions. It
// returns an error if it cannot.
INLINE long fetch(struct hit *h, u64 addr, u32 size, u64 *v)
{
	if (h->run) {
		if (!load_probe(h->run, addr, size))
			return -1;
		*v = h->run->loaded;
		return 0;
	}
	*v = 0;
	size = BOUND(size, 15);
	return copy_from_user(v, size > 8 ? 8 : size, (const void *)addr);
}

// operand reads a word. It returns an error if it cannot.
INLINE long operand(struct hit *h, struct word *w, u64 *v)
{
	u32 reg = w->reg & 15, size = w->size;
	u64 x = h->r[reg];
	if (h->lost || !(h->known >> reg & 1))
		return -1;
	if (w->from == POINTED && fetch(h, x + w->disp, 8, &x))
		return -1;
	if (w->from != HELD && fetch(h, x + (w->from == POINTED ? w->then : w->disp), size, &x))
		return -1;
	*v = x & mask(size);
	return 0;
}

// tally adds 1 to a key of a table, if the bound of the word allows it. It returns 1 if the key is new.
INLINE u32 tally(void *table, const void *key, struct word *w)
{
	u64 one = 1, *n = map_lookup(table, key);
	if (n) {
		add(n, 1);
		return 0;
	}
	if (w->distinct >= w->bound) {
		add(&w->other, 1);
		return 0;
	}
	if (map_update(table, key, &one, NOEXIST) == 0) {
		__sync_fetch_and_add(&w->distinct, 1);
		return 1;
	}
	n = map_lookup(table, key); // another thread was first?
	add(n ? n : &w->full, 1);
	return 0;
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
	u64 type;
	if (tally(&values, &key, w) && w->as == ITAB && key.value && !fetch(h, key.value + 8, 8, &type))
		map_update(&itabs, &key.value, &type, MAP_DEFAULT);
	return 0;
}

// pair keeps when a call was entered, and adds its duration at its exit.
INLINE void pair(struct pt_regs *ctx, struct site *s)
{
	u32 func = s->func;
	struct durations *t = map_lookup(&times, &func);
	u64 *end = map_lookup(&ends, &func);
	if (!t || !end || *end)
		return;
	u64 g = ctx->r14, goid = 0, top = 0, now = ktime_get_ns();
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
		} else if (map_update(&calls, &key, &now, MAP_DEFAULT)) {
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
	u32 b = ns ? highest(ns) + 1 : 0;
	if (b >= BUCKETS)
		b = BUCKETS - 1;
	add(&t->bucket[b], 1);
}

INLINE void end_timing(u32 func, u64 now)
{
	u64 *end = map_lookup(&ends, &func);
	if (end)
		__sync_val_compare_and_swap(end, 0, now);
}

static long step(u32 i, struct run **r) { return step_probe(*r); }

INLINE void registers(u64 *r, struct pt_regs *ctx)
{
	r[0] = ctx->ax, r[1] = ctx->cx, r[2] = ctx->dx, r[3] = ctx->bx;
	r[4] = ctx->sp, r[5] = ctx->bp, r[6] = ctx->si, r[7] = ctx->di;
	r[8] = ctx->r8, r[9] = ctx->r9, r[10] = ctx->r10, r[11] = ctx->r11;
	r[12] = ctx->r12, r[13] = ctx->r13, r[14] = ctx->r14, r[15] = ctx->r15;
}

// fused interprets forward. It returns the slot that it has taken, for give_back, or 0 if all are in use.
INLINE struct slot *fused(struct pt_regs *ctx, struct site *s)
{
	struct slot *slot = 0;
	u32 first = smp_processor_id() * TRIES;
	#pragma unroll
	for (u32 k = 0; k < TRIES; k++) {
		u32 i = (first + k) & (SLOTS - 1);
		slot = map_lookup(&slots, &i);
		if (!slot)
			return 0;
		if (__sync_val_compare_and_swap(&slot->busy, 0, 1) == 0)
			break;
		slot = 0;
	}
	if (!slot)
		return 0;
	struct run *r = &slot->run;
	registers(r->r, ctx);
	begin(r, 0, ctx->flags, s->op, s->steps);
	loop(s->steps * INSN_OPS, step, &r, 0);
	return slot;
}

INLINE void give_back(struct slot *s)
{
	if (s)
		__sync_fetch_and_and(&s->busy, 0);
}

// captured records the words of a site: as they are here, or where the interpreter of a fused probe has arrived. It is a
// function of its own because the stacks of probe, step and alu may have 512 bytes together, and a hit takes 160.
static __attribute__((noinline)) int captured(struct pt_regs *ctx, struct site *s, struct slot *slot)
{
	struct hit h = {.first = s->word, .known = 0xffff};
	if (!interprets || !s->steps) {
		registers(h.r, ctx);
	} else if (slot && slot->run.steps == s->steps && slot->run.pc == s->arrives) {
		h.run = &slot->run;
		h.known = h.run->known;
		#pragma unroll
		for (int i = 0; i < 16; i++)
			h.r[i] = h.run->r[i];
	} else {
		h.lost = 1;
	}
	loop(s->nwords, capture, &h, 0);
	return 0;
}

SEC("uprobe.multi.s")
int probe(struct pt_regs *ctx)
{
	u64 cookie = get_attach_cookie(ctx);
	u32 i = cookie;
	if (cookie >> 32 != generation)
		return 0;
	struct site *s = map_lookup(&sites, &i);
	struct hits *c = map_lookup(&counts, &i);
	if (!s || !c)
		return 0;
	if (s->off) {
		add(&c->others, 1);
		return 0;
	}
	if (s->limit) {
		// Reading the clock takes a tenth of the time of a hit, so it is read only when
		// the limit is reached: did that take a second?
		if (!c->window)
			c->window = ktime_get_ns();
		if (__sync_fetch_and_add(&c->recent, 1) >= s->limit) {
			u64 now = ktime_get_ns();
			if (now - c->window < 1000000000ULL) {
				// Calls are timed while the probes of both ends count. So the timing ends
				// before this probe misses the first execution: a call whose return is not
				// seen would pass for one that never returned.
				if (s->timed)
					end_timing(s->func, now);
				if (__sync_val_compare_and_swap(&s->off, 0, now) == 0)
					__sync_fetch_and_add(&off, 1);
				add(&c->others, 1);
				return 0;
			}
			c->window = now;
			c->recent = 1;
		}
	}
	// Fused probes of other instructions are meant by hits that go the other way.
	if (s->direction && taken(ctx->flags, s->condition) != (s->direction == TAKEN)) {
		add(&c->others, 1);
		return 0;
	}
	add(&c->hits, 1);
	if (s->kind == EDGE && taken(ctx->flags, s->condition))
		add(&c->taken, 1);
	if (s->nwords) {
		struct slot *slot = 0;
		if (interprets && s->steps)
			slot = fused(ctx, s);
		captured(ctx, s, slot);
		give_back(slot);
	}
	if (s->timed)
		pair(ctx, s);
	return 0;
}


// bpf2go makes Go types of these, too.
const enum kind *of_sites __attribute__((unused));
const enum from *of_words __attribute__((unused));
const enum direction *of_fused __attribute__((unused));
const enum as *of_values __attribute__((unused));
