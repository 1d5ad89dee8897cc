// This file holds what happens at a tick, and the two ways of having ticks: a
// signal of a timer, and a thread of the C library's that sleeps. The signal's handler makes no system calls, but in programs with
// C code: the program may have forbidden them meanwhile.

#include "textflag.h"

#define SYS_rt_sigaction	13
#define SYS_gettid	186
#define SYS_tkill	200
#define SYS_futex	202
#define SYS_clock_nanosleep	230

#define SIGINFO_CODE	8
#define SIGINFO_OVERRUN	20
#define SIGINFO_VALUE	24
#define TICK_SIGNAL	33	// tickSignal

#define G_M	48	// where a g of package runtime has its m

#define UCONTEXT_RDX	136
#define UCONTEXT_RSP	160
#define UCONTEXT_RIP	168

#define SIGSEGV	11
#define SIGBUS	7
#define TAKERS	4	// windows.Takers
#define WINDOW_STACK	8192	// more than the frames of windows.Run and of what it calls

#define CLOCK_PROCESS_CPUTIME_ID	2
#define TIMER_ABSTIME	1
#define FUTEX_WAIT_PRIVATE	128

// callGo calls the Go function with the code R12: with a g of zeros, and
// arguments and results in registers. As many words at the caller's stack top are
// the function's to spill its arguments to.
TEXT ·callGo(SB), NOSPLIT|NOFRAME, $0
	LEAQ	·zeroG(SB), R14
	XORPS	X15, X15
	JMP	R12

// spend adds the cycles since R12 to spent, or longest if these are more.
TEXT ·spend(SB), NOSPLIT|NOFRAME, $0
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	SUBQ	R12, AX
	CMPQ	AX, ·longest(SB)
	JLS	add
	MOVQ	·longest(SB), AX
add:
	LOCK
	XADDQ	AX, ·spent(SB)
	RET

// tickEntry handles the timer's signal. DI = signal, SI = siginfo, DX =
// ucontext. Signals that our timer has not sent go on to the handler of the Go runtime, or of the C library. If there was
// none, which is so with C libraries that install it when they need it, such a signal does what it does without a handler.
TEXT ·tickEntry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	CMPL	SIGINFO_CODE(SI), $-2	// SI_TIMER
	JNE	chain
	LEAQ	·timerID(SB), AX
	CMPQ	AX, SIGINFO_VALUE(SI)
	JNE	chain
	CMPL	·calibrating(SB), $0
	JNE	calibrate
	SUBQ	$56, SP	// 32 for Go, the ucontext, the taker, the time
	MOVQ	DX, 32(SP)
	MOVQ	$0, 40(SP)
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, 48(SP)
	MOVL	SIGINFO_OVERRUN(SI), AX
	INCQ	AX
	MOVQ	·tickCode(SB), R12
	CALL	·callGo(SB)	// onTick(how often the timer has expired) (time that the tick stands for, ticks that were due)
	TESTQ	AX, AX
	JEQ	leave
	MOVQ	AX, 40(SP)
	MOVQ	32(SP), AX
	MOVQ	TLS, CX
	MOVQ	0(CX)(TLS*1), CX	// of a thread of C it is 0
	MOVQ	·interruptedCode(SB), R12
	CALL	·callGo(SB)	// onInterrupted(ucontext, ticks that were due, g)
	MOVQ	40(SP), BX
	MOVQ	$0, 40(SP)
	CMPQ	·beginWindowCode(SB), $0
	JEQ	leave
	MOVL	$1, SI
	CMPB	·hasC(SB), $0
	JEQ	caught
	CALL	·catchesFaults(SB)
	MOVQ	AX, SI
caught:
	MOVQ	·beginWindowCode(SB), R12
	MOVQ	TLS, DI
	MOVQ	0(DI)(TLS*1), DI	// of a thread of C it is 0
	CALL	·segment(SB)
	MOVQ	AX, CX
	MOVQ	32(SP), AX
	CALL	·callGo(SB)	// beginWindow(ucontext, time that the tick stands for, FS, g, whether faults are caught) taker
	TESTQ	AX, AX
	JEQ	leave
	MOVQ	AX, 40(SP)
	MOVQ	SP, (AX)	// taker.sp
more:
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, BX
	MOVQ	40(SP), AX
	MOVQ	·runWindowCode(SB), R12
	CALL	·callGo(SB)	// windows.Run(taker, cycles) more
	TESTB	AX, AX
	JNE	more
leave:
	JMP	·leaveTick(SB)
calibrate:
	RET
chain:
	MOVQ	·oldHandlers+(8*TICK_SIGNAL)(SB), AX
	CMPQ	AX, $1
	JEQ	calibrate	// SIG_IGN
	JLS	unhandled
	JMP	·chain(SB)
unhandled:
	JMP	·dieOfSignal(SB)

// dieOfSignal has the kernel do what the signal of ticks does without a handler: the process dies when the kernel unblocks it.
TEXT ·dieOfSignal(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	SUBQ	$32, SP	// a sigaction
	MOVQ	$0, 0(SP)	// SIG_DFL
	MOVQ	$0, 8(SP)	// flags
	MOVL	$TICK_SIGNAL, DI
	LEAQ	0(SP), SI
	XORL	DX, DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigaction, AX
	SYSCALL
	MOVL	$SYS_gettid, AX
	SYSCALL
	MOVL	AX, DI
	MOVL	$TICK_SIGNAL, SI
	MOVL	$SYS_tkill, AX
	SYSCALL
	ADDQ	$32, SP
	RET

// leaveTick is the end of tickEntry. Windows with a fault go on here, from windowFault.
TEXT ·leaveTick(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ	40(SP), AX
	TESTQ	AX, AX
	JEQ	done
	MOVQ	$0, (AX)	// taker.sp
	MOVQ	·endWindowCode(SB), R12
	CALL	·callGo(SB)	// windows.End(taker)
done:
	MOVQ	48(SP), R12
	CALL	·spend(SB)
	ADDQ	$56, SP
	RET

// catchesFaults returns in AX 1 if SIGSEGV and SIGBUS have the handlers of core, and 0 if C code
// has put others in their place. It keeps BX.
TEXT ·catchesFaults(SB), NOSPLIT|NOFRAME, $0
	SUBQ	$32, SP	// a sigaction
	LEAQ	·faultEntry(SB), R12
	MOVL	$SIGSEGV, DI
	CALL	·handledBy(SB)
	JNE	others
	LEAQ	·busEntry(SB), R12
	MOVL	$SIGBUS, DI
	CALL	·handledBy(SB)
	JNE	others
	MOVL	$1, AX
	ADDQ	$32, SP
	RET
others:
	XORL	AX, AX
	ADDQ	$32, SP
	RET

// handledBy compares the handler of signal DI with R12. It writes to the caller's stack.
TEXT ·handledBy(SB), NOSPLIT|NOFRAME, $0
	XORL	SI, SI
	LEAQ	8(SP), DX
	MOVQ	$0, (DX)
	MOVL	$8, R10
	MOVL	$SYS_rt_sigaction, AX
	SYSCALL
	CMPQ	R12, 8(SP)
	RET

// segment returns in AX the base of segment FS, given the thread's g in DI: by an instruction that not all kernels permit, from the
// thread's own pointer to it, which programs with C code have there, or from where package runtime keeps the thread's m. It keeps
// BX, SI, DI and R12.
TEXT ·segment(SB), NOSPLIT|NOFRAME, $0
	CMPB	·readsFS(SB), $0
	JEQ	pointer
	RDFSBASEQ	AX
	RET
pointer:
	CMPB	·selfFS(SB), $0
	JEQ	goroutine
	BYTE	$0x64; BYTE $0x48; BYTE $0x8b; BYTE $0x04; BYTE $0x25; LONG $0	// MOVQ FS:0, AX
	RET
goroutine:
	XORL	AX, AX
	TESTQ	DI, DI
	JEQ	none
	MOVQ	G_M(DI), AX
	ADDQ	·fsOfM(SB), AX
none:
	RET

// func segmentOf(thread uintptr) (base uintptr)
TEXT ·segmentOf(SB), NOSPLIT, $0-16
	MOVQ	thread+0(FP), DI
	CALL	·segment(SB)
	MOVQ	AX, base+8(FP)
	RET

// windowFault returns from handlers of faults if the fault is one of a window: then the window ends, and leaveTick goes on.
// The interpreter reads what the program would read, and the program may be about to fault, or to wait until other threads
// have done something. A signal that a process has sent is the program's, as if it had come before the tick. DI = signal,
// SI = siginfo, DX = ucontext, for which such a signal gets the tick's. It keeps DI and SI, and sets AX to 1 if the fault is one.
TEXT ·windowFault(SB), NOSPLIT|NOFRAME, $0
	LEAQ	·takerAt(SB), R8
	MOVL	$TAKERS, R9
next:
	MOVQ	(R8), R10
	TESTQ	R10, R10
	JEQ	none
	MOVQ	(R10), R10	// taker.sp
	MOVQ	R10, R11
	SUBQ	UCONTEXT_RSP(DX), R11
	CMPQ	R11, $WINDOW_STACK
	JLS	found
	ADDQ	$8, R8
	DECL	R9
	JNE	next
none:
	XORL	AX, AX
	RET
found:
	CMPL	SIGINFO_CODE(SI), $0	// below: sent by a process
	JLE	sent
	MOVQ	R10, UCONTEXT_RSP(DX)
	LEAQ	·leaveTick(SB), AX
	MOVQ	AX, UCONTEXT_RIP(DX)
	MOVL	$1, AX
	RET
sent:
	MOVQ	32(R10), DX	// where tickEntry keeps it
	MOVQ	UCONTEXT_RIP(DX), AX
	CMPQ	AX, ·goHandler(SB)
	JNE	none
	MOVQ	UCONTEXT_RDX(DX), DX
	JMP	none

// tickThread is the function of the thread: void *(*)(void *). It waits until
// ticksOn is set, and then ticks for as long as it can sleep. While Go code runs,
// g is zeroG for the thread, so that wrappers of assembly functions find it.
TEXT ·tickThread(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	PUSHQ	BX
	PUSHQ	BP
	PUSHQ	R12
	PUSHQ	R13
	PUSHQ	R14
	PUSHQ	R15
	SUBQ	$40, SP	// 24 for Go, the time
wait:
	LEAQ	·ticksOn(SB), DI
	MOVL	(DI), AX
	TESTL	AX, AX
	JNE	sleep
	MOVL	$FUTEX_WAIT_PRIVATE, SI
	XORL	DX, DX
	XORL	R10, R10
	MOVL	$SYS_futex, AX
	SYSCALL
	JMP	wait
sleep:
	MOVL	$CLOCK_PROCESS_CPUTIME_ID, DI
	MOVL	$TIMER_ABSTIME, SI
	LEAQ	·timerSpec+16(SB), DX
	XORL	R10, R10
	MOVL	$SYS_clock_nanosleep, AX
	SYSCALL
	CMPQ	AX, $-4	// EINTR: setuid asks all threads
	JEQ	sleep
	TESTQ	AX, AX
	JNE	denied
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, 24(SP)
	LEAQ	·zeroG(SB), AX
	MOVQ	TLS, CX
	MOVQ	AX, 0(CX)(TLS*1)
	MOVL	$1, AX
	MOVQ	·tickCode(SB), R12
	CALL	·callGo(SB)	// onTick
	MOVQ	24(SP), R12
	CALL	·spend(SB)
	MOVQ	TLS, CX
	MOVQ	$0, 0(CX)(TLS*1)
	JMP	sleep
denied:
	NEGL	AX
	ORL	$(1<<16), AX	// pepfile.DeniedSleep
	MOVQ	·deniedAt(SB), CX
	MOVL	AX, (CX)
	ADDQ	$40, SP
	POPQ	R15
	POPQ	R14
	POPQ	R13
	POPQ	R12
	POPQ	BP
	POPQ	BX
	XORL	AX, AX
	RET

// exitEntry is called by the C function exit: void (*)(void *). It asks for the profile as killEntry does.
TEXT ·exitEntry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	PUSHQ	BX
	PUSHQ	BP
	PUSHQ	R12
	PUSHQ	R13
	PUSHQ	R14
	PUSHQ	R15
	SUBQ	$24, SP	// for Go
	MOVQ	·exitCode(SB), R12
	CALL	·callGo(SB)	// onExit() (must ask)
	TESTB	AX, AX
	JEQ	done
	MOVL	$1, AX	// askWrite
	CALL	·askFor(SB)
done:
	ADDQ	$24, SP
	POPQ	R15
	POPQ	R14
	POPQ	R13
	POPQ	R12
	POPQ	BP
	POPQ	BX
	RET
