//go:build ignore

// The interpreter as a program that a test can run: it interprets a thread that is
// stopped by ptrace, from the registers that the test passes.
#include "run.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct request {
	u64 regs[16], fs_base, flags, flags_known, pc; // those that are known, here and in known, before and after
	u32 index, tgid, tid, n;
	u32 known, stop, steps, nstores;
	struct tuple last; // of the last instruction
	struct store stores[STORES];
};

struct state {
	struct run run;
	struct run before; // the instruction that is being executed: some of its operations may have been when it stops
};

u32 target; // thread whose memory is read

struct {
	UINT(type, MAP_ARRAY);
	TYPE(key, u32);
	TYPE(value, struct state);
	UINT(max_entries, 1);
} scratch SEC(".maps");

struct task_struct {
	int pid;
} KERNEL_TYPE;
extern struct task_struct *bpf_task_from_pid(s32 pid) SEC(".ksyms");
extern void bpf_task_release(struct task_struct *p) SEC(".ksyms");

NOINLINE long read_task(u64 *to, u32 n, u64 addr)
{
	if (!to) return -1;
	struct task_struct *task = bpf_task_from_pid(target);
	if (!task) return -1;
	u64 v = 0;
	n = BOUND(n, 15);
	if (n > 8) n = 8;
	long err = copy_from_user_task(&v, n, (void *)addr, task, 0);
	bpf_task_release(task);
	*to = v;
	return err;
}

#define NAME(x) x##_task
#define READ(to, n, addr) read_task(to, n, addr)
#include "interp.h"

static long one(u32 i, struct state **sp)
{
	struct state *s = *sp;
	if (s->run.whole) {
		s->before.fa = s->run.fa;
		s->before.fb = s->run.fb;
		s->before.fk = s->run.fk;
		s->before.fs = s->run.fs;
		s->before.flags_known = s->run.flags_known;
		s->before.known = s->run.known;
		#pragma unroll
		for (int i = 0; i < 16; i++)
			s->before.r[i] = s->run.r[i];
	}
	return step_task(&s->run);
}

SEC("syscall") int run_steps(struct request *q)
{
	u32 zero = 0;
	struct state *s = map_lookup(&scratch, &zero);
	if (!s) return -1;
	struct run *r = &s->run;
	target = q->tid;
	#pragma unroll
	for (int i = 0; i < 16; i++)
		r->r[i] = q->regs[i];
	begin(r, q->pc, q->flags, q->index, q->n);
	r->r[R_FS] = q->fs_base;
	r->known = (r->known & q->known) | 1u << R_ZERO | 1u << R_FS;
	r->flags_known = q->flags_known;
	r->tgid = q->tgid;
	loop(q->n * INSN_OPS, one, &s, 0);
	q->pc = r->pc;
	q->stop = r->stop;
	q->steps = r->steps;
	q->last = r->last;
	q->nstores = r->nstores;
	__builtin_memcpy(q->stores, r->stores, sizeof(q->stores));
	if (r->stop && !r->whole) r = &s->before;
	#pragma unroll
	for (int i = 0; i < 16; i++)
		q->regs[i] = r->r[i];
	q->flags = flags(r);
	q->flags_known = r->flags_known;
	q->known = r->known;
	return 0;
}
