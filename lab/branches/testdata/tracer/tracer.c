// A tool for valgrind that says in which order a Go program for linux/amd64 comes by certain instructions:
//
//	valgrind --tool=peprows --rows=FILE --out=FILE program
//
// The file rows has their addresses, of 8 bytes each, in order; the top bit says that the address of the next instruction is wanted,
// too, and the one below that a condition is, whose code in Jcc is in bits 56 to 59. To the other file it writes five numbers of 8
// bytes for each execution: the address, the depth of the stack there, the goroutine, the address of the next instruction,
// whether the condition holds, or 0, and how many instructions were executed so far. In the last five numbers, all but that are 0.

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "libvex_guest_amd64.h"

// Not in the headers for tools.
extern Long VG_(fsize)(Int fd);
extern Int VG_(safe_fd)(Int fd);
extern ULong amd64g_calculate_condition(ULong cond, ULong cc_op, ULong cc_dep1, ULong cc_dep2, ULong cc_ndep);

static const HChar *rows_name, *out_name;
static ULong *rows;
static Long nrows;
static Int out_fd = -1;

static struct { ULong pc, depth, g, next, instructions; } buf[4096];
static Int nbuf;
// Branches whose next instruction is not known yet, by thread: threads may change between the two.
static struct { ULong pc, depth, g; } branches[1024];
static UInt pending; // how many there are
static ULong instructions; // executed so far

static void flush(void) {
	const HChar *p = (const HChar *)buf;
	Int left = nbuf * sizeof buf[0];
	while (left > 0) {
		Int n = VG_(write)(out_fd, p, left);
		if (n <= 0)
			VG_(tool_panic)("cannot write");
		p += n;
		left -= n;
	}
	nbuf = 0;
}

static void record(ULong pc, ULong depth, ULong g, ULong next) {
	buf[nbuf].pc = pc;
	buf[nbuf].depth = depth;
	buf[nbuf].g = g;
	buf[nbuf].next = next;
	buf[nbuf].instructions = instructions;
	if (++nbuf == sizeof buf / sizeof buf[0])
		flush();
}

static ULong depth_of(ULong sp, ULong g) { return g < 4096 ? 0 : ((ULong *)g)[1] - sp; }

static VG_REGPARM(3) void at(ULong pc, ULong sp, ULong g) { record(pc, depth_of(sp, g), g, 0); }

static VG_REGPARM(3) void branch(ULong pc, ULong sp, ULong g) {
	ThreadId t = VG_(get_running_tid)();
	if (t >= sizeof branches / sizeof branches[0])
		VG_(tool_panic)("too many threads");
	branches[t].pc = pc;
	branches[t].depth = depth_of(sp, g);
	branches[t].g = g;
	pending++;
}

static void condition(VexGuestAMD64State *s, ULong pc, ULong code) {
	ULong holds = amd64g_calculate_condition(code, s->guest_CC_OP, s->guest_CC_DEP1, s->guest_CC_DEP2, s->guest_CC_NDEP);
	record(pc, depth_of(s->guest_RSP, s->guest_R14), s->guest_R14, holds);
}

static VG_REGPARM(1) void next(ULong pc) {
	ThreadId t = VG_(get_running_tid)();
	if (t >= sizeof branches / sizeof branches[0] || branches[t].pc == 0)
		return;
	record(branches[t].pc, branches[t].depth, branches[t].g, pc);
	branches[t].pc = 0;
	pending--;
}

#define WANT_NEXT (1ULL << 63)
#define WANT_CONDITION (1ULL << 62)
#define WANT (0xffULL << 56)

static ULong find(ULong pc) {
	Long lo = 0, hi = nrows;
	while (lo < hi) {
		Long m = lo + (hi - lo) / 2;
		if ((rows[m] & ~WANT) < pc)
			lo = m + 1;
		else
			hi = m;
	}
	return lo < nrows && (rows[lo] & ~WANT) == pc ? rows[lo] : 0;
}

static IRExpr *reg(IRSB *sb, Int offset) {
	IRTemp t = newIRTemp(sb->tyenv, Ity_I64);
	addStmtToIRSB(sb, IRStmt_WrTmp(t, IRExpr_Get(offset, Ity_I64)));
	return IRExpr_RdTmp(t);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *vge,
                        const VexArchInfo *archinfo, IRType gWordTy, IRType hWordTy) {
	IRSB *sb = deepCopyIRSBExceptStmts(in);
	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *st = in->stmts[i];
		addStmtToIRSB(sb, st);
		if (st->tag != Ist_IMark)
			continue;
		ULong pc = st->Ist.IMark.addr, row = find(pc);
		IRTemp before = newIRTemp(sb->tyenv, Ity_I64), after = newIRTemp(sb->tyenv, Ity_I64);
		addStmtToIRSB(sb, IRStmt_WrTmp(before, IRExpr_Load(Iend_LE, Ity_I64, mkIRExpr_HWord((HWord)&instructions))));
		addStmtToIRSB(sb, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before), IRExpr_Const(IRConst_U64(1)))));
		addStmtToIRSB(sb, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&instructions), IRExpr_RdTmp(after)));
		IRTemp flag = newIRTemp(sb->tyenv, Ity_I32), set = newIRTemp(sb->tyenv, Ity_I1);
		addStmtToIRSB(sb, IRStmt_WrTmp(flag, IRExpr_Load(Iend_LE, Ity_I32, mkIRExpr_HWord((HWord)&pending))));
		addStmtToIRSB(sb, IRStmt_WrTmp(set, IRExpr_Binop(Iop_CmpNE32, IRExpr_RdTmp(flag), IRExpr_Const(IRConst_U32(0)))));
		IRDirty *d = unsafeIRDirty_0_N(1, "next", VG_(fnptr_to_fnentry)(next), mkIRExprVec_1(mkIRExpr_HWord(pc)));
		d->guard = IRExpr_RdTmp(set);
		addStmtToIRSB(sb, IRStmt_Dirty(d));
		if (row == 0)
			continue;
		if (row & WANT_CONDITION) {
			d = unsafeIRDirty_0_N(0, "condition", VG_(fnptr_to_fnentry)(condition),
			                      mkIRExprVec_3(IRExpr_GSPTR(), mkIRExpr_HWord(pc), mkIRExpr_HWord(row >> 56 & 15)));
			d->nFxState = 1;
			VG_(memset)(&d->fxState[0], 0, sizeof d->fxState[0]);
			d->fxState[0].fx = Ifx_Read;
			d->fxState[0].size = offsetof(VexGuestAMD64State, guest_RIP);
			addStmtToIRSB(sb, IRStmt_Dirty(d));
			continue;
		}
		IRExpr *sp = reg(sb, offsetof(VexGuestAMD64State, guest_RSP)), *g = reg(sb, offsetof(VexGuestAMD64State, guest_R14));
		Bool branches = (row & WANT_NEXT) != 0;
		d = unsafeIRDirty_0_N(3, branches ? "branch" : "at", VG_(fnptr_to_fnentry)(branches ? (void *)branch : (void *)at),
		                      mkIRExprVec_3(mkIRExpr_HWord(pc), sp, g));
		addStmtToIRSB(sb, IRStmt_Dirty(d));
	}
	return sb;
}

static Bool option(const HChar *arg) {
	if (VG_STR_CLO(arg, "--rows", rows_name)) {
	} else if (VG_STR_CLO(arg, "--out", out_name)) {
	} else
		return False;
	return True;
}

static void usage(void) {}

static void post_clo_init(void) {
	SysRes r = VG_(open)(rows_name, VKI_O_RDONLY, 0);
	if (sr_isError(r))
		VG_(tool_panic)("cannot open the rows");
	nrows = VG_(fsize)(sr_Res(r)) / 8;
	rows = VG_(malloc)("rows", nrows * 8 + 8);
	for (Long done = 0; done < nrows * 8;) {
		Int n = VG_(read)(sr_Res(r), (HChar *)rows + done, nrows * 8 - done);
		if (n <= 0)
			VG_(tool_panic)("cannot read the rows");
		done += n;
	}
	VG_(close)(sr_Res(r));
	r = VG_(open)(out_name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);
	if (sr_isError(r))
		VG_(tool_panic)("cannot open the output");
	out_fd = VG_(safe_fd)(sr_Res(r));
}

static void fini(Int exitcode) {
	record(0, 0, 0, 0);
	flush();
	VG_(close)(out_fd);
}

static void pre_clo_init(void) {
	VG_(details_name)("peprows");
	VG_(details_version)(NULL);
	VG_(details_description)("the order of certain instructions");
	VG_(details_copyright_author)("");
	VG_(details_bug_reports_to)("");
	VG_(basic_tool_funcs)(post_clo_init, instrument, fini);
	VG_(needs_command_line_options)(option, usage, usage);
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
