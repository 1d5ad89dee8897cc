package steptest_test

// This file compares paths.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/follow"
	"github.com/pepgo/pep/runtime/window"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// TestPaths stops real programs at random moments, and follows the paths of a window through the table of actions, in
// the interpreter and by the PCs of single steps. All actions and all ends of paths must be the same. With more
// -windows than usual it has all programs of TestWindows.
func TestPaths(t *testing.T) {
	const jumps = "testdata/jumps"
	programs, most := *programsFlag+" "+jumps, *windowsFlag
	if *windowsFlag <= few {
		programs, most = "regex "+jumps, 10
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	var all counts
	for _, name := range strings.Fields(programs) {
		t.Run(name, func(t *testing.T) {
			p := newPaths(t, pepbuild, name)
			defer pin(t)()
			p.most = most
			p.run()
			t.Logf("%d windows, %d steps: %+v; %.2f ns an instruction, %.2f without actions", p.count, p.steps, p.counts,
				float64(p.ns)/float64(max(p.timed, 1)), float64(p.bareNS)/float64(max(p.timed, 1)))
			if p.counts.At == 0 || p.counts.Taken == 0 || p.counts.NotTaken == 0 || p.counts.Ended == 0 {
				t.Error("the windows have met too little")
			}
			if name == jumps && (p.counts.Jump == 0 || p.counts.Moves == 0) {
				t.Error("the windows have met no jump by a table, or no conditional move")
			}
			all.add(p.counts)
		})
	}
	t.Logf("all: %+v", all)
}

// counts says what windows have met: actions by the way of their instructions, and ends of paths.
type counts struct{ At, Taken, NotTaken, Moves, Jump, Ended int }

func (c *counts) add(d counts) {
	c.At += d.At
	c.Taken += d.Taken
	c.NotTaken += d.NotTaken
	c.Moves += d.Moves
	c.Jump += d.Jump
	c.Ended += d.Ended
}

// paths compares on one program.
type paths struct {
	windows
	table  *actions.Table
	text   uint64
	byPC   map[uint64][]way
	known  map[string]uint32 // actions by their operations
	m      *interp.Machine
	bare   *interp.Machine // without actions
	bareNS time.Duration
	timed  int // instructions
	mem    *pages
	noting bool // add to seen
	seen   []action
	follow *follow.Machine
	counts counts
}

// A way is a row of the table.
type way struct {
	actiontable.Row
	fn uint32
}

// An action happens in a frame.
type action struct {
	depth      uint64
	fn, action uint32
}

func newPaths(t *testing.T, pepbuild, name string) *paths {
	t.Helper()
	dir := t.TempDir()
	exe, file := filepath.Join(dir, "exe"), filepath.Join(dir, "table")
	cmd := exec.Command(pepbuild, "build", "-peptable="+file, "-o", exe, ".")
	if cmd.Dir = name; !strings.HasPrefix(name, "testdata") {
		cmd.Dir = filepath.Join("..", "..", "..", "..", "testprogs", name)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := &paths{byPC: map[uint64][]way{}, known: map[string]uint32{}}
	p.table, p.text = join(t, exe, file)
	p.windows = windows{t: t, exe: exe, rand: rand.New(rand.NewPCG(rand.Uint64(), 0))}
	p.each = p.window
	for i, f := range p.table.Funcs {
		for _, r := range f.Rows {
			p.byPC[f.Addr+uint64(r.PC)] = append(p.byPC[f.Addr+uint64(r.PC)], way{r, uint32(i)})
			p.known[fmt.Sprint(p.table.Operations(r.Action))] = r.Action
		}
	}
	data, err := p.table.Append(nil, p.text)
	must(t, err)
	found, err := window.New(data, p.text, make([]actiontable.Row, 1<<18), make([]register.Op, 1<<19))
	must(t, err)
	code, m, mem := newMachine(nil)
	code.Actions = found.Actions
	_, p.bare, _ = newMachine(nil)
	p.m, p.mem, p.bare.Fetch = m, mem, m.Fetch
	p.follow = follow.New(found.Ops(), found.Registers(), follow.NewMemory(256, 4096))
	p.m.Act = func(m *interp.Machine, event uint64) {
		if fn, a, ok := found.Event(event); ok {
			if p.noting {
				p.seen = append(p.seen, action{^m.R[4], fn, p.action(found.Ops()[a:])})
			}
			p.follow.Step(^m.R[4], fn, a)
		}
	}
	return p
}

// action returns the action of the table with the operations that ops begins with.
func (p *paths) action(ops []register.Op) uint32 {
	n := slices.IndexFunc(ops, func(op register.Op) bool { return op.Last })
	a, ok := p.known[fmt.Sprint(ops[:n+1])]
	if !ok {
		p.t.Errorf("no action of the table is %v", ops[:n+1])
	}
	return a
}

// join returns the table of actions of an executable, whose functions are in order, and where its code begins.
func join(t *testing.T, exe, file string) (table *actions.Table, text uint64) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	pkgs, err := branches.Read(data)
	must(t, err)
	program, err := executable.Linked(exe)
	must(t, err)
	slices.SortFunc(program.Functions, func(a, b branches.Symbol) int { return int(int64(a.Addr - b.Addr)) })
	table, err = actions.Link(pkgs, program, false)
	must(t, err)
	return table, program.Text
}

// window compares the paths of a window, which is interpreted twice: the second time all of its code is decoded and
// linked.
func (p *paths) window(th *ptrace.Thread) bool {
	t := p.t
	if th.InSyscall() {
		p.skipped++
		return true
	}
	calm(t, th)
	p.mem.th = th
	var first []action
	var ended []uint32
	var why interp.Stop
	for i := range 2 {
		p.mem.set(t, p.m)
		p.seen, p.noting = p.seen[:0], true
		p.follow.Reset()
		why = p.m.Run(*lengthFlag)
		if i == 0 {
			first, ended = slices.Clone(p.seen), slices.Clone(p.follow.Ended())
		} else if again := p.follow.Ended(); !slices.Equal(p.seen, first) || !slices.Equal(again, ended) {
			t.Errorf("the same window has %d actions and %d ends of paths, and then %d and %d",
				len(first), len(ended), len(p.seen), len(again))
		}
	}
	p.count++
	p.steps += p.m.Steps
	if p.follow.Dropped > 0 || p.follow.Forgotten > 0 {
		t.Error("the machine that follows has too little memory")
	}
	if why == interp.Done {
		p.time(th)
	}
	steps := follow.New(p.table.Ops, p.table.Slots(), follow.NewMemory(256, 4096))
	var want []action
	var where []uint64
	for range p.m.Steps {
		before := moment{th.Regs.Rip, th.General(), th.Regs.Eflags}
		if err := steptest.Step(th); err != nil {
			return false
		}
		for _, w := range p.byPC[before.pc] {
			happens, err := p.happens(th, w, before)
			must(t, err)
			if happens {
				want, where = append(want, action{^before.regs[4], w.fn, w.Action}), append(where, before.pc)
				steps.Step(^before.regs[4], w.fn, w.Action)
			}
		}
	}
	paths := steps.Ended()
	p.counts.Ended += len(paths)
	if why == interp.Fault || why == interp.StoresFull || why == interp.Long || why == interp.Divide {
		// It ends within a piece, whose actions before that have been seen, and whose steps were not made.
		first = first[:min(len(first), len(want))]
		ended = ended[:min(len(ended), len(paths))]
	}
	if !slices.Equal(first, want) {
		i := 0
		for i < min(len(first), len(want)) && first[i] == want[i] {
			i++
		}
		s := fmt.Sprintf("%d actions in %d steps (%v), by single steps %d; the first difference is number %d",
			len(first), p.m.Steps, why, len(want), i)
		if i < len(want) {
			s += fmt.Sprintf(": want %+v at %#x %s", want[i], where[i], mnemonic(th, where[i]))
		}
		if i < len(first) {
			s += fmt.Sprintf(", got %+v", first[i])
		}
		t.Error(s)
	}
	if !slices.Equal(ended, paths) {
		t.Errorf("paths %d, by single steps %d", ended, paths)
	}
	return true
}

// time measures a window with and without actions.
func (p *paths) time(th *ptrace.Thread) {
	begin := moment{th.Regs.Rip, th.General(), th.Regs.Eflags}
	for _, m := range []*interp.Machine{p.m, p.bare} {
		p.mem.set(p.t, m)
		vectors, masks := m.Vectors, *m.Masks()
		p.noting = false
		m.Run(*lengthFlag)
		if ns := p.again(m, begin, vectors, masks); m == p.m {
			p.ns += ns
			p.timed += m.Steps
		} else {
			p.bareNS += ns
		}
	}
	p.follow.Ended()
	p.follow.Dropped = 0
}

// conditionOf returns the condition of CMOVcc or SETcc.
func conditionOf(code []byte) (cc byte, ok bool) {
	i := slices.IndexFunc(code, func(b byte) bool { return b != 0x66 && b&0xf0 != 0x40 }) // behind prefixes
	if i < 0 || i+1 >= len(code) || code[i] != 0x0f {
		return 0, false
	}
	group := code[i+1] >> 4
	return code[i+1] & 15, group == 4 || group == 9
}

// holds reports whether a condition holds.
func holds(cc byte, flags uint64) bool {
	bit := func(n uint) bool { return flags>>n&1 != 0 }
	carry, parity, zero, less := bit(0), bit(2), bit(6), bit(7) != bit(11)
	return [8]bool{bit(11), carry, zero, carry || zero, bit(7), parity, less, zero || less}[cc>>1] != (cc&1 != 0)
}

// happens reports whether an instruction has been executed in a way.
func (p *paths) happens(th *ptrace.Thread, w way, before moment) (bool, error) {
	if w.Way == actiontable.At {
		p.counts.At++
		return true, nil
	}
	var code [15]byte
	text := code[:th.ReadCode(before.pc, code[:])]
	in, err := x86asm.Decode(text, 64)
	if err != nil {
		return false, err
	}
	taken := in.Op == x86asm.JMP || th.Regs.Rip != before.pc+uint64(in.Len)
	if cc, ok := conditionOf(text[:in.Len]); ok {
		taken = holds(cc, before.flags)
		p.counts.Moves++
	}
	switch w.Way {
	case actiontable.Taken:
		if taken {
			p.counts.Taken++
		}
		return taken, nil
	case actiontable.NotTaken:
		if !taken {
			p.counts.NotTaken++
		}
		return !taken, nil
	}
	at, ok := in.Args[0].(x86asm.Mem)
	if !ok || at.Index < x86asm.RAX || at.Index > x86asm.R15 {
		return false, fmt.Errorf("%v is no jump by a table", in)
	}
	if before.regs[at.Index-x86asm.RAX] != uint64(w.Index) {
		return false, nil
	}
	p.counts.Jump++
	return true, nil
}
