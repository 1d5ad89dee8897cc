//go:build peplinked

#include "textflag.h"

// The linker takes these references for linknames that the runtime has not
// granted: programs are linked with -checklinkname=0.

// func tracebackCache() (p *uint32)
TEXT ·tracebackCache(SB), NOSPLIT, $0-8
	LEAQ	runtime·traceback_cache(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func signalQueue() (p *signals)
TEXT ·signalQueue(SB), NOSPLIT, $0-8
	LEAQ	runtime·sig(SB), AX
	MOVQ	AX, p+0(FP)
	RET
