// Package site chooses where in a function to put a probe. The cost of a uprobe depends
// on the instruction that it replaces: the kernel emulates some, and single-steps a copy
// of all others, which takes about 20 times as long in a virtual machine. So a probe
// should stand on an instruction that the kernel emulates, and must be hit as often as
// the event that it counts happens.
//
//	code, err := site.Read(im, fn)
//	p, err := code.Entry(0)            // the push rbp after the stack check
//	p.PC, p.Class, p.SPDelta           // 0x4a1c16 emulated 0
//	for _, p := range code.Returns() { // each ret
//		p.Via                          // [{0x4a1c80 jne, not taken, 4 instructions}]
//	}
//
// A probe at an instruction that is not emulated has in Via, if there is one, its fused
// form: probes at emulated instructions ahead of it, from which the tracer's interpreter
// executes some instructions on a copy of the registers. Every execution of the
// instruction passes exactly one of them, and the direction of the jump there, with the
// number of instructions, says how to get to it. If only some of the ways to the
// instruction have an emulated one, the probes of the other ways are stepped. So is that of
// a way out of a loop: the branch at its end is executed in each round, and the instruction
// once.
//
// # Which counts are exact
//
// The site of an entry is executed once per call. It stands after the check of the stack's
// size, because the runtime executes the check again when it has moved the stack. Between
// the check and the site nothing branches, and no jump of the function leads there. A
// function whose first instructions are a loop has no such site. The runtime may also
// interrupt a goroutine within a write barrier and execute the barrier again from its
// beginning; sites within barriers may count one execution twice.
//
// Returns do not see calls that end by a panic that nobody recovers, by runtime.Goexit, or
// by a jump to another function, as wrappers do: those jumps are in [Code.TailCalls].
//
// # What is known at a site
//
// At an entry, [Probe.Written] has the registers that were written since the function
// began. If it has no registers of arguments, they all have their values. [Probe.SPDelta]
// is how far SP is below its value at the entry, where it points to the return address.
package site

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
)

// ArgRegs are the registers that Go's ABI (ABIInternal) uses for arguments and results.
var ArgRegs = func() (s insn.RegSet) {
	for _, r := range []int{0, 3, 1, 7, 6, 8, 9, 10, 11} { // AX BX CX DI SI R8 R9 R10 R11
		s |= insn.GPR(r)
	}
	for r := range 15 {
		s |= insn.XMM(r)
	}
	return s
}()

// A Kind says what a probe is about.
type Kind uint8

// Kinds of probes.
const (
	Entry Kind = iota
	Return
	Branch
	Call
	TailCall
	Other
)

// String returns the kind in a word.
func (k Kind) String() string {
	return [...]string{"entry", "return", "branch", "call", "tailcall", "instruction"}[k]
}

// A Site is an instruction at which a probe can stand.
type Site struct {
	PC     uint64
	Class  Class
	Reason string // why it is Refused
}

// A Probe is how to observe an instruction.
type Probe struct {
	Kind Kind
	Site           // the instruction itself; registers are as before its execution
	Inst insn.Inst // decoded
	// Via is the fused form of a probe that is not Nop5 or Emulated: every execution of the
	// instruction comes through exactly one of these. It is empty if there is none. At least
	// one of the sites is cheap; the others are Stepped, at the beginnings of ways without a
	// cheap instruction.
	Via []Approach
	// WhyNot says, for a Stepped or Refused instruction without Via, what prevents the fused form.
	WhyNot string
	// Written are the registers that were written between the entry of the function and PC.
	// It is valid for entries.
	Written insn.RegSet
	// SPDelta is how many bytes SP at PC is below its value at the entry of the function, and
	// -1 if that is unknown.
	SPDelta int
	// Target is where a branch jumps or which address a call calls; 0 for indirect calls.
	Target uint64
}

// An Approach leads to an instruction from a site ahead of it.
type Approach struct {
	Site Site
	// At a conditional jump, executions that take it (or not) lead to the instruction, the
	// others do not.
	Conditional, Taken bool
	// Steps is how many instructions to interpret to arrive, that at the site included.
	Steps int
}

// Cost estimates what an execution of the instruction costs with the cheaper form of the
// probe, in ns, and whether that is the fused form. Its cost is the mean over its ways,
// as if all were as frequent. Hits at conditional jumps that lead elsewhere come on top.
func (p *Probe) Cost() (ns int, fused bool) {
	if len(p.Via) == 0 {
		return p.Class.Cost(), false
	}
	for _, a := range p.Via {
		ns += a.Site.Class.Cost() + CostInterpret*a.Steps
	}
	return ns / len(p.Via), true
}

// Code is the decoded code of a function.
type Code struct {
	Fn    image.Function
	im    *image.Image
	bytes []byte
	insts []inst
	start int // index of the first instruction after the stack check
	check bool
	// Jumps through tables that could not be read may lead to any instruction with the same
	// SP delta.
	unknownJumps []int
	nesting      *nesting // of loops; nil until it is needed
}

type inst struct {
	insn.Inst
	leader bool // other instructions than the one before lead here
	preds  []pred
}

// A pred is an instruction that leads to another one.
type pred struct {
	index int
	kind  predKind
}

type predKind uint8

const (
	falls predKind = iota // the instruction before
	jumps                 // a jump
	table                 // a jump through a table
)

// ErrUndecodable means that a function has bytes that are not known as instructions. It is
// wrapped in errors of [Read].
var ErrUndecodable = errors.New("code that cannot be decoded")

// ErrNoCode means that a function has no instructions: some names only mark a border.
var ErrNoCode = errors.New("it has no code")

// Read decodes a function. The error may wrap [ErrUndecodable] or [ErrNoCode].
func Read(im *image.Image, fn image.Function) (*Code, error) {
	code, err := im.Code(fn)
	if err != nil {
		return nil, err
	}
	c := &Code{Fn: fn, im: im, bytes: code}
	for at := 0; at < len(code); {
		in, err := insn.Decode(code[at:], fn.Entry+uint64(at))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", fn.Name, ErrUndecodable, err)
		}
		c.insts = append(c.insts, inst{Inst: in})
		at += in.Len
	}
	if len(c.insts) == 0 {
		return nil, fmt.Errorf("%s: %w", fn.Name, ErrNoCode)
	}
	c.link()
	c.findCheck()
	return c, nil
}

// index returns the index of the instruction that begins at pc.
func (c *Code) index(pc uint64) (int, bool) {
	i := sort.Search(len(c.insts), func(i int) bool { return c.insts[i].PC >= pc })
	return i, i < len(c.insts) && c.insts[i].PC == pc
}

// probe makes the probe at an instruction, with its fused form if that is of use.
func (c *Code) probe(kind Kind, i int) Probe {
	in := &c.insts[i]
	p := Probe{Kind: kind, Site: c.site(i), Inst: in.Inst, Target: in.Target, SPDelta: c.spDelta(in.PC)}
	if p.Class > Emulated {
		var err error
		if p.Via, err = c.approaches(i, p.Class == Refused); err != nil {
			p.WhyNot = err.Error()
		}
	}
	return p
}

func (c *Code) site(i int) Site {
	in := &c.insts[i]
	s := Site{PC: in.PC}
	s.Class, s.Reason = Classify(&in.Inst, c.bytes[in.PC-c.Fn.Entry:])
	return s
}

func (c *Code) spDelta(pc uint64) int {
	if d, ok := c.Fn.SPDelta(pc); ok {
		return d
	}
	return -1
}

// Returns returns the probes at the function's return instructions, in the order of
// their addresses.
func (c *Code) Returns() []Probe {
	return c.all(Return, func(in *inst) bool { return in.Flow == insn.Return })
}

// Branches returns the probes at the conditional jumps, apart from those of the stack
// check. The direction that a jump takes follows from the flags at the probe: see
// [Taken].
func (c *Code) Branches() []Probe {
	return c.all(Branch, func(in *inst) bool {
		return in.Flow == insn.Cond && (!c.check || in.PC >= c.insts[c.start].PC)
	})
}

// Calls returns the probes at the calls, apart from those that grow the stack. Arguments
// are in their registers there.
func (c *Code) Calls() []Probe {
	return c.all(Call, func(in *inst) bool {
		return (in.Flow == insn.Call || in.Flow == insn.IndirectCall) && !c.morestack(in)
	})
}

// TailCalls returns the probes at jumps out of the function. The function that they jump
// to returns to the caller of this one.
func (c *Code) TailCalls() []Probe {
	return c.all(TailCall, func(in *inst) bool {
		out := in.Target < c.Fn.Entry || in.Target >= c.Fn.End
		return in.Flow == insn.Jump && out
	})
}

func (c *Code) all(kind Kind, want func(in *inst) bool) (list []Probe) {
	for i := range c.insts {
		if want(&c.insts[i]) {
			list = append(list, c.probe(kind, i))
		}
	}
	return list
}

// At returns the probe at an instruction.
func (c *Code) At(pc uint64) (Probe, error) {
	i, ok := c.index(pc)
	if !ok {
		return Probe{}, fmt.Errorf("%s: no instruction begins at %#x", c.Fn.Name, pc)
	}
	return c.probe(Other, i), nil
}

// morestack reports whether an instruction calls the function that grows the stack.
func (c *Code) morestack(in *inst) bool {
	if in.Flow != insn.Call {
		return false
	}
	f, ok := c.im.FuncForPC(in.Target)
	return ok && strings.HasPrefix(f.Name, "runtime.morestack")
}

// Flag bits of RFLAGS.
const (
	flagC = 1 << 0
	flagP = 1 << 2
	flagZ = 1 << 6
	flagS = 1 << 7
	flagO = 1 << 11
)

// Taken reports whether a conditional jump is taken when the processor's flags are
// rflags. It returns false for ok if the instruction is none, or one that tests CX.
func Taken(in *insn.Inst, rflags uint64) (taken, ok bool) {
	if in.Flow != insn.Cond || in.Map == insn.OneByte && in.Opcode>>4 != 7 {
		return false, false
	}
	bit := func(mask uint64) bool { return rflags&mask != 0 }
	switch in.Opcode >> 1 & 7 {
	case 0:
		taken = bit(flagO)
	case 1:
		taken = bit(flagC)
	case 2:
		taken = bit(flagZ)
	case 3:
		taken = bit(flagC | flagZ)
	case 4:
		taken = bit(flagS)
	case 5:
		taken = bit(flagP)
	case 6:
		taken = bit(flagS) != bit(flagO)
	case 7:
		taken = bit(flagZ) || bit(flagS) != bit(flagO)
	}
	return taken != (in.Opcode&1 == 1), true
}
