//go:build peplinked

#include "textflag.h"

// The linker takes these references for linknames that the runtime has not
// granted: programs are linked with -checklinkname=0.

// func TracebackCache() (p *uint32)
TEXT ·TracebackCache(SB), NOSPLIT, $0-8
	LEAQ	runtime·traceback_cache(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func Panicking() (p *uint32)
TEXT ·Panicking(SB), NOSPLIT, $0-8
	LEAQ	runtime·panicking(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func SignalTable() (p unsafe.Pointer)
TEXT ·SignalTable(SB), NOSPLIT, $0-8
	LEAQ	runtime·sigtable(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func Asmcgocall(fn uintptr, arg unsafe.Pointer) (r int32)
TEXT ·Asmcgocall(SB), NOSPLIT, $24-20
	MOVQ	fn+0(FP), AX
	MOVQ	AX, 0(SP)
	MOVQ	arg+8(FP), AX
	MOVQ	AX, 8(SP)
	CALL	runtime·asmcgocall(SB)
	MOVL	16(SP), AX
	MOVL	AX, r+16(FP)
	RET

// func SignalQueue() (p *signals)
TEXT ·SignalQueue(SB), NOSPLIT, $0-8
	LEAQ	runtime·sig(SB), AX
	MOVQ	AX, p+0(FP)
	RET
