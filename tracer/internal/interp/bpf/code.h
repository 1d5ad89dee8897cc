// Decoded code: the ops of all traced processes, and where they start. User space writes
// the ops first and the entries that lead to them last, so a program never meets an
// entry without its ops.
#pragma once
#include "helpers.h"
#include "ops.h"

// struct op is ops.Op: an operation of package interp, and what is needed beside it.
struct op {
	u16 k;
	u8 d, s, b, i, sh, fl;
	s64 disp;
	u64 imm;
	u32 l0, l1; // l1 is the index of the next operation, or of that at the target; l0 of that behind a jump that is not taken
	u64 pc;     // of the instruction
	u8 len, flags, named, last;
	u32 size;    // of the first operation: bytes of the instruction that were decoded,
	u64 code[2]; // and these
};
_Static_assert(sizeof(struct op) == 64, "ops.Op");

struct address {
	u64 pc;
	u32 tgid, unused;
};

struct entry {
	u32 index, unused;
	u64 code; // the first 8 bytes of the instruction, to notice code that has changed
};

struct {
	UINT(type, MAP_ARRAY);
	TYPE(key, u32);
	TYPE(value, struct op);
	UINT(max_entries, 1 << 16);
} ops SEC(".maps");

struct {
	UINT(type, MAP_HASH);
	TYPE(key, struct address);
	TYPE(value, struct entry);
	UINT(max_entries, 1 << 16);
	UINT(map_flags, 1); // no preallocation: 65,536 entries are rarely used
} entries SEC(".maps");
