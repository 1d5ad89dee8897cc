//go:build linux && amd64

package cold_test

// This file looks at what sessions do to processes.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/site"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// count returns how many are true.
func count(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// A process that runs already has the same blocks as one that is looked at from the beginning, but for those of main,
// and writes the same. Its code is that of its file afterwards, and while probes are there it is not. Once they were
// hit, blocks cost nothing.
func TestRunningProcess(t *testing.T) {
	targettest.NeedRights(t)
	for _, c := range []struct {
		name    string
		flags   []string
		careful bool
	}{
		{"write", nil, false},
		{"careful", nil, true},
		{"any address", []string{"-buildmode=pie", "-ldflags=-s -w"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := targettest.Start(t, targettest.Build(t, "./testdata/control", c.flags...), "all", "wait")
			want := x.Work()
			s, plan, _ := attach(t, x.Process.Pid, report.Modules, cold.Options{Careful: c.careful})
			before := targettest.Differences(t, x.Process.Pid)
			if got := x.Work(); got != want {
				t.Errorf("with probes the program wrote\n%s\nand without\n%s", got, want)
			}
			between := targettest.Differences(t, x.Process.Pid)
			for end := time.Now().Add(time.Minute); between > before/3 && time.Now().Before(end); { // until they have new links
				time.Sleep(10 * time.Millisecond)
				between = targettest.Differences(t, x.Process.Pid)
			}
			for range 20 {
				x.Work()
			}
			blocks := seen(t, s, plan)
			if n := count(blocks); n < 130 || n > 145 {
				t.Errorf("%d blocks, want 130 to 145", n)
			}
			if n := targettest.Differences(t, x.Process.Pid); n != 0 || before < 150 || between > before/3 {
				t.Errorf("%d bytes of the code differ from the file with all probes, %d when blocks were hit, and %d without; want 150, a third of it, and 0", before, between, n)
			}
			cost := s.Cost()
			if hits := int(cost.Hits); hits < count(blocks) || !c.careful && hits > 20*count(blocks) {
				t.Errorf("%d hits of %d blocks", hits, count(blocks))
			}
			if mode := map[bool]string{false: "write", true: "re-attach"}[c.careful]; cost.Mode != mode || !cost.TextSame ||
				cost.Median <= 0 || cost.Probes < 170 {
				t.Errorf("cost %+v, want mode %s", cost, mode)
			}
			x.Work()
			x.Ends()
		})
	}
}

// In a container, processes have other numbers than those that the kernel's program sees.
func TestInContainer(t *testing.T) {
	targettest.NeedRights(t)
	again := []string{"--pid", "--fork", "--mount-proc", os.Args[0], "-test.v", "-test.run=^TestRunningProcess$/^write$"}
	if out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare: %v: %s", err, out)
	}
	out, err := exec.Command("unshare", again...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestRunningProcess/write") {
		t.Errorf("%v\n%s", err, out)
	}
}

// If the tracer is killed, the program goes on, and its code is that of the file: also if it is killed while it
// attaches or detaches.
func TestKilledTracer(t *testing.T) {
	careful := os.Getenv("TEST_CAREFUL") != ""
	if pid := os.Getenv("TEST_COLD"); pid != "" { // the tracer
		n := 0
		fmt.Sscan(pid, &n)
		scope := report.All
		if careful { // few links: the kernel takes long to take away many
			scope = report.Modules
		}
		for fmt.Println("begins"); ; {
			s, _, _ := attach(t, n, scope, cold.Options{Careful: careful})
			if err := s.Detach(); err != nil {
				t.Fatal(err)
			}
		}
	}
	targettest.NeedRights(t)
	for careful, kills := range map[string]int{"": 10, "careful": 4} {
		x := targettest.Start(t, targettest.Build(t, "./testdata/control"), "all", "wait")
		x.KillTracers(kills, 2*time.Second, t.Name(), fmt.Sprint("TEST_COLD=", x.Process.Pid), "TEST_CAREFUL="+careful)
		x.Ends()
	}
}

// Where memory may not be written, a session says so, and works.
func TestMemoryThatMayNotBeWritten(t *testing.T) {
	targettest.NeedRights(t)
	for name, open := range map[string]func(pid int) (*os.File, error){
		"open":  func(int) (*os.File, error) { return nil, os.ErrPermission },
		"write": func(pid int) (*os.File, error) { return os.Open(fmt.Sprintf("/proc/%d/mem", pid)) },
	} {
		restore := cold.OpenMemory(open)
		x := targettest.Start(t, targettest.Build(t, "./testdata/control"), "some", "wait")
		s, plan, _ := attach(t, x.Process.Pid, report.Modules, cold.Options{})
		restore()
		if why := s.Careful(); !strings.Contains(why, "may not be written") {
			t.Errorf("%s: careful mode %q", name, why)
		}
		x.Work()
		if n := count(seen(t, s, plan)); n < 100 {
			t.Errorf("%s: %d blocks, want 100", name, n)
		}
		if n := targettest.Differences(t, x.Process.Pid); n != 0 {
			t.Errorf("%s: %d bytes of the code differ from the file", name, n)
		}
		x.Ends()
	}
}

// A session of a file sees its processes, also those that start later, and no process has probes at the end.
func TestAllProcesses(t *testing.T) {
	targettest.NeedRights(t)
	// of its own: other tests must not see these probes
	path := targettest.Build(t, "./testdata/control", "-buildmode=pie", "-trimpath")
	first := targettest.Start(t, path, "some", "wait")
	one, plan, _ := attach(t, first.Process.Pid, report.Modules, cold.Options{})
	first.Work()
	want := seen(t, one, plan)
	s, err := cold.Attach(cold.Target{Exe: path}, plan, nil, cold.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Detach()
	first.Work()
	time.Sleep(100 * time.Millisecond)
	got := make([]bool, len(want))
	for _, h := range s.Take() {
		got[h.Block] = true
	}
	if n := count(got); n < count(want)-3 || n > count(want)+3 { // some depend on time
		t.Errorf("%d blocks of all processes, and %d of one", n, count(want))
	}
	faults := false // the block in which main.third has a fault ahead of the probe
	each(plan, func(f *report.Function, i int, x cold.Place) {
		faults = faults || f.Name == "main.third" && x.Addr > x.Block.Start && got[i]
	})
	if !faults {
		t.Error("the block with the fault was not seen")
	}
	targets := []*targettest.Target{first}
	for i := range 3 { // each has all probes, and they are taken away in each
		later := targettest.Start(t, path, "all", "wait")
		targets = append(targets, later)
		later.Work()
		n := targettest.Differences(t, later.Process.Pid)
		for end := time.Now().Add(time.Minute); n > 80 && time.Now().Before(end); { // until they have new links
			time.Sleep(10 * time.Millisecond)
			n = targettest.Differences(t, later.Process.Pid)
		}
		if n == 0 || n > 80 {
			t.Errorf("process %d has %d probes when it has worked, want 1 to 80", i, n)
		}
		if n := len(s.Take()); (n >= 20) != (i == 0) {
			t.Errorf("%d more blocks in process %d", n, i)
		}
	}
	for range 3 {
		if err := exec.Command(path, "some").Run(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Detach(); err != nil {
		t.Error(err)
	}
	if c := s.Cost(); c.Process < 7 || c.Mode != "write" {
		t.Errorf("%d processes in mode %s, want 7", c.Process, c.Mode)
	}
	for _, x := range targets {
		if n := targettest.Differences(t, x.Process.Pid); n != 0 {
			t.Errorf("%d bytes of the code differ from the file", n)
		}
		x.Work()
		x.Ends()
	}
}

// Blocks that are known have no probes.
func TestKnownBlocks(t *testing.T) {
	targettest.NeedRights(t)
	x := targettest.Start(t, targettest.Build(t, "./testdata/control"), "some", "wait")
	s, plan, im := attach(t, x.Process.Pid, report.Modules, cold.Options{})
	x.Work()
	known := seen(t, s, plan)
	again, err := cold.Attach(cold.Target{PID: x.Process.Pid, Exe: im.Process.Exe, Bias: im.Bias}, plan, known,
		cold.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Detach()
	x.Work()
	rest := seen(t, again, plan)
	if n, all := again.Probes(), s.Probes(); n != all-count(known) || count(rest) > 5 {
		t.Errorf("%d probes of %d when %d blocks are known; %d more were hit", n, all, count(known), count(rest))
	}
	x.Ends()
}

// Probes of others and breakpoints are found, and there is no second session of a process.
func TestOtherTracers(t *testing.T) {
	targettest.NeedRights(t)
	x := targettest.Start(t, targettest.Build(t, "./testdata/control"), "some", "wait")
	s, plan, im := attach(t, x.Process.Pid, report.Modules, cold.Options{})
	for _, target := range []cold.Target{{PID: x.Process.Pid, Exe: im.Process.Exe, Bias: im.Bias}, {Exe: x.Path}} {
		_, err := cold.Attach(target, plan, nil, cold.Options{})
		if err == nil || !strings.Contains(err.Error(), "another tracer or a debugger is at work") {
			t.Errorf("a second session: %v", err)
		}
	}
	x.Work()
	if n := count(seen(t, s, plan)); n < 100 {
		t.Errorf("%d blocks", n)
	}
	x.Ends()
}

// Blocks whose instruction the kernel refuses are found and left out.
func TestInstructionsThatTheKernelRefuses(t *testing.T) {
	targettest.NeedRights(t)
	x := targettest.Start(t, targettest.Build(t, "./testdata/control", "-ldflags=-X=main.x=1"), "some", "wait")
	im, err := image.OpenProcess(x.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	plan, err := cold.Survey(im, report.Modules)
	if err != nil {
		t.Fatal(err)
	}
	// A probe stands where the kernel sees a LOCK prefix.
	locked := -1
	code := make([]byte, plan.Text.End-plan.Text.Start)
	if err := im.ReadAddr(code, plan.Text.Start); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(code, 0xf0)
	locked = slices.IndexFunc(plan.Places, func(p cold.Place) bool { return p.Class != site.Refused })
	plan.Places[locked].Addr = plan.Text.Start + uint64(at)
	plan.Places[locked].Byte = 0xf0
	if plan.Places[locked].Offset, err = im.FileOffset(plan.Places[locked].Addr); err != nil {
		t.Fatal(err)
	}
	s, err := cold.Attach(cold.Target{PID: x.Process.Pid, Exe: im.Process.Exe, Bias: im.Bias}, plan, nil, cold.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Refused(); !slices.Equal(got, []int{locked}) {
		t.Errorf("refused are %v, want %d", got, locked)
	}
	x.Work()
	if n := count(seen(t, s, plan)); n < 100 {
		t.Errorf("%d blocks", n)
	}
	x.Ends()
	// The kernel does not say it of a file that no process runs.
	all, err := cold.Attach(cold.Target{Exe: x.Path}, plan, nil, cold.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Detach()
	if got := all.Refused(); !slices.Equal(got, []int{locked}) {
		t.Errorf("of all processes refused are %v, want %d", got, locked)
	}
}

// In careful mode a process can end while its probes get new links.
func TestCarefulToTheEnd(t *testing.T) {
	targettest.NeedRights(t)
	x := targettest.Start(t, targettest.Build(t, "./testdata/forks"))
	s, plan, _ := attach(t, x.Process.Pid, report.Modules, cold.Options{Careful: true})
	x.Ask("signal")
	x.Expect("done")
	x.Ends()
	time.Sleep(300 * time.Millisecond)
	if n := count(seen(t, s, plan)); n < 5 {
		t.Errorf("%d blocks", n)
	}
}

// A program that never runs leaves no process.
func TestStartAndKill(t *testing.T) {
	machinetest.NeedProcess(t, "under ptrace", &syscall.SysProcAttr{Ptrace: true})
	cmd := exec.Command(targettest.Build(t, "./testdata/control"), "some")
	s, err := cold.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if _, err := cold.Start(exec.Command("/no/such/program")); err == nil {
		t.Error("a program that is not there was started")
	}
}

// Children that run on in a copy of the memory have the traps of their parent in it; they work, and are not looked at.
// Signals, growing stacks and the collector do no harm.
func TestForksAndSignals(t *testing.T) {
	targettest.NeedRights(t)
	for _, careful := range []bool{false, true} {
		x := targettest.Start(t, targettest.Build(t, "./testdata/forks"), "")
		scope := map[bool]report.Scope{false: report.All, true: report.Modules}[careful] // many links take long
		s, plan, _ := attach(t, x.Process.Pid, scope, cold.Options{Careful: careful})
		for range 3 {
			for what, want := range map[string]string{"fork": "12\n", "signal": "user defined signal 1\n", "grow": "640000\n"} {
				x.Ask(what)
				if got := x.Expect("done"); got != want {
					t.Errorf("%s: got %q, want %q", what, got, want)
				}
			}
		}
		hit := map[string]bool{}
		list := seen(t, s, plan)
		each(plan, func(f *report.Function, i int, _ cold.Place) {
			hit[f.Name] = hit[f.Name] || list[i]
		})
		if hit["main.child"] || !hit["main.fork"] || !hit["main.deep"] || !hit["main.catch"] {
			t.Errorf("main.child ran: %v, which only another process did; the functions %v", hit["main.child"],
				[]bool{hit["main.fork"], hit["main.deep"], hit["main.catch"]})
		}
		if n := targettest.Differences(t, x.Process.Pid); n != 0 {
			t.Errorf("%d bytes of the code differ from the file", n)
		}
		x.Ends()
	}
}

// A file that cannot be executed is an error.
func TestFileThatCannotBeExecuted(t *testing.T) {
	targettest.NeedRights(t)
	data, err := os.ReadFile(targettest.Build(t, "./testdata/control"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "control")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := cold.Attach(cold.Target{Exe: name}, survey(t, name, report.Modules), nil, cold.Options{}); !errors.Is(err,
		os.ErrPermission) {
		t.Errorf("got the error %v, want that of permission", err)
	}
}
