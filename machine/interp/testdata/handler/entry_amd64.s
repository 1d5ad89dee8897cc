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
	MOVQ	SP, DI
	CALL	R12	// tick(ucontext, fs, tsc, sp), which stores the window's index to 48(SP)
	JMP	·leave(SB)

// left is where a thread goes on after a fault; the stack pointer is that of entry.
TEXT ·left(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	LEAQ	·zeroG(SB), R14
	XORPS	X15, X15
	MOVQ	SP, AX
	MOVQ	·giveUpCode(SB), R12
	CALL	R12	// giveUp(sp)
	JMP	·leave(SB)

// leave ends the handler; the stack pointer is that of entry.
TEXT ·leave(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	SUBQ	40(SP), AX
	MOVQ	48(SP), CX
	LEAQ	·cycles(SB), BX
	MOVQ	AX, (BX)(CX*8)
	ADDQ	$56, SP
	RET

// fault is the handler of SIGSEGV. A fault of the interpreter ends the window: the thread goes on in the handler of SIGPROF,
// in left. All others are the runtime's.
TEXT ·fault(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ	160(DX), AX	// SP where it happened
	LEAQ	·sps(SB), R8
	MOVQ	$0, R9
next:
	MOVQ	(R8)(R9*8), BX
	MOVQ	BX, CX
	SUBQ	AX, CX
	CMPQ	CX, $4096
	JLS	found
	INCQ	R9
	CMPQ	R9, $5
	JNE	next
	MOVQ	·former(SB), AX
	JMP	AX
found:
	MOVQ	BX, 160(DX)
	LEAQ	·left(SB), AX
	MOVQ	AX, 168(DX)	// PC
	RET

// stub faults, in the window that begins here.
TEXT ·stub(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ	$0x700000000000, AX
	MOVQ	(AX), BX
	RET

TEXT ·restore(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ	$15, AX	// rt_sigreturn
	SYSCALL

TEXT ·addresses(SB), NOSPLIT, $0-40
	LEAQ	·entry(SB), AX
	MOVQ	AX, entry+0(FP)
	LEAQ	·restore(SB), AX
	MOVQ	AX, restore+8(FP)
	LEAQ	·fault(SB), AX
	MOVQ	AX, fault+16(FP)
	LEAQ	·stub(SB), AX
	MOVQ	AX, stub+24(FP)
	LEAQ	·now(SB), AX
	MOVQ	AX, now+32(FP)
	RET

// now returns the processor's time in AX, as the compiler's functions do.
TEXT ·now(SB), NOSPLIT|NOFRAME, $0
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	RET
