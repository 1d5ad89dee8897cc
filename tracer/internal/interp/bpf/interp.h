// The interpreter, package micro's machine in C. The including file defines
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

// NAME(find) returns the index of the op at pc, or 0.
INLINE u32 NAME(find)(struct run *r, u64 pc)
{
	struct address a = {.pc = pc, .tgid = r->tgid};
	struct entry *e = map_lookup(&entries, &a);
	return e ? e->index : 0;
}

// NAME(step) executes the op r->index. It returns 1, with the reason in r->stop, if it did
// not. r->last is the tuple of the op that it executed.
INLINE int NAME(step)(struct run *r)
{
	u32 index = r->index;
	if (!index) {
		r->stop = STOP_NOT_DECODED;
		return 1;
	}
	struct op *o = map_lookup(&ops, &index);
	if (!o) {
		r->stop = STOP_NOT_DECODED;
		return 1;
	}
	u32 kind = o->kind, w = o->dst_width & 127, fl = o->flags, have = 0;
	u32 dk = o->dst_kind, sk = o->src_kind;
	r->pc = o->pc;
	if (kind == KIND_STOP) {
		r->stop = o->imm;
		return 1;
	}
	u32 third = o->third;
	third = BOUND(third, REGS - 1);
	r->last.named = r->r[third];
	if (third != NO_REG && known(r, third)) have = HAVE_NAMED;
	u64 addr = 0;
	u32 addr_known = 0;
	if (kind == KIND_LEA || dk == IN_MEMORY || sk == IN_MEMORY) {
		u32 b = o->base, x = o->index;
		b = BOUND(b, REGS - 1);
		x = BOUND(x, REGS - 1);
		addr = r->r[b] + (r->r[x] << (o->shift & 3)) + (u64)o->disp;
		addr_known = known(r, b) & known(r, x);
		if (kind != KIND_LEA && addr_known) have |= HAVE_ADDR;
	}
	// Second operand.
	u64 s = 0;
	u32 s_known = 0;
	if (kind == KIND_LEA) {
		s = addr;
		s_known = addr_known;
	} else if (sk == REGISTER) {
		s = get(r, o->src, o->src_width, fl & FLAG_SRC_HIGH);
		s_known = known(r, o->src);
	} else if (sk == IMMEDIATE) {
		s = o->imm;
		s_known = 1;
	} else if (sk == IN_MEMORY) {
		if (addr_known) {
			s_known = NAME(load)(r, addr, o->src_width);
			s = r->loaded;
		}
	} else
		s_known = 1;
	if (fl & FLAG_SIGNED) s = extend(s, o->src_width);
	// First operand.
	u64 d = 0;
	u32 d_known = 0;
	if (fl & FLAG_THIRD) {
		d = get(r, o->third, w, 0);
		d_known = known(r, o->third);
	} else if (fl & FLAG_WRITE_ONLY)
		d_known = 1;
	else if (dk == REGISTER) {
		d = get(r, o->dst, w, fl & FLAG_DST_HIGH);
		d_known = known(r, o->dst);
	} else if (dk == IN_MEMORY) {
		if (addr_known && !r->stop) {
			d_known = NAME(load)(r, addr, w);
			d = r->loaded;
		}
	} else
		d_known = 1;
	if (r->stop) return 1;
	if (d_known && ((dk && !(fl & FLAG_WRITE_ONLY)) || fl & FLAG_THIRD)) have |= HAVE_FIRST;
	if (s_known && sk) have |= HAVE_SECOND;
	r->last.first = d;
	r->last.second = s;

	u64 res = 0, m = mask(w), sm = s & m, changed = 0, defined = ALL_FLAGS, f = 0;
	u64 pc = o->pc + o->len;
	u32 next = o->next, has = 1, writes = 1, kn = d_known & s_known, flags_only = 0, wide = 0;
	u64 carry = r->flags & CF;
	if ((kind == KIND_XOR || kind == KIND_SUB || kind == KIND_CMP || kind == KIND_SBB) && dk == REGISTER && sk == REGISTER &&
	    o->dst == o->src && !(fl & FLAG_SRC_HIGH) == !(fl & FLAG_DST_HIGH)) {
		d = sm = 0;
		kn = 1;
	}
	switch (kind) {
	case KIND_NOP: has = writes = 0; break;
	case KIND_MOV: case KIND_LEA: case KIND_XCHG: res = sm; kn = s_known; break;
	case KIND_ADC: case KIND_ADD: case KIND_INC:
		if (kind == KIND_INC) sm = 1;
		if (kind == KIND_ADC) kn &= r->flags_known & CF; else carry = 0;
		res = (d + sm + carry) & m;
		f = res < d || (carry && res == d) ? CF : 0;
		if (top(~(d ^ sm) & (d ^ res), w)) f |= OF;
		f = result_flags(res, w, f);
		changed = kind == KIND_INC ? ALL_FLAGS & ~CF : ALL_FLAGS;
		break;
	case KIND_SBB: case KIND_SUB: case KIND_CMP: case KIND_DEC: case KIND_NEG:
		if (kind == KIND_DEC) sm = 1;
		if (kind == KIND_NEG) { sm = d; d = 0; }
		if (kind == KIND_SBB) kn &= r->flags_known & CF; else carry = 0;
		res = (d - sm - carry) & m;
		f = d < sm || (carry && d == sm) ? CF : 0;
		if (top((d ^ sm) & (d ^ res), w)) f |= OF;
		f = result_flags(res, w, f);
		changed = kind == KIND_DEC ? ALL_FLAGS & ~CF : ALL_FLAGS;
		writes = kind != KIND_CMP;
		break;
	case KIND_AND: case KIND_TEST: case KIND_OR: case KIND_XOR: case KIND_ANDN:
		if (kind == KIND_OR) res = d | sm;
		else if (kind == KIND_XOR) res = d ^ sm;
		else if (kind == KIND_ANDN) res = ~d & sm;
		else res = d & sm;
		res &= m;
		f = result_flags(res, w, 0);
		changed = ALL_FLAGS;
		if (kind == KIND_ANDN) defined = ALL_FLAGS & ~PF;
		writes = kind != KIND_TEST;
		break;
	case KIND_NOT: res = ~d & m; break;
	case KIND_BSWAP: res = __builtin_bswap64(sm) >> ((64 - 8 * w) & 63); break;
	case KIND_SIGNFILL: res = (u64)((s64)extend(sm, w) >> 63) & m; break;
	case KIND_SHL: case KIND_SHR: case KIND_SAR: case KIND_ROL: case KIND_ROR:
		r->resknown = s_known;
		shift(r, kind, w, d, s);
		goto called;
	case KIND_SHLX: case KIND_SHRX: case KIND_SARX: case KIND_RORX:
		shift_keeping_flags(r, kind, w, sm, kind == KIND_RORX ? o->imm : d);
		r->changed = 0;
		goto called;
	case KIND_SHLD: case KIND_SHRD: {
		u64 n = o->imm;
		if (fl & FLAG_COUNT_CL) {
			n = r->r[CX];
			kn &= known(r, CX);
		}
		r->resknown = kn;
		r->changed = 0;
		double_shift(r, kind | w << 8, d, sm, n);
		goto called;
	}
	case KIND_IMUL: multiply(r, kind, w, d, sm); goto called;
	case KIND_IMUL3: multiply(r, kind, w, o->imm & m, sm); goto called;
	case KIND_MULWIDE: case KIND_IMULWIDE:
		multiply(r, kind, w, d, sm);
		wide = 1;
		goto called;
	case KIND_DIV: case KIND_IDIV:
		r->resknown = kn;
		r->res = r->high = 0;
		if (divide(r, kind, w, d, sm)) {
			r->stop = STOP_DIVIDE;
			return 1;
		}
		kn = r->resknown;
		wide = 1;
		goto called;
	case KIND_BSF: case KIND_BSR: case KIND_TZCNT: case KIND_LZCNT: case KIND_POPCNT:
		r->resknown = d_known | s_known << 1;
		r->flagsonly = 0;
		count(r, kind, w, d, sm);
		kn = r->resknown;
		flags_only = r->flagsonly;
	called:
		res = r->res;
		changed = r->changed;
		defined = r->defined;
		f = r->newflags;
		break;
	case KIND_BT: case KIND_BTS: case KIND_BTR: case KIND_BTC: {
		u32 n = s & (w * 8 - 1) & 63;
		f = d >> n & 1;
		changed = ALL_FLAGS & ~ZF;
		defined = CF;
		res = kind == KIND_BT ? f : kind == KIND_BTS ? d | 1ULL << n : kind == KIND_BTR ? d & ~(1ULL << n) : d ^ 1ULL << n;
		writes = kind != KIND_BT;
		break;
	}
	case KIND_CMOV: case KIND_SETCC: case KIND_JCC: {
		u32 c = condition(r, o->cond);
		if (kind == KIND_JCC) {
			if (!(c & 2)) {
				r->stop = STOP_UNKNOWN_FLAGS;
				return 1;
			}
			res = c & 1;
			kn = 1;
			writes = 0;
			if (res) {
				pc = o->imm;
				next = o->target;
			}
			break;
		}
		if (kind == KIND_SETCC) {
			res = c & 1;
			kn = c >> 1 & 1;
			break;
		}
		res = c & 1 ? sm : d;
		kn = (c & 1 ? s_known : d_known) & c >> 1;
		break;
	}
	case KIND_JMP:
		has = writes = 0;
		pc = o->imm;
		next = o->target;
		break;
	case KIND_JMPTO: case KIND_CALLTO:
		if (!s_known) {
			r->stop = STOP_UNKNOWN_TARGET;
			return 1;
		}
		res = pc = s;
		next = 0;
		writes = 0;
		if (kind == KIND_JMPTO) break;
		// fall through
	case KIND_CALL: {
		u64 sp = r->r[SP] - 8;
		if (!known(r, SP)) {
			r->stop = STOP_UNKNOWN_ADDRESS;
			return 1;
		}
		if (put(r, sp, o->pc + o->len, 8 | 1 << 8)) return 1;
		r->r[SP] = addr = sp;
		have |= HAVE_ADDR;
		if (kind == KIND_CALL) {
			pc = o->imm;
			next = o->target;
			has = writes = 0;
		}
		break;
	}
	case KIND_RET: {
		u64 sp = r->r[SP];
		if (!known(r, SP)) {
			r->stop = STOP_UNKNOWN_ADDRESS;
			return 1;
		}
		kn = NAME(load)(r, sp, 8);
		if (r->stop) return 1;
		if (!kn) {
			r->stop = STOP_UNKNOWN_TARGET;
			return 1;
		}
		res = pc = r->loaded;
		r->r[SP] = sp + 8 + o->imm;
		addr = sp;
		have |= HAVE_ADDR;
		next = 0;
		writes = 0;
		break;
	}
	case KIND_PUSH: {
		u64 sp = r->r[SP] - 8;
		if (!known(r, SP)) {
			r->stop = STOP_UNKNOWN_ADDRESS;
			return 1;
		}
		if (put(r, sp, s, 8 | s_known << 8)) return 1;
		r->r[SP] = addr = sp;
		have |= HAVE_ADDR;
		res = s;
		kn = s_known;
		writes = 0;
		break;
	}
	case KIND_POP: case KIND_LEAVE: {
		u64 sp = r->r[kind == KIND_POP ? SP : BP];
		if (!known(r, kind == KIND_POP ? SP : BP)) {
			r->stop = STOP_UNKNOWN_ADDRESS;
			return 1;
		}
		kn = NAME(load)(r, sp, 8);
		if (r->stop) return 1;
		res = r->loaded;
		set(r, SP, 8, 0, sp + 8, 1);
		addr = sp;
		have |= HAVE_ADDR;
		w = 8;
		dk = REGISTER;
		break;
	}
	case KIND_UNKNOWN: case KIND_POISON:
		has = kn = 0;
		writes = dk != NONE;
		if (fl & FLAG_CLOBBER) changed = ALL_FLAGS;
		break;
	default:
		r->stop = STOP_UNSUPPORTED;
		return 1;
	}
	if (writes && dk == IN_MEMORY) {
		if (!addr_known) {
			r->stop = STOP_UNKNOWN_ADDRESS;
			return 1;
		}
		if (put(r, addr, res, w | !!kn << 8)) return 1;
	}
	if (writes && dk == REGISTER) set(r, o->dst, w, fl & FLAG_DST_HIGH, res, kn);
	if (kind == KIND_XCHG) set(r, o->src, o->src_width, 0, d, d_known);
	if (wide) set(r, DX, w, 0, r->high, kn);
	r->flags = (r->flags & ~changed) | (f & changed);
	r->flags_known &= ~changed;
	if (kn || flags_only) r->flags_known |= changed & defined;

	if (has && kn) have |= HAVE_RESULT;
	r->last.pc = o->pc;
	r->last.result = res;
	r->last.addr = addr;
	r->last.have = have;
	r->last.index = index;
	r->pc = pc;
	if (!next) next = NAME(find)(r, pc);
	r->index = next;
	r->steps++;
	return 0;
}
