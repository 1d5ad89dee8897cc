package main

// This file tests that programs built for bursts have taps wherever other programs have them.

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
)

// Small functions, which the compiler inlines, are called in all ways in which their originals could be executed
// where a clone should be: through an interface, a function value, a go and a defer statement; by a function that is
// too large to be cloned, or has no taps itself; by small functions that call something unknown or
// something of std.
const ways = `package main

import (
	"fmt"
	"math/big"
	"os"
	"strconv"
	"sync"
)

type counter struct{ n, step int }

var sum int

func (c *counter) get() int       { return c.n }
func (c *counter) Len() int       { return c.step }
func (c *counter) add(done func()) { sum += c.n; done() }
func number(c *counter) *big.Int  { return big.NewInt(int64(c.n)) }
func byStd(c *counter) int64      { return number(c).Int64() }
func unknown(c *counter, f func(int) int) int { return f(c.get()) }
func count(c *counter)            { c.n += c.step; sum += c.Len() }

//go:noinline
func without(c counter) int { return c.get() }

//go:noinline
func large(c *counter, n int) int {
	type local int
	for i := range n {
		sum += c.get() + int(local(i)) + c.Len()
	}
	return sum
}

type lener interface{ Len() int }

//go:noinline
func dynamic(l lener, f func(*counter) int) int { return l.Len() + f(l.(*counter)) }

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	c := &counter{1, 1}
	var wait sync.WaitGroup
	for i := range n {
		sum += dynamic(c, (*counter).get) + without(*c) + large(c, 3) + int(byStd(c)) + unknown(c, func(n int) int { return n + i })
		defer count(c)
		wait.Add(1)
		go c.add(wait.Done)
		wait.Wait()
	}
	fmt.Println(sum != 0)
}
`

// The oracle is the full build's counts. In the burst build all taps report with taps=full, so
// all counts are exact.
func TestBurstBuildsSeeAllCalls(t *testing.T) {
	skipUnlessLinux(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), ways)
	write(t, filepath.Join(dir, "go.mod"), "module ways\n\ngo 1.26\n")
	counts := func(flags ...string) map[string]int64 {
		t.Helper()
		out := t.TempDir()
		cmd := exec.Command(build(t, dir, append(flags, "-peptaps=loads", "-peppoll=none")...), "100")
		cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=taps=full")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		files, _ := filepath.Glob(filepath.Join(out, "*.values.pb.gz"))
		if len(files) != 1 {
			t.Fatalf("profiles of values: %q", files)
		}
		f, err := profile.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		words, err := f.Words()
		if err != nil {
			t.Fatal(err)
		}
		list := map[string]int64{}
		for _, s := range profile.SumSites(words) {
			list[s.Site.Func.Name+" "+s.Site.Pos.String()+" "+s.Site.Expr] += s.Count
		}
		return list
	}
	want := counts()
	if len(want) < 10 || want["main.(*counter).get main.go:15:44 c.n"] == 0 {
		t.Errorf("the full build has too few taps: %v", want)
	}
	got := counts("-peptapmode=burst")
	for site, n := range want {
		if got[site] != n {
			t.Errorf("%s: %d events, want %d", site, got[site], n)
		}
	}
}
