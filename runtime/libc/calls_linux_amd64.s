//go:build pepcgo

#include "textflag.h"

#define SYS_rt_sigprocmask	14
#define SIG_SETMASK	2

// The signals that the thread does not block: those of the C libraries themselves,
// 32 and 33 of glibc, 34 of musl, for setuid would wait for ever; and SIGBUS, for
// the file of counts that the thread writes to may lose its space, and the kernel
// kills a process for a SIGBUS that is blocked.
#define OPEN_SIGNALS	(7<<31 | 1<<6)

// The addresses are in data, for the dynamic linker to fill in: code that is
// position-independent cannot call functions of shared objects directly.
DATA ·pthreadCreate(SB)/8, $pthread_create(SB)
GLOBL ·pthreadCreate(SB), NOPTR, $8
DATA ·cxaAtExit(SB)/8, $__cxa_atexit(SB)
GLOBL ·cxaAtExit(SB), NOPTR, $8

// func Calls() (thread, atExit uintptr)
TEXT ·Calls(SB), NOSPLIT, $0-16
	LEAQ	·thread(SB), AX
	MOVQ	AX, thread+0(FP)
	LEAQ	·atExit(SB), AX
	MOVQ	AX, atExit+8(FP)
	RET

// thread is called as C functions are: DI = address of the function and its
// argument. A thread starts with the signal mask of the one that creates it.
TEXT ·thread(SB), NOSPLIT|NOFRAME, $0
	SUBQ	$40, SP	// 8 for the thread's number, 8 for the new mask, 8 for the old
	MOVQ	DI, 24(SP)
	MOVQ	$~OPEN_SIGNALS, AX
	MOVQ	AX, 8(SP)
	MOVL	$SIG_SETMASK, DI
	LEAQ	8(SP), SI
	LEAQ	16(SP), DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	MOVQ	24(SP), CX
	LEAQ	0(SP), DI
	XORL	SI, SI	// default attributes
	MOVQ	0(CX), DX
	MOVQ	8(CX), CX
	MOVQ	·pthreadCreate(SB), AX
	CALL	AX
	MOVL	AX, 24(SP)
	MOVL	$SIG_SETMASK, DI
	LEAQ	16(SP), SI
	XORL	DX, DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	MOVL	24(SP), AX
	ADDQ	$40, SP
	RET

// atExit is called as C functions are: DI = address of the function and its
// argument.
TEXT ·atExit(SB), NOSPLIT|NOFRAME, $0
	SUBQ	$8, SP
	MOVQ	8(DI), SI
	MOVQ	0(DI), DI
	XORL	DX, DX	// not of a shared object that may be unloaded
	MOVQ	·cxaAtExit(SB), AX
	CALL	AX
	ADDQ	$8, SP
	RET
