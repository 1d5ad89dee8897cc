package convert_test

// This file tests what profiles say of the CPU time outside of what is instrumented.

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// timeOfKinds uses the same CPU time of its thread, in ms its first argument, for each of four kinds of work, in slices
// of a millisecond or so in a random order: in an instrumented loop, in the Go runtime, in system calls, and in a
// package that is not instrumented. It prints how many ns each kind has used, how many the process has, and how many
// the longest slice. The second argument "pprof" has it take a CPU profile meanwhile.
const timeOfKinds = `package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"syscall"
	"unsafe"
)

var a, b [1 << 16]byte

//go:noinline
func loop() (n uint32) {
	x := uint32(1)
	for range 300_000 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		if x&3 == 0 {
			n++
		}
	}
	return n
}

//go:noinline
func move() {
	for range 300 {
		copy(a[:], b[:])
	}
}

//go:noinline
func read(fd uintptr) {
	for range 300 {
		syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&b)), uintptr(len(b)))
	}
}

//go:noinline
func hash() {
	for range 10 {
		h := sha256.Sum256(a[:])
		a[0] = h[0]
	}
}

const processTime, threadTime = 2, 3

func used(clock uintptr) int64 {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

func main() {
	runtime.LockOSThread()
	if os.Args[2] == "pprof" {
		pprof.StartCPUProfile(io.Discard)
	}
	zero, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	fd := zero.Fd()
	most, _ := strconv.ParseInt(os.Args[1], 10, 64)
	most *= 1_000_000
	kinds, left, longest := [4]int64{}, 4*most, int64(0)
	for left > 0 {
		at := rand.Int64N(left)
		k := 0
		for at >= most-min(kinds[k], most) {
			at -= most - min(kinds[k], most)
			k++
		}
		begin := used(threadTime)
		switch k {
		case 0:
			loop()
		case 1:
			move()
		case 2:
			read(fd)
		case 3:
			hash()
		}
		slice := used(threadTime) - begin
		kinds[k] += slice
		longest = max(longest, slice)
		left = 0
		for _, n := range kinds {
			left += max(0, most-n)
		}
	}
	fmt.Println(kinds[0], kinds[1], kinds[2], kinds[3], used(processTime), longest)
}
`

// The shares of ticks outside of instrumented functions are shares of CPU time. All threads of the program
// have one processor, so that the kernel stops the program at ticks to run the thread by which the Go
// runtime preempts goroutines. Each tick is in one of four parts with the chances that
// the program has measured: chi-square with 3 degrees of freedom is above 29 once in 450,000 times,
// and the test makes two of them. With 700 ticks it is mostly above 29 if half of the ticks
// in one part are not counted. A virtual machine that stands still uses CPU time of the thread that it had run, and
// has one tick for all of it; a run that had that in a slice is made again.
func TestTimeOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 6 s")
	}
	t.Parallel()
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), timeOfKinds)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module kinds\n\ngo 1.26\n")
	for _, c := range []struct{ ms, with string }{{"750", "ticks"}, {"250", "pprof"}} {
		t.Run(c.with, func(t *testing.T) {
			var out string
			var used [4]float64
			var all, longest float64
			for run := 0; run == 0 || longest > 50e6; run++ {
				if run == 5 {
					t.Skip("the machine stood still for more than 50 ms in each of 5 runs")
				}
				out = t.TempDir()
				cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=polls"), c.ms, c.with)
				cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=1ms")
				text, err := onOneProcessor(t, cmd)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := fmt.Sscan(text, &used[0], &used[1], &used[2], &used[3], &all, &longest); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
			const inside, inRuntime, inSystem, inPackage = 0, 1, 2, 3
			used[inRuntime] += all - used[0] - used[1] - used[2] - used[3] // its start, and its other threads

			about := pepbuildtest.Facts(t, pepbuildtest.Pprof(t, out, "paths"))
			// The kernel's ticks are longer than 1 ms, and count for all that were due; chance has what came.
			n, placed := float64(about.Number(facts.Ticks)), float64(about.Number(facts.TicksPlaced))
			shares := [4]float64{inside: 100 * (1 - float64(about.Number(facts.TicksOutside))/placed)}
			for _, x := range about {
				if x.Key != facts.TicksOutsideIn {
					continue
				}
				share := 100 * float64(x.N) / placed
				switch name := x.Name; {
				case strings.HasPrefix(name, "crypto/"):
					shares[inPackage] += share
				case name == "system calls", name == "syscall", name == "internal/runtime/syscall/linux":
					shares[inSystem] += share
				default:
					shares[inRuntime] += share
				}
			}
			chi := 0.0
			for k, share := range shares {
				want := n * used[k] / all
				chi += math.Pow(n*share/100-want, 2) / want
			}
			t.Logf("chi-square %.1f; of %.0f ns used %.0f; %s", chi, all, used, about.Encode())
			if chi > 29 || n < 100 {
				t.Errorf("shares of %.0f ticks are %.1f: in an instrumented loop, in the runtime, in system calls, in a package; CPU times are %.0f", n, shares, used)
			}
		})
	}
}

// onOneProcessor runs a command that has one processor, and returns what it prints.
func onOneProcessor(t *testing.T, cmd *exec.Cmd) (string, error) {
	t.Helper()
	runtime.LockOSThread() // the command inherits what the thread may use
	defer runtime.UnlockOSThread()
	var may, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		t.Fatal(err)
	}
	i := 0
	for !may.IsSet(i) {
		i++
	}
	one.Set(i)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &may)
	out, err := cmd.Output()
	return string(out), err
}
