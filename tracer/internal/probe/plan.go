//go:build linux && amd64

package probe

import (
	"github.com/pepgo/pep/tracer/internal/interp/bpf/probe"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
)

// A Plan says where probes are and what they record.
type Plan struct {
	Funcs      []Func
	Sites      []Site
	Skipped    []Skipped // things that have no probe although the wish asks for them
	Ops        []ops.Op  // code to interpret, of fused sites; the first is not used
	GoidOffset uint32    // of the field goid of runtime.g, in bytes; needed if a function is timed
}

// A Func is a function with probes.
type Func struct {
	Name  string // "main.(*T).f"
	File  string // with the path that it had when it was built
	Line  int    // of the function
	Timed bool   // entries are paired with exits
}

// Skipped is something without probes, with the reason.
type Skipped struct {
	Func   string
	What   string // "entry", "results"
	Reason string
}

// A Kind is what a site tells.
type Kind uint8

// The kinds of sites. The program in the kernel knows the same numbers.
const (
	Entry Kind = Kind(probe.ProbeKindENTRY) // a call of the function begins
	Exit  Kind = Kind(probe.ProbeKindEXIT)  // the function returns
	Edge  Kind = Kind(probe.ProbeKindEDGE)  // a conditional jump
	Call  Kind = Kind(probe.ProbeKindCALL)  // the function calls another one
	Line  Kind = Kind(probe.ProbeKindLINE)  // a line of the source
)

// A Site is an instruction with a probe.
type Site struct {
	Func      int // index into Plan.Funcs
	Kind      Kind
	Addr      uint64 // of the instruction, as the file's symbols have it
	Offset    uint64 // of the instruction in the file
	File      string // of the line
	Line      int    // in the source, 0 if unknown
	Condition uint8  // if the instruction is a conditional jump: the low four bits of its opcode
	Depth     uint32 // bytes that the function has pushed, or reserved on the stack, before the instruction
	Slow      bool   // the kernel steps over the instruction: about 20 times the cost
	Fused     *Fused // the site stands for another instruction; nil for most
	Words     []Word
	Again     bool   // a second site of the same line, for values alone: its hits are not those of the line
	Target    string // of Edge: where the jump leads; of Call: the function that is called, if the instruction says it
}

// Fused says which instruction a site stands for, that would be slow to probe: one that
// follows, with nothing but unconditional jumps in between. Words are as at that
// instruction. The kernel finds them by interpreting from the site on.
type Fused struct {
	Addr      uint64    // of the instruction, as the process has it
	Steps     uint16    // instructions to interpret to arrive there
	Direction Direction // of the jump at the site: other executions lead elsewhere, and are not hits
	Op        uint32    // index in Plan.Ops of the instruction at the site
}

// A Direction is the way that a conditional jump goes.
type Direction uint8

// The directions. The program in the kernel knows the same numbers.
const (
	Any      Direction = Direction(probe.ProbeDirectionANY)
	NotTaken Direction = Direction(probe.ProbeDirectionNOT_TAKEN)
	Taken    Direction = Direction(probe.ProbeDirectionTAKEN)
)

// A Word is something in a register or in memory that is recorded at a site, with its size of
// 1, 2, 4 or 8 bytes.
type Word struct {
	Name    string // "x", "len(s)"
	Type    string // of the variable, in Go's syntax; "" if unknown
	Memory  bool   // it is in memory, at Disp beyond the register's value
	Pointer bool   // likewise, but there is its address: it is at Then beyond that
	Reg     uint8  // number of the register, as instructions have it: 0 is AX, 4 is SP, 5 is BP
	Disp    int32
	Then    int32
	Size    uint8
	As      As
}

// As says what is recorded of a word, and how its number is to be read.
type As uint8

const (
	Unsigned As = iota
	Signed
	Bool
	Float   // the bits of a floating-point number
	Code    // the address of a function's code
	Dynamic // the address of a type descriptor: the dynamic type of an empty interface
	Itab    // the address of an itab, of an interface with methods: read as the type that the itab has
	Pointer // an address: recorded as nil or not, unless secrets are shown
	Unknown // a number or an address: numbers that may be addresses are not recorded, unless secrets are shown
	Text    // the address of a string, whose length is the next word: not recorded, unless secrets are shown
)

// Hidden is the value of an Unknown that may be an address: it is 4 million or more away
// from 0.
const Hidden = 1 << 63

func (k Kind) String() string {
	return [...]string{Entry: "entry", Exit: "results", Edge: "branch", Call: "call", Line: "line"}[k]
}
