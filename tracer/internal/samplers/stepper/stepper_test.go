package stepper_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/samplers/stepper"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

const table = "../sampler/testdata/table" // the program that the sampler's tests sample, too

// A source is a sampler of any back end.
type source interface {
	capture.Source
	Close() error
}

// backEnds are the two ways of capture. They skip the test if they are not allowed.
var backEnds = []struct {
	name   string
	attach func(pid int, o stepper.Options) (source, error)
}{
	{"ebpf", func(pid int, o stepper.Options) (source, error) {
		return sampler.Attach(sampler.Options{PIDs: []int{pid}, Interval: o.Interval, Length: o.Length, Skip: o.Skip,
			Modules: o.Modules})
	}},
	{"interpret", func(pid int, o stepper.Options) (source, error) {
		o.PIDs = []int{pid}
		return stepper.Attach(o)
	}},
}

// attach skips the test if this process may not sample.
func attach(t *testing.T, pid int, o stepper.Options, a func(int, stepper.Options) (source, error)) source {
	t.Helper()
	s, err := a(pid, o)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, ebpf.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// build builds a program.
func build(t *testing.T, dir string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", exe, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// start starts a program and waits until it is ready.
func start(t *testing.T, exe string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(exe, args...)
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	out := bufio.NewReader(pipe)
	ready(t, out)
	return cmd, out
}

func ready(t *testing.T, out *bufio.Reader) {
	t.Helper()
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the program prints %q (%v)", line, err)
	}
}

// sampleTable samples until n values of the load from the table have come: of the only instruction
// whose results are 11, 22, 33 and 44. It returns its address and how often each value came.
func sampleTable(t *testing.T, s source, n int) (pc uint64, values map[uint64]int) {
	t.Helper()
	loads := map[uint64]map[uint64]int{}
	var r capture.Run
	for range 100000 {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		for _, tp := range r.Tuples {
			if tp.Known&capture.Result == 0 || tp.Insn.Memory != capture.Load {
				continue
			}
			v := loads[tp.Insn.PC]
			if v == nil {
				v = map[uint64]int{}
				loads[tp.Insn.PC] = v
			}
			v[tp.Result]++
			if v[11]+v[22]+v[33]+v[44] >= n {
				return tp.Insn.PC, v
			}
		}
	}
	t.Fatalf("100000 runs have not %d values of the table", n)
	return 0, nil
}

// TestBackEndsAgree is VSAMP-10: the same program, and the same top value at the same
// instruction, from both back ends, and from the processor, which executes single steps.
func TestBackEndsAgree(t *testing.T) {
	exe := build(t, table)
	at := map[string]uint64{}
	check := func(t *testing.T, name string, pc uint64, v map[uint64]int) {
		t.Logf("load at %#x: %v", pc, v)
		at[name] = pc
		// 11 comes with probability 1/2, each other value with 1/4 at most: that one of
		// them is as frequent has a probability below 1 in 100,000 for 250 values.
		if v[11] <= max(v[22], v[33], v[44]) || len(v) != 4 {
			t.Errorf("values of the table %v: want 11, 22, 33 and 44, most of them 11", v)
		}
	}
	for _, b := range backEnds {
		t.Run(b.name, func(t *testing.T) {
			cmd, _ := start(t, exe, "forever")
			s := attach(t, cmd.Process.Pid, stepper.Options{Interval: time.Millisecond / 2, Length: 16, Skip: 15}, b.attach)
			pc, v := sampleTable(t, s, 250)
			check(t, b.name, pc, v)
		})
	}
	t.Run("steps", func(t *testing.T) {
		cmd, _ := start(t, exe, "forever")
		pc, v := stepTable(t, cmd.Process.Pid, 250)
		check(t, "steps", pc, v)
	})
	for name, pc := range at {
		for other, x := range at {
			if x != pc {
				t.Errorf("the load is at %#x for %s, at %#x for %s", pc, name, x, other)
			}
		}
	}
}

// stepTable stops the program again and again, and has the processor step until a register becomes 11, 22, 33 or 44,
// until that has happened n times. It returns the instruction after which that happened most often, and its values.
func stepTable(t *testing.T, pid, n int) (pc uint64, values map[uint64]int) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	group := steptest.NewGroup(pid)
	found := map[uint64]map[uint64]int{}
	for hits, stops := 0, 0; hits < n; stops++ {
		if stops > 100*n {
			t.Fatalf("%d stops have %d values of the table", stops, hits)
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		if err := group.Stop(); errors.Is(err, os.ErrPermission) {
			t.Skip("ptrace is not allowed: ", err)
		} else if err != nil {
			t.Fatal(err)
		}
		th := group.Busiest()
		for range 64 {
			at, before := th.Regs.Rip, th.General()
			var code [2]byte
			if th.ReadCode(at, code[:]); th.InSyscall() || code == [2]byte{0x0f, 0x05} {
				break // it would wait for a thread that is stopped
			}
			if err := th.Step(); err != nil {
				t.Fatal(err)
			}
			v := uint64(0)
			for i, after := range th.General() {
				if after != before[i] && (after == 11 || after == 22 || after == 33 || after == 44) {
					v = after
				}
			}
			if v != 0 {
				if found[at] == nil {
					found[at] = map[uint64]int{}
				}
				found[at][v]++
				hits++
				break
			}
		}
		group.Continue()
	}
	most := 0
	for at, v := range found {
		if sum := v[11] + v[22] + v[33] + v[44]; sum > most {
			pc, values, most = at, v, sum
		}
	}
	return pc, values
}

// TestProgramIsNotChanged is VSAMP-13 for programs that are stopped: a program that computes a
// checksum prints the same with and without long runs. It ends while it is
// sampled, and the sampler notices.
func TestProgramIsNotChanged(t *testing.T) {
	exe := build(t, table)
	plain, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range backEnds[1:] {
		t.Run(b.name, func(t *testing.T) {
			cmd, out := start(t, exe)
			s := attach(t, cmd.Process.Pid, stepper.Options{Interval: 5 * time.Millisecond, Length: 64, Skip: 64}, b.attach)
			printed := make(chan []byte)
			go func() {
				rest, _ := io.ReadAll(out)
				printed <- rest
				cmd.Process.Wait() // as a zombie it would not have ended
			}()
			var r capture.Run
			runs := 0
			for err = s.Next(&r); err == nil; err = s.Next(&r) {
				runs++
			}
			if got := append([]byte("ready\n"), <-printed...); !bytes.Equal(got, plain) || err != io.EOF || runs < 50 {
				t.Errorf("after %d runs (%v) the program printed %q, without the sampler %q", runs, err, got, plain)
			}
		})
	}
}

// TestDetach looks at a program after Close: no thread is traced, and it runs. Before that, the
// program gets a signal while it is sampled, and executes itself.
func TestDetach(t *testing.T) {
	exe := build(t, table)
	for _, b := range backEnds[1:] {
		t.Run(b.name, func(t *testing.T) {
			cmd, out := start(t, exe, "forever", exe)
			pid := cmd.Process.Pid
			s := attach(t, pid, stepper.Options{Interval: time.Millisecond / 2, Length: 16, Skip: 15}, b.attach)
			sampleTable(t, s, 20)
			if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			again := make(chan string)
			go func() {
				line, _ := out.ReadString('\n')
				again <- line
			}()
			var r capture.Run
			for executed := false; !executed; {
				if err := s.Next(&r); err != nil {
					t.Fatal(err)
				}
				select {
				case line := <-again:
					if executed = line == "ready\n"; !executed {
						t.Fatalf("after the signal the program prints %q", line)
					}
				default:
				}
			}
			sampleTable(t, s, 20)
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Fatal(err)
			}
			if err := s.Next(&r); err != io.EOF {
				t.Errorf("Next after Close: %v, want EOF", err)
			}
			names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
			if err != nil || len(names) == 0 {
				t.Fatalf("%d threads (%v)", len(names), err)
			}
			for _, name := range names {
				data, _ := os.ReadFile(name) // a thread may have ended
				if text := string(data); text != "" && !strings.Contains(text, "\nTracerPid:\t0\n") ||
					strings.Contains(text, "tracing stop") {
					t.Errorf("%s:\n%s", name, text)
				}
			}
			before := ticks(t, pid)
			for end := time.Now().Add(20 * time.Second); ticks(t, pid) < before+5; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the program does not run any more")
				}
			}
		})
	}
}

// ticks returns the CPU time of a process in user mode, in clock ticks.
func ticks(t *testing.T, pid int) (n int) {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	if _, err := fmt.Sscan(strings.Fields(rest)[11], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Bad options and processes have errors that say what to do.
func TestErrors(t *testing.T) {
	for want, o := range map[string]stepper.Options{
		"no process is named":        {},
		"there is no process":        {PIDs: []int{1 << 29}},
		"leaves them no time to run": {PIDs: []int{1}, Interval: time.Microsecond},
		"at most 256 instructions":   {PIDs: []int{1}, Length: 257},
		"it must be below 1":         {PIDs: []int{1}, Jitter: 1},
		"skip -1: at least 1 and 0":  {PIDs: []int{1}, Skip: -1},
	} {
		if s, err := stepper.Attach(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Attach(%+v): %v, %v, want an error with %q", o, s, err, want)
		}
	}
}
