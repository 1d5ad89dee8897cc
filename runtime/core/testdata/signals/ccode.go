//go:build cgo

package main

/*
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *printer[] = {"/bin/grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status", NULL}, *none[] = {NULL};

static void by_system(void) { system("grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status"); }

static void by_spawn(void) {
	pid_t p;
	if (posix_spawn(&p, printer[0], NULL, NULL, printer, none) == 0)
		waitpid(p, NULL, 0);
}

static void by_fork(void) {
	pid_t p = fork();
	if (p == 0) {
		execv(printer[0], printer);
		_exit(1);
	}
	waitpid(p, NULL, 0);
}

static void by_vfork(void) {
	pid_t p = vfork();
	if (p == 0) {
		execv(printer[0], printer);
		_exit(1);
	}
	waitpid(p, NULL, 0);
}

static void *nothing(void *arg) { return arg; }

// A C library may install its handler for signal 33 when it needs it. This one has done so when it has made a thread.
__attribute__((constructor)) static void without_handler(void) {
	struct { void (*handler)(int); unsigned long flags, restorer, mask; } a;
	pthread_t p;
	if (getenv("UNHANDLED33") == NULL)
		return;
	pthread_create(&p, NULL, nothing, NULL);
	pthread_join(p, NULL);
	memset(&a, 0, sizeof a);
	a.handler = strcmp(getenv("UNHANDLED33"), "ignored") == 0 ? SIG_IGN : SIG_DFL;
	syscall(SYS_rt_sigaction, 33, &a, NULL, 8);
}
*/
import "C"

func ofC(yield func(name string, make func()) bool) bool {
	return yield("system", func() { C.by_system() }) &&
		yield("posix_spawn", func() { C.by_spawn() }) &&
		yield("fork of C", func() { C.by_fork() }) &&
		yield("vfork of C", func() { C.by_vfork() })
}
