package main

// This file tests that programs built for bursts have taps wherever other programs have them.

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/profile"
)

// The oracle is the full build's counts. In the burst build all taps report with taps=full, so
// all counts are exact. If few functions have taps, nearly all callers have none.
func TestBurstBuildsSeeAllCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	skipUnlessLinux(t)
	a, err := txtar.ParseFile(filepath.Join("testdata", "ways.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := extract(t, a)
	for _, flags := range [][]string{nil, {`-pepfuncs=\.(get|add|now|Second|First)`}} {
		want := loads(t, dir, flags...)
		if want["main.(*counter).get main.go:18:44 c.n"] == 0 || want["example.com/taps/lib.(*Pair[...]).First lib.go:10:47 p.I"] == 0 {
			t.Errorf("the full build with %q has too few taps: %v", flags, want)
		}
		got := loads(t, dir, append(flags, "-peptapmode=burst")...)
		for site, n := range want {
			if got[site] != n {
				t.Errorf("%q: %s: %d events, want %d", flags, site, got[site], n)
			}
		}
	}
}

// loads builds the program in dir with taps of loads, and returns how many events each site has while all taps
// report.
func loads(t *testing.T, dir string, flags ...string) map[string]int64 {
	t.Helper()
	out := t.TempDir()
	prog := build(t, dir, append(flags, "-peppkg=./...", "-peptaps=loads", "-pepmode=taps")...)
	cmd := exec.Command(prog, "100")
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
	events := map[string]int64{}
	for _, s := range profile.SumSites(words) {
		events[s.Site.Func.Name+" "+s.Site.Pos.String()+" "+s.Site.Expr] += s.Count
	}
	return events
}

// Where the compiler inlines small functions that return closures, it knows which closure is called: a range over an
// iterator allocates nothing, nor does a variable escape whose address a closure gets.
const closures = `package main

import (
	"fmt"
	"testing"
)

type list struct {
	n    int
	next *list
}

func (l *list) all() func(func(int) bool) {
	first := l.n
	return func(yield func(int) bool) {
		for ; l != nil && yield(l.n-first); l = l.next {
		}
	}
}

func (l *list) later() func(*int) { n := l.n; return func(to *int) { *to += n } }

type number interface{ value() int }

func (l list) value() int { return l.n }

func (l *list) asNumber() number { n := l.n; return list{n, l} }

var sum int

func main() {
	l := &list{1, &list{2, nil}}
	for _, f := range []func(){
		func() {
			n := 0
			for x := range l.all() {
				n += x
			}
			sum += n
		},
		func() { n := 0; l.later()(&n); sum += n },
		func() { sum += l.asNumber().value() },
	} {
		fmt.Println(testing.AllocsPerRun(100, f))
	}
}
`

// The oracle is the plain build. Between bursts, a program that taps in bursts allocates what it does without taps.
func TestBurstBuildsAllocateWhatPlainOnesDo(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), closures)
	write(t, filepath.Join(dir, "go.mod"), "module closures\n\ngo 1.26\n")
	plain := filepath.Join(dir, "plain")
	cmd := exec.Command("go", "build", "-o", plain)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(prog string) string {
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+t.TempDir(), "PEPOPTS=tick=1000s")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want, got := run(plain), run(build(t, dir, "-pepmode=polls", "-peptaps=loads", "-peptapmode=burst"))
	if got != want {
		t.Errorf("allocations per run: got %q, want %q", got, want)
	}
}
