//go:build peplinked

#include "textflag.h"

// The linker takes these references for linknames that the runtime has not
// granted: programs are linked with -checklinkname=0.

// func tracebackCache() (p *uint32)
TEXT ·tracebackCache(SB), NOSPLIT, $0-8
	LEAQ	runtime·traceback_cache(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func signalTable() (p unsafe.Pointer)
TEXT ·signalTable(SB), NOSPLIT, $0-8
	LEAQ	runtime·sigtable(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func asmcgocall(fn uintptr, arg unsafe.Pointer) (r int32)
TEXT ·asmcgocall(SB), NOSPLIT, $24-20
	MOVQ	fn+0(FP), AX
	MOVQ	AX, 0(SP)
	MOVQ	arg+8(FP), AX
	MOVQ	AX, 8(SP)
	CALL	runtime·asmcgocall(SB)
	MOVL	16(SP), AX
	MOVL	AX, r+16(FP)
	RET

// func signalQueue() (p *signals)
TEXT ·signalQueue(SB), NOSPLIT, $0-8
	LEAQ	runtime·sig(SB), AX
	MOVQ	AX, p+0(FP)
	RET
