package annotate_test

// This file compares counts of lines with those of go build -cover, and with each other.

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/cover"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// annotated runs a program and puts what it wrote beside the source.
func annotated(t *testing.T, prog string, args ...string) *annotate.Program {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(prog, args...)
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=1ms")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.edges.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := new(profile.Reader).OpenRun(names)
	if err != nil {
		t.Fatal(err)
	}
	file, err := executable.Open(prog)
	if err != nil {
		t.Fatal(err)
	}
	p, err := annotate.New(annotate.Input{Run: run, Program: file, Source: source.NewTree("")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// covered returns the blocks of a program that go build -cover counts, by the first line.
func covered(t *testing.T, dir string, args ...string) []cover.ProfileBlock {
	t.Helper()
	work := t.TempDir()
	prog, data, text := filepath.Join(work, "prog"), filepath.Join(work, "data"), filepath.Join(work, "text")
	if err := os.Mkdir(data, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir string
		env string
		cmd []string
	}{
		{dir, "", []string{"go", "build", "-cover", "-covermode=count", "-o", prog, "."}},
		{work, "GOCOVERDIR=" + data, append([]string{prog}, args...)},
		{work, "", []string{"go", "tool", "covdata", "textfmt", "-i=" + data, "-o=" + text}},
	} {
		cmd := exec.Command(c.cmd[0], c.cmd[1:]...)
		cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	profiles, err := cover.ParseProfiles(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(profiles) != 1 {
		t.Fatalf("coverage of %d files, want 1", len(profiles))
	}
	return profiles[0].Blocks
}

// A line has run as often as go build -cover says, if all blocks that have a part of it have one count, and
// no loop begins on it: cover counts how often the loop is entered. A line that has not run is never said to
// have run.
func TestCountsOfLinesAgreeWithCover(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 5 s: it builds four programs")
	}
	for name, args := range map[string][]string{"bitboard": {"2"}, "regex": {"2"}} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.Abs("../../testprogs/" + name)
			if err != nil {
				t.Fatal(err)
			}
			blocks := covered(t, dir, args...)
			p := annotated(t, pepbuildtest.Program(t, dir, "-peppkg=.", "-pepmode=exact"), args...)
			compared, never := 0, 0
			for i, f := range p.Functions {
				d, err := p.Detail(i)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range d.Lines {
					want, ok := coverCount(blocks, int(l.Line))
					ok = ok && !slices.ContainsFunc(d.Branches, func(b annotate.Branch) bool {
						return b.Line == l.Line && (b.Kind == "for" || b.Kind == "range")
					})
					switch {
					case !ok:
					case l.State == annotate.Seen && l.Count != want && !inLiteral(p, f, l.Line):
						t.Errorf("%s line %d: got %d, want %d", f.Name, l.Line, l.Count, want)
					case l.State == annotate.Ran && want == 0, l.State == annotate.Never && want > 0:
						t.Errorf("%s line %d: %s, want %d", f.Name, l.Line, l.State, want)
					case l.State == annotate.Seen:
						compared++
					case l.State == annotate.Never:
						never++
					}
				}
			}
			t.Logf("%d lines that ran and %d that did not", compared, never)
			if compared < 30 || never == 0 {
				t.Errorf("compared %d lines that ran and %d that did not: that tests too little", compared, never)
			}
		})
	}
}

// What is missing and what was decided stand beside the functions of a program that was built for coverage.
func TestDetailsHaveCoverage(t *testing.T) {
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/decided\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), `package main

func in(n, low, high int) bool {
	if n < low || n > high {
		return false
	}
	return true
}

func never(n int) int {
	if n > 0 {
		return 1
	}
	return 2
}

func main() {
	for n := range 3 {
		in(n, 1, 10)
	}
	if len([]int{}) > 0 {
		never(1)
	}
}
`)
	p := annotated(t, pepbuildtest.Program(t, dir, "-pepmode=cover"))
	// Of in the outcome n > high true, and the condition. Of main the call, and two outcomes.
	want := map[string]int{"main.in": 2, "main.never": 5, "main.main": 2}
	for i, f := range p.Functions {
		if f.Missing != want[f.Name] {
			t.Errorf("%s: %d missing, want %d", f.Name, f.Missing, want[f.Name])
		}
		d, err := p.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		wantDecisions := []annotate.Decided{}
		if f.Name == "main.in" {
			wantDecisions = append(wantDecisions, annotate.Decided{
				Line: 4, Text: "n < low || n > high",
				Conditions: []annotate.Condition{{Text: "n < low", Shown: true}, {Text: "n > high"}},
				Vectors:    []annotate.Vector{{Values: "T-", Outcome: true, Count: 1}, {Values: "FF", Count: 2}},
				Wanted:     []annotate.Vector{{Values: "FT", Outcome: true}},
			})
		}
		if diff := cmp.Diff(wantDecisions, d.Decisions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if diff := cmp.Diff(&annotate.Coverage{Statements: [2]int{6, 10}, Outcomes: [2]int{6, 10}, Conditions: [2]int{1, 2}},
		p.Coverage); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
}

// coverCount returns the count of a line, if all blocks that have a part of it agree.
func coverCount(blocks []cover.ProfileBlock, line int) (n int64, ok bool) {
	for _, b := range blocks {
		if b.StartLine > line || line > b.EndLine {
			continue
		}
		if ok && n != int64(b.Count) {
			return 0, false
		}
		n, ok = int64(b.Count), true
	}
	return n, ok
}

// inLiteral reports whether a line of a function is one on which another function begins.
func inLiteral(p *annotate.Program, f *annotate.Function, line int64) bool {
	return slices.ContainsFunc(p.Functions, func(g *annotate.Function) bool {
		return g != f && g.File == f.File && g.Line == line
	})
}

// In a sampled profile, what goes into a branch comes out, and a line with one branch has run as often
// as the branch was decided, whatever the samples were.
func TestCountsOfSampledFunctionsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 15 s: it builds a program")
	}
	dir, err := filepath.Abs("../../testprogs/typecheck")
	if err != nil {
		t.Fatal(err)
	}
	p := annotated(t, pepbuildtest.Program(t, dir, "-pepmode=polls", "-peppkg=go/..."), "50")
	if p.Exact || p.Samples == 0 {
		t.Fatalf("%d samples, exact: %t", p.Samples, p.Exact)
	}
	changed, lines := 0, 0
	for i, f := range p.Functions {
		d, err := p.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		if !d.Reconciled {
			continue
		}
		slack := int64(d.PathsSeen) + 1 // of rounding
		on := make(map[int64][]annotate.Branch)
		for _, b := range d.Branches {
			on[b.Line] = append(on[b.Line], b)
			sum, raw := int64(0), int64(0)
			for _, o := range b.Outcomes {
				sum += o.Count
				raw += o.Raw
				if o.Raw == 0 && o.Count != 0 || o.State == annotate.Never && o.Count > 0 {
					t.Errorf("%s line %d %s: %s was never seen and has count %d", f.Name, b.Line, b.Kind, o.Name, o.Count)
				}
			}
			if d := sum - b.Count; d > slack || d < -slack {
				t.Errorf("%s line %d %s: decided %d times, outcomes %d", f.Name, b.Line, b.Kind, b.Count, sum)
			}
			if raw != sum {
				changed++
			}
		}
		// Nodes of the graph: what goes in comes out.
		in := make([]int64, len(d.Graph.Nodes))
		in[0] = d.Entries
		for _, n := range d.Graph.Nodes {
			for _, a := range n.Out {
				if a.To >= 0 {
					in[a.To] += a.Count
				}
			}
		}
		for j, n := range d.Graph.Nodes {
			var out int64
			for _, a := range n.Out {
				out += a.Count
			}
			if x := in[j] - out; x > slack || x < -slack {
				t.Errorf("%s: %d go into node %d (lines %d to %d) and %d out", f.Name, in[j], j, n.First, n.Last, out)
			}
		}
		for _, l := range d.Lines {
			bs := on[l.Line]
			if len(bs) != 1 || !strings.Contains("if for", bs[0].Kind) || l.State != annotate.Seen ||
				bs[0].State != annotate.Seen {
				continue
			}
			lines++
			if x := l.Count - bs[0].Count; x > slack || x < -slack {
				t.Errorf("%s line %d ran %d times, and its %s was decided %d times", f.Name, l.Line, l.Count, bs[0].Kind,
					bs[0].Count)
			}
		}
	}
	t.Logf("%d branches, %d lines", changed, lines)
	if changed < 20 || lines < 50 {
		t.Errorf("%d branches have other counts than were sampled, and %d lines were compared: that tests too little",
			changed, lines)
	}
}
