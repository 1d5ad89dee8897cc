package gocompiler_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// stateProgram keeps more integers and floating-point numbers than there are registers across polls, recurses with
// small frames in many goroutines at once, so that stacks grow, and takes a CPU profile. The flag is set from
// the first tick on, which it waits for. Its result depends on all values.
const stateProgram = `package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
)

//go:noinline
func integers(n, a, b, c, d, e, f, g, h, i, j, k uint) uint {
	for ; n > 0; n-- {
		if a&1 == 0 {
			a, b, c, d, e, f = b+1, c^a, d+b, e*3, f-c, a+g
		} else {
			g, h, i, j, k, a = h+a, i^b, j+c, k*5, g-d, a>>1+e
		}
	}
	return a + 3*b + 5*c + 7*d + 11*e + 13*f + 17*g + 19*h + 23*i + 29*j + 31*k
}

//go:noinline
func floats(n int, a, b, c, d, e, f, g, h, i, j, k, l, m, o float64) float64 {
	for ; n > 0; n-- {
		if a < b {
			a, b, c, d, e, f, g = b+1, c-a, d+b/2, e*0.5, f-c, a+g, h/3
		} else {
			h, i, j, k, l, m, o, a = i/2+a, j-b, k+c/4, l*0.5, m-d, o/2+e, h/3, a/4+f/8
		}
	}
	return a + 3*b + 5*c + 7*d + 11*e + 13*f + 17*g + 19*h + 23*i + 29*j + 31*k + 37*l + 41*m + 43*o
}

//go:noinline
func leaf(n int) int {
	if n%3 == 0 {
		return n + 1
	}
	return n - 1
}

//go:noinline
func deep(n int) int {
	if n == 0 {
		return 1
	}
	return deep(n-1) + leaf(n)
}

func main() {
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		panic(err)
	}
	for u := (syscall.Rusage{}); u.Utime.Usec+u.Stime.Usec < 200_000; syscall.Getrusage(0, &u) { // until the first tick
	}
	var group sync.WaitGroup
	results := make([]int, 300)
	for i := range results {
		group.Go(func() {
			results[i] = deep(i)
			if i%50 == 0 {
				runtime.GC()
			}
			results[i] += deep(2 * i)
		})
	}
	group.Wait()
	n := uint(0)
	f := 0.0
	for i := range uint(300) {
		n = n*31 + integers(i, i+1, i+2, i+3, i+4, i+5, i+6, i+7, i+8, i+9, i+10, i+11)
		x := float64(i)
		f += floats(int(i), x+1, x+2, x+3, x+4, x+5, x+6, x+7, x+8, x+9, x+10, x+11, x+12, x+13, x+14)
	}
	for i := range results {
		n = n*33 + uint(results[i])
	}
	pprof.StopCPUProfile()
	fmt.Println(n, f, cpu.Len() > 0)
}
`

// Polls keep all registers, need no space on the stack, and count each path, in code of both compilers. The numbers of
// calls are those of the source: the sums of i and of 2 i below 300, and 600 calls from elsewhere.
func TestPollsKeepState(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), stateProgram)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module state\n\ngo 1.26\n")
	plain := filepath.Join(dir, "plain")
	goBuild := exec.Command("go", "build", "-o", plain, ".")
	goBuild.Dir = dir
	if out, err := goBuild.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := exec.Command(plain).Output()
	if err != nil {
		t.Fatal(err)
	}
	prog := pepbuildtest.Program(t, dir, "-pepmode=polls")
	checkFlagCode(t, prog)
	out := t.TempDir()
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=1ms,samples=1000000000,stride=1")
	got, err := cmd.Output()
	if err != nil || string(got) != string(want) {
		t.Fatalf("%v, output %q, want %q", err, got, want)
	}
	calls := int64(0)
	for _, x := range profileOf(t, out) {
		if x.ID.Func.Name == "main.deep" {
			calls += x.Recorded()
		}
	}
	if sum := int64(299 * 300 / 2); calls != sum+2*sum+2*300 {
		t.Errorf("%d paths of deep, want %d", calls, 3*sum+600)
	}
}

// profileOf returns the paths of the profile in dir.
func profileOf(t *testing.T, dir string) []profile.Path {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.paths.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("profiles %v, %v, want one", names, err)
	}
	f, err := profile.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	paths, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	return profile.SumPaths(paths)
}

// checkFlagCode checks that a function that calls nothing has neither a frame nor a stack check because of its polls.
func checkFlagCode(t *testing.T, prog string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.leaf$`, prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	code := string(out)
	if n := len(flagTest.FindAllString(code, -1)); n != 2 || strings.Count(code, "CALL 0pep/core.flagPoll") != 2 {
		t.Errorf("%d tests of polls in main.leaf, want 2:\n%s", n, code)
	}
	if strings.Contains(code, "PUSHQ BP") || strings.Contains(code, "morestack") {
		t.Errorf("main.leaf has a frame:\n%s", code)
	}
}

var flagTest = regexp.MustCompile(`TESTL SP, 0pep/core\.armed\(SB\)`)

const callbackProgram = `package main

// extern int callback(int n);
// static int through(int n) { return callback(n); }
import "C"

import "fmt"

//go:noinline
func work(n int) (sum int) {
	for i := range n {
		if (i^sum)%3 == 0 {
			sum += i
		} else {
			sum -= i >> 1
		}
	}
	return sum
}

//export callback
func callback(n C.int) C.int {
	return C.int(work(int(n)) % 1000)
}

//go:noinline
func beyond(n int) int { return int(C.through(C.int(n))) }

//go:noinline
func within(n int) int { return work(n) }

func main() {
	sum := 0
	for range 1000 {
		sum += beyond(100_000) + within(100_000)
	}
	fmt.Println(sum)
}
`

// Samples in a function that C code has called back have the callers beyond the C code, up to main.main. The
// function executes as often by a call from Go.
func TestPollsHaveCallersBeyondC(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	dir, out := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), callbackProgram)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module back\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=polls"))
	cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=2ms")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	samples := map[string]int64{}
	for _, s := range pepbuildtest.Pprof(t, out, "paths").Sample {
		var names []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				names = append(names, line.Function.Name)
			}
		}
		if !slices.Contains(names, "main.work") {
			continue
		}
		way := ""
		for _, name := range []string{"main.callback", "main.beyond", "main.within", "main.main"} {
			if slices.Contains(names, name) {
				way += " " + name
			}
		}
		samples[way] += s.Value[2]
	}
	by, direct := samples[" main.callback main.beyond main.main"], samples[" main.within main.main"]
	if len(samples) != 2 || by < 1000 || direct < 1000 {
		t.Errorf("samples of main.work by their callers: %v, want some thousand of each of two ways that lead to main.main",
			samples)
	}
}
