#include "textflag.h"

// Offsets in values.
#define FLAGS 104
#define FRAME 112
#define SAVEDBP 128
#define SAVEDG 136
#define SAVEDSP 144
#define TOP 152
#define READY 160
#define SINK 168

// A jump to the next instruction, on a condition: the assembler would leave it out.
#define JUMP(opcode) BYTE $opcode; BYTE $0

// BLOCK reads all registers, all flags and the base of FS, and changes none.
#define BLOCK \
	MOVQ AX, ·values+SINK(SB) \
	JUMP(0x70) \
	MOVQ CX, ·values+SINK(SB) \
	JUMP(0x72) \
	MOVQ DX, ·values+SINK(SB) \
	JUMP(0x74) \
	MOVQ BX, ·values+SINK(SB) \
	JUMP(0x78) \
	MOVQ SP, ·values+SINK(SB) \
	JUMP(0x7a) \
	MOVQ BP, ·values+SINK(SB) \
	JUMP(0x71) \
	MOVQ SI, ·values+SINK(SB) \
	JUMP(0x73) \
	MOVQ DI, ·values+SINK(SB) \
	JUMP(0x75) \
	MOVQ R8, ·values+SINK(SB) \
	JUMP(0x79) \
	MOVQ R9, ·values+SINK(SB) \
	JUMP(0x7b) \
	MOVQ R10, ·values+SINK(SB) \
	MOVQ R11, ·values+SINK(SB) \
	MOVQ R12, ·values+SINK(SB) \
	MOVQ R13, ·values+SINK(SB) \
	MOVQ R14, ·values+SINK(SB) \
	MOVQ R15, ·values+SINK(SB) \
	MOVQ (TLS), R13

#define FOUR BLOCK BLOCK BLOCK BLOCK

TEXT ·loop(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, ·values+SAVEDSP(SB)
	MOVQ 0(SP), AX
	MOVQ AX, ·values+TOP(SB)
	MOVQ (TLS), R13
	MOVQ R13, ·values+SAVEDG(SB)
	MOVQ BP, ·values+SAVEDBP(SB) // so that go vet agrees to the next
	LEAQ ·values+FRAME(SB), BP
	MOVQ BP, ·values+SAVEDBP(SB)
	MOVQ ·values+0(SB), AX
	MOVQ ·values+8(SB), CX
	MOVQ ·values+16(SB), DX
	MOVQ ·values+24(SB), BX
	MOVQ ·values+32(SB), SI
	MOVQ ·values+40(SB), DI
	MOVQ ·values+48(SB), R8
	MOVQ ·values+56(SB), R9
	MOVQ ·values+64(SB), R10
	MOVQ ·values+72(SB), R11
	MOVQ ·values+80(SB), R12
	MOVQ ·values+88(SB), R14
	MOVQ ·values+96(SB), R15
	MOVQ $1, ·values+READY(SB)
again:
	PUSHQ ·values+FLAGS(SB)
	POPFQ
	FOUR
	FOUR
	FOUR
	FOUR
	JMP again
