//go:build linux && amd64

package probe

// This file chooses sites.

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/machine/site"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
)

// A Wish says what to probe.
type Wish struct {
	Func    *regexp.Regexp // the functions whose names match; nil is none
	Args    bool           // the values of their arguments
	Results bool           // the values of their results
	Times   bool           // how long their calls take
	Edges   bool           // which way their conditional jumps go
	Calls   bool           // which functions they call, and how often
	Lines   []Position     // how often these lines are reached, and the values of variables there
}

// MaxSites is how many probes a plan has at most.
const MaxSites = 20000

// Choose makes the plan for a wish. A site stands where the kernel's work is cheapest, if
// there is a choice. What cannot be probed is in Plan.Skipped, with the reason.
func Choose(im *image.Image, wish Wish) (*Plan, error) {
	c := chooser{im: im, Wish: wish, plan: &Plan{}}
	if wish.Times {
		g, err := im.Goroutine()
		if err != nil {
			return nil, fmt.Errorf("-times: %w", err)
		}
		c.plan.GoidOffset = uint32(g.Goid)
	}
	for _, p := range wish.Lines {
		if _, err := im.DWARF(); len(p.Vars) > 0 && err != nil {
			return nil, fmt.Errorf("variables of %s:%d: %w: only the compiler's debugging information says where they are; a line without variables can be counted", p.File, p.Line, err)
		}
	}
	for fn := range im.Functions() {
		named := wish.Func != nil && wish.Func.MatchString(fn.Name)
		lines := slices.ContainsFunc(wish.Lines, func(p Position) bool { return fn.HasFile(p.matches) })
		if !named && !lines {
			continue
		}
		if err := c.function(fn, named); err != nil {
			return nil, err
		}
		if len(c.plan.Sites) > MaxSites {
			return nil, fmt.Errorf("more than %d probes: take a narrower -f", MaxSites)
		}
	}
	c.inlined()
	for _, p := range wish.Lines {
		if !slices.ContainsFunc(c.plan.Sites, func(s Site) bool {
			return s.Kind == Line && s.Line == p.Line &&
				p.matches(s.File)
		}) {
			c.skip("", "line", fmt.Sprintf("%s:%d has no code: a comment, a declaration, or code that the compiler removed",
				p.File, p.Line))
		}
	}
	if len(c.plan.Sites) == 0 {
		return nil, c.nothing()
	}
	return c.plan, nil
}

// nothing is the error of a plan without sites.
func (c *chooser) nothing() error {
	errs := []error{errors.New("nothing to probe")}
	if c.Func != nil && len(c.plan.Skipped) == 0 {
		errs = append(errs, fmt.Errorf("no function of the program matches %q: functions are named as in main.f, net/http.(*Server).Serve", c.Func))
	}
	for _, s := range c.plan.Skipped {
		errs = append(errs, fmt.Errorf("%s", strings.TrimSpace(s.Func+" "+s.What+": "+s.Reason)))
	}
	return errors.Join(errs...)
}

type chooser struct {
	Wish
	im    *image.Image
	plan  *Plan
	code  *site.Code // of the function that was begun last
	entry uint64     // address of the probe at its entry, if it has one
	table *ops.Table // of code to interpret; nil before there is any
}

func (c *chooser) skip(fn, what, reason string) {
	c.plan.Skipped = append(c.plan.Skipped, Skipped{fn, what, reason})
}

// function adds the sites of a function.
func (c *chooser) function(fn image.Function, named bool) error {
	pos := fn.Position(fn.Entry)
	f := Func{Name: fn.Name, File: pos.File, Line: fn.StartLine}
	code, err := site.Read(c.im, fn)
	if errors.Is(err, site.ErrNoCode) {
		return nil
	}
	if errors.Is(err, site.ErrUndecodable) {
		c.skip(fn.Name, "all", "it has instructions that are not known")
		return nil
	}
	if err != nil {
		return err
	}
	c.code = code
	c.plan.Funcs = append(c.plan.Funcs, f)
	if named {
		if err := c.whole(code); err != nil {
			return err
		}
	}
	for i := range c.Lines {
		if err := c.line(code, &c.Lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// whole adds the sites of a function that is asked for by name.
func (c *chooser) whole(code *site.Code) error {
	fn := &c.plan.Funcs[len(c.plan.Funcs)-1]
	if fn.Timed = c.Times; fn.Timed {
		if reason := untimed(code); reason != "" {
			c.skip(fn.Name, "duration", reason)
			fn.Timed = false
		}
	}
	v := c.values(code)
	entry, err := code.Entry(v.need)
	c.entry = entry.PC
	if err != nil {
		c.skip(fn.Name, "entry", strings.TrimPrefix(err.Error(), fn.Name+": "))
		fn.Timed = false
	} else if err := c.add(Entry, entry, words(v.params, entry.SPDelta)...); err != nil {
		return err
	}
	if fn.Timed || len(v.results) > 0 {
		for _, p := range code.Returns() {
			if err := c.add(Exit, p, words(v.results, p.SPDelta)...); err != nil {
				return err
			}
		}
	}
	if c.Edges {
		for _, p := range code.Branches() {
			if _, ok := site.Taken(&p.Inst, 0); !ok || c.panics(code, p.Target) {
				continue
			}
			if err := c.add(Edge, p); err != nil {
				return err
			}
		}
	}
	if c.Calls {
		for _, p := range code.Calls() {
			if err := c.call(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// untimed says why the calls of a function cannot be timed, or returns "".
func untimed(code *site.Code) string {
	if code.Fn.Flags&pclntab.Asm != 0 {
		return "it is written in assembly: the goroutine may not be in its register"
	}
	if len(code.TailCalls()) > 0 {
		return "it leaves by a jump to another function, which returns for it"
	}
	return ""
}

// add adds a site to the function that was begun last, as place does.
func (c *chooser) add(kind Kind, p site.Probe, words ...Word) error {
	at := p.PC
	s := Site{Func: len(c.plan.Funcs) - 1, Kind: kind, Words: words}
	if kind != Entry && kind != Exit {
		f, _ := c.im.FuncForPC(at)
		pos := f.Position(at)
		s.File, s.Line = pos.File, pos.Line
		if kind == Edge {
			s.Target = lineOf(f.Position(p.Target), pos.File)
		}
		if kind == Call {
			s.Target = c.called(p.Target)
		}
	}
	return c.place(s, p)
}

// place adds a site that stands for an instruction, or the sites of its fused form.
func (c *chooser) place(s Site, p site.Probe) error {
	if len(p.Via) > 0 && !c.atEntry(s.Kind, p) {
		return c.fuse(s, p)
	}
	if p.Class == site.Refused {
		c.skip(c.plan.Funcs[s.Func].Name, fmt.Sprintf("%v at %#x", s.Kind, p.PC),
			"the kernel does not probe the instruction: "+p.Reason)
		return nil
	}
	s.Slow = p.Class == site.Stepped
	s.Depth = uint32(max(p.SPDelta, 0))
	return c.put(s, p)
}

// atEntry reports whether a fused return would have a probe where the entry of a timed
// function has one. Two probes of one instruction run in an order that the kernel does not
// promise, so the return could come before the entry.
func (c *chooser) atEntry(kind Kind, p site.Probe) bool {
	return kind == Exit && c.plan.Funcs[len(c.plan.Funcs)-1].Timed &&
		slices.ContainsFunc(p.Via, func(a site.Approach) bool { return a.Site.PC == c.entry })
}

// lineOf names a line for readers who are in a file.
func lineOf(pos pclntab.Position, file string) string {
	if pos.File == file {
		return fmt.Sprintf("line %d", pos.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(pos.File), pos.Line)
}

// put adds a site at an instruction.
func (c *chooser) put(s Site, at site.Probe) (err error) {
	s.Addr = at.PC
	if s.Offset, err = c.im.FileOffset(at.PC); err != nil {
		return err
	}
	if _, ok := site.Taken(&at.Inst, 0); ok {
		s.Condition = at.Inst.Opcode & 15
	}
	c.plan.Sites = append(c.plan.Sites, s)
	return nil
}

// fuse adds the sites ahead of an instruction. If nothing is recorded but the hit, nothing
// needs to be interpreted.
func (c *chooser) fuse(s Site, p site.Probe) error {
	for _, a := range p.Via {
		at, err := c.code.At(a.Site.PC)
		if err != nil {
			return err
		}
		f := &Fused{Addr: c.im.ToProcess(p.PC)}
		switch {
		case a.Conditional && a.Taken:
			f.Direction = Taken
		case a.Conditional:
			f.Direction = NotTaken
		}
		if len(s.Words) > 0 {
			f.Steps, f.Op = uint16(a.Steps), c.ops(a.Site.PC)
		}
		s.Slow = a.Site.Class == site.Stepped
		s.Fused, s.Depth = f, uint32(max(at.SPDelta, 0))
		if err := c.put(s, at); err != nil {
			return err
		}
	}
	return nil
}

// ops decodes the function from an instruction on, and returns the index of its op.
func (c *chooser) ops(pc uint64) uint32 {
	if c.table == nil {
		c.table = ops.NewTable()
	}
	code, err := c.im.Code(c.code.Fn)
	if err != nil {
		return 0 // the kernel will say that it does not arrive
	}
	budget := 4 * len(code) // ops of this function, and one for each that it calls
	op, _ := c.table.Add(ops.Bytes{Base: c.im.ToProcess(c.code.Fn.Entry), Code: code}, c.im.ToProcess(pc), budget)
	c.plan.Ops = c.table.Ops
	return op
}

// call adds the site of a call.
func (c *chooser) call(p site.Probe) error {
	if p.Inst.Flow == insn.Call {
		if endsRun(c.called(p.Target)) {
			return nil
		}
		return c.add(Call, p)
	}
	w, ok := callee(p.Inst)
	if !ok {
		c.skip(c.plan.Funcs[len(c.plan.Funcs)-1].Name, fmt.Sprintf("call at %#x", p.PC), "its target is in a table")
		return nil
	}
	return c.add(Call, p, w)
}

// callee returns where the target of an indirect call is.
func callee(in insn.Inst) (Word, bool) {
	w := Word{Name: "", Reg: in.ModRM&7 | in.REX<<3&8, Size: 8, As: Code}
	if !in.Memory() {
		return w, true
	}
	if in.ModRM&7 == 4 { // SIB byte: only SP or R12 without an index
		if in.SIB>>3&7 != 4 || in.REX&2 != 0 {
			return w, false
		}
		w.Reg = in.SIB&7 | in.REX<<3&8
	}
	if in.ModRM>>6 == 0 && in.ModRM&7 == 5 { // relative to the next instruction
		return w, false
	}
	w.Memory, w.Disp = true, in.Disp
	return w, true
}

// called returns the name of the function at an address.
func (c *chooser) called(pc uint64) string {
	if fn, ok := c.im.FuncForPC(pc); ok {
		return fn.Name
	}
	name, _ := c.im.Symbol(pc)
	return name
}

// panics reports whether the code from pc on does nothing but panic: the far side of a
// bounds check, which tells nothing.
func (c *chooser) panics(code *site.Code, pc uint64) bool {
	const longest = 8 // instructions that save the index and the bound
	for range longest {
		p, err := code.At(pc)
		if err != nil {
			return false
		}
		if p.Inst.Flow == insn.Call {
			return endsRun(c.called(p.Target))
		}
		if p.Inst.Flow != insn.Next {
			return false
		}
		pc += uint64(p.Inst.Len)
	}
	return false
}

// endsRun reports whether a function of the runtime ends the function that calls it.
func endsRun(name string) bool {
	return strings.HasPrefix(name, "runtime.panic") || strings.HasPrefix(name, "runtime.goPanic") ||
		name == "runtime.gopanic"
}
