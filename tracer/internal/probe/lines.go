//go:build linux && amd64

package probe

// This file chooses the sites of lines.

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/machine/abi"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/machine/site"
)

// A Position is a line of a file, which is named by its last elements: "x/y.go" is that of
// all directories x. Its sites count how often the line is reached, and record the
// variables that All or Vars say.
type Position struct {
	File string
	Line int
	All  bool     // record all variables that are in scope
	Vars []string // record these variables
}

// matches reports whether a file of the executable is the one that p names.
func (p *Position) matches(file string) bool {
	return file == p.File || strings.HasSuffix(file, "/"+p.File)
}

// line adds sites for a line: one in the code of the function itself, and one in each call
// that is inlined into it, as far as there is code of the line. A site is at the first
// instruction at which a statement of the line begins, in the order of addresses, or, if
// the program is stripped, at the first instruction of the line. The line of a loop can
// have instructions that are executed before the loop, and others that are executed in each
// round.
func (c *chooser) line(code *site.Code, p *Position) error {
	pcs, err := c.im.Statements(code.Fn, p.matches, p.Line)
	if err != nil {
		return err
	}
	for r, pos := range code.Fn.Lines() { // behind the statements: for calls that have none
		if pos.Line == p.Line && p.matches(pos.File) {
			pcs = append(pcs, r.Start)
		}
	}
	var done []int
	for _, pc := range pcs {
		call := code.Fn.InlinedCall(pc)
		if slices.Contains(done, call) {
			continue
		}
		done = append(done, call)
		if err := c.lineAt(code, p, code.Fn.Position(pc), pc); err != nil {
			return err
		}
	}
	return nil
}

// lineAt adds the site of a line whose code begins at pc, and with variables that have a
// location only further on a second site.
func (c *chooser) lineAt(code *site.Code, p *Position, pos pclntab.Position, pc uint64) error {
	s := Site{Func: len(c.plan.Funcs) - 1, Kind: Line, File: pos.File, Line: p.Line}
	if pc < code.Body() { // the check of the stack's size is executed again when the stack has grown
		e, err := code.Entry(site.ArgRegs)
		if err != nil {
			c.skip(code.Fn.Name, "line", strings.TrimPrefix(err.Error(), code.Fn.Name+": "))
			return nil
		}
		pc = e.PC
	}
	now, later, at := c.variables(code, p, pc)
	slow, err := c.placeLine(s, code, pc, now)
	if err != nil || len(later) == 0 {
		return err
	}
	// What nobody has asked for by name is not worth a slow probe if the other is cheap.
	x, err := c.best(code, at, later)
	if err != nil {
		return err
	}
	if p.All && !slow && isSlow(&x) {
		for _, v := range later {
			c.skip(code.Fn.Name, what(p, v.Name), "it has a location only where a probe is slow: ask for it by name")
		}
		return nil
	}
	s.Again = true
	_, err = c.placeLine(s, code, at, later)
	return err
}

// placeLine adds a site of a line that stands for the instruction at pc, and reports
// whether it is slow.
func (c *chooser) placeLine(s Site, code *site.Code, pc uint64, list []value) (slow bool, err error) {
	x, err := c.best(code, pc, list)
	if err != nil {
		return false, err
	}
	s.Words = words(list, x.SPDelta)
	if len(s.Words) < len(list) {
		c.skip(code.Fn.Name, fmt.Sprintf("variables at line %d", s.Line),
			"those on the stack: how large the stack frame is at the instruction is not known")
	}
	return isSlow(&x), c.place(s, x)
}

// best returns the cheapest probe that stands for the instruction at pc, and at which values
// are where they are at that instruction: behind it, at it, or ahead of it.
func (c *chooser) best(code *site.Code, pc uint64, list []value) (site.Probe, error) {
	x, err := code.At(pc)
	if err != nil || x.Class <= site.Emulated {
		return x, err
	}
	var keep insn.RegSet
	memory := false
	for _, v := range list {
		memory = memory || v.Memory
		if !v.onStack {
			keep |= insn.GPR(int(v.Reg))
		}
	}
	if after, ok := code.After(pc, keep, memory); ok {
		return after, nil
	}
	return x, nil
}

// isSlow reports whether executions may hit a slow probe.
func isSlow(p *site.Probe) bool {
	if len(p.Via) == 0 {
		return p.Class > site.Emulated
	}
	return slices.ContainsFunc(p.Via, func(a site.Approach) bool { return a.Site.Class > site.Emulated })
}

// what names a variable of a line for messages.
func what(p *Position, name string) string {
	return fmt.Sprintf("%s at %s:%d", name, p.File, p.Line)
}

// variables finds the variables that a position asks for: the words of those that have a
// location before the instruction at pc, and the words of those that have one only before a
// later instruction of the same straight code, at. It says which are missing, and why.
func (c *chooser) variables(code *site.Code, p *Position, pc uint64) (now, later []value, at uint64) {
	if !p.All && len(p.Vars) == 0 {
		return nil, nil, 0
	}
	name := code.Fn.Name
	scope, err := c.im.Variables(code.Fn, pc)
	if errors.Is(err, image.ErrStripped) {
		err = errors.New("the program is stripped of DWARF, which says where variables are")
	}
	if err != nil {
		c.skip(name, what(p, "variables"), err.Error())
		return nil, nil, 0
	}
	found := map[string]bool{}
	var absent []located
	for i := range scope {
		v := located{Variable: &scope[i], name: strings.TrimPrefix(scope[i].Name, "&")}
		if !p.wants(v.name) {
			continue
		}
		found[v.name] = true
		if v.Line > p.Line || v.Line == p.Line && !v.Param {
			if !p.All {
				c.skip(name, what(p, v.name), fmt.Sprintf("it is declared at line %d: it has a value only behind that line",
					v.Line))
			}
			continue
		}
		if v.err = v.find(pc); errors.Is(v.err, image.ErrNowhere) {
			absent = append(absent, v)
			continue
		}
		c.words(&now, name, p, &v)
	}
	for _, x := range p.Vars {
		if !found[x] {
			c.skip(name, what(p, x), "no variable of this name is in scope; in scope are: "+names(scope))
		}
	}
	at = locate(code, pc, absent)
	for i := range absent {
		v := &absent[i]
		if at != 0 {
			v.err = v.find(at)
		}
		c.words(&later, name, p, v)
	}
	return now, later, at
}

// wants reports whether a variable is asked for. Without names all that have one are.
func (p *Position) wants(name string) bool {
	return p.All && named(name) || slices.Contains(p.Vars, name)
}

// named reports whether a variable has its name from the source: those that the compiler has
// made begin with a dot, and results without a name with ~.
func named(name string) bool { return name != "" && !strings.Contains("_~.", name[:1]) }

// names lists variables for messages.
func names(scope []image.Variable) string {
	var list []string
	for _, v := range scope {
		if name := strings.TrimPrefix(v.Name, "&"); named(name) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// A located variable has its location at an instruction.
type located struct {
	*image.Variable
	name  string // without &
	parts []image.Location
	whole bool
	err   error
}

func (v *located) find(pc uint64) (err error) {
	v.parts, v.whole, err = v.At(pc)
	return err
}

// locate returns the address of the instruction, after that at pc and in straight code,
// before which most of some variables have a location. Of several it is the first, and 0 if
// no variable has one.
//
// The value of a variable is often computed by an instruction of its own line that the
// compiler has moved behind the first instruction of the next line.
func locate(code *site.Code, pc uint64, list []located) (at uint64) {
	const farthest = 32 // instructions
	most := 0
	straight := code.Straight(pc)
	for _, pc := range straight[:min(farthest, len(straight))] {
		n := 0
		for i := range list {
			if _, _, err := list[i].At(pc); err == nil {
				n++
			}
		}
		if n > most {
			at, most = pc, n
		}
	}
	return at
}

// words adds the words of a variable to a list, or says why they are missing.
func (c *chooser) words(list *[]value, fn string, p *Position, v *located) {
	if v.err != nil {
		c.skip(fn, what(p, v.name), v.err.Error())
		return
	}
	pieces, typ, err := v.pieces()
	if err != nil {
		c.skip(fn, what(p, v.name), err.Error())
		return
	}
	w := walker{pieces: pieces}
	w.walk(v.name, typ)
	for _, m := range w.missing {
		c.skip(fn, what(p, m.name), m.reason)
	}
	if len(*list)+len(w.list) > maxWords {
		c.skip(fn, what(p, v.name), fmt.Sprintf("a probe records at most %d words", maxWords))
		return
	}
	*list = append(*list, w.list...)
}

// pieces returns the pieces of a variable, and its type. Of a variable on the heap, DWARF has
// its address, under the name &x.
func (v *located) pieces() ([]piece, *abi.Type, error) {
	t := v.Type
	address, heap := t.(*dwarf.PtrType)
	if heap = heap && strings.HasPrefix(v.Name, "&"); heap {
		t = address.Type
	}
	typ, err := abi.TypeOf(t)
	if err != nil {
		return nil, nil, err
	}
	parts, _ := abi.Pieces(typ)
	if !heap && !v.whole && !v.fits(parts) {
		return nil, nil, image.ErrPart
	}
	var list []piece
	for i, p := range parts {
		x := piece{value: value{Word: Word{Size: size(p)}}}
		switch {
		case heap:
			x.place(v.parts[0])
			if x.Pointer = x.Memory; x.Pointer {
				x.Then = int32(p.Offset)
			} else {
				x.Memory, x.Disp = true, int32(p.Offset)
			}
		case v.whole:
			x.place(v.parts[0])
			x.stack += p.Offset
		default:
			x.place(v.parts[i])
		}
		list = append(list, x)
	}
	return list, typ, nil
}

// fits reports whether there is a location for each part of a type.
func (v *located) fits(parts []abi.Piece) bool {
	if len(parts) == 1 && len(v.parts) == 1 {
		return v.parts[0].Size == 0 || v.parts[0].Size == parts[0].Size
	}
	return slices.EqualFunc(v.parts, parts, func(l image.Location, p abi.Piece) bool { return l.Size == p.Size })
}

// place says where a piece is.
func (x *piece) place(l image.Location) {
	switch {
	case l.Absent:
		x.lost = image.ErrNowhere.Error()
	case !l.InReg:
		x.Memory, x.onStack, x.stack = true, true, l.Stack
	case l.Reg >= 16:
		x.lost = vectorRegister
	default:
		x.Reg = uint8(l.Reg)
	}
}
