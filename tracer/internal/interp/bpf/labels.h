// Goroutines: their numbers, and the labels that package runtime/pprof has given them.
//
// The labels are copied at the interrupt. Later the goroutine may have other ones, and the
// collector may have given the memory to something else. Strings are cut, so that a set of
// labels has a fixed size. Each set is in a map once, under a hash of its bytes, and records
// have the hash.
#pragma once
#include "helpers.h"

enum { LABELS = 4, LABEL_BYTES = 32 }; // of a set, and of a key or value; the rest is cut

// What is known of a process; user space writes it.
struct proc {
	s64 tls;     // address of the pointer to g, less FS base
	u32 goid;    // offset of goid in g; 0 if goroutines are not to be read
	u32 labels;  // offset of the labels in g; 0 if they are not to be read
	u32 m, curg; // offsets of m in g, and of the goroutine that it works for in m
};

struct label {
	u32 key_bytes, value_bytes; // before they were cut
	u8 key[LABEL_BYTES], value[LABEL_BYTES];
};

struct labels {
	u64 n; // labels of the goroutine; the list has the first ones
	struct label list[LABELS];
};

struct {
	UINT(type, MAP_LRU_HASH);
	TYPE(key, u64);
	TYPE(value, struct labels);
	UINT(max_entries, 4096); // user space reads new ones some milliseconds later
} label_sets SEC(".maps");

volatile const u64 cfg_seed; // of the hash: nobody shall make two sets that have the same one

// goroutine returns the number of the goroutine, and its g in *gp. G is in R14 in compiled Go
// code only; where the runtime keeps it for each thread, it is right in C and assembly, too.
// On the thread's own stack, as in C code and in parts of the runtime, g has no number: it is
// that of the goroutine which the thread works for.
INLINE u64 goroutine(struct proc *p, u64 fs, u64 *gp)
{
	u64 g = 0, id = 0, m = 0;
	*gp = 0;
	if (!p || !p->goid) return 0;
	if (probe_read_user(&g, 8, (void *)(fs + p->tls)) || !g) return 0;
	if (probe_read_user(&id, 8, (void *)(g + p->goid))) return 0;
	if (!id) {
		if (probe_read_user(&m, 8, (void *)(g + p->m)) || !m) return 0;
		if (probe_read_user(&g, 8, (void *)(m + p->curg)) || !g) return 0;
		if (probe_read_user(&id, 8, (void *)(g + p->goid))) return 0;
	}
	*gp = g;
	return id;
}

// A list of runtime/pprof: a slice of pairs of strings.
struct slice {
	u64 at, n;
};
struct pair {
	u64 key, key_bytes, value, value_bytes;
};

// text copies a string, and returns 0 if it could.
INLINE long text(u8 *to, u32 *bytes, u64 at, u64 n)
{
	*bytes = n;
	if (n > LABEL_BYTES) n = LABEL_BYTES;
	return n ? probe_read_user(to, n, (void *)at) : 0;
}

// labels_of copies the labels of a goroutine to *l, and returns their hash: 0 if it has none.
// If they cannot be read, *lost is 1.
NOINLINE u64 labels_of(struct proc *p, u64 g, struct labels *l, u32 *lost)
{
	u64 at = 0;
	struct slice s = {};
	if (!p || !l || !lost || !p->labels || !g) return 0;
	if (probe_read_user(&at, 8, (void *)(g + p->labels))) goto fault;
	if (!at) return 0;
	if (probe_read_user(&s, sizeof(s), (void *)at)) goto fault;
	if (!s.n) return 0;
	__builtin_memset(l, 0, sizeof(*l)); // the hash is of all bytes
	l->n = s.n;
	for (u32 i = 0; i < LABELS && i < s.n; i++) {
		struct pair pair;
		struct label *to = &l->list[i];
		if (probe_read_user(&pair, sizeof(pair), (void *)(s.at + i * sizeof(pair)))) goto fault;
		if (text(to->key, &to->key_bytes, pair.key, pair.key_bytes)) goto fault;
		if (text(to->value, &to->value_bytes, pair.value, pair.value_bytes)) goto fault;
	}
	u64 h = cfg_seed;
	for (u32 i = 0; i < sizeof(*l) / 8; i++) {
		h = (h ^ ((u64 *)l)[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	if (!h) h = 1;
	if (!map_lookup(&label_sets, &h)) map_update(&label_sets, &h, l, NOEXIST);
	return h;
fault:
	*lost = 1;
	return 0;
}
