//go:build linux && amd64

package cold_test

// This file compares with a recorder that knows nothing of blocks and probes: each instruction has a breakpoint of a
// debugger.

import (
	"cmp"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/arch/x86/x86asm"
	"golang.org/x/sys/unix"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/machine/site"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// A recording says which instructions of functions were executed.
type recording struct {
	symbols  []elf.Symbol // of the functions
	executed map[uint64]bool
	caches   map[uint64]bool // functions with a cache of types, which the runtime fills now and then, by chance
}

// record runs a program and returns which instructions of the functions that want accepts were executed. Each has a
// breakpoint until it is executed for the first time. The symbols are those of a file with the same code.
func record(t *testing.T, path, symbols string, want func(name string) bool, args ...string) *recording {
	t.Helper()
	r := &recording{executed: map[uint64]bool{}, caches: map[uint64]bool{}}
	planted := r.decode(t, symbols, want)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	write := func(addr uint64, b byte) {
		if _, err := mem.WriteAt([]byte{b}, int64(addr)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; ; n++ {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			t.Fatal(err)
		case !status.Stopped() && tid == pid && status != 0:
			t.Fatalf("%s: status %#x", path, status)
		case !status.Stopped() && tid == pid:
			t.Logf("%d of %d instructions were executed", len(r.executed), len(planted))
			return r
		case !status.Stopped():
			continue
		}
		if n == 0 {
			if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
				t.Fatal(err)
			}
			for addr := range planted {
				write(addr, 0xcc)
			}
		}
		signal := status.StopSignal()
		if signal == unix.SIGTRAP || signal == unix.SIGSTOP {
			signal = 0
			var regs unix.PtraceRegs
			if unix.PtraceGetRegs(tid, &regs) == nil && status.TrapCause() == 0 {
				if b, ok := planted[regs.Rip-1]; ok {
					regs.Rip--
					r.executed[regs.Rip] = true
					write(regs.Rip, b)
					unix.PtraceSetRegs(tid, &regs)
				}
			}
		}
		// A thread that has ended meanwhile is none.
		unix.PtraceCont(tid, int(signal))
	}
}

// decode returns the instructions of functions, with their first bytes. It leaves out functions with instructions that
// x86asm does not know.
func (r *recording) decode(t *testing.T, path string, want func(name string) bool) map[uint64]byte {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	all := map[uint64]byte{}
	text := f.Section(".text")
	fillers := map[uint64]bool{}
	for _, s := range symbols {
		fillers[s.Value] = fillers[s.Value] || s.Name == "runtime.typeAssert" || s.Name == "runtime.interfaceSwitch"
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || !want(s.Name) || s.Size == 0 {
			continue
		}
		code := make([]byte, s.Size)
		if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
			t.Fatal(err)
		}
		function := map[uint64]byte{}
		for at := 0; at < len(code); {
			x, err := x86asm.Decode(code[at:], 64)
			if err != nil {
				function = nil
				break
			}
			function[s.Value+uint64(at)] = code[at]
			at += x.Len
			if to, ok := x.Args[0].(x86asm.Rel); ok && x.Op == x86asm.CALL && fillers[s.Value+uint64(at)+uint64(to)] {
				r.caches[s.Value] = true
			}
		}
		if function != nil {
			r.symbols = append(r.symbols, s)
			maps.Copy(all, function)
		}
	}
	return all
}

func survey(t *testing.T, path string, scope report.Scope) *cold.Plan {
	t.Helper()
	im, err := image.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	plan, err := cold.Survey(im, scope)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// ofTime reports whether what a function executes depends on which goroutine comes first, so that two runs differ.
func ofTime(name string) bool {
	for _, pkg := range []string{"sync.", "internal/sync.", "internal/poll.", "cmd/vendor/golang.org/x/sync/semaphore."} {
		if strings.HasPrefix(name, pkg) {
			return true
		}
	}
	return false
}

// A comparison is of blocks that were seen with those that a recording has.
type comparison struct {
	name          string
	path, symbols string // the executable, and a file with the same code and symbols
	careful       bool
	scope         report.Scope
	args          []string
	least         int  // blocks that ran
	long          bool // it takes seconds
	// Functions that are left out: they sort what ranges over maps yield, in a random order.
	random string
}

// Blocks that were seen are those whose first instruction the processor executed.
func TestBlocksAreThoseThatRan(t *testing.T) {
	targettest.NeedRights(t)
	gofmt, control := imagetest.Go(t, "cmd/gofmt"), targettest.Build(t, "./testdata/control")
	list := []comparison{
		{"some", control, control, false, report.Modules, []string{"some"}, 100, false, ""},
		{"all", control, control, false, report.Modules, []string{"all"}, 130, false, ""},
		{"stripped", targettest.Build(t, "./testdata/control", "-ldflags=-s -w"), control, false, report.Modules,
			[]string{"all"}, 130, false, ""},
		{"careful", control, control, true, report.Modules, []string{"all"}, 130, false, ""},
		{"gofmt", gofmt, gofmt, false, report.Modules, []string{"testdata/control/main.go"}, 100, false, ""},
		{"gofmt", gofmt, gofmt, false, report.Std, []string{"testdata/control/main.go"}, 1500, true, ""},
	}
	for name, random := range map[string]string{"flate": "", "regex": "", "sortbench": `^slices\..*\[go\.shape\.string\]`,
		"jsonbench": "", "typecheck": `^slices\.`} {
		path := testProgram(t, name)
		list = append(list, comparison{name, path, path, false, report.Std, []string{"1"}, 1500, true, random})
	}
	for _, c := range list {
		t.Run(c.name, c.test)
	}
}

func (c *comparison) test(t *testing.T) {
	if c.long && testing.Short() {
		t.Skip("it takes seconds")
	}
	plan := survey(t, c.path, c.scope)
	functions := map[uint64]bool{}
	names := map[string]bool{}
	for i := range plan.Program.Functions {
		names[plan.Program.Functions[i].Name] = true
	}
	want := func(name string) bool { return names[strings.TrimSuffix(name, ".abi0")] }
	r := record(t, c.path, c.symbols, want, c.args...)
	again := r
	if c.long { // the collector and random numbers make runs differ
		again = record(t, c.path, c.symbols, want, c.args...)
	}
	random := regexp.MustCompile(cmp.Or(c.random, "^$"))
	for _, s := range r.symbols {
		functions[s.Value] = true
	}
	seen := watch(t, c.path, c.scope, cold.Options{Careful: c.careful}, c.args...)
	ran, blocks := 0, 0
	leftOut := map[string]int{}
	each(plan, func(f *report.Function, i int, x cold.Place) {
		if !functions[x.Entry] { // it is not decoded
			return
		}
		blocks++
		executed := r.executed[x.Block.Start]
		if executed {
			ran++
		}
		switch {
		case x.Class == site.Refused:
			leftOut["without a probe"]++
			return
		case seen[i] == executed || seen[i] == again.executed[x.Block.Start]:
			return
		case ofTime(f.Name):
			leftOut["which goroutine is first"]++
			return
		case r.caches[x.Entry]:
			leftOut["caches of types"]++
			return
		case random.MatchString(f.Name):
			leftOut["the order of maps"]++
			return
		}
		t.Errorf("%s: the block at %#x was seen: %v; executed: %v", f.Name, x.Block.Start, seen[i], executed)
	})
	t.Logf("%d of %d blocks were executed; left out %v", ran, blocks, leftOut)
	if ran < c.least || ran == blocks {
		t.Errorf("%d of %d blocks were executed, want %d or more, and not all", ran, blocks, c.least)
	}
	if x := plan.Program.LeftOut; x.Growth == 0 || x.Padding+x.Barrier == 0 {
		t.Errorf("left out: %+v", x)
	}
}

func testProgramDir(name string) string { return filepath.Join("..", "..", "..", "testprogs", name) }

// testProgram builds a program of testprogs, each of which is a module.
func testProgram(t *testing.T, name string, flags ...string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", append([]string{"build", "-o", exe}, flags...)...)
	cmd.Dir = testProgramDir(name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return exe
}

// Instructions that were executed belong to blocks, or to parts of functions that are left out.
func TestExecutedInstructionsAreInBlocks(t *testing.T) {
	targettest.NeedRights(t)
	path := targettest.Build(t, "./testdata/control")
	plan := survey(t, path, report.Modules)
	in := func(addr uint64) (found bool) {
		each(plan, func(_ *report.Function, _ int, x cold.Place) {
			found = found || x.Block.Start <= addr && addr < x.Block.End
		})
		return found
	}
	outside := map[string]int{}
	r := record(t, path, path, func(name string) bool { return strings.HasPrefix(name, "main.") }, "all")
	n := 0
	for addr := range r.executed {
		if !in(addr) {
			i := slices.IndexFunc(r.symbols, func(s elf.Symbol) bool { return s.Value <= addr && addr < s.Value+s.Size })
			outside[r.symbols[i].Name]++
			n++
		}
	}
	t.Log(outside)
	if len(r.executed) < 500 || n > len(r.executed)/50 { // the stack of some functions grows
		t.Errorf("%d of %d instructions that were executed are in no block: %v", n, len(r.executed), outside)
	}
}

// each calls do for the blocks of a plan.
func each(plan *cold.Plan, do func(f *report.Function, block int, x cold.Place)) {
	i := 0
	for j := range plan.Program.Functions {
		for range plan.Program.Functions[j].Blocks {
			do(&plan.Program.Functions[j], i, plan.Places[i])
			i++
		}
	}
}
