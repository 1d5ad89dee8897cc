//go:build ignore

// The interpreter as a program that a test can run: it interprets a thread that is
// stopped by ptrace, from the registers that the test passes.
#include "run.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct request {
	u64 regs[16], fs_base, flags, flags_known, pc;
	u32 index, tgid, tid, n;
	u32 known, stop, steps, unused;
};

u32 target; // thread whose memory is read

struct {
	UINT(type, MAP_ARRAY);
	TYPE(key, u32);
	TYPE(value, struct run);
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

static long one(u32 i, struct run **r) { return step_task(*r); }

SEC("syscall") int run_steps(struct request *q)
{
	u32 zero = 0;
	struct run *r = map_lookup(&scratch, &zero);
	if (!r) return -1;
	target = q->tid;
	#pragma unroll
	for (int i = 0; i < 16; i++)
		r->r[i] = q->regs[i];
	r->r[NO_REG] = 0;
	r->r[FS_BASE] = q->fs_base;
	r->flags = q->flags;
	r->flags_known = ALL_FLAGS;
	r->pc = q->pc;
	r->known = (2u << FS_BASE) - 1;
	r->index = q->index;
	r->tgid = q->tgid;
	r->stop = r->steps = r->nstores = 0;
	loop(q->n, one, &r, 0);
	#pragma unroll
	for (int i = 0; i < 16; i++)
		q->regs[i] = r->r[i];
	q->flags = r->flags;
	q->flags_known = r->flags_known;
	q->pc = r->pc;
	q->known = r->known;
	q->stop = r->stop;
	q->steps = r->steps;
	return 0;
}
