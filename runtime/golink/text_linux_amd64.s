// This file returns addresses in the Go runtime that Go code cannot name.

#include "textflag.h"

#define ADDRESS(sym) \
	LEAQ	sym(SB), AX \
	MOVQ	AX, p+0(FP) \
	RET

// func CurrentG() (p uintptr)
TEXT ·CurrentG(SB), NOSPLIT, $0-8
	MOVQ	(TLS), AX
	MOVQ	AX, p+0(FP)
	RET

// func TextStart() (p uintptr)
TEXT ·TextStart(SB), NOSPLIT, $0-8
	ADDRESS(runtime·text)

// func TextEnd() (p uintptr)
TEXT ·TextEnd(SB), NOSPLIT, $0-8
	ADDRESS(runtime·etext)

// func TypesStart() (p uintptr)
TEXT ·TypesStart(SB), NOSPLIT, $0-8
	ADDRESS(runtime·types)

// func TypesEnd() (p uintptr)
TEXT ·TypesEnd(SB), NOSPLIT, $0-8
	ADDRESS(runtime·etypes)
