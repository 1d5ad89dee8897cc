// Numbers of processes and threads in the PID namespace of the sampler. bpf_get_current_pid_tgid
// gives those of the first namespace, which a sampler in a container does not know.
// bpf_get_ns_current_pid_tgid knows only threads that are in the sampler's namespace itself;
// a container can have containers, and their threads have a number in each namespace outside
// of theirs.
#pragma once
#include "helpers.h"

volatile const u32 cfg_namespace; // inode of the sampler's PID namespace; 0 for the first one

struct ns_common {
	unsigned int inum;
} KERNEL_TYPE;
struct pid_namespace {
	struct ns_common ns;
} KERNEL_TYPE;
struct upid {
	int nr;
	struct pid_namespace *ns;
} KERNEL_TYPE;
struct pid {
	unsigned int level;
	struct upid numbers[1];
} KERNEL_TYPE;

enum { NAMESPACES = 33 }; // the kernel allows 32 in the first one

// number returns the number that a process or thread has in the sampler's namespace, or 0 if
// it is outside of it. Pid has a number for each namespace, the innermost one last.
NOINLINE u32 number(struct pid *pid)
{
	u32 level = 0;
	probe_read_kernel(&level, sizeof(level), &pid->level);
	for (u32 i = 0; i < NAMESPACES; i++) {
		if (i > level) return 0;
		struct upid *n = (void *)&pid->numbers + (level - i) * sizeof(struct upid);
		struct pid_namespace *ns = 0;
		u32 inode = 0;
		s32 nr = 0;
		probe_read_kernel(&ns, sizeof(ns), &n->ns);
		probe_read_kernel(&inode, sizeof(inode), &ns->ns.inum);
		if (inode != cfg_namespace) continue;
		probe_read_kernel(&nr, sizeof(nr), &n->nr);
		return nr;
	}
	return 0;
}

struct thread_struct {
	unsigned long fsbase;
} KERNEL_TYPE;
struct task_struct {
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct thread_struct thread;
	u64 utime, stime; // ns
} KERNEL_TYPE;

INLINE u32 thread_number(struct task_struct *task)
{
	struct pid *pid = 0;
	if (!cfg_namespace) return current_pid_tgid();
	probe_read_kernel(&pid, sizeof(pid), &task->thread_pid);
	return number(pid);
}

INLINE u32 process_number(struct task_struct *task)
{
	struct task_struct *leader = 0;
	if (!cfg_namespace) return current_pid_tgid() >> 32;
	probe_read_kernel(&leader, sizeof(leader), &task->group_leader);
	return thread_number(leader);
}
