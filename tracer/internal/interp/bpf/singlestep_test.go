package bpf_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

var (
	stopsFlag = flag.Int("stops", 60, "random stops of each program in TestSingleSteps")
	deep      = flag.Int("deep", 40, "interpret up to this many instructions at each stop")
)

// TestSingleSteps is VSAMP-11: it stops real programs at random moments, has both interpreters run from
// there, and then has the processor do the same steps. All known registers, the PC, and the known numbers in vector
// registers must agree, and the flags of the two. All threads of the program are stopped meanwhile: if the
// runtime's monitor ran, it could write g.stackguard0 to preempt the goroutine, after the
// interpreters have read it. So no difference has an excuse. "make steps" is a long version.
func TestSingleSteps(t *testing.T) {
	rlimit.RemoveMemlock()
	spec, err := bpf.LoadSteps()
	if err != nil {
		t.Fatal(err)
	}
	spec.Maps["ops"].MaxEntries = 1 << 20
	spec.Maps["entries"].MaxEntries = 1 << 20
	var objs bpf.StepsObjects
	skipWithout(t, spec.LoadAndAssign(&objs, nil))
	defer objs.Close()
	dir := t.TempDir()
	var all tally
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			c := comparison{t: t, objs: &objs, command: p.command(t, dir), rand: rand.New(rand.NewPCG(rand.Uint64(), 0))}
			for c.tally.stops < *stopsFlag && !t.Failed() {
				c.process()
			}
			t.Log(c.tally.String())
			all.add(&c.tally)
		})
	}
	t.Logf("all programs: %s", all.String())
}

// A tally counts what the comparison has met.
type tally struct {
	stops, steps, mismatches, skipped, unknown int
	floats                                     int // changed vector registers that were compared
	why                                        map[ops.Stop]int
	kinds                                      map[uint16]int
}

func (c *tally) add(d *tally) {
	c.stops += d.stops
	c.steps += d.steps
	c.mismatches += d.mismatches
	c.skipped += d.skipped
	c.unknown += d.unknown
	c.floats += d.floats
	if c.why == nil {
		c.why, c.kinds = map[ops.Stop]int{}, map[uint16]int{}
	}
	for k, n := range d.why {
		c.why[k] += n
	}
	for k, n := range d.kinds {
		c.kinds[k] += n
	}
}

func (c *tally) String() string {
	var gaveUp []string
	for _, why := range slices.Sorted(maps.Keys(c.why)) {
		if why != ops.Done {
			gaveUp = append(gaveUp, fmt.Sprintf("%s %.1f%%", why, 100*float64(c.why[why])/float64(c.stops)))
		}
	}
	return fmt.Sprintf("%d stops, %d steps of %d kinds of operations, %d mismatches; %d stops in the kernel skipped; %d changed vector registers compared; "+
		"in the kernel %.1f%% of register values unknown at the end, gave up early: %s",
		c.stops, c.steps, len(c.kinds), c.mismatches, c.skipped, c.floats, 100*float64(c.unknown)/float64(16*max(c.stops, 1)),
		strings.Join(gaveUp, ", "))
}

// A comparison compares on one program.
type comparison struct {
	t       *testing.T
	objs    *bpf.StepsObjects
	command []string
	rand    *rand.Rand
	tally   tally

	th     *ptrace.Thread
	m      *ops.Machine
	table  *ops.Table
	loaded int // ops of the table that the kernel has
}

// process runs the program once and compares until it ends or has been stopped often
// enough.
func (c *comparison) process() {
	t := c.t
	cmd := c.start()
	pid := cmd.Process.Pid
	group := steptest.NewGroup(pid)
	defer func() {
		cmd.Process.Kill()
		group.Reap()
		cmd.Wait()
	}()
	time.Sleep(50 * time.Millisecond)
	c.m, c.table, c.loaded, c.th = ops.NewMachine(), ops.NewTable(), 1, nil
	for i := 0; c.tally.stops < *stopsFlag && !t.Failed(); i++ {
		time.Sleep(time.Duration(c.rand.IntN(300)) * time.Microsecond)
		if err := group.Stop(); errors.Is(err, os.ErrPermission) {
			t.Skip("ptrace is not allowed: ", err)
		} else if err != nil {
			return // the process has ended
		}
		if i%50 == 0 || c.th == nil { // the busiest thread changes
			c.th = group.Busiest()
		}
		if c.th == nil || !c.stop(pid) {
			return
		}
		group.Continue()
	}
}

// stop compares from where the thread is stopped. It returns false if the thread ended.
func (c *comparison) stop(pid int) bool {
	th, t := c.th, c.t
	if th.InSyscall() {
		c.tally.skipped++
		return true
	}
	regs, flags, pc, n := th.General(), th.Regs.Eflags, th.Regs.Rip, 1+c.rand.IntN(*deep)
	// The machine in Go decodes where it goes.
	start, changed := c.table.Add(th, pc, 64)
	c.reload(changed)
	m := c.m
	x, err := th.XState()
	if err != nil {
		t.Fatal(err)
	}
	var why ops.Stop
	var path []ops.Step
	for range 20 {
		m.Begin(regs, flags, pc, th.Regs.Fs_base, th.Read)
		copy(m.Vectors[:], x.Vectors[:])
		*m.Masks(), m.MXCSR = x.Masks, x.MXCSR
		path = path[:0]
		if why = m.Run(c.table, n, func(s *ops.Step) { path = append(path, *s) }); why != ops.NotDecoded {
			break
		}
		_, changed := c.table.Add(th, m.PC, 64)
		c.reload(changed)
	}
	// The machine in the kernel has the same ops.
	q := bpf.StepsRequest{Regs: regs, FsBase: th.Regs.Fs_base, Flags: flags, Pc: pc, Index: start, Tgid: uint32(pid),
		Tid: uint32(th.TID), N: uint32(n), Known: allKnown, FlagsKnown: allFlags}
	if err := c.load(pid); err != nil {
		t.Fatal(err)
	}
	if _, err := c.objs.RunSteps.Run(&ebpf.RunOptions{Context: &q, ContextOut: &q}); err != nil {
		t.Fatal(err)
	}
	// Flags that the manuals leave open may differ from the processor's: TestInstructionsInTheKernel compares the others.
	kernel := result{"the machine in the kernel", q.Regs, q.Known, 0, 0, q.Pc, int(q.Steps)}
	here := result{"the machine in Go", [16]uint64(m.R[:16]), 1<<16 - 1, 0, 0, m.PC, m.Steps}
	if why == ops.String || why == ops.Fault { // it stops within the instruction
		here.known = 0
	}
	steps := max(kernel.steps, here.steps)
	var diff []string
	if d := (q.Flags ^ m.Flags()) & q.FlagsKnown; d != 0 && kernel.steps == here.steps {
		diff = append(diff, fmt.Sprintf("after %d steps flags are %#x in the kernel, %#x in Go", here.steps, q.Flags,
			m.Flags()))
	}
	var trail []uint64
	for i := 0; ; i++ {
		for _, r := range []result{here, kernel} {
			if r.steps == i {
				diff = append(diff, r.compare(th)...)
			}
		}
		if i == here.steps {
			diff = append(diff, c.compareVectors(x)...)
		}
		if i == steps {
			break
		}
		trail = append(trail, th.Regs.Rip)
		if err := steptest.Step(th); err != nil {
			return false
		}
	}
	trail = append(trail, th.Regs.Rip)
	c.tally.stops++
	c.tally.steps += steps
	if c.tally.why == nil {
		c.tally.why, c.tally.kinds = map[ops.Stop]int{}, map[uint16]int{}
	}
	c.tally.why[ops.Stop(q.Stop)]++
	for i := range 16 {
		if q.Known>>i&1 == 0 {
			c.tally.unknown++
		}
	}
	for _, s := range path {
		for _, op := range c.table.Instruction(c.table.At(s.PC)) {
			c.tally.kinds[op.Kind]++
		}
	}
	if len(diff) > 0 {
		c.tally.mismatches++
		t.Errorf("%s\nwhile it executed%s", strings.Join(diff, "\n"), listing(th, c.table, path, trail))
	}
	return true
}

// A result is the state in which a machine ended.
type result struct {
	who               string
	regs              [16]uint64
	known             uint32
	flags, flagsKnown uint64
	pc                uint64
	steps             int
}

func (r *result) compare(th *ptrace.Thread) (diff []string) {
	for i, hw := range th.General() {
		if r.known>>i&1 != 0 && hw != r.regs[i] {
			diff = append(diff, fmt.Sprintf("after %d steps %s has %#x in register %d, the processor %#x", r.steps, r.who,
				r.regs[i], i, hw))
		}
	}
	if d := (r.flags ^ th.Regs.Eflags) & r.flagsKnown; d != 0 {
		diff = append(diff, fmt.Sprintf("after %d steps %s has flags %#x, the processor %#x", r.steps, r.who,
			r.flags&r.flagsKnown, th.Regs.Eflags&r.flagsKnown))
	}
	if r.pc != th.Regs.Rip {
		diff = append(diff, fmt.Sprintf("after %d steps %s is at %#x, the processor at %#x", r.steps, r.who, r.pc,
			th.Regs.Rip))
	}
	return diff
}

// compareVectors compares vector registers, which were x before.
func (c *comparison) compareVectors(x *ptrace.XState) (diff []string) {
	hw, err := c.th.XState()
	if err != nil {
		c.t.Fatal(err)
	}
	for i, v := range hw.Vectors {
		if c.m.Vectors[i] != v {
			diff = append(diff, fmt.Sprintf("vector register %d is %x, the processor has %x", i, c.m.Vectors[i], v))
		} else if v != x.Vectors[i] {
			c.tally.floats++
		}
	}
	return diff
}

func listing(th *ptrace.Thread, table *ops.Table, path []ops.Step, trail []uint64) string {
	var b strings.Builder
	for i, pc := range trail {
		var code [15]byte
		n := th.ReadCode(pc, code[:])
		var d ops.Decoder
		list := d.Decode(nil, code[:n], pc)
		fmt.Fprintf(&b, "\n%#x: % x", pc, code[:list[0].Len])
		if i < len(path) {
			fmt.Fprintf(&b, " (interpreted: %#x result %#x addr %#x have %#x)", path[i].PC, path[i].Result, path[i].Addr,
				path[i].Have)
		}
	}
	return b.String()
}

// reload has older ops written again.
func (c *comparison) reload(changed []uint32) {
	for _, i := range changed {
		if int(i) < c.loaded {
			if err := c.objs.Ops.Put(i, &c.table.Ops[i]); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// load writes new ops, then the entries that lead to them.
func (c *comparison) load(pid int) error {
	for i := c.loaded; i < len(c.table.Ops); i++ {
		if err := c.objs.Ops.Put(uint32(i), &c.table.Ops[i]); err != nil {
			return err
		}
	}
	for ; c.loaded < len(c.table.Ops); c.loaded++ {
		op := &c.table.Ops[c.loaded]
		if op.Flags&ops.First == 0 {
			continue
		}
		if err := c.objs.Entries.Put(&bpf.StepsAddress{Pc: op.PC, Tgid: uint32(pid)},
			&bpf.StepsEntry{Index: uint32(c.loaded)}); err != nil {
			return err
		}
	}
	return nil
}
