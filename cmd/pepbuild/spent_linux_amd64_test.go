package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/spent"
)

// spends computes in its own code, and has package slices sort, in turns of random length. It prints how many ns of CPU time
// each of them took.
const spends = `package main

import (
	"fmt"
	"math/rand"
	"sort"
	"syscall"
)

func used() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}

var sum int

//go:noinline
func computes(n int) {
	for i := range n {
		if i%3 == sum%5 {
			sum += i
		}
	}
}

var list [1000]int

//go:noinline
func sorts() {
	for i := range list {
		list[i] = rand.Int()
	}
	sort.Ints(list[:])
}

func main() {
	var times [2]int64
	for times[0]+times[1] < 2.5e9 {
		begin := used()
		for range rand.Intn(60) {
			computes(100_000)
		}
		middle := used()
		for range rand.Intn(100) {
			sorts()
		}
		times[0] += middle - begin
		times[1] += used() - middle
	}
	fmt.Println(times[0], times[1])
}
`

// The time of functions with what they called is the CPU time that the program knows of.
func TestTimeWithCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir, profiles := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "main.go"), spends)
	write(t, filepath.Join(dir, "go.mod"), "module example.com/spends\n\ngo 1.26\n")
	cmd := exec.Command(build(t, dir, "-pepmode=windows"))
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=4ms")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var computes, sorts float64
	if _, err := fmt.Sscan(string(out), &computes, &sorts); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	names, _ := filepath.Glob(filepath.Join(profiles, "*.paths.pb.gz"))
	if len(names) != 1 {
		t.Fatalf("profiles %q", names)
	}
	f, err := profile.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	paths, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	times := spent.Of(f, paths)
	if times == nil {
		t.Fatalf("the profile does not say where the time was: %v", f.Facts)
	}
	all := computes + sorts
	p := computes / all
	apart := 5*math.Sqrt(p*(1-p)/float64(times.Ticks)) + .02 // chance, and the time of the runtime and of system calls
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"own of main.computes", times.Func("main.computes").Own, p},
		{"cum of main.computes", times.Func("main.computes").Cum, p},
		{"cum of main.sorts", times.Func("main.sorts").Cum, 1 - p},
		{"cum of main.main", times.Func("main.main").Cum, 1},
		{"cum of package main", times.Package("main").Cum, 1},
		{"cum of the main module", times.Places[0].Cum, 1},
		{"own of the main module", times.Places[0].Share, p + times.Func("main.sorts").Own},
		{"cum of package slices", times.Package("slices").Cum, 1 - p - times.Func("main.sorts").Own - times.Package("math/rand").Cum},
	} {
		if math.Abs(x.got-x.want) > apart {
			t.Errorf("%s is %.3f, want %.3f ± %.3f", x.what, x.got, x.want, apart)
		}
	}
	t.Logf("%d ticks; computes %.3f, sorts %.3f; %+v", times.Ticks, p, 1-p, times.Places)
}
