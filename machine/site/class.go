package site

// This file has the rules by which the kernel probes an instruction.

import (
	"bytes"

	"github.com/pepgo/pep/machine/insn"
)

// A Class says what the kernel does with an instruction that has a uprobe.
type Class uint8

// Classes, from the cheapest to the dearest.
const (
	Nop5     Class = iota // the 5-byte nop: since Linux 6.18 a call instead of a trap
	Emulated              // the kernel does the work of the instruction
	Stepped               // the processor executes a copy and traps a second time
	Refused               // the kernel refuses the probe, or the probe would miscount
)

// String returns the class in a word.
func (c Class) String() string {
	return [...]string{"nop5", "emulated", "stepped", "refused"}[c]
}

// Costs of a hit in ns, for a probe of the uprobe-multi link with an empty program.
// They were measured in a virtual machine with Linux 6.18, where traps are dear: Nop5
// 365, jcc 501, nop 498, call 539, push 541, all stepped instructions 10,050 to 10,320.
// On hardware without a hypervisor, stepped instructions are nearer to the others. The
// interpreter takes about 30 ns for an instruction.
const (
	CostNop5      = 365
	CostEmulated  = 540
	CostStepped   = 10_200
	CostInterpret = 30
)

// Cost estimates what a hit costs the probed thread, in ns.
func (c Class) Cost() int {
	switch c {
	case Nop5:
		return CostNop5
	case Emulated:
		return CostEmulated
	}
	return CostStepped
}

// nops are the nops that the kernel knows, by length, apart from 90 with prefixes.
var nops = [][]byte{
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
}

const nop5 = 3 // index in nops

// Classify returns the class of an instruction whose bytes code begins with, and for
// Refused the reason.
//
// The rules are those of arch/x86/kernel/uprobes.c in Linux 6.6 to 6.18. They look at
// prefixes and opcode bytes only. Where releases differ, an instruction is Refused.
func Classify(in *insn.Inst, code []byte) (class Class, reason string) {
	switch {
	case in.Lock:
		return Refused, "LOCK prefix"
	case in.Segment != 0 && in.Segment < 0x40:
		return Refused, "segment prefix"
	case in.VEX:
		return Refused, "VEX or EVEX prefix"
	}
	for i, nop := range nops {
		if bytes.Equal(code[:in.Len], nop) {
			if i == nop5 {
				return Nop5, ""
			}
			return Emulated, ""
		}
	}
	if in.Map == insn.OneByte {
		return oneByte(in)
	}
	if in.Map == insn.Map0F {
		return twoByte(in)
	}
	return Refused, "opcode of three bytes"
}

func oneByte(in *insn.Inst) (Class, string) {
	op := in.Opcode
	switch {
	case op == 0x90 && in.REX == 0 && !in.Rep && !in.Repne: // with REX.B it is xchg, with F3 pause
		return Emulated, ""
	case op == 0xeb, op == 0xe9, op == 0xe8, op>>4 == 7: // Decode refuses them with prefix 66
		return Emulated, ""
	case op >= 0x50 && op < 0x58 && (in.Len == 1 || in.Len == 2 && in.REX == 0x41):
		return Emulated, ""
	case op == 0x9d:
		return Refused, "sets the trap flag"
	case (in.Rep || in.Repne) && (op >= 0xa4 && op < 0xa8 || op >= 0xaa && op < 0xb0):
		return Refused, "REP: a step executes one round, so the probe would be hit in every round"
	case op >= 0x6c && op < 0x70, op >= 0xe4 && op < 0xe8, op >= 0xec && op < 0xf0:
		return Refused, "port input or output"
	case op >= 0xcc && op < 0xd0, op == 0xf1, op == 0xf4, op == 0xfa, op == 0xfb:
		return Refused, "trap, interrupt or privileged instruction"
	case op == 0x8e:
		return Refused, "writes a segment register"
	}
	return Stepped, ""
}

func twoByte(in *insn.Inst) (Class, string) {
	op := in.Opcode
	switch {
	case op>>4 == 8: // jcc
		return Emulated, ""
	case op == 0x0b, op == 0xb9, op == 0xff:
		return Refused, "undefined instruction"
	case op == 0x05, op == 0x34, op == 0x35:
		return Refused, "system call"
	case op < 0x0e, op == 0x18, op >= 0x24 && op < 0x28, op == 0x30, op >= 0x36 && op < 0x40,
		op >= 0x78 && op < 0x7e, op == 0xa6, op == 0xa7, op == 0xae, op == 0xb8, op == 0xd0, op == 0xf0:
		return Refused, "opcode that not every kernel probes"
	}
	return Stepped, ""
}
