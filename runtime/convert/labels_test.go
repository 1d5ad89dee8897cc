package convert_test

// This file tests the labels that runtime/pprof gives goroutines, on samples.

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// labelled makes labels all the time, in memory of the heap that becomes garbage soon. The labels
// of a goroutine say which function it runs: odd or even n. Functions of package plain run without
// labels. long has more labels than fit.
const labelled = `package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
)

//go:noinline
func odd(n int) (s int) {
	for i := range 2000 {
		if i%3 == 0 {
			s += n
		}
	}
	return s
}

//go:noinline
func even(n int) (s int) {
	for i := range 2000 {
		if i%5 == 0 {
			s -= n
		}
	}
	return s
}

//go:noinline
func plain(n int) (s int) {
	for i := range 2000 {
		if i%7 == 0 {
			s ^= n
		}
	}
	return s
}

//go:noinline
func long(n int) (s int) {
	for i := range 2000 {
		if i%11 == 0 {
			s |= n
		}
	}
	return s
}

func main() {
	debug.SetGCPercent(5)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil { // reads labels too
		panic(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for round := range 15_000 {
				n := (4*round + g) % 40
				labels := pprof.Labels("n", strconv.Itoa(n), "path", strings.Repeat("x", n+1), "twice", strconv.Itoa(2*n))
				pprof.Do(context.Background(), labels, func(context.Context) {
					if n%2 == 0 {
						even(n)
					} else {
						odd(n)
					}
				})
				plain(n)
				pprof.Do(context.Background(), pprof.Labels("a", "b", "c", strings.Repeat("y", 250)), func(context.Context) { long(n) })
				if round%200 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
	pprof.StopCPUProfile()
	f.Close()
}
`

// The samples of each function have the labels that the goroutine had when it ran the function,
// while the collector reuses the memory of older labels. The labels come from what the program
// does, not from what pep reads.
func TestLabelsOfGoroutines(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir, out := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), labelled)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module labelled\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=polls"), filepath.Join(out, "cpu"))
	cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=1ms")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, kind := range []string{"paths", "edges"} {
		checkLabels(t, pepbuildtest.Pprof(t, out, kind))
	}
}

func checkLabels(t *testing.T, p *profile.Profile) {
	t.Helper()
	counts := map[string]int64{}
	sets := map[string]bool{}
	for _, s := range p.Sample {
		function := s.Location[len(s.Location)-1].Line[0].Function.Name
		for _, l := range s.Location {
			switch name := strings.TrimPrefix(l.Line[0].Function.Name, "main."); name {
			case "odd", "even", "plain", "long":
				function = name
			}
		}
		counts[function] += s.Value[0]
		text := strings.Join(s.Label["n"], ",")
		switch function {
		case "odd", "even":
			n, err := strconv.Atoi(text)
			if err != nil || n%2 == 0 != (function == "even") || s.Label["twice"][0] != strconv.Itoa(2*n) ||
				s.Label["goroutine.path"][0] != strings.Repeat("x", n+1) {
				t.Errorf("labels of %s: %v", function, s.Label)
			}
			sets[text] = true
		case "plain", "long":
			if text != "" || s.Label["a"] != nil {
				t.Errorf("labels of %s: %v", function, s.Label)
			}
		}
	}
	for _, function := range []string{"odd", "even", "plain", "long"} {
		if counts[function] < 100 {
			t.Errorf("%d samples of %s", counts[function], function)
		}
	}
	if len(sets) < 8 {
		t.Errorf("%d sets of labels of 40", len(sets))
	}
	if f := pepbuildtest.Facts(t, p); f.Number(facts.Unlabelled) == 0 {
		t.Error(f.Encode())
	}
}
