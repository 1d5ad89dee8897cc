package steptest_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/arch/x86/x86asm"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// few are the windows of each program when nobody asks for more: a single step takes 10 us in a virtual machine. In all
// programs they have three million instructions.
const few = 40

var (
	windowsFlag  = flag.Int("windows", few, "windows of each program in TestWindows")
	programsFlag = flag.String("programs", "bitboard filters flate flips jsonbench lua markdown printer raytrace regex sortbench typecheck",
		"programs of testprogs in TestWindows")
	lengthFlag = flag.Int("length", 6000, "instructions of a window in TestWindows")
)

// TestWindows stops real programs at random moments, interprets a window from there, and has the processor do the same
// steps. Registers, flags, the PC and all memory that the window wrote must agree at the end. A second machine
// interprets one instruction at a time, and its registers, flags and PC must agree after each step. All threads are
// stopped meanwhile, so no difference has an excuse. "make steps" in lab is a long version.
//
// Of the flags AF is not compared, nor those that the manuals leave open, until an instruction writes them. At the end
// of a window none are, if no instruction has written all of them since the last call or return.
func TestWindows(t *testing.T) {
	if testing.Short() {
		*windowsFlag = min(*windowsFlag, 3)
	}
	var mu sync.Mutex
	all := tally{}
	t.Cleanup(func() { t.Log("all programs: ", all.String()) })
	for _, name := range strings.Fields(*programsFlag) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer pin(t)()
			w := windows{t: t, exe: build(t, name), rand: rand.New(rand.NewPCG(rand.Uint64(), 0)), most: *windowsFlag}
			w.each = w.window
			w.run()
			t.Log(w.tally.String())
			mu.Lock()
			defer mu.Unlock()
			all.add(&w.tally)
		})
	}
}

// cpus are the processors that nobody is pinned to.
var cpus = sync.OnceValues(func() (chan int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	free := make(chan int, set.Count())
	for cpu := 0; len(free) < cap(free); cpu++ {
		if set.IsSet(cpu) {
			free <- cpu
		}
	}
	return free, nil
})

// pin keeps the test, and the processes that it starts, on one processor until the function that it returns is called.
// A single step is two switches between tracer and program, which are cheap there: no processor has to wake another.
func pin(t *testing.T) func() {
	free, err := cpus()
	must(t, err)
	cpu := <-free
	runtime.LockOSThread()
	var before, one unix.CPUSet
	must(t, unix.SchedGetaffinity(0, &before))
	one.Set(cpu)
	must(t, unix.SchedSetaffinity(0, &one))
	return func() {
		must(t, unix.SchedSetaffinity(0, &before))
		runtime.UnlockOSThread()
		free <- cpu
	}
}

// A tally counts what windows have met.
type tally struct {
	count, skipped, steps, lines int
	open, ends                   int // steps that leave flags open, windows whose flags are compared at the end
	ns                           time.Duration
	why                          map[interp.Stop]int
	unknown                      map[string]int
}

func (c *tally) add(d *tally) {
	c.count += d.count
	c.skipped += d.skipped
	c.steps += d.steps
	c.lines += d.lines
	c.open += d.open
	c.ends += d.ends
	c.ns += d.ns
	if c.why == nil {
		c.why, c.unknown = map[interp.Stop]int{}, map[string]int{}
	}
	for k, n := range d.why {
		c.why[k] += n
	}
	for k, n := range d.unknown {
		c.unknown[k] += n
	}
}

func (c *tally) String() string {
	n := max(c.count, 1)
	steps := float64(max(c.steps, 1))
	s := fmt.Sprintf("%d windows of %d steps in the mean, %d stops in the kernel skipped, %d lines written a window, ",
		c.count, c.steps/n, c.skipped, c.lines/n)
	s += fmt.Sprintf("%.2f ns an instruction, flags open after %.3f%% of the steps and compared at %d ends; ends:",
		float64(c.ns)/steps, 100*float64(c.open)/steps, c.ends)
	for _, why := range slices.Sorted(maps.Keys(c.why)) {
		s += fmt.Sprintf(" %v %.1f%%,", why, 100*float64(c.why[why])/float64(n))
	}
	names := slices.SortedFunc(maps.Keys(c.unknown), func(a, b string) int { return c.unknown[b] - c.unknown[a] })
	for _, name := range names[:min(len(names), 12)] {
		s += fmt.Sprintf(" %s %d", name, c.unknown[name])
	}
	return s
}

// windows compares on one program.
type windows struct {
	t    *testing.T
	exe  string
	rand *rand.Rand
	most int                          // windows
	each func(th *ptrace.Thread) bool // compares a window; false if the thread has ended
	tally
}

func (w *windows) run() {
	for w.count < w.most && !w.t.Failed() {
		w.process()
	}
}

// build builds a program of testprogs.
func build(t *testing.T, name string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), filepath.Base(name)+".exe")
	cmd := exec.Command("go", "build", "-o", exe, ".")
	cmd.Dir = filepath.Join("..", "..", "..", "..", "testprogs", name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// process runs the program once and compares until it ends or there are enough windows.
func (w *windows) process() {
	t := w.t
	cmd := exec.Command(w.exe)
	// Without asynchronous preemption, or half of the windows would begin in the handler of its signal.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := steptest.NewGroup(cmd.Process.Pid)
	defer func() {
		cmd.Process.Kill()
		group.Reap()
		cmd.Wait()
	}()
	time.Sleep(50 * time.Millisecond)
	for w.count < w.most && !t.Failed() {
		time.Sleep(time.Duration(w.rand.IntN(8000)) * time.Microsecond)
		if err := group.Stop(); errors.Is(err, os.ErrPermission) {
			t.Skip("ptrace is not allowed: ", err)
		} else if err != nil {
			return // the process has ended
		}
		th := group.Busiest()
		if th == nil || !w.each(th) {
			return
		}
		group.Continue()
	}
}

// A moment is the state of the processor before a step.
type moment struct {
	pc    uint64
	regs  [16]uint64
	flags uint64
}

func (m moment) String() string {
	return fmt.Sprintf("PC %#x, registers %x, flags %#x", m.pc, m.regs, m.flags)
}

// window compares the state at the end of a window.
func (w *windows) window(th *ptrace.Thread) bool {
	t := w.t
	if th.InSyscall() {
		w.skipped++
		return true
	}
	calm(t, th)
	_, m, mem := newMachine(th)
	mem.set(t, m)
	begin := moment{th.Regs.Rip, th.General(), th.Regs.Eflags}
	vectors, masks, control := m.Vectors, *m.Masks(), m.MXCSR
	why := m.Run(*lengthFlag)
	w.count++
	w.steps += m.Steps
	w.ns += w.again(m, begin, vectors, masks)
	if w.why == nil {
		w.why, w.unknown = map[interp.Stop]int{}, map[string]int{}
	}
	w.why[why]++
	cache, single, _ := newMachine(th)
	cache.Exact, single.Fetch, single.MXCSR = true, m.Fetch, control
	single.SetSegments(th.Regs.Fs_base, th.Regs.Gs_base)
	w.set(single, begin, vectors, masks)
	singles := []moment{state(single)}
	for single.Steps < m.Steps && single.Run(1) == interp.Done {
		singles = append(singles, state(single))
	}
	trail := make([]moment, 1, m.Steps+1)
	trail[0] = begin
	insns := map[uint64][]byte{}
	written := false // all flags, since the last call or return
	for i := range m.Steps {
		now := trail[i]
		code := insns[now.pc]
		if code == nil {
			code = insn(th, now.pc)
			insns[now.pc] = code
		}
		written = !steptest.Transfers(code) && (written || writes(code))
		if err := steptest.Step(th); err != nil {
			return false
		}
		next := moment{th.Regs.Rip, th.General(), th.Regs.Eflags & arithmetic}
		if trail = append(trail, next); i+1 < len(singles) {
			w.step(th, code, trail[i:], singles[i:])
		}
	}
	if len(singles) <= m.Steps {
		t.Errorf("instruction by instruction the window ends after %d steps, want %d", len(singles)-1, m.Steps)
	}
	if why == interp.Unknown || why == interp.Fault {
		w.unknown[fmt.Sprintf("%v: %s;", why, mnemonic(th, m.PC))]++
	}
	// A fault ends within a piece, whose instructions before the fault have been executed.
	if why == interp.Fault || why == interp.StoresFull || why == interp.Long || why == interp.Divide {
		return true
	}
	var diff []string
	end := trail[len(trail)-1]
	if m.PC != end.pc || [16]uint64(m.R[:16]) != end.regs {
		diff = append(diff, fmt.Sprintf("PC %#x registers %x\nwant %#x registers %x", m.PC, m.R[:16], end.pc, end.regs))
	}
	if written && len(singles) == len(trail) {
		w.ends++
		if f := singles[m.Steps].flags; m.Flags()&arithmetic != f {
			diff = append(diff, fmt.Sprintf("flags %#x, instruction by instruction %#x", m.Flags()&arithmetic, f))
		}
	}
	if d := vectorDiff(t, m, th); d != "" {
		diff = append(diff, d)
	}
	for line := range m.Written {
		w.lines++
		var hw [interp.LineSize]byte
		must(t, th.Read(line, hw[:]))
		for i := uint64(0); i < interp.LineSize; i++ {
			if v, _ := m.Load(line+i, 1); byte(v) != hw[i] {
				diff = append(diff, fmt.Sprintf("%#x at %#x, want %#x", v, line+i, hw[i]))
				break
			}
		}
	}
	if len(diff) > 0 {
		t.Errorf("after %d steps, %v: %s", m.Steps, why, strings.Join(diff, "\n"))
		w.set(m, begin, vectors, masks)
		w.blame(th, m, trail)
	}
	return true
}

// arithmetic are the flags that are compared.
const arithmetic = 0x8c5

// state is that of a machine.
func state(m *interp.Machine) moment {
	return moment{m.PC, [16]uint64(m.R[:16]), m.Flags() & arithmetic}
}

// step compares the machine with the processor after an instruction: the first two elements of the lists are the states
// before and after it. Flags that the instruction leaves open may differ, and do so as long as neither side changes
// them.
func (w *windows) step(th *ptrace.Thread, insn []byte, hw, machine []moment) {
	was, is := (hw[0].flags^machine[0].flags)&arithmetic, hw[1].flags^machine[1].flags
	changed := hw[0].flags ^ hw[1].flags | machine[0].flags ^ machine[1].flags
	open := steptest.Undefined(insn, hw[0].regs[1])
	if open != 0 {
		w.open++
	}
	if is&^(was&^changed|open) == 0 && hw[1].pc == machine[1].pc && hw[1].regs == machine[1].regs || w.t.Failed() {
		return
	}
	w.t.Errorf("instruction by instruction, %s, at %v, open flags %#x\nbecomes %v\nwant    %v",
		mnemonic(th, hw[0].pc), hw[0], open, machine[1], hw[1])
}

// insn returns the bytes of the instruction at pc, or some more if it is a new one.
func insn(th *ptrace.Thread, pc uint64) []byte {
	code := make([]byte, 15)
	code = code[:th.ReadCode(pc, code)]
	if in, err := x86asm.Decode(code, 64); err == nil {
		code = code[:in.Len]
	}
	return code
}

// writes reports whether an instruction certainly writes all flags.
func writes(code []byte) bool {
	in, _ := x86asm.Decode(code, 64)
	switch in.Op {
	case x86asm.ADD, x86asm.ADC, x86asm.SUB, x86asm.SBB, x86asm.CMP, x86asm.NEG, x86asm.AND, x86asm.OR, x86asm.XOR,
		x86asm.TEST:
		return true
	}
	return false
}

// again interprets the window again, when code is decoded and memory is at hand, and returns the time.
func (w *windows) again(m *interp.Machine, begin moment, vectors [64][8]uint64, masks [8]uint64) time.Duration {
	end, pc, steps := m.R, m.PC, m.Steps
	best := time.Duration(1 << 62)
	for range 3 {
		w.set(m, begin, vectors, masks)
		start := time.Now()
		m.Run(*lengthFlag)
		best = min(best, time.Since(start))
	}
	if m.R != end || m.PC != pc || m.Steps != steps {
		w.t.Errorf("the same window ends at %#x after %d steps, and at %#x after %d", pc, steps, m.PC, m.Steps)
	}
	return best
}

// set gives the machine an earlier state.
func (w *windows) set(m *interp.Machine, begin moment, vectors [64][8]uint64, masks [8]uint64) {
	copy(m.R[:], begin.regs[:])
	m.Vectors, *m.Masks() = vectors, masks
	m.Reset(begin.pc, begin.flags)
}

// calm takes back the runtime's wish to preempt the goroutine, which comes because the thread has been stopped for
// long: the window would be one of the scheduler. A signal handler has the machine read the same instead.
func calm(t *testing.T, th *ptrace.Thread) {
	// of package runtime: stackPreempt, an offset in g, stackGuard
	const preempt, stackguard0, guard = ^uint64(0x521), 16, 928
	g, ok := th.Load(th.Regs.Fs_base-8, 8)
	if v, _ := th.Load(g+stackguard0, 8); ok && v == preempt {
		low, _ := th.Load(g, 8)
		_, err := syscall.PtracePokeData(th.TID, uintptr(g+stackguard0), binary.LittleEndian.AppendUint64(nil, low+guard))
		must(t, err)
	}
}

// blame interprets the window again, piece by piece, and reports the first difference.
func (w *windows) blame(th *ptrace.Thread, m *interp.Machine, trail []moment) {
	for before := 0; m.Steps < len(trail)-1; before = m.Steps {
		why := m.Run(1)
		now := trail[m.Steps]
		if why == interp.Done && m.PC == now.pc && [16]uint64(m.R[:16]) == now.regs {
			continue
		}
		s := ""
		for _, x := range trail[before:min(m.Steps+1, before+40)] {
			s += fmt.Sprintf("\n%#x %s, registers %x, flags %#x", x.pc, mnemonic(th, x.pc), x.regs, x.flags)
		}
		w.t.Errorf("the first difference is in steps %d to %d, %v: PC %#x, registers %x; the processor:%s", before, m.Steps,
			why, m.PC, m.R[:16], s)
		return
	}
	w.t.Error("no difference piece by piece: it is in memory or in the flags")
}

// mnemonic names the instruction at pc.
func mnemonic(th *ptrace.Thread, pc uint64) string {
	var code [15]byte
	n := th.ReadCode(pc, code[:])
	if in, err := x86asm.Decode(code[:n], 64); err == nil {
		return x86asm.GNUSyntax(in, pc, nil)
	}
	return fmt.Sprintf("% x", code[:6])
}
