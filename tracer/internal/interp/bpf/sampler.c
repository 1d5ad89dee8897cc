//go:build ignore

// The value sampler: at each interrupt of a CPU by a clock it interprets the next instructions of
// the interrupted thread, without any effect on it, and sends what they computed to user
// space.
#include "run.h"
#include "labels.h"
#include "namespace.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { TUPLES = 256 }; // longest run; package sampler has it as MaxLength

// Configuration, set before the program is loaded.
volatile const u32 cfg_all;          // sample all processes, not only those in procs
volatile const u32 cfg_self;         // the sampler's own process, which is not sampled
volatile const u32 cfg_every = 1;    // interpret every n-th interrupt
volatile const u32 cfg_length = 4;   // instructions whose values are noted
volatile const u32 cfg_skip;         // before these, a random number up to this is interpreted: a sum of two
volatile const u32 cfg_interpret = 1; // 0: only count, to measure what interrupts cost alone

struct {
	UINT(type, MAP_HASH);
	TYPE(key, u32); // process
	TYPE(value, struct proc);
	UINT(max_entries, 4096);
} procs SEC(".maps");

// PCs without ops, and how often each was met. User space decodes them.
struct {
	UINT(type, MAP_LRU_HASH);
	TYPE(key, struct address);
	TYPE(value, u64);
	UINT(max_entries, 8192);
} misses SEC(".maps");

struct record {
	u64 time, pc, goid, top, behind, labels;
	u32 pid, tid, cpu, skipped, steps, stop, n, unused;
	struct tuple tuples[TUPLES];
};

struct {
	UINT(type, MAP_RINGBUF);
	UINT(max_entries, 1 << 22);
} records SEC(".maps");

struct work {
	struct pt_regs regs; // of the interrupted code
	struct run run;
	struct record rec;
	struct labels labels;
	u32 skip, interrupts;
	u64 utime, stime; // of the current thread when a timer of the kernel begins
};

struct {
	UINT(type, MAP_PERCPU_ARRAY);
	TYPE(key, u32);
	TYPE(value, struct work);
	UINT(max_entries, 1);
} scratch SEC(".maps");

// Counters; package sampler has the same order.
enum {
	INTERRUPTS, // of sampled processes
	KERNEL,     // in the kernel, where nothing is interpreted
	PASSED,     // not chosen by cfg_every
	MISSED,     // PC without ops
	STALE,      // code that is not what was decoded
	STEPS,      // instructions interpreted
	NOTED,      // tuples
	DROPPED,    // records for which there was no room
	UNREAD,     // labels of goroutines that could not be read
	STOPS,      // first of the reasons
	COUNTERS = STOPS + 32,
};

struct {
	UINT(type, MAP_PERCPU_ARRAY);
	TYPE(key, u32);
	TYPE(value, u64);
	UINT(max_entries, COUNTERS);
} counters SEC(".maps");

INLINE void add(u32 counter, u64 n)
{
	u64 *p = map_lookup(&counters, &counter);
	if (p) *p += n;
}

#define NAME(x) x##_now
#define READ(to, n, addr) probe_read_user(to, n, (void *)(addr))
#include "interp.h"

// word reads the word at a register's address as the next instruction would load it: 0 if it
// is not known.
INLINE u64 word(struct run *r, u32 reg, u64 disp)
{
	if (!known(r, reg)) return 0;
	u64 v = load_now(r, r->r[reg] + disp, 8) ? r->loaded : 0;
	r->stop = 0; // a fault here is none of the program's
	return v;
}

static long one(u32 i, struct work **wp)
{
	struct work *w = *wp;
	// The skipped instructions may have called or left functions, so the candidates for the
	// return address are read behind them.
	if (w->run.whole && !w->skip && !w->rec.steps) {
		w->rec.top = word(&w->run, R_SP, 0);
		w->rec.behind = word(&w->run, R_BP, 8);
	}
	int end = step_now(&w->run);
	if (!w->run.whole || w->run.stop) return end;
	if (w->skip) {
		w->skip--;
		w->rec.skipped++;
		return end;
	}
	w->rec.steps++;
	u32 index = w->run.last.index;
	struct op *o = map_lookup(&ops, &index);
	if (!o || !(o->flags & OP_NOTED)) return end;
	u32 n = w->rec.n;
	if (n >= TUPLES) return end;
	n = BOUND(n, TUPLES - 1);
	w->rec.tuples[n] = w->run.last;
	w->rec.n = n + 1;
	return end;
}

// Bit 63 of a miss: there is an entry, but the code is not what was decoded.
#define STALE_CODE (1ULL << 63)

INLINE void miss(u64 pc, u32 tgid, u64 stale)
{
	struct address a = {.pc = pc, .tgid = tgid};
	u64 first = 1 | stale, *n = map_lookup(&misses, &a);
	if (n)
		*n = (*n + 1) | stale;
	else
		map_update(&misses, &a, &first, NOEXIST);
}

// chosen returns the scratch memory if the interrupted process is sampled, and this interrupt is to
// be interpreted.
INLINE struct work *chosen(void)
{
	struct task_struct *task = (void *)current_task();
	u32 tgid = process_number(task), zero = 0;
	if (!map_lookup(&procs, &tgid) && (!cfg_all || tgid == cfg_self || !tgid)) return 0;
	add(INTERRUPTS, 1);
	if (!cfg_interpret) return 0;
	struct work *w = map_lookup(&scratch, &zero);
	if (!w) return 0;
	if (cfg_every > 1 && ++w->interrupts % cfg_every) {
		add(PASSED, 1);
		return 0;
	}
	return w;
}

// interpret makes a run of the code that was interrupted with the registers in w.
INLINE int interpret(struct work *w)
{
	struct pt_regs *regs = &w->regs;
	struct task_struct *task = (void *)current_task();
	u32 tgid = process_number(task);
	struct proc *p = map_lookup(&procs, &tgid);
	if (!(regs->cs & 3)) {
		add(KERNEL, 1);
		return 0;
	}
	u64 pc = regs->ip, code = 0;
	struct address a = {.pc = pc, .tgid = tgid};
	struct entry *e = map_lookup(&entries, &a);
	if (!e) {
		add(MISSED, 1);
		miss(pc, tgid, 0);
		return 0;
	}
	// A process that has called exec, or another one with the number of a dead process, has
	// other code there. Near the end of a mapping the code cannot be read in one piece, and
	// is not compared.
	if (!probe_read_user(&code, 8, (void *)pc) && code != e->code) {
		add(STALE, 1);
		miss(pc, tgid, STALE_CODE);
		return 0;
	}
	struct run *r = &w->run;
	struct record *rec = &w->rec;
	u64 fs = 0, g;
	u32 unread = 0, steps = 0;
	probe_read_kernel(&fs, 8, &task->thread.fsbase);
	rec->time = ktime_get_ns();
	rec->pc = pc;
	rec->goid = goroutine(p, fs, &g);
	rec->labels = labels_of(p, g, &w->labels, &unread);
	add(UNREAD, unread);
	rec->pid = tgid;
	rec->tid = thread_number(task);
	rec->cpu = smp_processor_id();

	// The sum of two random numbers spreads the beginnings of runs more evenly over a loop than
	// one of the same range does. If the run gives up before anything is noted, it is
	// done again, and begins somewhere on the way on which it came through. Otherwise code near to
	// instructions that cannot be interpreted would have few values.
	u32 skip = prandom_u32() % (cfg_skip / 2 + 1) + prandom_u32() % (cfg_skip - cfg_skip / 2 + 1);
	for (u32 attempt = 0; attempt < 2; attempt++) {
		r->r[0] = regs->ax; r->r[1] = regs->cx; r->r[2] = regs->dx; r->r[3] = regs->bx;
		r->r[4] = regs->sp; r->r[5] = regs->bp; r->r[6] = regs->si; r->r[7] = regs->di;
		r->r[8] = regs->r8; r->r[9] = regs->r9; r->r[10] = regs->r10; r->r[11] = regs->r11;
		r->r[12] = regs->r12; r->r[13] = regs->r13; r->r[14] = regs->r14; r->r[15] = regs->r15;
		begin(r, pc, regs->flags, e->index, cfg_length + skip);
		r->r[R_FS] = fs;
		r->known |= 1u << R_FS;
		r->tgid = tgid;
		rec->top = rec->behind = 0;
		rec->skipped = rec->steps = rec->n = 0;
		w->skip = skip;
		loop((cfg_length + skip) * INSN_OPS, one, &w, 0);
		steps += r->steps;
		u32 through = rec->skipped;
		if (rec->steps || !through || r->stop == STOP_NOT_DECODED) break; // it will be decoded
		skip = prandom_u32() % through;
		skip = BOUND(skip, TUPLES * 2 - 1);
	}

	u32 n = rec->n, stop = r->stop;
	rec->stop = stop;
	if (stop == STOP_NOT_DECODED) miss(r->pc, tgid, 0);
	if (stop == STOP_CHANGED_CODE) miss(r->pc, tgid, STALE_CODE);
	add(STEPS, steps);
	add(NOTED, n);
	add(STOPS + (stop & 31), 1);
	if (n > TUPLES) n = TUPLES;
	if (ringbuf_output(&records, rec, sizeof(*rec) - sizeof(rec->tuples) + n * sizeof(struct tuple), RB_NO_WAKEUP)) add(DROPPED, 1);
	return 0;
}

// C copies a register. The verifier wants each read to be of the context at a constant
// offset; volatile keeps the compiler from computing addresses first.
#define C(f) w->regs.f = (((volatile struct perf_event_data *)ctx)->regs.f)

// sample is called at interrupts that the sampler asked for.
SEC("perf_event") int sample(struct perf_event_data *ctx)
{
	struct work *w = chosen();
	if (!w) return 0;
	C(r15); C(r14); C(r13); C(r12); C(bp); C(bx); C(r11); C(r10); C(r9); C(r8);
	C(ax); C(cx); C(dx); C(si); C(di); C(ip); C(cs); C(flags); C(sp);
	return interpret(w);
}

// Ticks of the kernel's own clock interrupt each busy CPU anyway. The kernel does not pass registers to
// programs at its timers, nor says which timer is the tick. But a tick, and nothing else, adds to the user time of
// the current thread if it has interrupted user code, and to its system time if not. In the first
// case the registers of the interrupted code are at the beginning of the thread's kernel stack.

SEC("tp_btf/hrtimer_expire_entry") int timer_begins(u64 *ctx)
{
	struct task_struct *task = (void *)current_task();
	u32 zero = 0;
	struct work *w = map_lookup(&scratch, &zero);
	if (!w) return 0;
	probe_read_kernel(&w->utime, 8, &task->utime);
	probe_read_kernel(&w->stime, 8, &task->stime);
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit") int timer_ends(u64 *ctx)
{
	struct task_struct *task = (void *)current_task();
	u32 zero = 0;
	u64 utime = 0, stime = 0;
	struct work *w = map_lookup(&scratch, &zero);
	if (!w) return 0;
	probe_read_kernel(&utime, 8, &task->utime);
	probe_read_kernel(&stime, 8, &task->stime);
	u32 user = utime != w->utime, kernel = stime != w->stime;
	if (!user && !kernel) return 0;
	w->utime = utime; // a tick can come while another timer is handled, which ends behind it
	w->stime = stime;
	if (!chosen()) return 0;
	w->regs.cs = 0;
	if (user && probe_read_kernel(&w->regs, sizeof(w->regs), task_pt_regs(current_task_btf()))) return 0;
	if (~w->regs.orig_ax) w->regs.cs = 0; // those of a system call: the user time was that of a virtual machine
	return interpret(w);
}
