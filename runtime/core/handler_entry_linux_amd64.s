// This file holds what must be assembly: the entry points of signal handlers.
//
// A handler runs on the thread's signal stack, possibly on a thread that Go
// knows nothing of. It calls Go code that must not find out: that code gets a
// g of zeros, whose stack bound of 0 no stack pointer is below, and keeps to
// integers and memory outside of the heap. Handlers save no registers, for the
// kernel restores them all from the signal frame.

#include "textflag.h"

#define SYS_mmap	9
#define SYS_rt_sigprocmask	14
#define SYS_clock_gettime	228

#define SIGINFO_CODE	8
#define SIGINFO_ADDR	16

#define SIGBUS	7
#define SIG_BLOCK	0

// ADDRESS returns the address of a symbol that Go code cannot name.
#define ADDRESS(sym) \
	LEAQ	sym(SB), AX \
	MOVQ	AX, p+0(FP) \
	RET

// busEntry handles SIGBUS. A file that we have mapped may lose its room: the disk
// is full when a page of it is written to for the first time, or somebody cuts
// the file off. Then counting stops for good. The memory becomes zeros that
// belong to no file, and the instruction that faulted is repeated. All else goes
// on to faultEntry.
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
	MOVL	$0, ·tapping(SB)
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
	JMP	·faultEntry(SB)

// faultEntry handles faults, in programs with windows. Those that are not of a window go to the handler that was there before.
TEXT ·faultEntry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	CALL	·windowFault(SB)
	TESTL	AX, AX
	JEQ	chain
	RET
chain:
	JMP	·chain(SB)

// chain enters the handler that was there before. A SIGBUS that a process has sent must not interrupt that of SIGBUS: of one
// signal after the other, each within the handler of the one before, the signal stack would overflow.
TEXT ·chain(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVLQZX	DI, DI
	CMPL	DI, $SIGBUS
	JNE	enter
	CMPL	SIGINFO_CODE(SI), $0
	JGT	enter
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

// killEntry is the handler to which package runtime passes on a signal of killing: DI = signal, SI = siginfo, DX = ucontext.
// When a signal ends the program, package runtime raises it once more, and passes that on to the handler that was there before its
// own (runtime.dieFromSignal, sigfwdgo). So killEntry is in the place of that one (start_signals_linux_amd64.go). It asks for the
// profile, puts the old one back, and enters package runtime's handler again, which then does what it would have done.
TEXT ·killEntry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	PUSHQ	BX
	PUSHQ	BP
	PUSHQ	R12
	PUSHQ	R13
	PUSHQ	R14
	PUSHQ	R15
	SUBQ	$56, SP	// 24 for Go
	MOVQ	DI, 24(SP)
	MOVQ	SI, 32(SP)
	MOVQ	DX, 40(SP)
	MOVLQZX	DI, AX
	MOVQ	SI, BX
	MOVQ	·killCode(SB), R12
	CALL	·callGo(SB)	// onKill(signal, siginfo) (must ask)
	TESTB	AX, AX
	JEQ	asked
	MOVL	$1, AX	// askWrite
	CALL	·askFor(SB)
asked:
	MOVLQZX	24(SP), DI
	LEAQ	·oldHandlers(SB), AX
	MOVQ	(AX)(DI*8), AX
	MOVQ	·forwarded(SB), BX
	MOVQ	AX, (BX)(DI*8)
	MOVQ	32(SP), SI
	MOVQ	40(SP), DX
	MOVQ	·sigtramp(SB), AX
	CALL	AX
	MOVLQZX	24(SP), DI
	LEAQ	·killEntry(SB), AX	// the program lives on: C code has got a SIGPIPE
	MOVQ	·forwarded(SB), BX
	MOVQ	AX, (BX)(DI*8)
	ADDQ	$56, SP
	POPQ	R15
	POPQ	R14
	POPQ	R13
	POPQ	R12
	POPQ	BP
	POPQ	BX
	RET

// askFor asks the companion for what AX says, and waits: for an inspection (0), or for the profile (1). It returns the answer in
// AX, or 0 if there is no companion. It makes no system call: the companion hears of the fault when a page is loaded from for the
// first time, and provides the page with the answer. Where the kernel does not offer that, the companion looks at words, which it
// shares with the program, from time to time; its beats say that it lives. It changes BX, CX and DX.
TEXT ·askFor(SB), NOSPLIT|NOFRAME, $0
	MOVQ	·companion(SB), BX	// Asking
	TESTQ	BX, BX
	JEQ	none
	CMPB	·companion+8(SB), $0	// LooksAtWords
	JNE	words
	SHLQ	$12, AX
	MOVL	(BX)(AX*1), AX
	RET
words:
	MOVL	$1, (BX)(AX*8)
beat:
	MOVL	24(BX), CX
	MOVL	$(1<<27), DX
spin:
	PAUSE
	CMPL	4(BX)(AX*8), $0
	JNE	answered
	CMPL	CX, 24(BX)
	JNE	beat
	DECL	DX
	JNE	spin
none:
	XORL	AX, AX
	RET
answered:
	MOVL	4(BX)(AX*8), AX
	RET

// func ask(what uintptr) (answer uint32)
TEXT ·ask(SB), NOSPLIT, $0-12
	MOVQ	what+0(FP), AX
	CALL	·askFor(SB)
	MOVL	AX, answer+8(FP)
	RET

// func tickEntryPC() (p uintptr)
TEXT ·tickEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·tickEntry)

// func tickThreadPC() (p uintptr)
TEXT ·tickThreadPC(SB), NOSPLIT, $0-8
	ADDRESS(·tickThread)

// func exitEntryPC() (p uintptr)
TEXT ·exitEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·exitEntry)

// func busEntryPC() (p uintptr)
TEXT ·busEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·busEntry)

// func faultEntryPC() (p uintptr)
TEXT ·faultEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·faultEntry)

// func killEntryPC() (p uintptr)
TEXT ·killEntryPC(SB), NOSPLIT, $0-8
	ADDRESS(·killEntry)
