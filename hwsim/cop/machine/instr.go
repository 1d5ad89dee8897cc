package machine

// This file holds the microinstructions and their encoding in 64 bits.

import "github.com/pepgo/pep/format/digits"

// An Instr is a microinstruction. All its parts work in the same cycle and see the
// state before this cycle. There is one exception: the data array, the associative
// array and IndexSet use the result that the main ALU computes in the same cycle. The
// zero Instr does nothing.
//
// Bits of the word, from the lowest:
//
//	5 Main   6 A   6 B   4 Dst      3 Index   3 IndexSrc   3 IndexDst
//	3 Data   2 Base   3 DataIndex   3 Field   2 Cam   3 CamIndex   1 CamResult
//	4 Pred   1 Not   2 Branch   5 Offset   1 Hint   4 zeros
//
// A branch tests flags that earlier instructions have set, never those of its own
// instruction.
type Instr struct {
	Main MainOp
	A, B Source
	Dst  uint8 // 8 to 15 for V0 to V7, 0 for none

	Index              IndexOp
	IndexSrc, IndexDst uint8

	Data      DataOp
	Base      uint8 // the address is the base register or'ed with the index register
	DataIndex uint8
	Field     Field

	Cam       CamOp
	CamIndex  uint8 // the index register that has, or gets, the number of the slot
	CamResult bool  // the key is the result of the main ALU, not the PC of the event

	Pred   Pred
	Not    bool // branch if the predicate is false
	Branch BranchKind
	Offset int8 // -16 to 15 from this instruction for BranchOffset, the number of the register for BranchTarget
	Hint   bool // the branch is predicted to be taken
}

// A MainOp is an operation of the main ALU on the operands A and B. There is no
// multiplication and no division (section 3.3).
type MainOp uint8

const (
	MainNop  MainOp = iota // the result is A, for the arrays; no flag changes
	MainMov                // A
	MainAdd                // A + B
	MainSub                // A - B
	MainAdds               // A + B, or the largest number if that is larger; sets MSAT if the result is the largest number
	MainAnd                // A and B
	MainOr                 // A or B
	MainXor                // A xor B
	MainNot                // not A
	MainShl1               // A << 1
	MainShr1               // A >> 1
	MainShr8               // A >> 8
	MainCmp                // A; sets EQ, LT and GT by comparing A with B as unsigned numbers; no Dst
	MainRand               // 32 new bits of the shift register, and A
	numMain
)

// unary reports whether an operation ignores B.
func (op MainOp) unary() bool {
	switch op {
	case MainNop, MainMov, MainNot, MainShl1, MainShr1, MainShr8, MainRand:
		return true
	}
	return false
}

// Operands returns how many operands an operation has.
func (op MainOp) Operands() int {
	if op.unary() {
		return 1
	}
	return 2
}

// A Source is an input of the main ALU.
type Source uint8

const (
	SourceV      Source = 0  // to 7
	SourceK      Source = 16 // to 31
	SourceI      Source = 32 // to 39
	SourcePC     Source = 40 // fields of the event, from here
	SourceValue  Source = 41
	SourceAddr   Source = 42
	SourceInsn   Source = 43
	SourceTarget Source = 44
	SourceClass  Source = 45
	SourceEvent  Source = 46
	SourceOp     Source = 47 // bits 26 to 31 of Insn: the opcode in the Alpha's formats
	SourceRA     Source = 48 // bits 21 to 25
	SourceRB     Source = 49 // bits 16 to 20
	SourceM      Source = 56
	sink         Source = 63 // the destination of results without Dst; not a source
)

func (s Source) known() bool {
	return s < 8 || 16 <= s && s < 40 || 40 <= s && s <= SourceRB || s == SourceM
}

// An IndexOp is an operation of the index ALU: it reads IndexSrc and writes IndexDst.
type IndexOp uint8

const (
	IndexNop  IndexOp = iota
	IndexInc          // plus 1; ISAT if the result wrapped to 0
	IndexDec          // minus 1; ISAT if the result wrapped to the largest number
	IndexSinc         // plus 1, at most the largest number; ISAT if the result is that
	IndexSdec         // minus 1, at least 0; ISAT if the result is that
	IndexMov          // the same; clears ISAT
	IndexClr          // 0; clears ISAT; IndexSrc is 0
	IndexSet          // the result of the main ALU; clears ISAT; IndexSrc is 0
	numIndex
)

// A DataOp is an operation of the data array on a field of the word at Base or'ed with
// DataIndex.
type DataOp uint8

const (
	DataNop   DataOp = iota
	DataRead         // M = field
	DataWrite        // field = the result of the main ALU
	DataInc          // field, M = field + 1; DSAT if the result wrapped to 0
	DataSinc         // field, M = field + 1, at most the largest number; DSAT if the result is that
	DataClr          // field = 0
	numData
)

// A Field is a part of a word of the data array. The parts are those of a slot of value
// profiling (section 5.1), and the two halves of a word.
type Field uint8

const (
	FieldWord   Field = iota // all 64 bits
	FieldValue               // bits 0 to 31
	FieldHits                // bits 32 to 39
	FieldMisses              // bits 40 to 47
	FieldTotal               // bits 48 to 63
	FieldHigh                // bits 32 to 63: with FieldValue two counters of 32 bits
	numField
)

// A bitField is some bits of a word.
type bitField struct{ shift, width uint8 }

// mask returns the largest value.
func (f bitField) mask() uint64 { return 1<<(f.width-1)<<1 - 1 }

// of returns the value in a word.
func (f bitField) of(word uint64) uint64 { return word >> (f.shift & 63) & f.mask() }

// Of returns what a field of a word has.
func (f Field) Of(word uint64) uint64 { return fieldBits[f].of(word) }

// fieldBits has the bits of each field.
var fieldBits = [numField]bitField{{0, 64}, {0, 32}, {32, 8}, {40, 8}, {48, 16}, {32, 32}}

// A CamOp is an operation of the associative array on a key.
type CamOp uint8

const (
	CamNop   CamOp = iota
	CamMatch       // sets HIT if a valid slot has the key; if so CamIndex = the lowest such slot
	CamWrite       // the slot gets the key and is valid
	CamInval       // the slot is not valid any more; CamResult is false
	numCam
)

// A Pred is a predicate that a branch can test.
type Pred uint8

const (
	PredNever Pred = iota // with Not: always
	PredEQ
	PredLT
	PredGT
	PredHit
	PredISat
	PredMSat
	PredDSat
	PredEmpty // no further event is in the sample buffer
	numPred
)

// A BranchKind says where a branch goes.
type BranchKind uint8

const (
	BranchOffset BranchKind = iota // Offset from this instruction
	BranchTarget                   // to the address in register T[Offset]
	BranchDone                     // to the routine of the next event
	// nowhere: the machine halts until software resumes it, and then takes the next event
	BranchInterrupt
)

// Encode returns the word of an instruction.
func (in Instr) Encode() uint64 {
	var w uint64
	at := 0
	put := func(v uint64, bits int) {
		w |= v & (1<<bits - 1) << at
		at += bits
	}
	put(uint64(in.Main), 5)
	put(uint64(in.A), 6)
	put(uint64(in.B), 6)
	put(uint64(in.Dst), 4)
	put(uint64(in.Index), 3)
	put(uint64(in.IndexSrc), 3)
	put(uint64(in.IndexDst), 3)
	put(uint64(in.Data), 3)
	put(uint64(in.Base), 2)
	put(uint64(in.DataIndex), 3)
	put(uint64(in.Field), 3)
	put(uint64(in.Cam), 2)
	put(uint64(in.CamIndex), 3)
	put(bit(in.CamResult), 1)
	put(uint64(in.Pred), 4)
	put(bit(in.Not), 1)
	put(uint64(in.Branch), 2)
	put(uint64(in.Offset), 5)
	put(bit(in.Hint), 1)
	return w
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Decode returns the instruction of a word. If a part of the word has no meaning, the
// error names this part.
func Decode(w uint64) (in Instr, err error) {
	rest := w
	take := func(bits int) uint8 {
		v := rest & (1<<bits - 1)
		rest >>= bits
		return uint8(v)
	}
	in.Main = MainOp(take(5))
	in.A, in.B, in.Dst = Source(take(6)), Source(take(6)), take(4)
	in.Index, in.IndexSrc, in.IndexDst = IndexOp(take(3)), take(3), take(3)
	in.Data, in.Base, in.DataIndex, in.Field = DataOp(take(3)), take(2), take(3), Field(take(3))
	in.Cam, in.CamIndex, in.CamResult = CamOp(take(2)), take(3), take(1) == 1
	in.Pred, in.Not, in.Branch = Pred(take(4)), take(1) == 1, BranchKind(take(2))
	in.Offset = int8(take(5)<<3) >> 3
	in.Hint = take(1) == 1
	if wrong := in.wrong(); wrong != "" {
		return Instr{}, Error("microinstruction " + digits.Hex(w) + ": " + wrong)
	}
	if rest != 0 {
		return Instr{}, Error("microinstruction " + digits.Hex(w) + ": the four highest bits are not 0")
	}
	return in, nil
}

// wrong says what is wrong with an instruction; "" means nothing is wrong. Parts that
// are not used must be 0, so each instruction has exactly one word.
func (in *Instr) wrong() string {
	switch {
	case in.Main >= numMain:
		return "the main ALU has no such operation"
	case !in.A.known() || !in.B.known():
		return "the main ALU has no such operand"
	case in.Main.unary() && in.B != 0:
		return "the operation of the main ALU has one operand"
	case in.Main == MainNop && in.A != 0 && !in.usesResult():
		return "an operand of the main ALU that is not used"
	case in.Dst != 0 && in.Dst < 8:
		return "the main ALU writes to V0 to V7 only"
	case in.Dst != 0 && (in.Main == MainNop || in.Main == MainCmp):
		return "the operation of the main ALU has no destination"
	case in.Index == IndexNop && in.IndexDst != 0, in.oneIndex() && in.IndexSrc != 0:
		return "an index register that is not used"
	case in.Data >= numData:
		return "the data array has no such operation"
	case in.Field >= numField:
		return "words of the data array have no such field"
	case in.Data == DataNop && (in.Base != 0 || in.DataIndex != 0 || in.Field != 0):
		return "an address of the data array that is not used"
	case in.Cam == CamNop && in.CamIndex != 0, (in.Cam == CamNop || in.Cam == CamInval) && in.CamResult:
		return "a part of the associative array that is not used"
	case in.Cam == CamMatch && in.Index != IndexNop && in.CamIndex == in.IndexDst:
		return "the index ALU and the associative array both write I" + digits.Uint(uint64(in.CamIndex))
	case in.Pred >= numPred:
		return "there is no such predicate"
	case in.Pred == PredNever && !in.Not && (in.Branch != 0 || in.Offset != 0 || in.Hint):
		return "a branch that is never taken"
	case in.Branch == BranchTarget && (in.Offset < 0 || in.Offset > 3):
		return "there is no such target register"
	case in.Branch >= BranchDone && in.Offset != 0:
		return "an offset that is not used"
	}
	return ""
}

// usesResult reports whether another part than the main ALU uses the result of the main
// ALU.
func (in *Instr) usesResult() bool {
	return in.Index == IndexSet || in.Data == DataWrite || in.CamResult
}

// oneIndex reports whether the instruction does not use IndexSrc.
func (in *Instr) oneIndex() bool {
	return in.Index == IndexNop || in.Index == IndexClr || in.Index == IndexSet
}

// Branches reports whether the branch slot is used.
func (in *Instr) Branches() bool { return in.Pred != PredNever || in.Not }

// Always reports whether the branch is always taken.
func (in *Instr) Always() bool { return in.Pred == PredNever && in.Not }
