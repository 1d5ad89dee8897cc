package cover_test

// This file tests coverage of files with //line directives.

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// A coveredRun is a run of a program that was built for coverage.
type coveredRun struct {
	*cover.Coverage
	out    string // what it printed
	prof   string // where its profiles are
	tables *executable.File
}

// coverageOf builds the program of a directory and runs it, which ends with a code.
func coverageOf(t *testing.T, dir string, code int) *coveredRun {
	t.Helper()
	prof := t.TempDir()
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=cover"))
	cmd.Env = append(os.Environ(), "PEPDIR="+prof)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%v\n%s", err, out)
	}
	paths, tables, err := cover.Open(new(profile.Reader), prof)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cover.New(paths, tables, source.NewTree(""), cover.Options{Generated: true})
	if err != nil {
		t.Fatal(err)
	}
	return &coveredRun{c, string(out), prof, tables}
}

// blocksOf returns the blocks of the same program by go build -cover: file:line.col,line.col, statements, count.
func blocksOf(t *testing.T, dir string) string {
	t.Helper()
	prog, data, text := filepath.Join(t.TempDir(), "prog"), t.TempDir(), filepath.Join(t.TempDir(), "text")
	for _, args := range [][]string{{"go", "build", "-cover", "-covermode=count", "-o", prog, "."}, {prog},
		{"go", "tool", "covdata", "textfmt", "-i=" + data, "-o=" + text}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOCOVERDIR="+data)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	blocks, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(blocks)
}

var block = regexp.MustCompile(`(?m)^\S*?([^/\s]+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// A blockOf is a line of a cover profile.
type blockOf struct {
	file       string
	from, to   [2]int // line and column
	statements int
	count      int64
}

func parseBlocks(t *testing.T, text string) (list []blockOf) {
	t.Helper()
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		b := blockOf{file: m[1]}
		if _, err := fmt.Sscan(strings.Join(m[2:], " "), &b.from[0], &b.from[1], &b.to[0], &b.to[1], &b.statements,
			&b.count); err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

// All that is counted is what is counted of the same text without directives, and there statements have the counts of
// the blocks of go build -cover. (That names blocks by lines that directives say, which go tool cover cannot read.)
func TestCoverOfGeneratedFiles(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "coverlines", "generated.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := pepbuildtest.Extract(t, a)
	replaceInGo(t, dir, "DIR", dir)
	with := coverageOf(t, dir, 0)
	checkShown(t, with, dir)
	without := withoutDirectives(t, dir, with)
	ours, theirs := parseBlocks(t, coverProfileOf(t, without)), parseBlocks(t, blocksOf(t, dir))
	statements := 0
	for _, b := range theirs {
		statements += b.statements
		n := 0
		for _, s := range ours {
			// A block in braces, which is a statement, begins where the statements before it end.
			if s.file == b.file && slices.Compare(b.from[:], s.from[:]) <= 0 && slices.Compare(s.from[:], b.to[:]) <= 0 {
				if n++; s.count != b.count && s.from != b.to {
					t.Errorf("%s:%d.%d: count %d, go build -cover has %d", s.file, s.from[0], s.from[1], s.count, b.count)
				}
			}
		}
		if n < b.statements {
			t.Errorf("%s:%d.%d: %d statements, go build -cover has %d", b.file, b.from[0], b.from[1], n, b.statements)
		}
	}
	if len(ours) != statements || len(theirs) == 0 {
		t.Errorf("%d statements, go build -cover has %d", len(ours), statements)
	}
}

// A parser of goyacc itself has tables and a loop in files that are not there: they are shown in its Go file.
func TestCoverOfGoyacc(t *testing.T) {
	goyacc := filepath.Join(t.TempDir(), "goyacc")
	if out, err := exec.Command("go", "build", "-o", goyacc,
		"golang.org/x/tools/cmd/goyacc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", "coverlines", "goyacc.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := pepbuildtest.Extract(t, a)
	cmd := exec.Command(goyacc, "-o", "sums.go", "sums.y")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	with := coverageOf(t, dir, 0)
	lcov := tracefile(t, with.Coverage)
	lcovReads(t, lcov)
	files := readTracefile(t, lcov)
	for name, f := range files {
		f.check(t, name)
	}
	if y, parser := files[filepath.Join(dir, "sums.y")], files[filepath.Join(dir, "sums.go")]; len(files) != 2 ||
		y == nil || parser == nil {
		t.Errorf("the tracefile has %d files, want sums.y and sums.go", len(files))
	} else {
		text, err := os.ReadFile(filepath.Join(dir, "sums.y"))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") { // those of actions say how often they are executed
			if _, want, ok := strings.Cut(line, "// executed "); ok && fmt.Sprint(y.lines[i+1]) != want {
				t.Errorf("sums.y:%d: executed %d times, want %s", i+1, y.lines[i+1], want)
			}
		}
	}
	withoutDirectives(t, dir, with)
}

// withoutDirectives makes comments of the directives of a program, which has the coverage with them, and compares.
func withoutDirectives(t *testing.T, dir string, with *coveredRun) *coveredRun {
	t.Helper()
	replaceInGo(t, dir, "/line ", "/Line ") // of the same length
	replaceInGo(t, dir, "*line ", "*Line ")
	without := coverageOf(t, dir, 0)
	if diff := cmp.Diff(coverProfileOf(t, without), coverProfileOf(t, with)); diff != "" {
		t.Errorf("cover profile without directives (-) and with them (+):\n%s", diff)
	}
	if diff := cmp.Diff(decisionsOf(without.Coverage), decisionsOf(with.Coverage)); diff != "" {
		t.Errorf("branches and decisions without directives (-) and with them (+):\n%s", diff)
	}
	masking := (*cover.Decision).Masking
	if x, y := without.Totals(masking), with.Totals(masking); x != y || x.MCDC.All == 0 {
		t.Errorf("totals %+v, without directives %+v", y, x)
	}
	return without
}

func replaceInGo(t *testing.T, dir, old, new string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pepbuildtest.Write(t, name, strings.ReplaceAll(string(text), old, new))
	}
}

func coverProfileOf(t *testing.T, c *coveredRun) string {
	t.Helper()
	var b strings.Builder
	if err := c.WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// decisionsOf lists branches and decisions with all counts.
func decisionsOf(c *cover.Coverage) (list []string) {
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			list = append(list, fmt.Sprint(f.Name, " ", f.File, ":", f.Line, " ", f.Calls, " calls"))
			for _, b := range f.Branches {
				list = append(list, fmt.Sprint(b.File, ":", b.Line, ":", b.Col, " ", b.Kind, " ", b.Outcomes))
			}
			for _, d := range f.Decisions {
				list = append(list, fmt.Sprint(d.Line, ":", d.Col, " ", strings.ReplaceAll(d.Text, "Line", "line"), " ",
					d.Conditions, " ", d.Vectors))
			}
		}
	}
	for _, u := range c.Uncounted {
		list = append(list, fmt.Sprint(u))
	}
	return append(list, fmt.Sprint(slices.Sorted(maps.Keys(map[int64]bool{c.Incomplete: true})), c.NoSource))
}

// checkShown checks that the listing, the tracefile and the page say the same, each at lines of files that are there.
func checkShown(t *testing.T, c *coveredRun, dir string) {
	t.Helper()
	text := tracefile(t, c.Coverage)
	lcovReads(t, text)
	files := readTracefile(t, text)
	var outcomes, taken int
	var names []string
	for name, f := range files {
		f.check(t, name)
		outcomes, taken = outcomes+f.totals["BRF"], taken+f.totals["BRH"]
		names = append(names, strings.TrimPrefix(name, dir+"/"))
	}
	slices.Sort(names)
	if want := "calc.y forms.go main.go num.rl page.qtpl parse.go scan.go several.go sub/forms.x"; strings.Join(names,
		" ") != want {
		t.Errorf("the tracefile has the files %s, want %s", names, want)
	}
	src := source.NewTree("")
	table := report.Cover(c.Coverage, false, src.Line)
	total := c.Totals((*cover.Decision).Masking)
	if want := (cover.Part{Covered: taken, All: outcomes}); total.Branches != want || table.Total.Taken != taken ||
		table.Total.Outcomes != outcomes {
		t.Errorf("outcomes: %+v in the tracefile, %+v in all, %+v in the listing", want, total.Branches, table.Total)
	}
	if len(table.Missing) > 0 {
		t.Errorf("no source of %s", table.Missing)
	}
	var gaps []string
	for _, f := range table.Functions {
		if _, ok := files[f.File].functions[f.Func]; !ok && f.Called {
			t.Errorf("the tracefile does not have %s in %s", f.Func, f.File)
		}
		for _, g := range f.Gaps {
			gaps = append(gaps, fmt.Sprintf("%s %s:%d:%d %s %s", f.Func, strings.TrimPrefix(g.File, dir+"/"), g.Line, g.Col,
				g.Kind, g.Text))
			in := files[g.File]
			_, executable := in.lines[int(g.Line)]
			never := false
			for at, n := range in.branches {
				never = never || at[0] == int(g.Line) && n == 0
			}
			if !executable || g.Kind == "outcome" && !never {
				t.Errorf("%s: the tracefile does not have it", gaps[len(gaps)-1])
			}
		}
	}
	for _, want := range []string{
		"main.scan num.rl:10:16 outcome && true", "main.scan num.rl:14:27 condition n > 0",
		"main.scan scan.go:26:5 statement ", "main.scan scan.go:18:26 condition state == 0",
		"main.parse parse.go:14:3 outcome switch case 4", "main.parse calc.y:11:23 outcome if false",
		"main.parse calc.y:16:5 statement ",
		"main.streamPage page.qtpl:5:15 condition name != \"b\"", "main.streamPage page.qtpl:5:4 statement ",
		"main.rest sub/forms.x:1:47 outcome if false",
		"main.several.func1 page.qtpl:1:15 condition n > 6", "main.several.func2 calc.y:7:39 statement ",
		"main.least[...] calc.y:9:14 condition a != b", "main.fails calc.y:12:2 statement ",
	} {
		if !slices.Contains(gaps, want) {
			t.Errorf("no gap %s", want)
		}
	}
	if t.Failed() {
		t.Logf("the gaps are\n%s", strings.Join(gaps, "\n"))
	}

	profiles, err := filepath.Glob(filepath.Join(c.prof, "*.paths.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := new(profile.Reader).OpenRun(profiles, schema.Values)
	if err != nil {
		t.Fatal(err)
	}
	program, err := annotate.New(annotate.Input{Run: run, Program: c.tables, Source: src})
	if err != nil {
		t.Fatal(err)
	}
	if p := program.Coverage; p.Statements != [2]int{total.Statements.Covered, total.Statements.All} ||
		p.Conditions != [2]int{total.MCDC.Covered, total.MCDC.All} {
		t.Errorf("the page has %+v, want %+v", p, total)
	}
	want, got := make(map[string]int), make(map[string]int)
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			for _, d := range f.Decisions {
				at := c.Shown(cover.Place{File: f.File, Line: d.Line, Col: d.Col})
				want[fmt.Sprint(at.File, ":", at.Line, " ", d.Text)]++
			}
		}
	}
	for i, f := range program.Functions {
		detail, err := program.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range detail.Decisions {
			if d.File == "" {
				d.File = f.File
			}
			got[fmt.Sprint(d.File, ":", d.Line, " ", d.Text)]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decisions of the page (-want +got):\n%s", diff)
	}
}
