// This file holds what must be assembly: the system call, what the kernel returns to
// when a signal handler returns, and the CPU time.

#include "textflag.h"

#define SYS_rt_sigreturn	15
#define SYS_getrusage	98

// func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (r, errno uintptr)
TEXT ·syscall6(SB), NOSPLIT, $0-72
	MOVQ	num+0(FP), AX
	MOVQ	a1+8(FP), DI
	MOVQ	a2+16(FP), SI
	MOVQ	a3+24(FP), DX
	MOVQ	a4+32(FP), R10
	MOVQ	a5+40(FP), R8
	MOVQ	a6+48(FP), R9
	SYSCALL
	CMPQ	AX, $0xfffffffffffff001
	JLS	ok
	NEGQ	AX
	MOVQ	$-1, r+56(FP)
	MOVQ	AX, errno+64(FP)
	RET
ok:
	MOVQ	AX, r+56(FP)
	MOVQ	$0, errno+64(FP)
	RET

TEXT ·restorer(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVL	$SYS_rt_sigreturn, AX
	SYSCALL
	INT	$3

// func restorerPC() (p uintptr)
TEXT ·restorerPC(SB), NOSPLIT, $0-8
	LEAQ	·restorer(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// usedCPU sets AX to the CPU time of the process in ns. The kernel's struct
// rusage begins with the times in user and system mode, in s and us. (The clock
// of CPU time would not do: in a process with a timer that goes by it, the kernel
// goes by what it knew when its scheduler last ticked.)
TEXT ·usedCPU(SB), NOSPLIT|NOFRAME, $0
	SUBQ	$144, SP
	XORL	DI, DI	// RUSAGE_SELF
	MOVQ	SP, SI
	MOVL	$SYS_getrusage, AX
	SYSCALL
	MOVQ	0(SP), AX
	ADDQ	16(SP), AX
	IMULQ	$1000000, AX
	ADDQ	8(SP), AX
	ADDQ	24(SP), AX
	IMULQ	$1000, AX
	ADDQ	$144, SP
	RET

// func CPUTime() uint64
TEXT ·CPUTime(SB), NOSPLIT, $0-8
	CALL	·usedCPU(SB)
	MOVQ	AX, ret+0(FP)
	RET

// func UsedCPUPC() (p uintptr)
TEXT ·UsedCPUPC(SB), NOSPLIT, $0-8
	LEAQ	·usedCPU(SB), AX
	MOVQ	AX, p+0(FP)
	RET
