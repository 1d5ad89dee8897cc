package outcome_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// The compiler converts the condition of the first branch of work to a number, and makes a conditional move of the
// second one and a jump of the third. It converts the condition of odd in multiply, and makes a jump of it in choose.
const moves = `package main

import "fmt"

//go:noinline
func work(xs []int) (a, b int) {
	for _, x := range xs {
		y := 1
		if x&3 == 0 {
			y = 0
		}
		z := x
		if x > 500 {
			z = 3
		}
		a += y * z
		if x > 900 {
			b += x * y
			xs[0] = b
		}
	}
	return a, b
}

func odd(x int) bool {
	if x&3 == 0 {
		return false
	}
	return true
}

//go:noinline
func multiply(xs []int) (a int) {
	for _, x := range xs {
		y := 0
		if odd(x) {
			y = 1
		}
		a += y * x
	}
	return a
}

//go:noinline
func choose(xs []int) (a int) {
	for i, x := range xs {
		if odd(x) {
			a += x
		} else {
			xs[i] ^= 16
		}
	}
	return a
}

func main() {
	xs, sum := make([]int, 1000), 0
	for i := range xs {
		xs[i] = i * 7 % 1000
	}
	for range 200_000 {
		a, b := work(xs)
		sum += a + b + multiply(xs) + choose(xs)
	}
	fmt.Println(sum)
}
`

// With windows, a branch that the code does not tell says so, and other profiles tell it.
func TestUntoldBranches(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("there are windows on linux/amd64 only")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/moves\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), moves)
	outcomes := func(prog string) (map[int64][]string, *profile.File) {
		out := t.TempDir()
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		names, err := filepath.Glob(filepath.Join(out, "*."+string(schema.Edges)+".pb.gz"))
		if err != nil || len(names) != 1 {
			t.Fatalf("%d profiles of edges, %v, want one", len(names), err)
		}
		f, err := profile.Open(names[0])
		if err != nil {
			t.Fatal(err)
		}
		edges, err := f.Edges()
		if err != nil {
			t.Fatal(err)
		}
		got := map[int64][]string{}
		for _, b := range profile.SumEdges(edges) {
			if b.ID.Func.Name == "main.work" || b.ID.Func.Name == "main.odd" {
				for _, o := range b.Outcomes {
					got[b.ID.Pos.Line] = append(got[b.ID.Pos.Line], o.Name)
				}
			}
		}
		return got, f
	}
	windows := pepbuildtest.Program(t, dir, "-pepmode=windows")
	got, edges := outcomes(windows)
	both := []string{wire.OutTrue, wire.OutFalse}
	if !slices.Equal(got[9], []string{wire.OutUntold}) || !slices.Equal(got[13], both) || !slices.Equal(got[17], both) {
		t.Errorf("windows: outcomes %v, want %s on line 9, and both on lines 13 and 17", got, wire.OutUntold)
	}
	// The branch of odd is told where it is inlined into choose.
	if want := []string{wire.OutTrue, wire.OutFalse, wire.OutUntold}; !slices.Equal(got[26], want) {
		t.Errorf("windows: outcomes %v on line 26, want %v", got[26], want)
	}
	if got, _ := outcomes(pepbuildtest.Program(t, dir, "-peppkg=.", "-pepmode=exact")); !slices.Equal(got[9], both) ||
		!slices.Equal(got[13], both) {
		t.Errorf("exact: outcomes %v, want both on lines 9 and 13", got)
	}
	f, err := executable.Open(windows)
	if err != nil {
		t.Fatal(err)
	}
	told, untold, skipped := 0, 0, map[string]string{}
	for _, p := range f.Packages {
		for _, s := range p.Skipped {
			skipped[s.Name] = s.Reason
		}
		for _, fn := range p.Funcs {
			for n, b := range fn.Blocks {
				if slices.Contains(fn.Untold, n) {
					untold++
				} else if len(b.Outs) > 1 {
					told++
				}
			}
		}
	}
	if n := int(edges.Fact(facts.UntoldFuncs)); n != len(skipped) || n < 3 || n > 100 || skipped["main.work"] != "" {
		t.Errorf("%d functions are untold, and skipped are %q: want as many, a few of package runtime", n, skipped)
	}
	if told < 1000 || untold < 10 || untold > told/4 {
		t.Errorf("the program tells %d branches everywhere and %d not, want most of those of std", told, untold)
	}
}
