// Decoded code: the ops of all traced processes, and where they start. User space writes
// the ops first and the entries that lead to them last, so a program never meets an
// entry without its ops.
#pragma once
#include "helpers.h"
#include "micro.h"

// struct op is micro.Op.
struct op {
	u8 kind, len, dst_kind, src_kind;
	u8 dst, src, base, index;
	u8 shift, dst_width, src_width, flags;
	u8 cond, third;
	u16 opcode;
	u32 next, target;
	s64 disp;
	u64 imm, pc;
};
_Static_assert(sizeof(struct op) == 48, "micro.OpSize");

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
