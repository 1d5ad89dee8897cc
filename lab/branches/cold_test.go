//go:build linux && amd64

package branches

// This file compares what peptrace cold says of outcomes.

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/tracer"
)

// What peptrace cold says of outcomes is what coverage and the counts of all instructions say; or it says that it is
// not known.
func TestCold(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	if err := tracer.CheckRights(); err != nil {
		t.Skip(err)
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	for _, test := range []struct {
		program      string
		args         []string
		cover        string // packages
		never, known int    // so many outcomes at least
	}{
		{"testdata/shapes", nil, ".", 10, 100},
		{"../../testprogs/flate", []string{"1"}, ".,compress/flate,bytes,hash/crc32", 100, 400},
		{"../../testprogs/regex", []string{"1"}, ".,regexp,regexp/syntax", 100, 400},
	} {
		t.Run(test.program, func(t *testing.T) {
			p := build(t, pepbuild, test.program, test.cover)
			cmd := exec.Command(p.exe, test.args...)
			cmd.Env = append(os.Environ(), Env...)
			d, err := tracer.Cold(t.Context(), tracer.ColdRequest{Program: cmd, Scope: cold.Std}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			outcomes, err := d.Outcomes(p.table)
			if err != nil {
				t.Fatal(err)
			}
			counts := map[Key]Count{}
			var states [3]int
			for _, o := range outcomes {
				k := Key{o.Kind, o.Pos}
				c := counts[k]
				switch states[o.State]++; o.State {
				case cold.Ran:
					c.N = 1
				case cold.NoCode:
					c.Lost = branches.NoPlace
				}
				counts[k] = c
			}
			for k, c := range counts {
				if c.N > 0 { // in one of several functions
					c.Lost = 0
					counts[k] = c
				}
			}
			coverage := p.coverage(t, test.args...)
			for at := range coverage {
				coverage[at] = min(coverage[at], 1)
			}
			r, err := Compare(counts, coverage)
			if err != nil {
				t.Fatal(err)
			}
			differ := 0
			for _, s := range r.Differ {
				if strings.Contains(s, ": entry: ") { // it has functions without these
					continue
				}
				differ++
				t.Error(s)
			}
			t.Logf("outcomes: unknown, never, happened %v; %d bodies are equal, %d of them executed, %d unknown, %d differ",
				states, r.Equal, r.Executed, r.Lost, differ)
			if states[cold.Never] < test.never || states[cold.Never]+states[cold.Ran] < test.known || states[cold.NoCode] == 0 {
				t.Errorf("want %d that never happened, %d that are known, and some that are not", test.never, test.known)
			}
			exact, err := Run(p.exe, p.table, buildTracer(t), t.TempDir(), test.args...)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for k, c := range counts {
				x, ok := exact[k]
				switch {
				// the runtime, which has no probes, calls these
				case !ok || c.Lost != 0 || strings.Contains(k.Pos.File, "/src/internal/"):
				case c.N > 0 && x.N == 0 && x.Lost == 0, c.N == 0 && x.N > 0:
					t.Errorf("%v: %v: happened %v, in the counts of instructions %d times", k.Pos, k.Kind, c.N > 0, x.N)
				default:
					n++
				}
			}
			t.Logf("%d are as the counts of instructions say", n)
		})
	}
}
