package ops

import (
	"encoding/binary"

	"github.com/pepgo/pep/machine/interp"
)

// An Op is an operation of package interp, and what the program in the kernel needs beside it. The layout is that of
// struct op of tracer/internal/interp/bpf: the kernel reads the bytes as they are.
//
// L1 is the index of the operation that follows; of jumps and calls, of the one at the target. L0 of a conditional jump
// is the index of the one that follows if it is not taken. 0 stands for code that is not decoded.
type Op struct {
	interp.Op
	PC    uint64 // of the instruction
	Len   uint8  // bytes of the instruction; 0 if it is not known
	Flags Flag
	Named uint8 // a register to note, or none: NoReg
	Last  uint8 // of the last operation: number of the vector register that may be the last operand

	// Of the first operation: the code that was decoded, as far as it decides about the operations. Programs change
	// theirs, and debuggers and uprobes put breakpoints there, so interpreters compare it with memory.
	Size uint32
	Code [2]uint64
}

// A Flag says where in its instruction an operation is, and whether somebody wants to know what the instruction does.
type Flag uint8

const (
	First Flag = 1 << iota
	Last
	Noted // a sampler sends what the instruction did; interpreters ignore it
)

// NoReg is the number of a register that is always 0. Operations that need no register, or no base or index, have it.
const NoReg = rZero

// MaxOps is how many ops an instruction has at most.
const MaxOps = insnOps

// Numbers of registers, as the processor encodes them.
const (
	SP = rSP
	BP = rBP
)

// Direct reports whether op leads to the address Target: it is a jump or call whose instruction has its target.
func (op *Op) Direct() bool { return op.Kind == kJcc || op.Kind == kJmp || op.Kind == kCall }

// Target is the address to which a direct jump or call leads.
func (op *Op) Target() uint64 { return op.PC + uint64(op.Disp) }

// Stops reports whether interpreters stop in front of op, and why.
func (op *Op) Stops() (why Stop, ok bool) {
	switch op.Kind {
	case kStop:
		return Stop(op.Imm), true
	case kString:
		return String, true
	}
	return Done, false
}

// ends reports whether the instruction behind op is never the next one: op jumps, returns or stops.
func (op *Op) ends() bool {
	switch op.Kind {
	case kStop, kJmp, kJmpR, kRet:
		return true
	}
	return false
}

// next returns the field with the index of the following instruction's operation, nil if there is none.
func (op *Op) next() *uint32 {
	switch op.Kind {
	case kStop, kJmp, kCall, kRet, kJmpR, kCallR:
		return nil
	case kJcc:
		return &op.L0
	}
	return &op.L1
}

// Relink changes the indexes in op.
func (op *Op) Relink(to func(uint32) uint32) {
	if n := op.next(); n != nil {
		*n = to(*n)
	}
	if op.Direct() {
		op.L1 = to(op.L1)
	}
}

// A Decoder makes operations of instructions.
type Decoder struct{ d interp.Decoder }

// Decode appends the operations of the instruction that begins with code and is at address pc. Code may be longer than
// the instruction. An instruction that is not interpreted becomes an operation that stops.
func (d *Decoder) Decode(list []Op, code []byte, pc uint64) []Op {
	one, size, why := d.d.Decode(code, pc)
	first := len(list)
	add := func(op interp.Op) {
		list = append(list, Op{Op: op, PC: pc, Len: uint8(size), Named: NoReg, Last: d.d.LastRegister()})
	}
	stop := func(why Stop) {
		list = list[:first]
		add(interp.Op{Kind: kStop, D: rZero, S: rZero, B: rZero, I: rZero, Imm: uint64(why)})
	}
	for _, op := range one {
		add(op)
	}
	switch {
	case why == interp.Fault:
		stop(Undecodable)
	case why != interp.Done:
		stop(reasons[why])
	case len(one) == 0:
		add(interp.Op{Kind: kNop, D: rZero, S: rZero, B: rZero, I: rZero})
	case switchesStacks(one):
		stop(StackSwitch)
	}
	list[first].Flags |= First
	list[len(list)-1].Flags |= Last
	if size == 0 || why != interp.Done {
		size = min(len(code), maxLen)
	}
	list[first].Size = uint32(size)
	var bytes [16]byte
	copy(bytes[:], code[:size])
	list[first].Code = [2]uint64{binary.LittleEndian.Uint64(bytes[:]), binary.LittleEndian.Uint64(bytes[8:])}
	return list
}

// switchesStacks reports whether an instruction gives SP a value that is none of the same stack.
func switchesStacks(one []interp.Op) bool {
	last := &one[len(one)-1]
	if last.D != rSP {
		return false
	}
	switch last.Kind {
	case kMov64, kMovI:
		return len(one) == 1 && last.S != rBP
	case kLd64, kLdX64, kPop:
		return true
	}
	return false
}
