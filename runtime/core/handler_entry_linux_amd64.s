// This file holds what must be assembly: system calls, and the entry points of
// signal handlers.
//
// A handler runs on the thread's signal stack, possibly on a thread that Go
// knows nothing of. It calls Go code that must not find out: that code gets a
// g of zeros, whose stack bound of 0 no stack pointer is below, and keeps to
// integers and memory outside of the heap. Handlers save no registers, for the
// kernel restores them all from the signal frame.

#include "textflag.h"

#define SYS_mmap	9
#define SYS_rt_sigprocmask	14
#define SYS_clone	56
#define SYS_execve	59
#define SYS_write	1
#define SYS_wait4	61
#define SYS_clock_gettime	228
#define SYS_prctl	157
#define SYS_exit_group	231
#define SYS_newfstatat	262
#define PR_GET_SECCOMP	21

#define SIGINFO_CODE	8
#define SIGINFO_ADDR	16

#define SIGBUS	7
#define SIG_BLOCK	0

// ADDRESS returns the address of a symbol that Go code cannot name.
#define ADDRESS(sym) \
	LEAQ	sym(SB), AX \
	MOVQ	AX, p+0(FP) \
	RET

// CALLGO calls the Go function whose code the variable names. Its arguments are
// in AX, BX, CX and DI; the words for them at the stack top are theirs to spill to.
#define CALLGO(code) \
	MOVQ	code(SB), R12 \
	CALL	·callGo(SB)

// busEntry handles SIGBUS. A file that we have mapped may lose its room: the disk
// is full when a page of it is written to for the first time, or somebody cuts
// the file off. Then counting stops for good. The memory becomes zeros that
// belong to no file, and the instruction that faulted is repeated. All else goes
// on to deathEntry.
//
// The fault may be anywhere: in instrumented code, in core, or in a handler of
// ours, which leave this one signal open for that. The first thread that comes here
// tells the header of the .pep file, if that is still there. If it is not, that store
// faults, and this handler runs within itself: it knows the address, and replaces the
// memory. Other threads must not replace it before the header is told, or the store would
// go to the new memory: they return, and fault again until it is.
TEXT ·busEntry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	CMPL	SIGINFO_CODE(SI), $0	// below: sent by a process
	JLE	chain
	MOVQ	SIGINFO_ADDR(SI), BX
	LEAQ	·mapping(SB), R12
	MOVQ	BX, AX
	SUBQ	0(R12), AX
	CMPQ	AX, 8(R12)
	JCC	chain
	MOVL	$0, ·Taps(SB)
	MOVL	$0, ·armed(SB)
	CMPL	·detached(SB), $2
	JEQ	told
	CMPQ	BX, ·detachedAt(SB)
	JEQ	told
	XORL	AX, AX
	MOVL	$1, CX
	LOCK
	CMPXCHGL	CX, ·detached(SB)
	JNE	again
	SUBQ	$24, SP
	XORL	DI, DI	// CLOCK_REALTIME
	MOVQ	SP, SI
	MOVL	$SYS_clock_gettime, AX
	SYSCALL
	MOVQ	0(SP), AX
	IMULQ	$1000000000, AX
	ADDQ	8(SP), AX
	ADDQ	$24, SP
	MOVQ	·detachedAt(SB), BX
	MOVQ	AX, (BX)
	MOVL	$2, ·detached(SB)
told:
	MOVQ	0(R12), DI
	MOVQ	8(R12), SI
	MOVL	$3, DX	// PROT_READ|PROT_WRITE
	MOVL	$0x4032, R10	// MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS|MAP_NORESERVE
	MOVQ	$-1, R8
	XORL	R9, R9
	MOVL	$SYS_mmap, AX
	SYSCALL
again:
	RET
chain:
	JMP	·deathEntry(SB)

// deathEntry handles signals that a program may die of. Unless it does, the
// handler that was there before is entered as if we had not been.
TEXT ·deathEntry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	CALL	·windowFault(SB)
	TESTL	AX, AX
	JNE	return
	CALL	·isFork(SB)
	JNE	chain
	SUBQ	$56, SP
	MOVQ	DI, 24(SP)
	MOVQ	SI, 32(SP)
	MOVQ	DX, 40(SP)
	MOVL	DI, AX
	MOVQ	SI, BX
	MOVQ	DX, CX
	CALLGO(·deathCode)	// onDeath(sig, siginfo, ucontext) fate
	MOVQ	AX, 48(SP)
	TESTQ	$1, AX	// fateWrite
	JEQ	written
	CALL	·spawn(SB)
written:
	MOVQ	48(SP), AX
	MOVQ	24(SP), DI
	MOVQ	32(SP), SI
	MOVQ	40(SP), DX
	ADDQ	$56, SP
	TESTQ	$2, AX	// fateChain
	JNE	chain
	TESTQ	$4, AX	// fateExit
	JNE	exit
return:
	RET
exit:
	MOVL	$2, DI
	MOVL	$SYS_exit_group, AX
	SYSCALL
	INT	$3
chain:
	JMP	·chain(SB)

// chain enters the handler that was there before. SIGBUS must not interrupt that of SIGBUS: of one signal after the other,
// each within the handler of the one before, the signal stack would overflow.
TEXT ·chain(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVLQZX	DI, DI
	CMPL	DI, $SIGBUS
	JNE	enter
	MOVQ	SI, R12
	MOVQ	DX, R13
	SUBQ	$8, SP
	MOVQ	$(1<<(SIGBUS-1)), 0(SP)
	MOVL	$SIG_BLOCK, DI
	MOVQ	SP, SI
	XORL	DX, DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	ADDQ	$8, SP
	MOVL	$SIGBUS, DI
	MOVQ	R12, SI
	MOVQ	R13, DX
enter:
	LEAQ	·oldHandlers(SB), AX
	MOVQ	(AX)(DI*8), AX
	JMP	AX

// SAME goes to failed if a field of the program's file has changed.
#define SAME(offset) \
	MOVQ	·exeThen+offset(SB), AX \
	CMPQ	AX, ·exeNow+offset(SB) \
	JNE	failed

// spawn makes polls silent and runs the writer: a child with our memory until
// it has become the writer, whose end we wait for. The child has every signal
// blocked, as has this thread, so that a second ^C does not stop it halfway. If
// the writer has not said that it came to its end, spawn says so.
//
// There is no writer if its file is not the program's any more, or if the program
// has confined itself, which may mean that a process that starts others is killed:
// see write_child_linux_amd64.go.
TEXT ·spawn(SB), NOSPLIT|NOFRAME, $0
	MOVL	$0, ·armed(SB)
	CMPB	·exeIsOurs(SB), $0
	JEQ	failed
	MOVL	$PR_GET_SECCOMP, DI
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$SYS_prctl, AX
	SYSCALL
	CMPQ	AX, ·seccompThen(SB)
	JNE	failed
	MOVQ	$-100, DI	// AT_FDCWD
	MOVQ	·writer+0(SB), SI	// path
	LEAQ	·exeNow(SB), DX
	XORL	R10, R10
	MOVL	$SYS_newfstatat, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	failed
	SAME(0)	// dev
	SAME(8)	// ino
	SAME(48)	// size
	SAME(88)	// mtime, s
	SAME(96)	// and ns
	MOVL	$0x4100, DI	// CLONE_VM|CLONE_VFORK, and no signal at its end
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$SYS_clone, AX
	SYSCALL
	TESTQ	AX, AX
	JEQ	child
	JLT	failed
	MOVQ	AX, R12
wait:
	MOVQ	R12, DI
	XORL	SI, SI
	MOVL	$0x40000000, DX	// __WALL: also children that end without a signal
	XORL	R10, R10
	MOVL	$SYS_wait4, AX
	SYSCALL
	CMPQ	AX, $-4	// EINTR
	JEQ	wait
	MOVQ	·writer+40(SB), AX
	CMPL	(AX), $2	// writerDone
	JNE	failed
	RET
child:
	MOVQ	·writer+0(SB), DI	// path
	MOVQ	·writer+8(SB), SI	// argv
	MOVQ	·writer+16(SB), DX	// envp
	MOVL	$SYS_execve, AX
	SYSCALL
	MOVL	$1, DI
	MOVL	$SYS_exit_group, AX
	SYSCALL
	INT	$3
failed:
	MOVL	$2, DI
	MOVQ	·writer+24(SB), SI	// message
	MOVQ	·writer+32(SB), DX	// its length
	MOVL	$SYS_write, AX
	SYSCALL
	RET

// func tickEntryPC() (p uintptr)
TEXT ·tickEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·tickEntry)

// func tickThreadPC() (p uintptr)
TEXT ·tickThreadPC(SB), NOSPLIT, $0-8
	ADDRESS(·tickThread)

// func timeLoadPC() (p uintptr)
TEXT ·timeLoadPC(SB), NOSPLIT, $0-8
	ADDRESS(·timeLoad)

// func exitEntryPC() (p uintptr)
TEXT ·exitEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·exitEntry)

// func busEntryPC() (p uintptr)
TEXT ·busEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·busEntry)

// func deathEntryPC() (p uintptr)
TEXT ·deathEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·deathEntry)
