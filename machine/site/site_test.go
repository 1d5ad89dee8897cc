//go:build linux && amd64

package site

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
)

func open(t *testing.T, exe string) *image.Image {
	t.Helper()
	im, err := image.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	return im
}

// In all functions of a program, the site of the entry is executed once per call. Every
// way from the entry to a return or a call, but for the call that grows the stack, leads
// through the site, and no way leads from the site back to it.
func TestEntryIsExecutedOncePerCall(t *testing.T) {
	im, tables := gofmt(t)
	checked, loops, unknown, withTables := 0, 0, 0, 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if errors.Is(err, ErrNoCode) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Entry(0)
		if errors.Is(err, ErrLoop) {
			loops++
		}
		if err != nil {
			continue
		}
		g := graph(t, im, fn, tables)
		if g == nil {
			unknown++
			continue
		}
		if len(tables[fn.Name]) > 0 {
			withTables++
		}
		checked++
		site := g.index[p.PC]
		// Calls before the site may only be those that grow the stack, and nothing returns.
		for i, seen := range g.reach([]int{0}, func(i int) bool { return i == site }) {
			in := g.insts[i]
			call := in.Flow == insn.Call || in.Flow == insn.IndirectCall
			out := in.Flow == insn.Jump && len(g.next[i]) == 0 || in.Flow == insn.IndirectJump && len(g.next[i]) == 0
			if seen && (in.Flow == insn.Return || call && !g.grow[i] || out) {
				t.Errorf("%s: %#x is reached without passing the site %#x", fn.Name, in.PC, p.PC)
			}
		}
		// From the site, no way leads back. The growth of the stack follows the check, and
		// often stands behind a call that does not return; that is no way.
		if g.reach(g.next[site], func(i int) bool { return g.grow[i] })[site] {
			t.Errorf("%s: a way leads from the site %#x back to it", fn.Name, p.PC)
		}
	}
	t.Logf("%d functions, %d of them with jump tables; %d with loops at their beginnings, %d with unknown jumps", checked,
		withTables, loops, unknown)
	if checked < 3000 || withTables < 10 || unknown > 50 {
		t.Errorf("%d functions, %d with jump tables, %d with unknown jumps; want 3000, 10, at most 50", checked, withTables,
			unknown)
	}
}

// Jumps through tables lead where the compiler's listing says.
func TestJumpTables(t *testing.T) {
	im, tables := gofmt(t)
	for name, want := range tables {
		c, err := Read(im, im.Named(name)[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for i := range c.insts {
			for _, p := range c.insts[i].preds {
				if p.kind == table && !slices.Contains(got, c.insts[i].PC) {
					got = append(got, c.insts[i].PC)
				}
			}
		}
		if len(c.unknownJumps) > 0 || !slices.Equal(got, want) {
			t.Errorf("%s: jumps to %x, the listing has %x; unknown jumps %v", name, got, want, c.unknownJumps)
		}
	}
}

// On random walks through functions, every arrival at an instruction comes through exactly
// one of its approaches: the walk passes its site, in its direction, and arrives after its
// number of steps.
func TestApproachesArriveOnce(t *testing.T) {
	im, tables := gofmt(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	arrivals, walksEnded, fused := 0, 0, 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if err != nil {
			continue
		}
		probes := append(c.Returns(), c.Calls()...)
		probes = slices.DeleteFunc(probes, func(p Probe) bool { return len(p.Via) == 0 })
		if len(probes) == 0 {
			continue
		}
		g := graph(t, im, fn, tables)
		if g == nil {
			continue
		}
		fused += len(probes)
		targets := map[int]*Probe{}
		for i := range probes {
			targets[g.index[probes[i].PC]] = &probes[i]
		}
		for range 4 {
			var walk []int
			i := 0
			for len(walk) < 2000 {
				walk = append(walk, i)
				if p := targets[i]; p != nil {
					arrivals++
					if n := fires(g, walk, p); n != 1 {
						t.Fatalf("%s: the walk arrives at %#x through %d of its approaches %+v", fn.Name, p.PC, n, p.Via)
					}
				}
				if len(g.next[i]) == 0 {
					walksEnded++
					break
				}
				i = g.next[i][rng.IntN(len(g.next[i]))]
			}
		}
	}
	t.Logf("%d fused probes, %d arrivals, %d walks to an end", fused, arrivals, walksEnded)
	if fused < 2000 || arrivals < 2000 {
		t.Errorf("%d fused probes, %d arrivals, want 2000 each", fused, arrivals)
	}
}

// fires counts the approaches that lead to the end of a walk.
func fires(g *flowGraph, walk []int, p *Probe) (n int) {
	for _, a := range p.Via {
		at := len(walk) - 1 - a.Steps
		if at < 0 || g.insts[walk[at]].PC != a.Site.PC {
			continue
		}
		in := g.insts[walk[at]]
		taken := g.insts[walk[at+1]].PC == in.Target
		if !a.Conditional || taken == a.Taken {
			n++
		}
	}
	return n
}

// The interpreter has no choice on the way: between the site and the instruction there are
// no calls and no conditional jumps.
func TestWaysHaveNoBranches(t *testing.T) {
	im, _ := gofmt(t)
	n := 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if err != nil {
			continue
		}
		for _, p := range append(c.Returns(), c.Calls()...) {
			for _, a := range p.Via {
				n++
				pc := a.Site.PC
				for step := range a.Steps {
					i, ok := c.index(pc)
					if !ok {
						t.Fatalf("%s: no instruction at %#x", fn.Name, pc)
					}
					in := &c.insts[i].Inst
					class, _ := Classify(in, c.bytes[pc-fn.Entry:])
					if step == 0 && (class != a.Site.Class || class == Refused || a.Conditional != (in.Flow == insn.Cond)) ||
						step > 0 && in.Flow != insn.Next {
						t.Errorf("%s: step %d from %#x to %#x is %v, flow %d", fn.Name, step, a.Site.PC, p.PC, class, in.Flow)
					}
					switch {
					case in.Flow == insn.Jump, in.Flow == insn.Cond && a.Taken:
						pc = in.Target
					default:
						pc += uint64(in.Len)
					}
				}
				if pc != p.PC {
					t.Errorf("%s: from %#x one arrives at %#x, not at %#x", fn.Name, a.Site.PC, pc, p.PC)
				}
			}
		}
	}
	if n < 2000 {
		t.Errorf("%d approaches, want 2000", n)
	}
}

// Probes that the tracer makes of a function, as a user of the package gets them.
func TestProbesOfAFunction(t *testing.T) {
	im, _ := gofmt(t)
	list := im.Named("internal/strconv.ParseInt")
	if len(list) != 1 {
		t.Fatalf("%d functions", len(list))
	}
	c, err := Read(im, list[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Entry(ArgRegs)
	if err != nil || !c.check || p.PC <= list[0].Entry || p.Class != Emulated || p.Inst.Opcode != 0x55 || p.SPDelta != 0 ||
		p.Written&ArgRegs != 0 {
		t.Errorf("entry %+v, %v", p, err)
	}
	if ns, fused := p.Cost(); ns != CostEmulated || fused {
		t.Errorf("the entry costs %d ns, fused %v", ns, fused)
	}
	for _, p := range c.Returns() {
		if p.Inst.Opcode != 0xc3 || p.Class != Stepped || p.SPDelta != 0 || (len(p.Via) == 0) != (p.WhyNot != "") {
			t.Errorf("return %+v", p)
		}
		if ns, fused := p.Cost(); fused != (len(p.Via) > 0) || fused && ns > CostEmulated+CostInterpret*maxSteps {
			t.Errorf("return costs %d ns, fused %v: %+v", ns, fused, p)
		}
	}
	if n := len(c.Branches()); n < 10 {
		t.Errorf("%d branches", n)
	}
	for _, p := range c.Branches() {
		if p.Class != Emulated || p.PC < list[0].Entry || p.PC == c.insts[c.start-1].PC {
			t.Errorf("branch %+v", p)
		}
	}
	for _, p := range c.Calls() {
		if f, ok := im.FuncForPC(p.Target); p.Target != 0 && (!ok || strings.HasPrefix(f.Name, "runtime.morestack")) {
			t.Errorf("call of %s", f.Name)
		}
	}
	if p, err := c.At(list[0].Entry); err != nil || p.Class != Stepped || p.WhyNot != errFromEntry.Error() {
		t.Errorf("at the entry: %+v, %v", p, err)
	}
	if _, err := c.At(list[0].Entry + 1); err == nil {
		t.Error("an address within an instruction gives no error")
	}
}

var survey = flag.String("survey", "", "further executables to survey, separated by commas; prints tables as in lab/results/probe-sites.md")

// The survey counts every function once.
func TestSurvey(t *testing.T) {
	im, _ := gofmt(t)
	images, names := []*image.Image{im}, []string{"gofmt"}
	for _, exe := range strings.FieldsFunc(*survey, func(r rune) bool { return r == ',' }) {
		images, names = append(images, open(t, exe)), append(names, filepath.Base(exe))
	}
	var surveys []*Survey
	for i, im := range images {
		s, err := NewSurvey(im)
		if err != nil {
			t.Fatal(err)
		}
		surveys = append(surveys, s)
		n := s.Functions - s.Undecodable
		if sum := s.First + s.AfterCheck + s.Later + s.SteppedEntry + s.NoEntry; sum != n || n < 1000 || s.Undecodable > 0 {
			t.Errorf("%s: %d functions, %d undecodable, entries of %d", names[i], s.Functions, s.Undecodable, sum)
		}
		for name, w := range map[string]Ways{"returns": s.Returns, "branches": s.Branches, "calls": s.Calls} {
			if sum := w.Cheap + w.Block + w.Before + w.Partly + w.Stepped + w.None; sum != w.All || sum == 0 {
				t.Errorf("%s: %s: %+v", names[i], name, w)
			}
		}
		if s.Branches.Cheap != s.Branches.All {
			t.Errorf("%s: %d of %d branches are cheap", names[i], s.Branches.Cheap, s.Branches.All)
		}
	}
	var text strings.Builder
	if err := WriteRows(&text, names, surveys); err != nil {
		t.Fatal(err)
	}
	if *survey != "" {
		fmt.Print(text.String())
	}
}
