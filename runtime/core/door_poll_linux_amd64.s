// This file is the entry of polls that pepbuild's own compiler has compiled: see
// door_poll_linux_amd64.go.

#include "textflag.h"

// flagPoll counts a path in a burst. Its caller does not know that it calls: all registers
// but the flags stay as they are. They are in the order of their numbers in machine code
// in a pollState, from 8(SP) on.
TEXT ·flagPoll(SB), NOSPLIT, $152-0
	MOVQ	AX, 24(SP)
	MOVQ	CX, 32(SP)
	MOVQ	DX, 40(SP)
	MOVQ	BX, 48(SP)
	MOVQ	SI, 72(SP)
	MOVQ	DI, 80(SP)
	MOVQ	R8, 88(SP)
	MOVQ	R9, 96(SP)
	MOVQ	R10, 104(SP)
	MOVQ	R11, 112(SP)
	MOVQ	R12, 120(SP)
	MOVQ	R13, 128(SP)
	MOVQ	R14, 136(SP)
	MOVQ	R15, 144(SP)
	MOVQ	8(BP), AX	// the return address
	MOVQ	AX, 16(SP)
	LEAQ	·pollOnSystemStack(SB), AX
	MOVQ	AX, 8(SP)
	LEAQ	8(SP), AX
	MOVQ	AX, 0(SP)
	CALL	runtime·systemstack(SB)	// of the function value at 8(SP)
	MOVQ	24(SP), AX
	MOVQ	32(SP), CX
	MOVQ	40(SP), DX
	MOVQ	48(SP), BX
	MOVQ	72(SP), SI
	MOVQ	80(SP), DI
	MOVQ	88(SP), R8
	MOVQ	96(SP), R9
	MOVQ	104(SP), R10
	MOVQ	112(SP), R11
	MOVQ	120(SP), R12
	MOVQ	128(SP), R13
	MOVQ	136(SP), R14
	MOVQ	144(SP), R15
	RET

// pollOnSystemStack is what flagPoll has package runtime call, as a function value: DX is
// its address. It keeps the vector registers, for which the goroutine's stack may have no room.
TEXT ·pollOnSystemStack(SB), NOSPLIT, $248-0
	MOVUPS	X0, 8(SP)
	MOVUPS	X1, 24(SP)
	MOVUPS	X2, 40(SP)
	MOVUPS	X3, 56(SP)
	MOVUPS	X4, 72(SP)
	MOVUPS	X5, 88(SP)
	MOVUPS	X6, 104(SP)
	MOVUPS	X7, 120(SP)
	MOVUPS	X8, 136(SP)
	MOVUPS	X9, 152(SP)
	MOVUPS	X10, 168(SP)
	MOVUPS	X11, 184(SP)
	MOVUPS	X12, 200(SP)
	MOVUPS	X13, 216(SP)
	MOVUPS	X14, 232(SP)
	MOVQ	DX, 0(SP)
	CALL	·onFlagPoll(SB)	// of the pollState
	MOVUPS	8(SP), X0
	MOVUPS	24(SP), X1
	MOVUPS	40(SP), X2
	MOVUPS	56(SP), X3
	MOVUPS	72(SP), X4
	MOVUPS	88(SP), X5
	MOVUPS	104(SP), X6
	MOVUPS	120(SP), X7
	MOVUPS	136(SP), X8
	MOVUPS	152(SP), X9
	MOVUPS	168(SP), X10
	MOVUPS	184(SP), X11
	MOVUPS	200(SP), X12
	MOVUPS	216(SP), X13
	MOVUPS	232(SP), X14
	RET
