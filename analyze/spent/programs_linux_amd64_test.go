package spent_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/spent"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// spends computes in its own code, has package sort sort by methods that have one path each, and copies memory, which
// is assembly, in turns of random length. It prints how many ns of CPU time each of them took.
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

type byValue [1000]int

func (l *byValue) Len() int           { return len(l) }
func (l *byValue) Less(i, j int) bool { return l[i] < l[j] }
func (l *byValue) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

var list byValue

//go:noinline
func sorts() {
	for i := range list {
		list[i] = rand.Int()
	}
	sort.Sort(&list)
}

var from, to [64 << 10]byte

//go:noinline
func copies() {
	copy(to[:], from[:])
}

func main() {
	var times [3]int64
	for times[0]+times[1]+times[2] < 2.5e9 {
		at := [4]int64{used()}
		for range rand.Intn(60) {
			computes(100_000)
		}
		at[1] = used()
		for range rand.Intn(100) {
			sorts()
		}
		at[2] = used()
		for range rand.Intn(2000) {
			copies()
		}
		at[3] = used()
		for i := range times {
			times[i] += at[i+1] - at[i]
		}
	}
	fmt.Println(times[0], times[1], times[2])
}
`

// The time of functions with what they called is the CPU time that the program knows of.
func TestTimeWithCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir, profiles := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), spends)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/spends\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=windows"))
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=4ms")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var computes, sorts, copies float64
	if _, err := fmt.Sscan(string(out), &computes, &sorts, &copies); err != nil {
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
	n := f.Fact(facts.TicksPlaced)
	all := computes + sorts + copies
	p, s, c := computes/all, sorts/all, copies/all
	apart := 5*math.Sqrt(.25/float64(n)) + .02 // chance, and the time of the runtime and of system calls
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"own of main.computes", times.Func("main.computes").Own, p},
		{"cum of main.computes", times.Func("main.computes").Cum, p},
		{"cum of main.sorts", times.Func("main.sorts").Cum, s},
		{"cum of sort.Sort", times.Func("sort.Sort").Cum, s - times.Func("main.sorts").Own - times.Package("math/rand").Cum},
		{"own of runtime.memmove", times.Func("runtime.memmove").Own, c},
		{"cum of main.main", times.Func("main.main").Cum, 1},
		{"cum of package main", times.Package("main").Cum, 1},
		{"cum of the main module", times.Places[0].Cum, 1},
	} {
		if math.Abs(x.got-x.want) > apart {
			t.Errorf("%s is %.3f, want %.3f ± %.3f", x.what, x.got, x.want, apart)
		}
	}
	// Whatever chance does to the ticks in memmove, they have their callers.
	if got, want := times.Func("main.copies").Cum, times.Func("runtime.memmove").Own; math.Abs(got-want) > .02 {
		t.Errorf("main.copies has %.3f of the time with what it called, and memmove %.3f", got, want)
	}
	t.Logf("%d ticks; computes %.3f, sorts %.3f, copies %.3f; %+v", n, p, s, c, times.Places)
}
