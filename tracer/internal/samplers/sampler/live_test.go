package sampler_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// build builds the program table.
func build(t testing.TB, flags ...string) (exe string) {
	t.Helper()
	exe = filepath.Join(t.TempDir(), "table")
	cmd := exec.Command("go", append(append([]string{"build", "-o", exe}, flags...), "./testdata/table")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// A target is a running program.
type target struct {
	pid int
	cmd *exec.Cmd
	out *bufio.Reader
	in  io.WriteCloser
}

// start starts a program and waits until it is ready.
func start(t testing.TB, exe string, args ...string) *target {
	t.Helper()
	tg := hold(t, exe, args...)
	tg.in.Close()
	return tg
}

// hold is start, but the program works only when its standard input has been closed. So a sampler can
// be there before the program ends, however slow the machine is.
func hold(t testing.TB, exe string, args ...string) *target {
	t.Helper()
	cmd := exec.Command(exe, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	tg := &target{cmd.Process.Pid, cmd, bufio.NewReader(out), in}
	if line, err := tg.out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the program prints %q (%v)", line, err)
	}
	return tg
}

// attach skips the test if this process may not sample.
func attach(t testing.TB, o sampler.Options) *sampler.Sampler {
	t.Helper()
	s, err := sampler.Attach(o)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, ebpf.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// collect visits n runs with tuples.
func collect(t testing.TB, s *sampler.Sampler, n int, visit func(*capture.Run)) {
	t.Helper()
	var r capture.Run
	for n > 0 {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		if len(r.Tuples) > 0 {
			n--
			visit(&r)
		}
	}
}

// TestValuesOfALiveProgram samples a program whose values are known, in forms that users
// meet (VSAMP-27): the proportions, the evenness over the instructions of the loop, the context.
func TestValuesOfALiveProgram(t *testing.T) {
	for name, flags := range map[string][]string{"plain": nil, "stripped pie": {"-ldflags=-s -w", "-buildmode=pie"}} {
		t.Run(name, func(t *testing.T) {
			tg := start(t, build(t, flags...), "forever")
			s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond / 4, Length: 1, Skip: 63})
			// The load of the table is the only instruction whose results are these four.
			loads := map[uint64]map[uint64]float64{}
			at := map[uint64]float64{}
			goids := map[uint64]int{}
			const runs = 1500
			collect(t, s, runs, func(r *capture.Run) {
				goids[r.Goid]++
				for _, tp := range r.Tuples {
					at[tp.Insn.PC]++
					if tp.Known&capture.Result == 0 || tp.Insn.Memory != capture.Load {
						continue
					}
					if loads[tp.Insn.PC] == nil {
						loads[tp.Insn.PC] = map[uint64]float64{}
					}
					loads[tp.Insn.PC][tp.Result]++
				}
			})
			var found map[uint64]float64
			for _, v := range loads {
				if len(v) == 4 && v[11] > 0 && v[22] > 0 && v[33] > 0 && v[44] > 0 {
					found = v
				}
			}
			n := found[11] + found[22] + found[33] + found[44]
			if n < 50 {
				t.Fatalf("the load of the table was sampled %.0f times in %d runs", n, runs)
			}
			// Chi-square with 3 degrees of freedom: above 28 once in 270,000 times.
			chi := 0.0
			for v, p := range map[uint64]float64{11: 4. / 8, 22: 2. / 8, 33: 1. / 8, 44: 1. / 8} {
				chi += math.Pow(found[v]-p*n, 2) / (p * n)
			}
			t.Logf("%.0f values of the table: 11 %.1f%%, 22 %.1f%%, 33 %.1f%%, 44 %.1f%%; chi-square %.1f",
				n, 100*found[11]/n, 100*found[22]/n, 100*found[33]/n, 100*found[44]/n, chi)
			if chi > 28 {
				t.Errorf("the proportions are not 4:2:1:1")
			}
			// A random number of instructions is interpreted first, so each of the
			// instructions of the loop, 16 or so, has its share (VSAMP-25). Instructions outside of the
			// loop are rare.
			var shares []float64
			for _, n := range at {
				if n > runs/200 {
					shares = append(shares, n)
				}
			}
			evenness(t, shares)
			// The runtime's own stacks have the number 0.
			if goids[1] < 9*goids[0] || goids[1] == 0 || len(goids) > 2 {
				t.Errorf("runs by goroutine: %v, want goroutine 1", goids)
			}
		})
	}
}

// evenness checks that counts of instructions of one loop, which are executed equally often,
// are equal as far as chance allows.
func evenness(t *testing.T, counts []float64) {
	t.Helper()
	chi, limit := unevenness(counts)
	t.Logf("tuples by instruction: %v; chi-square %.1f, limit %.1f", counts, chi, limit)
	if len(counts) < 8 || chi > limit {
		t.Errorf("the instructions of the loop are not sampled evenly")
	}
}

// unevenness returns how far counts are from being equal, and how far they may be by chance.
func unevenness(counts []float64) (chi, limit float64) {
	n, k := 0.0, float64(len(counts))
	for _, c := range counts {
		n += c
	}
	for _, c := range counts {
		chi += math.Pow(c-n/k, 2) / (n / k)
	}
	// 8 standard deviations above the mean of the distribution happen less often than
	// once in 100,000 times for 7 degrees of freedom or more: 5 times in a million for 7.
	return chi, (k - 1) + 8*math.Sqrt(2*(k-1))
}

// TestParameters is VSAMP-02: it compares counters with the parameters of the paper.
func TestParameters(t *testing.T) {
	tg := start(t, build(t), "forever")
	const every, length, skip = 3, 20, 7
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond, Every: every, Length: length,
		Skip: skip})
	var skips [skip + 1]float64
	const runs = 300
	n := 0.0
	collect(t, s, runs, func(r *capture.Run) {
		if r.Steps > length || r.Skipped > skip {
			t.Errorf("a run of %d instructions after %d", r.Steps, r.Skipped)
		}
		if r.Steps == length { // not one that ended early, which is likelier after a long skip
			skips[r.Skipped]++
			n++
		}
	})
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	// The counters are read while interrupts go on, one after the other: two CPUs can each be
	// some interrupts ahead.
	interpreted := float64(st.Interrupts - st.Passed)
	if want := float64(st.Interrupts) / every; math.Abs(interpreted-want) > 8 {
		t.Errorf("%d interrupts, %d passed: want 1 of %d interpreted", st.Interrupts, st.Passed, every)
	}
	if st.Stops[ops.Done] < st.Runs*9/10 {
		t.Errorf("only %d of %d runs have their whole length: %v", st.Stops[ops.Done], st.Runs, st.Stops)
	}
	// 7 degrees of freedom: above 39 once in 500,000 times.
	chi := 0.0
	for i, k := range skips { // the sum of a number up to 3 and one up to 4, of 20 pairs
		want := n * []float64{1, 2, 3, 4, 4, 3, 2, 1}[i] / 20
		chi += math.Pow(k-want, 2) / want
	}
	t.Logf("skipped %v; chi-square %.1f; %+v", skips, chi, st)
	if chi > 39 {
		t.Errorf("skips %v are not the sums of two uniform numbers", skips)
	}
}

// TestInterval is VSAMP-01 for intervals of time: it compares the number of interrupts of a thread with the CPU time
// that it used. Both are counts of the same clock, so load of the machine does not matter.
func TestInterval(t *testing.T) {
	tg := start(t, build(t), "forever")
	const interval = time.Millisecond
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: interval, Threads: true, CountOnly: true})
	before, a := cpuTime(t, tg.pid), stats(t, s).Interrupts
	for cpuTime(t, tg.pid)-before < 600*time.Millisecond {
		time.Sleep(10 * time.Millisecond)
	}
	used, b := cpuTime(t, tg.pid)-before, stats(t, s).Interrupts
	mean := used / time.Duration(b-a)
	t.Logf("%d interrupts in %v of CPU time: mean interval %v, asked for %v", b-a, used, mean, interval)
	// The period changes once in 200 ms here, by up to 12.5%.
	if mean < interval*85/100 || mean > interval*115/100 {
		t.Errorf("mean interval %v, want %v", mean, interval)
	}
}

func stats(t *testing.T, s *sampler.Sampler) sampler.Stats {
	t.Helper()
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// cpuTime returns the CPU time of all threads of a process.
func cpuTime(t *testing.T, pid int) (sum time.Duration) {
	t.Helper()
	names, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/schedstat")
	if err != nil || len(names) == 0 {
		t.Fatalf("process %d: %v", pid, err)
	}
	for _, name := range names {
		data, _ := os.ReadFile(name)
		first, _, _ := strings.Cut(string(data), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// TestProgramIsNotDisturbed is VSAMP-13: it runs a program that computes a checksum with and without long
// runs at a high rate. It ends while it is sampled, and the sampler notices.
func TestProgramIsNotDisturbed(t *testing.T) {
	exe := build(t)
	plain, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	tg := hold(t, exe)
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: 200 * time.Microsecond, Length: 128})
	tg.in.Close()
	var r capture.Run
	runs := 0
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		runs++
		if runs == 1 {
			// The program must be waited for: as a zombie it has not ended yet.
			go tg.cmd.Process.Wait()
		}
	}
	rest, _ := io.ReadAll(tg.out)
	if got := append([]byte("ready\n"), rest...); !bytes.Equal(got, plain) || err != io.EOF || runs < 100 {
		t.Errorf("after %d runs (%v) the program printed %q, without the sampler %q", runs, err, got, plain)
	}
}

// TestCloseLeavesNothing is VSAMP-27: it looks for programs, maps and files that stay.
func TestCloseLeavesNothing(t *testing.T) {
	tg := start(t, build(t), "forever")
	before := open(t)
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}})
	collect(t, s, 20, func(*capture.Run) {})
	mine := programs(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(mine) == 0 {
		t.Fatal("no program was loaded")
	}
	// The kernel frees programs a little later.
	for _, id := range mine {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			p, err := ebpf.NewProgramFromID(id)
			if err != nil {
				break
			}
			p.Close()
			if time.Now().After(end) {
				t.Errorf("program %d is still there", id)
				break
			}
		}
	}
	if after := open(t); after > before {
		t.Errorf("%d files are open, %d before", after, before)
	}
	if cpuTime(t, tg.pid) == 0 {
		t.Error("the program does not run any more")
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// programs returns the IDs of the BPF programs that this process has open.
func programs(t *testing.T) (ids []ebpf.ProgramID) {
	t.Helper()
	names, err := filepath.Glob("/proc/self/fdinfo/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, _ := os.ReadFile(name) // the file may be closed by now
		if m := regexp.MustCompile(`(?m)^prog_id:\s*(\d+)$`).FindSubmatch(data); m != nil {
			id, err := strconv.ParseUint(string(m[1]), 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, ebpf.ProgramID(id))
		}
	}
	return ids
}

func open(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
