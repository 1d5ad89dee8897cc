//go:build peplinked

#include "textflag.h"

// The linker takes these references for linknames that the runtime has not
// granted: programs are linked with -checklinkname=0.

// func Handling() (p *[65]uint32)
TEXT ·Handling(SB), NOSPLIT, $0-8
	LEAQ	runtime·handlingSig(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func Forwarded() (p *[65]uintptr)
TEXT ·Forwarded(SB), NOSPLIT, $0-8
	LEAQ	runtime·fwdSig(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func Sigtramp() (p uintptr)
TEXT ·Sigtramp(SB), NOSPLIT, $0-8
	LEAQ	runtime·sigtramp(SB), AX
	MOVQ	AX, p+0(FP)
	RET

// func Panicking() (p *uint32)
TEXT ·Panicking(SB), NOSPLIT, $0-8
	LEAQ	runtime·panicking(SB), AX
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
