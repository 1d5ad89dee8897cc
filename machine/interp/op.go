package interp

// This file names the operations that instructions are decoded to.

import "unsafe"

// An op is one operation, of 32 bytes. What its fields mean depends on its kind; most have
//
//	r[d] = f(r[s] + imm)           address: r[b] + r[i]*sh + disp
//
// A register that an operation does not need is rZero, so no operation asks which form it has.
type op struct {
	k    kind
	d, s uint8  // registers: destination, source
	b, i uint8  // registers: base and index of the address, or first source
	sh   uint8  // 1, 2, 4 or 8; of compares: the condition
	fl   uint8  // 64 - width in bits: operands are shifted to the top of the word
	disp int64  // of ends: distance from the piece's PC to the target
	imm  uint64 //
	l0   uint32 // of ends: the piece that follows if the branch is not taken; 0 if not linked. Of others: see aux
	l1   uint32 // of ends: the piece that follows a taken branch
}

const opSize = unsafe.Sizeof(op{})

const _ = opSize - unsafe.Sizeof(piece{}) // a header has room in front of the operations

// A piece is a header in front of the operations of some instructions. Only the last operation goes on
// to another piece.
type piece struct {
	pc    uint64
	size  uint32 // bytes of code: pc + size is the next instruction's PC
	n     uint32 // instructions
	next  uint32 // the next piece in its list of the index
	event bool   // the piece of an event of a branch, without instructions

	changed  bool   // an instruction is not the one that was built
	loads    uint16 // see load.go
	codeAt   uint16 // where the code is that the piece was decoded from, behind the operations
	codeSize uint16 // its bytes
	window   uint32 // the number of the window that has compared them with memory last
}

// Numbers of registers. 0 to 15 are those of the processor.
const (
	rAX, rCX, rDX, rBX, rSP, rBP, rSI, rDI = 0, 1, 2, 3, 4, 5, 6, 7

	rZero = 16 // always 0
	rTmp  = 17 // the source operand, from memory
	rDst  = 18 // the destination operand, from memory
	rAddr = 19 // an address that needs more than one operation
	rFS   = 20 // bases of segments
	rGS   = 21
	rMask = 24 // mask registers K0 to K7
)

// A kind says what an operation does. Kinds below kVector are those of Run, all others those of
// [Machine.vector].
type kind uint16

const (
	kStop kind = iota // ends the window: imm is the reason, and disp leads to the instruction
	kNop
	kAct   // reports the event imm
	kActAt // reports the event imm + r[s]

	kMov64 // d = s
	kMov32
	kMovI // d = imm
	kZx8  // zero-extended, from the low bytes of s
	kZx16
	kZxH // from bits 8 to 15
	kSx8 // sign-extended, and imm
	kSx16
	kSx32
	kPut8 // the low byte of d only
	kPut16
	kPutH  // bits 8 to 15
	kLea64 // d = b + disp
	kLeaX64
	kLea32
	kLeaX32

	kLd64 // without index
	kLdX64
	kLd32
	kLdX32
	kLd8
	kLdX8
	kLdX16
	kLdS8 // sign-extended, and imm
	kLdS16
	kLdS32
	kSt64 // s + imm
	kStX64
	kSt32
	kStX32
	kSt8
	kStX8
	kStX16

	kAdd64 // with flags
	kAdd32
	kSub64
	kSub32
	kAnd64
	kAnd32
	kOr64
	kOr32
	kXor64
	kXor32
	kCmp
	kTest
	kClear // d = 0, flags as XOR sets them

	kSubQ64 // Q: nobody reads the flags
	kSubQ32
	kAndQ64
	kAndQ32
	kOrQ64
	kOrQ32
	kXorQ64
	kXorQ32
	kShlQ64 // by imm
	kShrQ64
	kSarQ64
	kShlQ32
	kShrQ32
	kSarQ32
	kImulQ64
	kImulQ32

	kAlu  // everything else on registers: aux says what
	kWide // multiplications and divisions of AX and DX
	kCmov // if condition sh holds
	kCmov32
	kSet // the low byte of d
	kPush
	kPop
	kActIf     // reports the event imm if condition sh holds, and otherwise the event disp; 0 is none
	kCmpxchg   // compares rAX with rDst, stores are separate
	kCmpxchg16 // the whole of CMPXCHG8B and 16B
	kString    // MOVS, STOS, LODS, SCAS, CMPS with and without REP
	kFlag      // CLC, STC, CMC, PUSHF, POPF
	kClock     // RDTSC, RDTSCP with imm 1, SYSCALL with imm the instruction behind it

	// The last operation of a piece is one of these, or kStop.
	kJcc
	kCmp64RJ // compare with a register, and jump
	kCmp64IJ // compare with imm, and jump
	kCmp32RJ
	kCmp32IJ
	kCmpRJ
	kCmpIJ
	kTest64J
	kTestJ
	kTestIJ
	kJmp
	kCall
	kRet
	kJmpR
	kCallR

	// Notes are never the last operation: see note.go.
	kNote  // notes the bits disp of s, at site imm
	kNoteV // likewise of the low word of a vector register
	kNoteA // notes the address

	kVector kind = 256 // the first kind of vector operations
)

// What kAlu does is in l0. b is the first source, s + imm the second.
const (
	aAdd = iota // 0 to 7 are the digits of opcode 80
	aOr
	aAdc
	aSbb
	aAnd
	aSub
	aXor
	aCmp
	aRol // 8 to 15 are the digits of opcode C0, plus 8
	aRor
	aRcl
	aRcr
	aShl
	aShr
	aSal
	aSar
	aTest
	aInc
	aDec
	aNeg
	aNot
	aBt // the digits 4 to 7 of opcode 0F BA follow each other
	aBts
	aBtr
	aBtc
	aBsf
	aBsr
	aTzcnt
	aLzcnt
	aPopcnt
	aImul
	aBswap
	aShld // i is the register of the count
	aShrd
	aAndn
	aBlsr
	aBlsmsk
	aBlsi
	aBextr
	aBzhi
	aPdep
	aPext
	aShlx
	aShrx
	aSarx
	aRorx
	aMulx // i is the register of the low half
	aAdcx
	aAdox
	aCrc32
	aXadd
	aSignFill // CWD, CDQ and CQO
)

// What kWide does is in l0.
const (
	wMul = iota
	wImul
	wDiv
	wIdiv
)

// What kString does is in l0; l1 is the repetition: 0, 0xf3 or 0xf2.
const (
	sMovs = iota
	sStos
	sLods
	sScas
	sCmps
)

// noFlags is bit 0 of l1 of a kAlu: nobody looks at the flags.
const noFlags = 1
