// The interpreter's loop, run.go of package interp in C. The including file defines
//	NAME(x)           a name for each copy: programs that read memory differently have their own
//	READ(to, n, addr) reads n bytes of the interpreted thread's memory; 0 if it could
// It is included after run.h.

// NAME(load) reads w bytes, through the store buffer, into r->loaded. It returns 1 if
// the value is known. A fault sets r->stop.
GLOBAL int NAME(load)(struct run *r, u64 a, u32 w)
{
	if (!r) return 0;
	u32 n = r->nstores;
	r->loaded = 0;
	#pragma unroll
	for (int k = STORES - 1; k >= 0; k--) {
		if (k >= n) continue;
		struct store *s = &r->stores[k];
		u64 sa = s->addr, sw = s->width;
		if (a >= sa + sw || sa >= a + w) continue;
		if (!s->known || a < sa || a + w > sa + sw) return 0;
		r->loaded = s->value >> ((8 * (a - sa)) & 63) & mask(w);
		return 1;
	}
	u64 v[2] = {}; // the verifier believes that w may be 15
	w = BOUND(w, 15);
	if (READ(v, w, a)) {
		r->stop = STOP_FAULT;
		return 0;
	}
	r->loaded = v[0];
	return 1;
}

// NAME(cmpxchg16) executes CMPXCHG8B and CMPXCHG16B, of two words of w bytes at a. It returns 1, with r->stop set, if it cannot.
GLOBAL int NAME(cmpxchg16)(struct run *r, u64 a, u32 w)
{
	if (!r) return 0;
	if (w == 8 && a & 15) {
		r->stop = STOP_FAULT;
		return 1;
	}
	u32 kn = NAME(load)(r, a, w);
	if (r->stop) return 1;
	u64 lo = r->loaded;
	kn &= NAME(load)(r, a + w, w);
	if (r->stop) return 1;
	u64 hi = r->loaded, m = mask(w), f = flags(r) & ~(u64)FLAG_Z, f_known = r->flags_known & ~(u64)FLAG_Z;
	kn &= known(r, R_AX) & known(r, R_DX);
	u32 equal = lo == (r->r[R_AX] & m) && hi == (r->r[R_DX] & m);
	if (kn && equal) f |= FLAG_Z;
	flags_of(r, FLAGS_WORD, 0, f, 0, 1);
	r->flags_known = f_known | (kn ? FLAG_Z : 0);
	if (!kn || !equal) {
		set(r, R_AX, lo, kn);
		set(r, R_DX, hi, kn);
	}
	if (kn && !equal) return 0;
	if (put(r, a, r->r[R_BX] & m, w | (kn & known(r, R_BX)) << 8)) return 1;
	return put(r, a + w, r->r[R_CX] & m, w | (kn & known(r, R_CX)) << 8);
}

// NAME(find) returns the index of the first operation of the instruction at pc, or 0.
INLINE u32 NAME(find)(struct run *r, u64 pc)
{
	struct address a = {.pc = pc, .tgid = r->tgid};
	struct entry *e = map_lookup(&entries, &a);
	return e ? e->index : 0;
}

// NAME(has) returns 1 if the n bytes at a are those of a word of code, but for a breakpoint in the place of the first one,
// behind which the program executes the original instruction. Otherwise it sets r->stop.
INLINE int NAME(has)(struct run *r, u64 a, u32 n, u64 code, u64 breakpoint)
{
	u64 v[2] = {}; // as in load
	n = BOUND(n, 15);
	if (READ(v, n, a)) {
		r->stop = STOP_FAULT;
		return 0;
	}
	if (v[0] == code || v[0] == breakpoint) return 1;
	r->stop = STOP_CHANGED_CODE;
	return 0;
}

// NAME(step) executes the operation r->index. It returns 1 if the run ends: with the reason in r->stop, in front of the
// instruction at r->pc, of which other operations may have been executed; or after r->want instructions. r->last is the
// tuple of the instruction, and whole if r->whole is 1.
INLINE int NAME(step)(struct run *r)
{
	u32 index = r->index;
	struct op *o = index ? map_lookup(&ops, &index) : 0;
	if (!o) {
		r->stop = STOP_NOT_DECODED;
		return 1;
	}
	u32 k = o->k, flag = o->flags, d = o->d, s = o->s, b = o->b, i = o->i;
	d = BOUND(d, REGS - 1);
	s = BOUND(s, REGS - 1);
	b = BOUND(b, REGS - 1);
	i = BOUND(i, REGS - 1);
	r->pc = o->pc;
	r->whole = 0;
	if (flag & OP_FIRST) {
		u32 n = o->size;
		u64 code = o->code[0];
		if (n && !NAME(has)(r, o->pc, n > 8 ? 8 : n, code, (code & ~0xffULL) | 0xcc)) return 1;
		code = o->code[1];
		if (n > 8 && !NAME(has)(r, o->pc + 8, n - 8, code, code)) return 1;
		u32 named = o->named;
		named = BOUND(named, REGS - 1);
		r->last.pc = o->pc;
		r->last.have = 0;
		note(r, HAVE_NAMED, &r->last.named, r->r[named], named != R_ZERO && known(r, named));
	}
	u64 rs = r->r[s], y = rs + o->imm, a = r->r[b] + r->r[i] * o->sh + (u64)o->disp, v = 0, part, sp = r->r[R_SP];
	u64 pc = o->pc + o->len;
	u32 sk = known(r, s), ak = known(r, b) & known(r, i), next = o->l1, w = 8, kn, c;
	switch (k) {
	case K_NOP: break;

	case K_MOV64: w = 8; v = part = rs; goto move;
	case K_MOV32: w = 4; v = part = (u32)rs; goto move;
	case K_MOV_I: v = part = o->imm; goto move;
	case K_ZX8: v = part = rs & 0xff; goto move;
	case K_ZX16: v = part = rs & 0xffff; goto move;
	case K_ZX_H: v = part = rs >> 8 & 0xff; goto move;
	case K_SX8: part = extend(rs, 1); v = part & o->imm; goto move;
	case K_SX16: part = extend(rs, 2); v = part & o->imm; goto move;
	case K_SX32:
		v = part = extend(rs, 4);
	move:
		if (temporary(s) && k < K_SX8)
			cut(r, w);
		else if (d == R_DST)
			note_first(r, part, sk);
		else {
			note_second(r, part, sk);
			note_result(r, v, sk);
		}
		set(r, d, v, sk);
		break;
	case K_PUT8: part = rs & 0xff; w = 1; goto low;
	case K_PUT_H: part = rs & 0xff; w = 1; goto low;
	case K_PUT16:
		part = rs & 0xffff;
		w = 2;
	low:
		if (temporary(s))
			cut(r, w);
		else if (d == R_DST)
			note_first(r, part, sk);
		else {
			note_second(r, part, sk);
			note_result(r, part, sk);
		}
		if (k == K_PUT_H)
			set(r, d, (r->r[d] & ~0xff00ULL) | part << 8, sk & known(r, d));
		else
			set(r, d, (r->r[d] & ~mask(w)) | part, sk & known(r, d));
		break;
	case K_LEA32: case K_LEA_X32: a = (u32)a; // fall through
	case K_LEA64: case K_LEA_X64:
		if (d != R_ADDR) {
			note_second(r, a, ak);
			note_result(r, a, ak);
		}
		set(r, d, a, ak);
		break;

	case K_LD64: case K_LD_X64: goto load;
	case K_LD32: case K_LD_X32: case K_LD_S32: w = 4; goto load;
	case K_LD_X16: case K_LD_S16: w = 2; goto load;
	case K_LD8: case K_LD_X8: case K_LD_S8:
		w = 1;
	load:
		note_addr(r, a, ak);
		kn = 0;
		if (ak) {
			kn = NAME(load)(r, a, w);
			if (r->stop) return 1;
			v = r->loaded;
		}
		if (k == K_LD_S8 || k == K_LD_S16 || k == K_LD_S32) v = extend(v, w);
		if (d == R_DST)
			note_first(r, v, kn);
		else
			note_second(r, v, kn);
		if (k == K_LD_S8 || k == K_LD_S16) v &= o->imm;
		if (d != R_DST) note_result(r, v, kn);
		set(r, d, v, kn);
		break;
	case K_ST64: case K_ST_X64: goto store;
	case K_ST32: case K_ST_X32: w = 4; goto store;
	case K_ST_X16: w = 2; goto store;
	case K_ST8: case K_ST_X8:
		w = 1;
	store:
		if (!ak) goto unknown_address;
		y &= mask(w);
		note_addr(r, a, 1);
		if (!temporary(s)) {
			note_second(r, y, sk);
			note_result(r, y, sk);
		}
		if (put(r, a, y, w | sk << 8)) return 1;
		break;

	case K_ADD64: alu(r, o, A_ADD, 0); break;
	case K_ADD32: alu(r, o, A_ADD, 32); break;
	case K_SUB64: alu(r, o, A_SUB, 0); break;
	case K_SUB32: alu(r, o, A_SUB, 32); break;
	case K_AND64: alu(r, o, A_AND, 0); break;
	case K_AND32: alu(r, o, A_AND, 32); break;
	case K_OR64: alu(r, o, A_OR, 0); break;
	case K_OR32: alu(r, o, A_OR, 32); break;
	case K_XOR64: alu(r, o, A_XOR, 0); break;
	case K_XOR32: alu(r, o, A_XOR, 32); break;
	case K_CMP: alu(r, o, A_CMP, o->fl); break;
	case K_TEST: alu(r, o, A_TEST, o->fl); break;
	case K_CLEAR:
		note_first(r, r->r[b] << (o->fl & 63) >> (o->fl & 63), known(r, b));
		note_second(r, rs << (o->fl & 63) >> (o->fl & 63), sk);
		note_result(r, 0, 1);
		flags_of(r, FLAGS_SUB, 0, 0, 0, 1);
		set(r, d, 0, 1);
		break;
	case K_ALU:
		if (alu(r, o, o->l0, o->fl)) return 1;
		break;
	case K_WIDE:
		if (wide(r, o)) return 1;
		break;
	case K_CMPXCHG: cmpxchg(r, o); break;
	case K_CMPXCHG16:
		if (!ak) goto unknown_address;
		note_addr(r, a, 1);
		if (NAME(cmpxchg16)(r, a, o->l0)) return 1;
		break;
	case K_CMOV: case K_CMOV32: case K_SET: case K_JCC:
		c = condition(r, o->sh);
		kn = c >> 1;
		c &= 1;
		if (k == K_JCC) {
			if (!kn) {
				r->stop = STOP_UNKNOWN_FLAGS;
				return 1;
			}
			note_result(r, c, 1);
			if (c)
				pc = o->pc + o->disp;
			else
				next = o->l0;
			break;
		}
		if (k == K_SET) {
			note_result(r, c, kn);
			set(r, d, (r->r[d] & ~0xffULL) | c, kn & known(r, d));
			if (d == R_TMP) set(r, d, c, kn); // nobody reads the other bits
			break;
		}
		if (k == K_CMOV32) w = 4;
		v = r->r[d] & mask(w);
		rs &= mask(w);
		note_first(r, v, known(r, d));
		note_second(r, rs, sk);
		kn &= c ? sk : known(r, d);
		if (c) v = rs;
		note_result(r, v, kn);
		set(r, d, v, kn);
		break;
	case K_PUSH:
		if (!known(r, R_SP)) goto unknown_address;
		note_addr(r, sp - 8, 1);
		note_only(r, y, sk);
		if (put(r, sp - 8, y, 8 | sk << 8)) return 1;
		r->r[R_SP] = sp - 8;
		break;
	case K_POP:
		if (!known(r, R_SP)) goto unknown_address;
		note_addr(r, sp, 1);
		kn = NAME(load)(r, sp, 8);
		if (r->stop) return 1;
		v = r->loaded;
		note_result(r, v, kn);
		r->r[R_SP] = sp + 8;
		set(r, d, v, kn);
		break;
	case K_FLAG:
		v = flags(r);
		switch (o->imm) {
		case 0xf5: v ^= FLAG_C; break;
		case 0xf8: v &= ~(u64)FLAG_C; break;
		case 0xf9: v |= FLAG_C; break;
		default: goto unsupported; // PUSHF, POPF
		}
		a = r->flags_known;
		flags_of(r, FLAGS_WORD, 0, v, 0, 1);
		r->flags_known = o->imm == 0xf5 ? a : a | FLAG_C;
		break;

	case K_JMP: pc = o->pc + o->disp; break;
	case K_CALL: case K_CALL_R:
		if (k == K_CALL_R) {
			note_only(r, rs, sk);
			if (!sk) goto unknown_target;
		}
		if (!known(r, R_SP)) goto unknown_address;
		note_addr(r, sp - 8, 1);
		if (put(r, sp - 8, pc, 8 | 1 << 8)) return 1;
		r->r[R_SP] = sp - 8;
		pc = o->pc + o->disp;
		if (k == K_CALL) break;
		goto indirect;
	case K_RET:
		if (!known(r, R_SP)) goto unknown_address;
		note_addr(r, sp, 1);
		kn = NAME(load)(r, sp, 8);
		if (r->stop) return 1;
		if (!kn) goto unknown_target;
		rs = r->loaded;
		r->r[R_SP] = sp + 8 + o->imm;
		goto indirect;
	case K_JMP_R:
		note_only(r, rs, sk);
		if (!sk) goto unknown_target;
	indirect:
		note_result(r, rs, 1);
		pc = rs;
		next = 0;
		break;
	case K_STOP:
		r->stop = o->imm;
		return 1;
	case K_STRING:
		r->stop = STOP_STRING;
		return 1;

	// Vector registers are not there. Of what the operations do, it matters what they read from and write to memory,
	// and to general registers and flags.
	case K_VLD:
		note_addr(r, a, ak);
		w = o->fl;
		if (w > 8) break;
		kn = 0;
		if (ak) {
			kn = NAME(load)(r, a, w);
			if (r->stop) return 1;
			v = r->loaded;
		}
		note_second(r, v, kn);
		break;
	case K_VLD16: case K_VLD_MASK: note_addr(r, a, ak); break;
	case K_VST: case K_VST_MASK:
		if (!ak) goto unknown_address;
		note_addr(r, a, 1);
		w = k == K_VST ? o->fl : o->imm & 127;
		if (put(r, a, 0, w)) return 1;
		break;
	case K_VMASK:
		if (o->l0 == Q_OR_TEST || o->l0 == Q_TEST)
			flags_of(r, FLAGS_WORD, 0, 0, 0, 0);
		else
			set(r, d, 0, 0);
		break;
	case K_VGET: case K_VSIGNS: case K_VINT:
		note_result(r, 0, 0);
		set(r, d, 0, 0);
		break;
	case K_VINDEX: set(r, R_CX, 0, 0); // fall through
	case K_VFLAGS: flags_of(r, FLAGS_WORD, 0, 0, 0, 0); break;
	case K_VPRESS: case K_VCONTROL:
		note_result(r, 0, 0);
		set(r, R_TMP, 0, 0);
		break;
	case K_VMOV16: case K_VPUT: case K_VZERO: case K_VLANES: case K_VONE: case K_VCOUNT: case K_VSHUFFLE: case K_VCONVERT:
	case K_VPACK: case K_VCRYPTO:
		note_result(r, 0, 0);
		break;
	default:
	unsupported:
		r->stop = STOP_UNSUPPORTED;
		return 1;
	}
	if (!(flag & OP_LAST)) {
		r->index = next;
		return 0;
	}
	r->last.index = index;
	r->whole = 1;
	r->pc = pc;
	if (!next) next = NAME(find)(r, pc);
	r->index = next;
	return ++r->steps >= r->want;

unknown_address:
	r->stop = STOP_UNKNOWN_ADDRESS;
	return 1;
unknown_target:
	r->stop = STOP_UNKNOWN_TARGET;
	return 1;
}
