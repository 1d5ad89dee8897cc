#include "textflag.h"

// timeLoad loads a byte from the address AX, and returns in AX how many cycles that takes. Interpreters call it from Go.
TEXT ·timeLoad(SB), NOSPLIT|NOFRAME, $0
	MOVQ	AX, CX
	LFENCE
	RDTSC
	LFENCE
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, BX
	MOVB	(CX), CX
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	SUBQ	BX, AX
	RET

// func flushLine(addr uintptr)
// It takes the line of an address out of all caches.
TEXT ·flushLine(SB), NOSPLIT, $0-8
	MOVQ	addr+0(FP), AX
	CLFLUSH	(AX)
	MFENCE
	RET

// func timeLoadPC() (p uintptr)
TEXT ·timeLoadPC(SB), NOSPLIT, $0-8
	LEAQ	·timeLoad(SB), AX
	MOVQ	AX, p+0(FP)
	RET
