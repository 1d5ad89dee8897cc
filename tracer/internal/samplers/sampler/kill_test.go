package sampler_test

// This file ends everything at bad moments: the target, the sampler, the file, the ID. Package probe
// has the same tests of probes.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// untilEnd reads runs until the sampler says that there are no more, and returns how many came.
func untilEnd(t *testing.T, s *sampler.Sampler) (runs int) {
	t.Helper()
	var r capture.Run
	for {
		switch err := s.Next(&r); err {
		case nil:
			runs++
		case io.EOF:
			return runs
		default:
			t.Fatal(err)
		}
	}
}

// TestTargetExits samples a program to its end: all its output is there, and the sampler ends
// by itself.
func TestTargetExits(t *testing.T) {
	tg := hold(t, build(t))
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}})
	tg.in.Close()
	rest, err := io.ReadAll(tg.out)
	if err != nil || strings.TrimSpace(string(rest)) == "" {
		t.Errorf("the program prints %q, %v", rest, err)
	}
	if err := tg.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if runs := untilEnd(t, s); runs == 0 {
		t.Error("no runs")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestTargetIsKilled(t *testing.T) {
	for name, threads := range map[string]bool{"CPUs": false, "threads": true} {
		t.Run(name, func(t *testing.T) {
			tg := start(t, build(t), "forever")
			s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Threads: threads})
			collect(t, s, 1, func(*capture.Run) {})
			tg.cmd.Process.Kill()
			tg.cmd.Wait()
			untilEnd(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if s, err := sampler.Attach(sampler.Options{PIDs: []int{tg.pid}}); err == nil {
				s.Close()
				t.Error("Attach to a dead process works")
			}
		})
	}
}

// TestSamplerIsKilled kills the process that samples while runs come. The kernel detaches: the
// program in the kernel and its links go away, and the target lives.
func TestSamplerIsKilled(t *testing.T) {
	how := map[string]sampler.Options{"CPUs": {}, "threads": {Threads: true}, "ticks": {Ticks: true}}
	if pid := os.Getenv("TEST_SAMPLE"); pid != "" { // the sampler
		n, _ := strconv.Atoi(pid)
		o := how[os.Getenv("TEST_HOW")]
		o.PIDs = []int{n}
		s, err := sampler.Attach(o)
		if err != nil {
			t.Fatal(err)
		}
		collect(t, s, 20, func(*capture.Run) {})
		fmt.Println("samples", programs(t))
		untilEnd(t, s)
		return
	}
	tg := start(t, build(t), "forever")
	for name := range how {
		t.Run(name, func(t *testing.T) { killSampler(t, tg, name) })
	}
}

// killSampler kills a process that samples the target in the way of that name.
func killSampler(t *testing.T, tg *target, name string) {
	attach(t, sampler.Options{PIDs: []int{tg.pid}}).Close() // or skip
	before := links(t)
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestSamplerIsKilled$")
	cmd.Env = append(os.Environ(), fmt.Sprint("TEST_SAMPLE=", tg.pid), "TEST_HOW="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var ids []ebpf.ProgramID
	for _, word := range strings.Fields(strings.Trim(strings.TrimPrefix(line, "samples"), " []\n")) {
		id, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			t.Fatalf("the sampler prints %q", line)
		}
		ids = append(ids, ebpf.ProgramID(id))
	}
	if err != nil || len(ids) == 0 {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("the sampler prints %q, %v", line, err)
	}
	if during := links(t, ids...); len(during) == 0 {
		t.Error("the sampler has no links: the test cannot see that they go away")
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, id := range ids {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			p, err := ebpf.NewProgramFromID(id)
			if err != nil {
				break
			}
			p.Close()
			if time.Now().After(end) {
				t.Fatalf("program %d is still there", id)
			}
		}
	}
	if after := links(t, ids...); len(after) > 0 {
		t.Errorf("links %v are left, before there were %v", after, before)
	}
	lives(t, tg)
}

// links returns the links to the programs, or to all if none is named.
func links(t *testing.T, ids ...ebpf.ProgramID) (found []link.ID) {
	t.Helper()
	var it link.Iterator
	defer it.Close()
	for it.Next() {
		info, err := it.Link.Info()
		if err != nil {
			continue // it is gone
		}
		for _, id := range ids {
			if info.Program == id {
				found = append(found, it.ID)
			}
		}
		if len(ids) == 0 {
			found = append(found, it.ID)
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// lives checks that the program goes on computing.
func lives(t *testing.T, tg *target) {
	t.Helper()
	before := cpuTime(t, tg.pid)
	for end := time.Now().Add(time.Minute); cpuTime(t,
		tg.pid) < before+50*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program does not run any more")
		}
	}
}

// TestFileIsReplaced replaces the file of a running program, and deletes it: values are those of
// the program that runs.
func TestFileIsReplaced(t *testing.T) {
	exe := build(t)
	for _, how := range []string{"replaced", "deleted"} {
		t.Run(how, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "table")
			copyFile(t, exe, path)
			tg := start(t, path, "forever")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if how == "replaced" {
				copyFile(t, build(t, "-gcflags=-N -l"), path)
			}
			s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond / 2, Skip: 63})
			checkTable(t, s)
			lives(t, tg)
		})
	}
}

// checkTable checks that the values of the table come as often as the program uses them:
// 4:2:1:1 (11, 22, 33, 44). Below 28 for chi-square fails once in 250,000 times.
func checkTable(t *testing.T, s *sampler.Sampler) {
	t.Helper()
	counts := map[uint64]map[uint64]float64{}
	collect(t, s, 800, func(r *capture.Run) {
		for _, x := range r.Tuples {
			if x.Known&capture.Result != 0 {
				if counts[x.Insn.PC] == nil {
					counts[x.Insn.PC] = map[uint64]float64{}
				}
				counts[x.Insn.PC][x.Result]++
			}
		}
	})
	for pc, values := range counts {
		n, others := 0.0, 0
		for v, k := range values {
			switch v {
			case 11, 22, 33, 44:
				n += k
			default:
				others++
			}
		}
		if n < 50 || others > 0 {
			continue // another instruction
		}
		chi := 0.0
		for v, share := range map[uint64]float64{11: .5, 22: .25, 33: .125, 44: .125} {
			chi += (values[v] - n*share) * (values[v] - n*share) / (n * share)
		}
		t.Logf("the load at %#x: %v; chi-square %.1f", pc, values, chi)
		if chi > 28 {
			t.Errorf("the values of the table %v are not 4:2:1:1", values)
		}
		return
	}
	t.Errorf("no instruction has the values of the table, of %d", len(counts))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestIDIsUsedAgain ends a sampled process, and another one with its ID runs other code at
// the same addresses: it is not sampled.
func TestIDIsUsedAgain(t *testing.T) {
	exe := build(t)
	old := start(t, exe, "forever")
	s := attach(t, sampler.Options{PIDs: []int{old.pid}})
	collect(t, s, 1, func(*capture.Run) {})
	old.cmd.Process.Kill()
	old.cmd.Wait()
	untilEnd(t, s) // it has noticed the end
	const last = "/proc/sys/kernel/ns_last_pid"
	for range 200 {
		if err := os.WriteFile(last, []byte(fmt.Sprint(old.pid-1)), 0); err != nil {
			t.Skip("choosing a process ID:", err)
		}
		tg := start(t, exe, "forever")
		if tg.pid != old.pid {
			tg.cmd.Process.Signal(syscall.SIGKILL)
			tg.cmd.Wait()
			continue
		}
		before := stats(t, s)
		for used := cpuTime(t, tg.pid); cpuTime(t, tg.pid) < used+300*time.Millisecond; {
			time.Sleep(10 * time.Millisecond)
		}
		if after := stats(t, s); after.Interrupts != before.Interrupts {
			t.Errorf("%d interrupts of the new process are counted", after.Interrupts-before.Interrupts)
		}
		var r capture.Run
		if err := s.Next(&r); err != io.EOF {
			t.Errorf("Next: %v, want EOF", err)
		}
		lives(t, tg)
		return
	}
	t.Skipf("no process got the ID %d again: others were faster", old.pid)
}

// TestManyTimes attaches and detaches many times within the life of one program, and leaves
// nothing.
func TestManyTimes(t *testing.T) {
	tg := start(t, build(t), "forever")
	attach(t, sampler.Options{PIDs: []int{tg.pid}}).Close() // or skip
	before := open(t)
	for range 3 {
		s := attach(t, sampler.Options{PIDs: []int{tg.pid}})
		ids := programs(t)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left := links(t, ids...); len(ids) == 0 || len(left) > 0 {
			t.Errorf("programs %v have the links %v after Close", ids, left)
		}
	}
	if after := open(t); after > before {
		t.Errorf("%d files are open, %d before", after, before)
	}
	lives(t, tg)
}

// TestStacksGrow samples many goroutines whose stacks grow and move, while the collector runs:
// the values are those of the program, and the program prints what it prints without the sampler.
func TestStacksGrow(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "grow")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/grow").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tg := hold(t, exe)
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond / 4, Skip: 63})
	tg.in.Close()
	checkTable(t, s)
	rest, err := io.ReadAll(tg.out)
	// 8 rounds of 64 goroutines with 201 frames, which use the table 512 times each.
	if want := fmt.Sprintln(8 * 64 * 201 * 512 * (4*11 + 2*22 + 33 + 44)); string(rest) != want || err != nil {
		t.Errorf("the program prints %q, want %q (%v)", rest, want, err)
	}
}
