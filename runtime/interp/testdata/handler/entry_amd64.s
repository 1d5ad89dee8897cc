#include "textflag.h"

// entry is the handler of SIGPROF. It calls the Go function with the code tickCode, as the handlers of package core do: with
// a g of zeros. The kernel restores all registers from the frame.
TEXT ·entry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	SUBQ	$56, SP
	RDFSBASEQ	BX
	MOVQ	DX, 32(SP)
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, 40(SP)
	MOVQ	AX, CX
	MOVQ	32(SP), AX
	LEAQ	·zeroG(SB), R14
	XORPS	X15, X15
	MOVQ	·tickCode(SB), R12
	CALL	R12	// tick(ucontext, fs, tsc)
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	SUBQ	40(SP), AX
	MOVQ	·index(SB), CX
	LEAQ	·cycles(SB), BX
	MOVQ	AX, (BX)(CX*8)
	ADDQ	$56, SP
	RET

TEXT ·restore(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ	$15, AX	// rt_sigreturn
	SYSCALL

TEXT ·addresses(SB), NOSPLIT, $0-16
	LEAQ	·entry(SB), AX
	MOVQ	AX, entry+0(FP)
	LEAQ	·restore(SB), AX
	MOVQ	AX, restore+8(FP)
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL	leaf+0(FP), AX
	MOVL	sub+4(FP), CX
	CPUID
	MOVL	AX, a+8(FP)
	MOVL	BX, b+12(FP)
	MOVL	CX, c+16(FP)
	MOVL	DX, d+20(FP)
	RET

TEXT ·rdtsc(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+0(FP)
	RET
