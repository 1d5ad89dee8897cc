// State of the interpreter, and what does not depend on how memory is read. This file and
// interp.h are package micro's machine in C; comments on what an op means are there.
#pragma once
#include "code.h"

enum { CF = 1 << 0, PF = 1 << 2, ZF = 1 << 6, SF = 1 << 7, OF = 1 << 11, ALL_FLAGS = CF | PF | ZF | SF | OF };
enum { AX = 0, CX = 1, DX = 2, SP = 4, BP = 5, NO_REG = 16, FS_BASE = 17, REGS = 32 };
enum { STORES = 16 }; // micro.StoreSlots

struct store {
	u64 addr, value;
	u32 width, known;
};

// struct tuple is what one instruction did: micro.Step.
struct tuple {
	u64 pc, result, addr, first, second, named;
	u32 have, index;
};

struct run {
	u64 r[REGS]; // r[NO_REG] is 0, r[FS_BASE] what addresses with FS are relative to
	u64 flags, flags_known, pc;
	u32 known, index, stop, steps, tgid, nstores;
	u64 loaded; // result of load
	u64 res, high, changed, defined, newflags; // of the op, for what is not inlined
	u32 resknown, flagsonly;
	struct store stores[STORES];
	struct tuple last;
};

INLINE u64 mask(u32 w) { return w >= 8 ? ~0ULL : (1ULL << (w * 8)) - 1; }
INLINE u64 extend(u64 v, u32 w)
{
	u32 s = w >= 8 ? 0 : (64 - 8 * w) & 63;
	return (u64)((s64)(v << s) >> s);
}
INLINE u32 known(struct run *r, u32 x) { return r->known >> (x & 31) & 1; }
INLINE u64 top(u64 v, u32 w) { return v >> ((w * 8 - 1) & 63) & 1; }

// get reads a register as an operand.
INLINE u64 get(struct run *r, u32 x, u32 w, u32 high)
{
	x = BOUND(x, REGS - 1);
	u64 v = r->r[x];
	return (high ? v >> 8 : v) & mask(w);
}

// set writes a register.
INLINE void set(struct run *r, u32 x, u32 w, u32 high, u64 v, u32 kn)
{
	x = BOUND(x, 15);
	u64 old = r->r[x];
	if (high)
		v = (old & ~0xff00ULL) | (v & 0xff) << 8;
	else if (w < 4)
		v = (old & ~mask(w)) | (v & mask(w));
	else
		v &= mask(w);
	if (high || w < 4)
		kn &= known(r, x);
	r->r[x] = v;
	r->known = (r->known & ~(1u << x)) | (kn ? 1u << x : 0);
}

// put adds a store. It returns 1, and sets r->stop, if there is no room. The value is
// known if known_width is more than 255; the rest is the width in bytes.
GLOBAL int put(struct run *r, u64 addr, u64 v, u32 known_width)
{
	if (!r) return 1;
	u32 n = r->nstores, w = known_width & 255, overlapped = 0;
	#pragma unroll
	for (int k = STORES - 1; k >= 0; k--) {
		if (k >= n || overlapped) continue;
		struct store *s = &r->stores[k];
		if (s->addr == addr && s->width == w) {
			s->value = v;
			s->known = known_width >> 8;
			return 0;
		}
		overlapped = addr < s->addr + s->width && s->addr < addr + w;
	}
	if (n >= STORES) {
		r->stop = STOP_STORES_FULL;
		return 1;
	}
	n = BOUND(n, STORES - 1);
	r->stores[n].addr = addr;
	r->stores[n].value = v;
	r->stores[n].width = w;
	r->stores[n].known = known_width >> 8;
	r->nstores = n + 1;
	return 0;
}

// condition returns whether a condition holds (bit 0) and is known (bit 1).
INLINE u32 condition(struct run *r, u32 cond)
{
	u64 f = r->flags;
	u32 less = !(f & SF) != !(f & OF), holds;
	u64 need;
	switch (cond >> 1 & 7) {
	case 0: holds = !!(f & OF); need = OF; break;
	case 1: holds = !!(f & CF); need = CF; break;
	case 2: holds = !!(f & ZF); need = ZF; break;
	case 3: holds = !!(f & (CF | ZF)); need = CF | ZF; break;
	case 4: holds = !!(f & SF); need = SF; break;
	case 5: holds = !!(f & PF); need = PF; break;
	case 6: holds = less; need = SF | OF; break;
	default: holds = less || f & ZF; need = SF | OF | ZF; break;
	}
	return ((holds ^ cond) & 1) | ((r->flags_known & need) == need) << 1;
}

// result_flags returns f and the flags that follow from a result.
INLINE u64 result_flags(u64 res, u32 w, u64 f)
{
	u64 p = res & 0xff;
	p ^= p >> 4;
	p ^= p >> 2;
	p ^= p >> 1;
	if (!(p & 1)) f |= PF;
	if (!res) f |= ZF;
	if (top(res, w)) f |= SF;
	return f;
}

// high_of returns the upper 64 bits of a product.
INLINE u64 high_of(u64 a, u64 b)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 mid = ah * bl + (al * bl >> 32);
	u64 mid2 = al * bh + (u32)mid;
	return ah * bh + (mid >> 32) + (mid2 >> 32);
}
INLINE u64 high_signed(u64 a, u64 b)
{
	u64 h = high_of(a, b);
	if ((s64)a < 0) h -= b;
	if ((s64)b < 0) h -= a;
	return h;
}

INLINE u32 lowest(u64 v) // v is not 0
{
	u32 n = 0;
	if (!(v & 0xffffffff)) { n += 32; v >>= 32; }
	if (!(v & 0xffff)) { n += 16; v >>= 16; }
	if (!(v & 0xff)) { n += 8; v >>= 8; }
	if (!(v & 0xf)) { n += 4; v >>= 4; }
	if (!(v & 3)) { n += 2; v >>= 2; }
	return n + !(v & 1);
}
INLINE u32 highest(u64 v) // v is not 0
{
	u32 n = 0;
	if (v >> 32) { n += 32; v >>= 32; }
	if (v >> 16) { n += 16; v >>= 16; }
	if (v >> 8) { n += 8; v >>= 8; }
	if (v >> 4) { n += 4; v >>= 4; }
	if (v >> 2) { n += 2; v >>= 2; }
	return n + (v >> 1 & 1);
}
INLINE u64 ones(u64 v)
{
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return v * 0x0101010101010101 >> 56;
}

// The following are called, not inlined. Operands are d and s; r->resknown says whether they are known (count: bit 0 for d,
// bit 1 for s). Results go to the run.
GLOBAL int multiply(struct run *r, u32 kind, u32 w, u64 d, u64 s)
{
	if (!r) return 0;
	u64 lo, hi;
	if (kind == KIND_MULWIDE) {
		lo = d * s;
		hi = high_of(d, s);
	} else {
		d = extend(d, w);
		s = extend(s, w);
		lo = d * s;
		hi = high_signed(d, s);
	}
	u32 fits;
	u64 m = mask(w), res = lo & m;
	if (w < 8)
		r->high = lo >> ((w * 8) & 63) & m;
	else
		r->high = hi;
	if (kind == KIND_MULWIDE)
		fits = !r->high;
	else
		fits = extend(res, w) == lo && hi == (u64)((s64)lo >> 63);
	r->res = res;
	r->changed = ALL_FLAGS;
	r->defined = CF | OF;
	r->newflags = fits ? 0 : CF | OF;
	return 0;
}

// divide returns 1 if the processor would trap.
GLOBAL int divide(struct run *r, u32 kind, u32 w, u64 low, u64 by)
{
	if (!r) return 0;
	r->changed = ALL_FLAGS;
	r->defined = 0;
	r->resknown &= known(r, DX);
	if (!r->resknown) return 0;
	u64 m = mask(w), high = r->r[DX] & m;
	if (w < 8) {
		low |= high << ((w * 8) & 63);
		high = 0;
	}
	if (kind == KIND_DIV) {
		if (!by || high || low / by > m) return 1;
		r->res = low / by;
		r->high = low % by;
		return 0;
	}
	u64 n = w < 8 ? extend(low, 2 * w) : low;
	by = extend(by, w);
	if (w >= 8 && high != (u64)((s64)low >> 63)) return 1;
	if (!by || (n == 1ULL << 63 && by == ~0ULL)) return 1;
	u64 an = (s64)n < 0 ? -n : n, ab = (s64)by < 0 ? -by : by;
	u64 q = an / ab, rem = an % ab;
	if ((s64)(n ^ by) < 0) q = -q;
	if ((s64)n < 0) rem = -rem;
	if (extend(q, w) != q) return 1;
	r->res = q & m;
	r->high = rem & m;
	return 0;
}

GLOBAL int count(struct run *r, u32 kind, u32 w, u64 d, u64 s)
{
	if (!r) return 0;
	u32 dknown = r->resknown & 1, sknown = r->resknown >> 1;
	r->resknown = dknown & sknown;
	u32 bits = w * 8;
	u64 res = 0, f = 0, defined = ZF;
	r->changed = ALL_FLAGS;
	switch (kind) {
	case KIND_BSF: case KIND_BSR:
		if (!s) {
			res = d;
			f = ZF;
			r->resknown = dknown && sknown && w == 8;
			r->flagsonly = sknown;
			break;
		}
		r->resknown = sknown;
		res = kind == KIND_BSF ? lowest(s) : highest(s);
		break;
	case KIND_TZCNT: case KIND_LZCNT:
		defined = CF | ZF;
		if (!s) {
			res = bits;
			f = CF;
		} else
			res = kind == KIND_TZCNT ? lowest(s) : bits - 1 - highest(s);
		if (!res) f |= ZF;
		break;
	case KIND_POPCNT:
		defined = ALL_FLAGS;
		res = ones(s);
		if (!s) f = ZF;
		break;
	}
	r->res = res;
	r->defined = defined;
	r->newflags = f;
	return 0;
}

GLOBAL int double_shift(struct run *r, u32 op, u64 d, u64 s, u64 n)
{
	if (!r) return 0;
	u32 kind = op & 0xff, w = op >> 8; // five arguments are the limit
	u32 size = w == 8 ? 64 : 32, c = n & (size - 1);
	u64 res = d, carry;
	if (c) {
		if (kind == KIND_SHLD) {
			res = d << c | s >> ((size - c) & 63);
			carry = d >> ((size - c) & 63) & 1;
		} else {
			res = d >> c | s << ((size - c) & 63);
			carry = d >> (c - 1) & 1;
		}
		res &= mask(w);
		r->newflags = result_flags(res, w, carry | (top(d, w) != top(res, w) ? OF : 0));
		r->changed = ALL_FLAGS;
		r->defined = c == 1 ? ALL_FLAGS : ALL_FLAGS & ~OF;
	} else if (!r->resknown)
		r->changed = ALL_FLAGS;
	r->res = res;
	return 0;
}

GLOBAL int shift(struct run *r, u32 kind, u32 w, u64 d, u64 s)
{
	if (!r) return 0;
	u32 sknown = r->resknown;
	u32 size = w * 8, c = s & (w == 8 ? 63 : 31), n;
	u64 res = d, f = 0, m = mask(w), changed = ALL_FLAGS, defined = ALL_FLAGS;
	if (!c) {
		r->res = d;
		r->changed = sknown ? 0 : ALL_FLAGS;
		return 0;
	}
	switch (kind) {
	case KIND_SHL:
		res = d << c & m;
		f = d >> ((size - c) & 63) & 1;
		f = result_flags(res, w, f | (top(res, w) != f ? OF : 0));
		if (c > size) defined &= ~CF;
		break;
	case KIND_SHR:
		res = d >> c;
		f = result_flags(res, w, (d >> (c - 1) & 1) | (top(d, w) ? OF : 0));
		if (c > size) defined &= ~CF;
		break;
	case KIND_SAR:
		res = (u64)((s64)extend(d, w) >> c) & m;
		f = result_flags(res, w, extend(d, w) >> (c - 1) & 1);
		break;
	case KIND_ROL:
		n = c & (size - 1);
		if (n) res = (d << n | d >> ((size - n) & 63)) & m;
		f = res & 1;
		f |= top(res, w) != f ? OF : 0;
		changed = CF | OF;
		break;
	case KIND_ROR:
		n = c & (size - 1);
		if (n) res = (d >> n | d << ((size - n) & 63)) & m;
		f = top(res, w);
		f |= (res >> ((size - 2) & 63) & 1) != f ? OF : 0;
		changed = CF | OF;
		break;
	}
	if (c != 1) defined &= ~OF;
	if (!sknown) changed = ALL_FLAGS;
	r->res = res;
	r->changed = changed;
	r->defined = defined;
	r->newflags = f;
	return 0;
}

GLOBAL int shift_keeping_flags(struct run *r, u32 kind, u32 w, u64 n, u64 s)
{
	if (!r) return 0;
	u32 c = s & (w == 8 ? 63 : 31);
	u64 res = n;
	switch (kind) {
	case KIND_SHLX: res = n << c; break;
	case KIND_SHRX: res = n >> c; break;
	case KIND_SARX: res = (u64)((s64)extend(n, w) >> c); break;
	case KIND_RORX: if (c) res = n >> c | n << ((w * 8 - c) & 63); break;
	}
	r->res = res & mask(w);
	return 0;
}
