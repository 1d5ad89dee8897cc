// State of the interpreter, and the operations that do not read memory. This file and interp.h follow package
// machine/interp, operation by operation: comments on what an operation means are there. Three things are different. A
// register or a flag can be unknown: vector registers are not there, so what comes from them is unknown, and so is what
// is computed from that. Where the interpreter would have to guess, it stops. And it notes operands and results, as
// watch.go of package ops does.
#pragma once
#include "code.h"

enum { ALL_FLAGS = FLAG_C | FLAG_P | FLAG_Z | FLAG_S | FLAG_O, REGS = 32 };
enum { STORES = 16 };

struct store {
	u64 addr, value;
	u32 width, known;
};

// struct tuple is what one instruction did: ops.Step.
struct tuple {
	u64 pc, result, addr, first, second, named;
	u32 have, index;
};

struct run {
	u64 r[REGS];
	u64 fa, fb;      // what flags were computed from, as in flags.go
	u64 flags_known; // of FLAGS_WORD; those of others are all known
	u32 fk, fs;
	u32 known; // registers
	u32 index, stop, steps, want, tgid, nstores;
	u32 whole; // the last operation was that of a whole instruction
	u64 pc, loaded; // result of load
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
INLINE u32 temporary(u32 x) { return x == R_TMP || x == R_DST; }

// begin prepares a run, at most of n instructions, whose registers R_AX to R15 have been set. Of others, only R_ZERO is known.
INLINE void begin(struct run *r, u64 pc, u64 flags, u32 index, u32 n)
{
	r->r[R_ZERO] = 0;
	r->known = (2u << R_ZERO) - 1;
	r->fk = FLAGS_WORD;
	r->fa = flags & ALL_FLAGS;
	r->flags_known = ALL_FLAGS;
	r->pc = pc;
	r->index = index;
	r->want = n;
	r->whole = 1;
	r->tgid = r->stop = r->steps = r->nstores = 0;
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

// Notes: a value, and whether it is known.
INLINE void note(struct run *r, u32 have, u64 *field, u64 v, u32 kn)
{
	*field = v;
	r->last.have = (r->last.have & ~have) | (kn ? have : 0);
}
INLINE void note_first(struct run *r, u64 v, u32 kn) { note(r, HAVE_FIRST, &r->last.first, v, kn); }
INLINE void note_second(struct run *r, u64 v, u32 kn) { note(r, HAVE_SECOND, &r->last.second, v, kn); }
INLINE void note_result(struct run *r, u64 v, u32 kn) { note(r, HAVE_RESULT, &r->last.result, v, kn); }
INLINE void note_addr(struct run *r, u64 v, u32 kn) { note(r, HAVE_ADDR, &r->last.addr, v, kn); }
INLINE void note_only(struct run *r, u64 v, u32 kn)
{
	note_first(r, v, kn);
	note_second(r, 0, 0);
	note_result(r, 0, 0);
}
INLINE void cut(struct run *r, u32 w)
{
	r->last.first &= mask(w);
	r->last.second &= mask(w);
	r->last.result &= mask(w);
}

// set writes the whole of a register, and set_low the low bits of one, of which 64 - fl are in v.
INLINE void set(struct run *r, u32 d, u64 v, u32 kn)
{
	d = BOUND(d, REGS - 1);
	r->r[d] = v;
	r->known = (r->known & ~(1u << d)) | (kn ? 1u << d : 0);
}
INLINE void set_low(struct run *r, u32 d, u64 v, u32 fl, u32 kn)
{
	d = BOUND(d, REGS - 1);
	if (fl > 32) {
		u64 m = (1ULL << ((64 - fl) & 63)) - 1;
		v = (v & m) | (r->r[d] & ~m);
		kn &= known(r, d);
	}
	set(r, d, v, kn);
}

// flags are computed from two operands at the top of the word if they are known.
INLINE void flags_of(struct run *r, u32 fk, u32 fs, u64 fa, u64 fb, u32 kn)
{
	r->fk = kn ? fk : FLAGS_WORD;
	r->fs = fs;
	r->fa = kn ? fa : 0;
	r->fb = fb;
	r->flags_known = kn ? ALL_FLAGS : 0;
}

// szp returns the sign, zero and parity flags of a result at the top of the word.
INLINE u64 szp(u64 v, u32 fs)
{
	u64 low = v >> (fs & 63), f = v >> 63 << 7;
	if (!v) f |= FLAG_Z;
	return f | (0x9669 >> ((low ^ low >> 4) & 15) & 1) << 2;
}

GLOBAL u64 flags(struct run *r)
{
	if (!r) return 0;
	u64 v, o, f = 0, a = r->fa, b = r->fb;
	if (r->fk == FLAGS_SUB) {
		v = a - b;
		o = (a ^ b) & (a ^ v);
		if (a < b) f = FLAG_C;
	} else if (r->fk == FLAGS_ADD) {
		v = a + b;
		o = (a ^ v) & (b ^ v);
		if (v < a) f = FLAG_C;
	} else
		return a;
	return f | o >> 63 << 11 | szp(v, r->fs);
}

// condition returns whether a condition holds (bit 0) and is known (bit 1).
INLINE u32 condition(struct run *r, u32 cond)
{
	u64 f = flags(r), need;
	u32 less = !(f & FLAG_S) != !(f & FLAG_O), holds;
	switch (cond >> 1 & 7) {
	case 0: holds = !!(f & FLAG_O); need = FLAG_O; break;
	case 1: holds = !!(f & FLAG_C); need = FLAG_C; break;
	case 2: holds = !!(f & FLAG_Z); need = FLAG_Z; break;
	case 3: holds = !!(f & (FLAG_C | FLAG_Z)); need = FLAG_C | FLAG_Z; break;
	case 4: holds = !!(f & FLAG_S); need = FLAG_S; break;
	case 5: holds = !!(f & FLAG_P); need = FLAG_P; break;
	case 6: holds = less; need = FLAG_S | FLAG_O; break;
	default: holds = less || f & FLAG_Z; need = FLAG_S | FLAG_O | FLAG_Z; break;
	}
	return ((holds ^ cond) & 1) | ((r->flags_known & need) == need) << 1;
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

// rotate rotates left by n, at most the width.
INLINE u64 rotate(u64 a, u32 n, u32 fl)
{
	u64 x = a >> fl;
	u32 width = 64 - fl;
	n &= width - 1;
	if (!n) return a;
	return (x << n | x >> ((width - n) & 63)) << fl;
}

// alu executes arithmetic: what sub says, on operands of 64 - fl bits.
GLOBAL int alu(struct run *r, struct op *o, u32 sub, u32 fl)
{
	if (!r || !o) return 0;
	fl &= 63;
	u32 b = o->b, s = o->s, i = o->i, d = o->d, width = 64 - fl, writes = 1, n;
	b = BOUND(b, REGS - 1);
	s = BOUND(s, REGS - 1);
	i = BOUND(i, REGS - 1);
	u64 x = r->r[b] << fl, y = (r->r[s] + o->imm) << fl, one = 1ULL << fl, v = 0, f = 0, c = 0;
	u32 xk = known(r, b), yk = known(r, s), kn = xk & yk;
	u32 fk = FLAGS_WORD, flags_kn, second_kn = yk;
	u64 fa = 0, fb = 0, first = x >> fl, second = y >> fl, changed = ALL_FLAGS; // changed: the flags that change
	u32 have = HAVE_FIRST | HAVE_SECOND;

	if (b == s && !o->imm && (sub == A_XOR || sub == A_SUB || sub == A_CMP || sub == A_SBB)) {
		x = y = 0;
		kn = 1;
	}
	flags_kn = kn;
	switch (sub) {
	case A_ADD:
		v = x + y;
		fk = FLAGS_ADD;
		fa = x;
		fb = y;
		break;
	case A_SUB: case A_CMP:
		v = x - y;
		fk = FLAGS_SUB;
		fa = x;
		fb = y;
		writes = sub == A_SUB;
		break;
	case A_AND: case A_TEST: v = x & y; goto logical;
	case A_OR: v = x | y; goto logical;
	case A_XOR: v = x ^ y; goto logical;
	case A_ANDN:
		v = ~x & y;
	logical:
		fk = FLAGS_SUB;
		fa = v;
		writes = sub != A_TEST;
		break;
	case A_ADC: case A_SBB:
		if (flags(r) & FLAG_C) c = one;
		kn &= r->flags_known & FLAG_C;
		flags_kn = kn;
		if (sub == A_ADC) {
			v = x + y + c;
			f = v < x || (c && v == x) ? FLAG_C : 0;
			f |= szp(v, fl) | ((x ^ v) & (y ^ v)) >> 63 << 11;
		} else {
			v = x - y - c;
			f = x < y || (c && x == y) ? FLAG_C : 0;
			f |= szp(v, fl) | ((x ^ y) & (x ^ v)) >> 63 << 11;
		}
		break;
	case A_INC: case A_DEC:
		have = HAVE_FIRST;
		v = sub == A_INC ? x + one : x - one;
		f = szp(v, fl) | (sub == A_INC ? ~x & v : x & ~v) >> 63 << 11;
		changed = ALL_FLAGS & ~FLAG_C;
		break;
	case A_NEG:
		have = HAVE_FIRST;
		v = -x;
		fk = FLAGS_SUB;
		fb = x;
		break;
	case A_NOT:
		have = HAVE_FIRST;
		v = ~x;
		changed = 0;
		break;
	case A_ROL: case A_ROR: case A_RCL: case A_RCR: case A_SHL: case A_SHR: case A_SAL: case A_SAR: {
		second &= 0xff;
		n = (r->r[s] + o->imm) & (fl ? 31 : 63);
		if (yk && !n) {
			changed = 0;
			v = x;
			kn = xk;
			break;
		}
		u64 z = x >> fl;
		switch (sub) {
		case A_SHL: case A_SAL:
			v = x << n;
			if (n <= width) c = z >> ((width - n) & 63) & 1;
			f = szp(v, fl) | (v >> 63 ^ c) << 11 | c;
			break;
		case A_SHR:
			v = z >> n << fl;
			c = z >> ((n - 1) & 63) & 1;
			f = szp(v, fl) | x >> 63 << 11 | c;
			break;
		case A_SAR:
			z = (u64)((s64)x >> fl);
			v = (u64)((s64)z >> n) << fl;
			c = z >> ((n - 1) & 63) & 1;
			f = szp(v, fl) | c;
			break;
		case A_ROL:
			v = rotate(x, n, fl);
			c = v >> fl & 1;
			f = (v >> 63 ^ c) << 11 | c;
			changed = FLAG_C | FLAG_O;
			break;
		case A_ROR:
			v = rotate(x, width - (n & (width - 1)), fl);
			c = v >> 63;
			f = (v >> 63 ^ (v >> 62 & 1)) << 11 | c;
			changed = FLAG_C | FLAG_O;
			break;
		default: // RCL and RCR are rare: their results are not computed
			kn = flags_kn = 0;
		}
		break;
	}
	case A_SHLD: case A_SHRD: {
		u64 z = x >> fl, from = r->r[s] << fl >> fl;
		second = from;
		second_kn = known(r, s);
		n = (r->r[i] + o->imm) & (width - 1) & 63;
		kn = flags_kn = xk & known(r, s) & known(r, i);
		if (known(r, i) && !n) {
			changed = 0;
			v = x;
			kn = xk;
			break;
		}
		if (sub == A_SHLD) {
			v = z << n | from >> ((width - n) & 63);
			c = z >> ((width - n) & 63) & 1;
		} else {
			v = z >> n | from << ((width - n) & 63);
			c = z >> ((n - 1) & 63) & 1;
		}
		v <<= fl;
		f = szp(v, fl) | c | (v >> 63 ^ x >> 63) << 11;
		break;
	}
	case A_BT: case A_BTS: case A_BTR: case A_BTC: {
		u64 bit = one << (y >> fl & (width - 1) & 63);
		if (x & bit) f = FLAG_C;
		changed = FLAG_C;
		writes = sub != A_BT;
		v = sub == A_BTS ? x | bit : sub == A_BTR ? x & ~bit : x ^ bit;
		break;
	}
	case A_BSF: case A_BSR:
		flags_kn = yk;
		kn = yk;
		if (!y) {
			f = FLAG_Z;
			v = x;
			kn &= xk;
			if (width == 32) { // the destination stays, even its upper half
				note_first(r, x >> fl, xk);
				note_second(r, 0, yk);
				note_result(r, x >> fl, kn);
				flags_of(r, FLAGS_WORD, 0, f, 0, yk);
				if (!yk) set(r, d, 0, 0);
				return 0;
			}
		} else
			v = (u64)(sub == A_BSF ? lowest(y >> fl) : highest(y >> fl)) << fl;
		break;
	case A_TZCNT: case A_LZCNT: case A_POPCNT:
		have = HAVE_SECOND;
		kn = flags_kn = yk;
		if (sub == A_POPCNT)
			v = ones(y) << fl;
		else if (!y) {
			v = (u64)width << fl;
			f = FLAG_C;
		} else
			v = (u64)(sub == A_TZCNT ? lowest(y >> fl) : width - 1 - highest(y >> fl)) << fl;
		if (!v) f |= FLAG_Z;
		break;
	case A_IMUL: {
		u64 z = (u64)((s64)y >> fl);
		if (s == R_ZERO) {
			have = HAVE_SECOND;
			second = first;
			second_kn = xk;
		}
		v = x * z;
		f = szp(v, fl);
		if (high_signed(x, z) != (u64)((s64)v >> 63)) f |= FLAG_C | FLAG_O;
		break;
	}
	case A_BSWAP: case A_SIGN_FILL: case A_RORX:
		have = HAVE_SECOND;
		second = first;
		second_kn = xk;
		changed = 0;
		if (sub == A_BSWAP)
			v = __builtin_bswap64(x >> fl);
		else if (sub == A_SIGN_FILL)
			v = (u64)((s64)x >> 63);
		else
			v = rotate(x, width - (y >> fl & (width - 1)), fl);
		break;
	case A_BLSR: case A_BLSMSK: case A_BLSI:
		have = HAVE_SECOND;
		if (sub == A_BLSR)
			v = y & (y - one);
		else if (sub == A_BLSMSK)
			v = y ^ (y - one);
		else
			v = y & -y;
		f = szp(v, fl);
		if (sub == A_BLSMSK) f &= ~(u64)FLAG_Z;
		if (!y != (sub == A_BLSI)) f |= FLAG_C;
		break;
	case A_BEXTR: {
		u64 from = y >> fl & 0xff;
		n = y >> fl >> 8 & 0xff;
		v = from < 64 ? x >> fl >> (from & 63) : 0;
		if (n < 64) v &= (1ULL << (n & 63)) - 1;
		v <<= fl;
		f = v ? 0 : FLAG_Z;
		break;
	}
	case A_BZHI:
		n = y >> fl & 0xff;
		v = x >> fl;
		if (n < width)
			v &= (1ULL << (n & 63)) - 1;
		else
			f = FLAG_C;
		v <<= fl;
		f |= szp(v, fl);
		break;
	case A_SHLX: case A_SHRX: case A_SARX:
		n = y >> fl & (width - 1) & 63;
		changed = 0;
		if (sub == A_SHLX)
			v = x << n;
		else if (sub == A_SHRX)
			v = x >> fl >> n << fl;
		else
			v = (u64)((s64)x >> n);
		break;
	case A_MULX: {
		u64 dx = r->r[R_DX] << fl >> fl, z = y >> fl, lo = dx * z, hi = high_of(dx, z);
		have = HAVE_SECOND;
		kn = known(r, R_DX) & yk;
		changed = 0;
		if (width == 32) {
			hi = lo >> 32;
			lo &= 0xffffffff;
		}
		set(r, i, lo, kn);
		v = hi << fl;
		break;
	}
	case A_ADCX: case A_ADOX:
		changed = sub == A_ADCX ? FLAG_C : FLAG_O;
		if (flags(r) & changed) c = one;
		kn &= (r->flags_known & changed) != 0;
		flags_kn = kn;
		v = x + y + c;
		f = v < x || (c && v == x) ? changed : 0;
		break;
	case A_CRC32: case A_PDEP: case A_PEXT: // rare, and loops
		have = HAVE_SECOND;
		kn = 0;
		changed = 0;
		break;
	default:
		r->stop = STOP_UNSUPPORTED;
		return 1;
	}
	if (o->k == K_CMP && o->l0 == A_TEST) { // of a register with itself
		second = first;
		second_kn = xk;
	}
	note_first(r, first, have & HAVE_FIRST && xk);
	note_second(r, second, have & HAVE_SECOND && second_kn);
	note_result(r, v >> fl, writes & kn);
	if (changed == ALL_FLAGS)
		flags_of(r, fk, fl, fk == FLAGS_WORD ? f : fa, fb, flags_kn);
	else if (changed) {
		u64 old = flags(r), old_known = r->flags_known & ~changed;
		flags_of(r, FLAGS_WORD, 0, (old & ~changed) | (f & changed), 0, 1);
		r->flags_known = old_known | (flags_kn ? changed : 0);
	}
	if (writes) set_low(r, d, v >> fl, fl, kn);
	return 0;
}

// wide executes multiplications and divisions of AX and DX. It returns 1, with r->stop set, if the processor would trap.
GLOBAL int wide(struct run *r, struct op *o)
{
	if (!r || !o) return 0;
	u32 fl = o->fl & 63, s = o->s, width = 64 - fl, sub = o->l0;
	s = BOUND(s, REGS - 1);
	u64 m = ~0ULL >> fl, b = r->r[s] & m, lo = r->r[R_AX] & m, hi = r->r[R_DX] & m;
	u32 sk = known(r, s), kn = sk & known(r, R_AX);
	note_only(r, b, sk);
	if (sub == W_MUL || sub == W_IMUL) {
		u64 f = 0, spill;
		if (sub == W_IMUL) {
			lo = extend(lo, width / 8);
			b = extend(b, width / 8);
			hi = high_signed(lo, b);
		} else
			hi = high_of(lo, b);
		lo *= b;
		if (width < 64) {
			hi = lo >> (width & 63) & m;
			lo &= m;
		}
		spill = sub == W_IMUL ? (u64)((s64)(lo << fl) >> 63) & m : 0;
		if (hi != spill) f = FLAG_C | FLAG_O;
		flags_of(r, FLAGS_WORD, 0, szp(lo << fl, fl) | f, 0, kn);
	} else {
		if (width == 8)
			hi = r->r[R_AX] >> 8 & 0xff;
		else
			kn &= known(r, R_DX);
		u64 q = 0, rem = 0;
		if (kn) {
			u64 n = width < 64 ? hi << (width & 63) | lo : lo;
			u32 trap;
			if (sub == W_DIV) {
				trap = !b || (width == 64 && hi);
				if (!trap) {
					q = n / b;
					rem = n % b;
				}
			} else {
				if (width < 64) n = extend(n, width / 4);
				b = extend(b, width / 8);
				trap = !b || (n == 1ULL << 63 && b == ~0ULL) || (width == 64 && hi != (u64)((s64)lo >> 63));
				if (!trap) {
					u64 an = (s64)n < 0 ? -n : n, ab = (s64)b < 0 ? -b : b;
					q = an / ab;
					rem = an % ab;
					if ((s64)(n ^ b) < 0) q = -q;
					if ((s64)n < 0) rem = -rem;
				}
			}
			if (trap || (sub == W_DIV ? q > m : extend(q, width / 8) != q)) {
				r->stop = STOP_DIVIDE;
				return 1;
			}
		}
		lo = q & m;
		hi = rem & m;
	}
	if (width == 8)
		set_low(r, R_AX, hi << 8 | lo, 48, kn);
	else {
		set_low(r, R_AX, lo, fl, kn);
		set_low(r, R_DX, hi, fl, kn);
	}
	note_result(r, lo, kn);
	return 0;
}

// cmpxchg compares AX with the operand b, and makes d what is to be stored there.
GLOBAL int cmpxchg(struct run *r, struct op *o)
{
	if (!r || !o) return 0;
	u32 fl = o->fl & 63, b = o->b, s = o->s, d = o->d;
	b = BOUND(b, REGS - 1);
	s = BOUND(s, REGS - 1);
	d = BOUND(d, REGS - 1);
	u64 a = r->r[R_AX] << fl, old = r->r[b] << fl, from = r->r[s] << fl;
	u32 bk = known(r, b), sk = known(r, s), kn = bk & known(r, R_AX);
	note_first(r, old >> fl, bk);
	note_second(r, from >> fl, sk);
	flags_of(r, FLAGS_SUB, fl, a, old, kn);
	if (!kn) { // whether it is stored is not known
		set(r, d, 0, 0);
		set_low(r, R_AX, 0, fl, 0);
		note_result(r, 0, 0);
		return 0;
	}
	if (a == old) {
		set_low(r, d, from >> fl, fl, sk);
		note_result(r, from >> fl, sk);
		return 0;
	}
	if (d == R_TMP) set(r, R_TMP, r->r[b], bk);
	set_low(r, R_AX, old >> fl, fl, bk);
	note_result(r, old >> fl, bk);
	return 0;
}
