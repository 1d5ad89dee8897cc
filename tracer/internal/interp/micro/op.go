package micro

import "fmt"

// An Op is one instruction. The layout is that of struct op of tracer/internal/interp/bpf: the
// kernel reads the bytes as they are.
type Op struct {
	Kind     Kind    // what is computed
	Len      uint8   // bytes of the instruction
	DstKind  Operand // where the result goes
	SrcKind  Operand // where the second operand comes from
	Dst, Src uint8   // registers, if the operand kinds say so
	Base     uint8   // registers of the address: Base + Index<<Shift + Disp; NoReg is 0
	Index    uint8
	Shift    uint8
	DstWidth uint8 // bytes
	SrcWidth uint8 // bytes; a narrower source is extended
	Flags    Flag
	Cond     uint8  // condition of a jump, move or set: the low four bits of its encoding
	Third    uint8  // a further register, see FlagThird; without that flag a register to note, or NoReg
	Opcode   uint16 // x86asm.Op, for reports
	Next     uint32 // op of the following instruction, 0 if not decoded
	Target   uint32 // op of a direct jump's or call's target, 0 if not decoded
	Disp     int64  // for addresses relative to the PC the whole address
	Imm      uint64 // immediate operand; target of a direct jump or call; reason of KindStop
	PC       uint64
}

// OpSize is the size of an Op in bytes.
const OpSize = 48

// NoReg is the number of a register that is always 0 and always known. Ops without a
// base or an index have it.
const NoReg = 16

// FSBase is the number of the base of segment FS, to which the variables of a thread are
// relative. Ops with such an operand have it as base or index.
const FSBase = 17

// Numbers of the registers that ops use by themselves, as the processor encodes them.
const (
	AX = 0
	CX = 1
	DX = 2
	SP = 4
	BP = 5
)

// An Operand says where an operand is.
type Operand uint8

const (
	None Operand = iota
	Register
	Immediate
	InMemory
)

// A Flag changes what an op means.
type Flag uint8

const (
	FlagSigned    Flag = 1 << iota // the source is extended with its sign
	FlagWriteOnly                  // the op does not read the destination
	FlagSrcHigh                    // the source is AH, CH, DH or BH
	FlagDstHigh                    // the destination is one of those
	FlagClobber                    // KindUnknown and KindPoison: flags become unknown
	FlagThird                      // the first operand is the register Third
	FlagCountCL                    // KindShld, KindShrd: the count is in CL, not in Imm
	FlagNoted                      // a sampler sends what the op did; the machine ignores it
)

// A Kind says what an op computes of its first operand d, usually the old value of the
// destination, and of its second operand s, the source.
type Kind uint8

const (
	KindStop     Kind = iota // the machine stops in front of it; Imm is the Stop
	KindNop                  // nothing, or only what is not modelled: vector registers
	KindMov                  // s
	KindLea                  // the address
	KindAdd                  // d + s
	KindAdc                  // d + s + carry
	KindSub                  // d - s
	KindSbb                  // d - s - carry
	KindAnd                  // d & s
	KindOr                   // d | s
	KindXor                  // d ^ s
	KindCmp                  // KindSub without a result
	KindTest                 // KindAnd without a result
	KindShl                  // d << s
	KindShr                  // d >> s
	KindSar                  // d >> s, signed
	KindRol                  // d rotated to the left
	KindRor                  // d rotated to the right
	KindShld                 // d << count, filled from s
	KindShrd                 // d >> count, filled from s
	KindImul                 // d * s
	KindImul3                // s * Imm
	KindMulWide              // DX:AX = AX * s, unsigned
	KindImulWide             // DX:AX = AX * s, signed
	KindDiv                  // AX, DX = DX:AX divided by s, and the remainder
	KindIdiv                 // KindDiv, signed
	KindInc                  // d + 1, the carry stays
	KindDec                  // d - 1, the carry stays
	KindNeg                  // -d
	KindNot                  // ^d
	KindBswap                // s with its bytes reversed
	KindSignFill             // all bits as the sign of s
	KindBsf                  // number of the lowest 1 of s; d if there is none
	KindBsr                  // number of the highest 1 of s; d if there is none
	KindTzcnt                // zeros of s at the low end
	KindLzcnt                // zeros of s at the high end
	KindPopcnt               // ones of s
	KindBt                   // carry = bit s of d
	KindBts                  // KindBt, and the bit becomes 1
	KindBtr                  // KindBt, and the bit becomes 0
	KindBtc                  // KindBt, and the bit changes
	KindAndn                 // ^d & s
	KindShlx                 // s << d, flags stay
	KindShrx                 // s >> d, flags stay
	KindSarx                 // s >> d, signed, flags stay
	KindRorx                 // s rotated to the right by Imm, flags stay
	KindCmov                 // s if the condition holds, else d
	KindSetcc                // 1 if the condition holds, else 0
	KindJcc                  // jump if the condition holds; the result is 1 then, else 0
	KindJmp                  // jump to Imm
	KindJmpTo                // jump to s
	KindCall                 // call Imm
	KindCallTo               // call s
	KindRet                  // return; Imm more bytes leave the stack
	KindPush                 // push s
	KindPop                  // pop into the destination
	KindLeave                // SP = BP, pop BP
	KindXchg                 // exchange of registers
	KindUnknown              // something unknown
	KindPoison               // an unknown store of DstWidth bytes, up to 64
	kinds
)

var kindNames = [kinds]string{
	"stop", "nop", "mov", "lea", "add", "adc", "sub", "sbb", "and", "or", "xor", "cmp", "test", "shl", "shr", "sar", "rol", "ror",
	"shld", "shrd", "imul", "imul3", "mulwide", "imulwide", "div", "idiv", "inc", "dec", "neg", "not", "bswap", "signfill",
	"bsf", "bsr", "tzcnt", "lzcnt", "popcnt", "bt", "bts", "btr", "btc", "andn", "shlx", "shrx", "sarx", "rorx", "cmov", "setcc",
	"jcc", "jmp", "jmpto", "call", "callto", "ret", "push", "pop", "leave", "xchg", "unknown", "poison",
}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Kinds returns all kinds in the order of their numbers.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// Ends reports whether the instruction behind op is never the next one: op jumps,
// returns or stops.
func (op *Op) Ends() bool {
	switch op.Kind {
	case KindStop, KindJmp, KindJmpTo, KindRet:
		return true
	}
	return false
}

// Direct reports whether op jumps to or calls the address Imm.
func (op *Op) Direct() bool {
	return op.Kind == KindJcc || op.Kind == KindJmp || op.Kind == KindCall
}
