package describe_test

// This file tests positions that //line directives put into several files within a function, as
// goyacc, ragel and template engines write them.

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

const linesProgram = `
-- main.go --
package main

import (
	"fmt"
	"os"
)

func main() {
	total, n := 0, 2000000
	if len(os.Args) > 1 { // long enough for samples
		n *= 50
	}
	for i := range n {
		total += render(i%100 + 1)
	}
	fmt.Println(total)
}
-- render.go --
package main

//go:noinline
func render(n int) (sum int) {
//line a.tmpl:1
	if n > 40 {
		sum++
	}
//line b.tmpl:1
	if n > 90 && n != 95 {
		sum += 2
	}
//line other/b.tmpl:1
	if n > 70 {
		sum += 3
	}
	return sum
}
-- a.tmpl --
a one
a two
-- b.tmpl --
b one
-- other/b.tmpl --
other one
`

// branchesOf lists the branches of render: where they are, and how often each outcome was counted.
func branchesOf(t *testing.T, dir string, f *profile.File) (list []string) {
	t.Helper()
	edges, err := f.Edges()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range profile.SumEdges(edges) {
		if b.ID.Func.Name != "main.render" {
			continue
		}
		if want := filepath.Join(dir, "render.go"); b.ID.Func.File != want {
			t.Errorf("branch %s of a function in %s, want %s", b.ID.Pos, b.ID.Func.File, want)
		}
		text := fmt.Sprintf("%s:%d %s", strings.TrimPrefix(b.ID.Pos.File, dir+"/"), b.ID.Pos.Line, b.Kind)
		for _, o := range b.Outcomes {
			text += fmt.Sprintf(" %s=%d", o.Name, o.Count)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

func TestLineDirectivesToSeveralFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 6 s")
	}
	dir := pepbuildtest.Extract(t, txtar.Parse([]byte(linesProgram)))
	src := source.NewTree(dir)
	exact := pepbuildtest.Profiles(t, pepbuildtest.Program(t, dir, "-peppkg=.", "-pepmode=exact"), "")
	want := []string{
		"a.tmpl:1 if true=1200000 false=800000",
		"b.tmpl:1 && true=200000 false=1800000",
		"b.tmpl:1 if true=180000 false=20000",
		"other/b.tmpl:1 if true=600000 false=1400000",
	}
	if got := branchesOf(t, dir, exact["edges"]); !slices.Equal(got, want) {
		t.Errorf("exact branches\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// Paths, of a sampled profile too, have the same branches, with the source of each.
	sampled := pepbuildtest.Profiles(t, pepbuildtest.Program(t, dir, "-pepmode=polls", "-peppkg=."), "tick=1ms", "long")
	for name, f := range map[string]*profile.File{"exact": exact["paths"], "sampled": sampled["paths"]} {
		top, err := report.Top(f, src, report.TopOptions{ByCount: true, Func: regexp.MustCompile(`^main\.render$`)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, err := json.Marshal(top)
		if err != nil {
			t.Fatal(err)
		}
		var rows struct {
			Rows []struct {
				File, Lines string
				Branches    []struct{ File, Kind, Outcome, Source string }
			}
		}
		if err := json.Unmarshal(data, &rows); err != nil {
			t.Fatal(err)
		}
		// The path of 0 … 40, false everywhere. It is the hottest, but some 30 ticks do not always show it.
		var got []string
		for _, row := range rows.Rows {
			got = append(got, strings.ReplaceAll(fmt.Sprint(row.File, " ", row.Lines, " ", row.Branches), dir+"/", ""))
		}
		want := "render.go a.tmpl:1; b.tmpl:1; other/b.tmpl:1,4 " +
			"[{a.tmpl if false a one} {b.tmpl && false b one} {other/b.tmpl if false other one}]"
		if !slices.Contains(got, want) {
			t.Errorf("%s: the paths are\n%s\nnone is\n%s", name, strings.Join(got, "\n"), want)
		}
	}

	// A listing has the lines of each file.
	run := &profile.Run{Paths: exact["paths"], Edges: exact["edges"]}
	program, err := annotate.New(annotate.Input{Run: run, Source: src})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := report.List(run, program, src, regexp.MustCompile(`^main\.render$`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(listing)
	if err != nil {
		t.Fatal(err)
	}
	var lists struct {
		Functions []struct {
			Lines []struct {
				File, Source string
				Line         int
				Branches     []struct{ Count int }
			}
		}
	}
	if err := json.Unmarshal(data, &lists); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, l := range lists.Functions[0].Lines {
		if len(l.Branches) > 0 {
			got += fmt.Sprintf("%s:%d %q %v\n", strings.TrimPrefix(l.File, dir+"/"), l.Line, l.Source, l.Branches)
		}
	}
	const lines = "a.tmpl:1 \"a one\" [{2000000}]\nb.tmpl:1 \"b one\" [{2000000} {200000}]\nother/b.tmpl:1 \"other one\" [{2000000}]\n"
	if got != lines {
		t.Errorf("lines with branches\n%swant\n%s", got, lines)
	}

	// A dump has the file where a path ends, and to which an edge leads.
	dump, err := report.Dump(exact["paths"])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range dump.Paths {
		if end := fmt.Sprint(p.EndFile, ":", p.EndLine); p.Func == "main.render" &&
			end != filepath.Join(dir, "other/b.tmpl")+":4" {
			t.Errorf("%s ends at %s", p.Path, end)
		}
	}
	if dump, err = report.Dump(exact["edges"]); err != nil {
		t.Fatal(err)
	}
	leads := map[string]string{}
	for _, e := range dump.Edges {
		if e.Func == "main.render" {
			branch := strings.TrimPrefix(e.Branch, dir+"/")
			leads[branch+" "+e.Outcome] = strings.TrimPrefix(fmt.Sprint(e.LineFile, ":", e.Line), dir+"/")
		}
	}
	wantLeads := map[string]string{
		"a.tmpl:1:5 true": "a.tmpl:2", "a.tmpl:1:5 false": "b.tmpl:1",
		"b.tmpl:1:5 true": "b.tmpl:1", "b.tmpl:1:5 false": "other/b.tmpl:1",
		"b.tmpl:1:15 true": "b.tmpl:2", "b.tmpl:1:15 false": "other/b.tmpl:1",
		"other/b.tmpl:1:5 true": "other/b.tmpl:2", "other/b.tmpl:1:5 false": "other/b.tmpl:4",
	}
	if !maps.Equal(leads, wantLeads) {
		t.Errorf("edges lead to\n%v\nwant\n%v", leads, wantLeads)
	}

	// The profile guides a build in which files have other paths.
	guide := filepath.Join(t.TempDir(), "guide.edges.pb.gz")
	if err := exact["edges"].Save(guide); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pepbuildtest.Pepbuild(t), "build", "-peppkg=.", "-pepmode=exact", "-trimpath", "-pepguide="+guide,
		"-o", "trimmed", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "6 of its 6 branches, with 100.0% of its counts"; !strings.Contains(string(out), want) {
		t.Errorf("pepbuild -pepguide prints\n%swant %q", out, want)
	}
	trimmed := pepbuildtest.Profiles(t, filepath.Join(dir, "trimmed"), "")
	if got := branchesOf(t, "example.com/taps", trimmed["edges"]); !slices.Equal(got, want) {
		t.Errorf("branches with -trimpath\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// Taps of edges report the same.
	taps := pepbuildtest.Profiles(t, pepbuildtest.Program(t, dir, "-peppkg=.", "-pepmode=taps", "-peptaps=edges"), "")
	if got := branchesOf(t, dir, taps["edges"]); !slices.Equal(got, want) {
		t.Errorf("branches of taps\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	taps = pepbuildtest.Profiles(t, pepbuildtest.Program(t, dir, "-peppkg=.", "-pepmode=taps", "-peptaps=edges",
		"-peprange=a.tmpl:1-9"), "")
	if got := branchesOf(t, dir, taps["edges"]); !slices.Equal(got, want[:1]) {
		t.Errorf("branches of taps in a.tmpl\n%s\nwant\n%s", strings.Join(got, "\n"), want[0])
	}
}
