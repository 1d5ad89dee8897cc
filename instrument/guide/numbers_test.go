package guide_test

// This file tests that a profile changes which numbers paths have, and no count.

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// Work is called with 0 to 9999. Outcomes that are often taken are marked with their counts.
const guidedProgram = `package main

//go:noinline
func work(n int) (s int) {
	if n%10 != 3 { // true 9000
		return s + 1
	}
	if n%1000 != 3 { // true 990
		s++
	}
	switch n % 100 {
	case 3:
		s += 2
	case 13, 23, 33, 43, 53: // 500
		s += 3
	case 63:
		s += 4
	default:
		s += 5
	}
	for s < 100 {
		if s == 60 {
			return 61
		}
		s += 95
	}
	return s
}

func main() {
	sum := 0
	for n := range 10000 {
		sum += work(n)
	}
	println(sum)
}
`

// counts are those of the outcomes of the program's branches, by reading it. In the 1000 calls with
// n%10 == 3, s is 1 before the switch, or 0 in 10 of the 100 with n%100 == 3. So before the loop it
// is 2 or 3, 4, 5, and 6. The loop has one round if s is 5 or 6, in 400 calls, and else two.
var counts = map[string]int64{
	"5 true": 9000, "5 false": 1000,
	"8 true": 990, "8 false": 10,
	"11 case 3": 100, "11 case 13, 23, 33, 43, 53": 500, "11 case 63": 100, "11 default": 300,
	"21 body": 400 + 2*600, "21 done": 1000,
	"22 false": 400 + 2*600,
	"32 body":  10000, "32 done": 1,
}

// hottest are outcomes that have Val 0 with a profile, and not without.
var hottest = []string{"8 true", "11 case 13, 23, 33, 43, 53"}

func TestGuideChangesNumbersAndNoCounts(t *testing.T) {
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), guidedProgram)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module guided\n\ngo 1.26\n")
	var unguided map[string]int64
	edges, cpu := filepath.Join(dir, "guide.edges.pb.gz"), filepath.Join(dir, "cpu.pprof")
	writeCPUProfile(t, cpu)
	for _, way := range []struct {
		name  string
		flags []string
		zero  bool // whether Val 0 must be on hottest
	}{
		{"unguided", nil, false},
		{"edges", []string{"-pepguide=" + edges}, true},
		{"lines", []string{"-pepguide=" + cpu}, true},
		{"coldest", []string{"-pepguide=" + edges, "-peporder=coldest"}, false},
	} {
		prog, out := pepbuildtest.Program(t, dir, append(way.flags, "-pepmode=exact")...), t.TempDir()
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+out)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", way.name, err, text)
		}
		got := map[string]int64{}
		for _, s := range pepbuildtest.Pprof(t, out, "edges").Sample {
			line := strings.Split(s.Label["branch"][0], ":")[1]
			got[line+" "+s.Label["outcome"][0]] += s.Value[0]
		}
		if !maps.Equal(got, counts) {
			t.Errorf("%s: outcomes\n%v, want\n%v", way.name, got, counts)
		}
		paths := map[string]int64{}
		for _, s := range pepbuildtest.Pprof(t, out, "paths").Sample {
			paths[fmt.Sprint(s.Location[1].Line[0].Function.Name, s.Label["from"], s.NumLabel["from_line"], s.Label["branches"],
				s.Label["lines"])] += s.Value[0]
		}
		if way.name == "unguided" {
			unguided = paths
			files, err := filepath.Glob(filepath.Join(out, "*.edges.pb.gz"))
			if err == nil {
				err = os.Rename(files[0], edges)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(paths, unguided) {
			t.Errorf("%s: paths\n%v, unguided\n%v", way.name, paths, unguided)
		}
		zero := withoutValue(t, prog)
		for _, outcome := range hottest {
			if zero[outcome] != way.zero {
				t.Errorf("%s: Val 0 is on %v, which has %s: %v, want %v", way.name, zero, outcome, zero[outcome], way.zero)
			}
		}
	}
}

// withoutValue returns the outcomes of branches whose edges have Val 0.
func withoutValue(t *testing.T, prog string) map[string]bool {
	t.Helper()
	f, err := executable.Open(prog)
	if err != nil {
		t.Fatal(err)
	}
	zero := map[string]bool{}
	for _, fn := range f.Packages[0].Funcs {
		for i, b := range fn.Blocks {
			for j, o := range b.Outs {
				if o.Outcome != "" && fn.Graph.Nodes[i].Out[j].Val == 0 {
					zero[fmt.Sprintf("%d %s", b.Branch.Line, o.Outcome)] = true
				}
			}
		}
	}
	return zero
}

// writeCPUProfile writes a CPU profile of work, as if each line took the same time, but with the
// lines of an earlier version, in which the function began 3 lines further up.
func writeCPUProfile(t *testing.T, name string) {
	t.Helper()
	fn := &profile.Function{ID: 1, Name: "main.work", SystemName: "main.work", Filename: "/old/main.go", StartLine: 1}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10_000_000,
		Function: []*profile.Function{fn},
	}
	for line, n := range map[int64]int64{5: 1000, 6: 900, 8: 100, 9: 99, 11: 100, 13: 10, 15: 50, 17: 10, 19: 30, 21: 270,
		22: 160, 25: 160, 27: 100} {
		loc := &profile.Location{ID: uint64(line), Line: []profile.Line{{Function: fn, Line: line - 3}}}
		p.Location = append(p.Location, loc)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{loc}, Value: []int64{n, n * 10_000_000}})
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
