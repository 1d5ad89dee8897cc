// Package covered compares what pepbuild test -pepmode=cover and package analyze/cover say of the tests of well-known
// modules with what tools say that share no code with them:
//
//	statements  go test -covermode=count, block by block
//	vectors     package recorder, which rewrites the sources; it computes MC/DC of them by brute force, too
//	outcomes    gobco, which rewrites the sources of one package, where both see a condition
//
//	o := covered.Options{Work: dir, Pepbuild: "bin/pepbuild", Runs: 3}
//	r, err := o.Compare(&covered.Modules[0])
//	r.Blocks    // {Equal: 1590, Varies: 12, Differ: 2}
//
// Each tool runs the tests several times, with an executable of its own each time. A count that is not the same in all
// runs of a tool varies: by the order of maps, the scheduler, or a test that takes the hash of its executable for a
// random number. All that must be alike of such counts is whether they are always or never 0. All other counts must
// be equal. A Difference has its cause if the run shows one.
package covered

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/covered/recorder"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/gomodule"
)

// A Module is a module whose tests run.
type Module struct {
	Path, Version string
	Skip, Why     string // tests that do not run, and why
	Gobco         bool   // outcomes of its root package are compared
}

// Modules are those of the results.
var Modules = []Module{
	{Path: "github.com/BurntSushi/toml", Version: "v1.6.0", Gobco: true},
	{Path: "github.com/yuin/goldmark", Version: "v1.8.7", Skip: "TestDeepNestedLabelPerformance", Why: "measure time"},
	{Path: "github.com/tdewolff/parse/v2", Version: "v2.8.20", Skip: "TestVariableLookup", Why: "measure time",
		Gobco: true},
	{Path: "github.com/google/go-cmp", Version: "v0.7.0"},
	{Path: "github.com/spf13/cobra", Version: "v1.10.2", Skip: "TestFailGen", Why: "fail for root"},
	{Path: "github.com/tidwall/gjson", Version: "v1.20.2", Skip: "Random|TestJSONString", Why: "make up input at random",
		Gobco: true},
}

// Options are for all modules.
type Options struct {
	Work     string // directory for sources and profiles
	Pepbuild string // the command
	Gobco    string // the command; "" to leave its comparison out
	Runs     int    // of each tool
	Log      io.Writer
}

// A Tally says how many things were compared. Of those that vary some do in the runs of one tool alone.
type Tally struct{ Equal, Varies, Differ, TheirsAlone, OursAlone int }

// All is how many they are.
func (t Tally) All() int { return t.Equal + t.Varies + t.Differ }

// A Report is a comparison.
type Report struct {
	Module
	Blocks      Tally // of go test -cover, each with all its statements
	Statements  int   // in these
	Decisions   int   // in the source, with two or more conditions
	Vectors     Tally
	Conditions  Tally // of the decisions; equal if both kinds of MC/DC are
	Masking     int   // conditions that brute force has shown
	Unique      int
	Outcomes    Tally // of conditions that gobco has, too
	Differences []Difference
}

// A Difference is one that was found.
type Difference struct {
	What  string // "block", "decision", "vector", "condition" or "outcome"
	Where string
	Text  string
	Cause string // "" if it is not known
}

// Unexplained returns the differences without a cause.
func (r *Report) Unexplained() (list []Difference) {
	for _, d := range r.Differences {
		if d.Cause == "" {
			list = append(list, d)
		}
	}
	return list
}

// vary adds counts that vary.
func (t *Tally) vary(theirs, ours []int64) {
	t.Varies++
	switch {
	case settled(ours):
		t.TheirsAlone++
	case settled(theirs):
		t.OursAlone++
	}
}

// differ adds a difference, to a tally if it is of what that compares.
func (r *Report) differ(t *Tally, d Difference) {
	if t != nil {
		t.Differ++
	}
	r.Differences = append(r.Differences, d)
}

// Compare compares what the tools say of a module.
func (o *Options) Compare(m *Module) (*Report, error) {
	dir := filepath.Join(o.Work, "source")
	if err := gomodule.Copy(m.Path+"@"+m.Version, dir); err != nil {
		return nil, err
	}
	x, err := o.gather(m, dir)
	if err != nil {
		return nil, err
	}
	return x.compare(m)
}

// What the tools say of a module.
type evidence struct {
	ours        *profiled
	blocks      map[block][]int64
	decisions   []*recorder.Decision
	recorded    []recorder.Counts
	ourRoot     *profiled // of the root package alone; nil without gobco
	conditions  map[outcome][]int64
	src         *syntax
	unreachable map[position]bool
}

// gather runs the tests of a module in a directory under all tools.
func (o *Options) gather(m *Module, dir string) (x *evidence, err error) {
	x = &evidence{src: newSyntax(dir)}
	if x.ours, err = o.profiled(m, dir, "./...", "-peppkg="+m.Path+"/..."); err != nil {
		return nil, err
	}
	var blocks []map[block]int64
	for i := range o.Runs {
		name := filepath.Join(o.Work, fmt.Sprintf("blocks-%d", i))
		if err := o.test(m, dir, "go", nil, i, "-covermode=count", "-coverpkg=./...", "-coverprofile="+name,
			"./..."); err != nil {
			return nil, err
		}
		b, err := readBlocks(name, m.Path)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	x.blocks = series(blocks)
	if x.unreachable, err = unreachableCode(dir); err != nil {
		return nil, err
	}
	if x.decisions, x.recorded, err = o.recorded(m, dir); err != nil {
		return nil, err
	}
	if !m.Gobco || o.Gobco == "" {
		return x, nil
	}
	if x.ourRoot, err = o.profiled(m, dir, ".", "-peppkg="+m.Path); err != nil {
		return nil, err
	}
	var conditions []map[outcome]int64
	for i := range o.Runs {
		c, err := o.gobco(m, dir, x.src, i)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, c)
	}
	x.conditions = series(conditions)
	return x, nil
}

// compare compares them.
func (x *evidence) compare(m *Module) (*Report, error) {
	r := &Report{Module: *m}
	if err := r.compareBlocks(x.blocks, x.ours, x.src, x.unreachable); err != nil {
		return nil, err
	}
	r.compareVectors(x.decisions, x.recorded, x.ours)
	if x.ourRoot == nil {
		return r, nil
	}
	return r, r.compareOutcomes(x.conditions, x.ourRoot, x.src)
}

// profiled runs the tests of packages under pepbuild.
func (o *Options) profiled(m *Module, dir, packages string, flags ...string) (*profiled, error) {
	var runs []*run
	for i := range o.Runs {
		profiles, err := os.MkdirTemp(o.Work, "profiles-")
		if err != nil {
			return nil, err
		}
		args := slices.Concat([]string{"-pepmode=cover"}, flags, []string{packages})
		if err := o.test(m, dir, o.Pepbuild, []string{"PEPDIR=" + profiles}, i, args...); err != nil {
			return nil, err
		}
		x, err := readRun(profiles, dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, x)
	}
	return joinRuns(runs), nil
}

// recorded runs the tests with a recorder.
func (o *Options) recorded(m *Module, source string) (decisions []*recorder.Decision, counts []recorder.Counts,
	err error) {
	dir := filepath.Join(o.Work, "recorder")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return nil, nil, err
	}
	out, err := command(dir, "go", nil, "list", "-f",
		"{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .CgoFiles}}{{$d}}/{{.}}\n{{end}}", "./...")
	if err != nil {
		return nil, nil, err
	}
	var files []string
	for name := range strings.FieldsFuncSeq(out, func(r rune) bool { return r == '\n' }) {
		name, err := filepath.Rel(dir, name)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, filepath.ToSlash(name))
	}
	if decisions, err = recorder.Rewrite(dir, m.Path, files); err != nil {
		return nil, nil, err
	}
	for i := range o.Runs {
		records, err := os.MkdirTemp(o.Work, "records-")
		if err != nil {
			return nil, nil, err
		}
		if err := o.test(m, dir, "go", []string{"RECORDS=" + records}, i, "./..."); err != nil {
			return nil, nil, err
		}
		c, err := recorder.Read(records, decisions)
		if err != nil {
			return nil, nil, err
		}
		counts = append(counts, c)
	}
	return decisions, counts, nil
}

// test runs tests once. In each run the linker gets another flag, so the executables differ, and nothing else.
func (o *Options) test(m *Module, dir, tool string, env []string, run int, args ...string) error {
	flags := []string{"test", "-count=1", "-vet=off", fmt.Sprintf("-ldflags=-X=none.run=%d", run)}
	if m.Skip != "" {
		flags = append(flags, "-skip="+m.Skip)
	}
	// which gives the executable two more arguments: tests may look at them
	if !slices.Contains(args, "-covermode=count") {
		flags = append(flags, "-benchtime=1s", "-fuzztime=1s")
	}
	_, err := o.say(dir, tool, env, append(flags, args...)...)
	return err
}

func (o *Options) say(dir, tool string, env []string, args ...string) (string, error) {
	fmt.Fprintln(o.Log, "   ", tool, strings.Join(args, " "))
	return command(dir, tool, env, args...)
}

// command runs a command that must succeed, and returns what it printed.
func command(dir, tool string, env []string, args ...string) (string, error) {
	r, err := driver.Tool(dir, slices.Concat([]string{"GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false"}, env), tool, args...)
	return r.Stdout, err
}

// series turns counts by run into runs by what is counted.
func series[K comparable](runs []map[K]int64) map[K][]int64 {
	s := make(map[K][]int64)
	for i, counts := range runs {
		for k, n := range counts {
			if s[k] == nil {
				s[k] = make([]int64, len(runs))
			}
			s[k][i] += n
		}
	}
	return s
}

// A verdict says how counts of two tools are to each other.
type verdict int

const (
	equal verdict = iota
	varies
	different
)

// judge compares the counts that two tools have in some runs. None is 0 in all runs.
func judge(theirs, ours []int64) verdict {
	first := func(s []int64) int64 {
		if len(s) == 0 {
			return 0
		}
		return s[0]
	}
	if settled(theirs) && settled(ours) {
		if first(theirs) == first(ours) {
			return equal
		}
		return different
	}
	always := func(s []int64) bool { return len(s) > 0 && !slices.Contains(s, 0) }
	never := func(s []int64) bool { return len(s) == 0 || slices.Max(s) == 0 }
	if always(theirs) && never(ours) || never(theirs) && always(ours) {
		return different
	}
	return varies
}

// settled reports whether the counts of all runs are equal.
func settled(counts []int64) bool { return len(slices.Compact(slices.Clone(counts))) <= 1 }

// keys returns the keys of two maps, in order.
func keys[K comparable, V, W any](a map[K]V, b map[K]W, compare func(x, y K) int) []K {
	all := make(map[K]bool)
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return slices.SortedFunc(maps.Keys(all), compare)
}
