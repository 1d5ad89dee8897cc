//go:build peplinked

#include "textflag.h"

// The linker takes the reference for a linkname that the runtime has not
// granted: programs are linked with -checklinkname=0.

// func tracebackCache() (p *uint32)
TEXT ·tracebackCache(SB), NOSPLIT, $0-8
	LEAQ	runtime·traceback_cache(SB), AX
	MOVQ	AX, p+0(FP)
	RET
