package capture

// This file has runs, tuples and instructions.

import (
	"path"
	"strings"
)

// An Image is the executable file that instructions are in.
type Image struct {
	BuildID string // GNU build ID in hexadecimal, or another hash that names the content
	Path    string // where the file was when it was sampled; "[vdso]" and the like if there is none
}

// InFile reports whether the code is in a file: not that of the kernel which each process has
// ("[vdso]"), and not code that a process has made.
func (im *Image) InFile() bool { return !strings.HasPrefix(im.Path, "[") }

// Program reports whether the image is a program, and not a part of one: a shared object, whose
// name says so ("libc.so.6"), or code that is in no file.
func (im *Image) Program() bool {
	name := path.Base(im.Path)
	return im.InFile() && !strings.HasSuffix(name, ".so") && !strings.Contains(name, ".so.")
}

// An Access says what an instruction does with its memory operand.
type Access uint8

// An instruction such as ADD [mem], reg has both.
const (
	Load Access = 1 << iota
	Store
)

// A Flow says how an instruction changes the flow of control.
type Flow uint8

const (
	Next   Flow = iota // it does not
	Branch             // conditional jump
	Jump
	Call
	Return
)

// Registers is a set of registers: bit i is the general register with the number i in
// machine code (0 RAX, 1 RCX, 2 RDX, 3 RBX, 4 RSP, 5 RBP, 6 RSI, 7 RDI, 8 R8 … 15 R15), and
// bit 16+i is the vector register Xi, with Yi and Zi that contain it.
type Registers uint64

// FlagsRegister is the bit of the flags in Registers.
const FlagsRegister Registers = 1 << 63

// An Instruction is what never changes about an instruction. Each instruction of an image
// has one, and all tuples point to it.
type Instruction struct {
	Image *Image
	PC    uint64 // address in the image, as its ELF headers and symbols have it: without load bias
	Code  []byte // its 1 to 15 bytes

	Reads, Writes Registers // a register that is read to compute an address is in Reads

	Memory Access // 0 if it has no memory operand; LEA and NOP have none
	Width  uint8  // bytes of the memory operand; without one, of the first operand
	Float  uint8  // 4 or 8 if the last operand is a floating-point number of that many bytes, else 0
	Flow   Flow
}

// Fields is a set of fields of a tuple.
type Fields uint16

const (
	// Visit stands for no field: the tuple says only that the instruction was interpreted.
	Visit Fields = 1 << iota

	Result // Tuple.Result
	First  // Tuple.First
	Second // Tuple.Second
	Named  // Tuple.Named
	Addr   // Tuple.Addr
	Taken  // Tuple.Taken
	Target // Tuple.Target
)

// AllFields has every field.
const AllFields = Target<<1 - 1

// A Tuple is what was noted of one interpreted instruction. Fields whose bit is not in Known
// are zero and mean nothing: the module did not ask for them, the instruction does not have
// them, or the interpreter does not know them. Values narrower than 64 bits are extended
// with zeros. All addresses are those of the process.
type Tuple struct {
	Insn  *Instruction
	Known Fields

	Result uint64 // what the instruction wrote to its register or its memory operand
	First  uint64 // first operand, in Intel's order, before the instruction
	Second uint64 // second operand; the loaded word if that is in memory, of a float too
	Named  uint64 // the register that the module named
	Addr   uint64 // address of the memory operand
	Taken  bool   // whether a Branch is taken
	Target uint64 // where a Jump, Call, Return or taken Branch leads
}

// A Run is one interrupt: context, and the tuples of the instructions that were
// interpreted, in the order of the program. It may have no tuples.
type Run struct {
	Time     uint64 // ns, by CLOCK_MONOTONIC
	PID, TID uint32 // as the sampler's namespace has them
	CPU      uint32
	Goid     uint64 // goroutine, 0 if it is not known
	Labels   Labels // of the goroutine, as package runtime/pprof sets them

	// At is the interrupted instruction, or nil if it is in no known image (or in the
	// kernel). It is a sample of CPU time. The first tuple can be of a later instruction.
	At *Instruction

	// Bias is what the loader added to the addresses in the image of At. Less Bias, the code
	// and data addresses of that image in tuples and candidates are as symbols have them.
	Bias uint64

	Skipped uint32 // instructions interpreted, without tuples, before the module saw any
	Steps   uint32 // instructions interpreted after these

	// Two candidates for the return address of the function that is executed when tuples begin,
	// behind the skipped instructions (section 2.3): the word at [RSP], which is right before
	// the function has pushed anything, and the word at [RBP+8], which is right once the frame
	// stands. Zero if the word is not known.
	TopOfStack, BehindFrame uint64

	Tuples []Tuple
}
