// Package peppaper repeats experiments of the PEP paper (Bond & McKinley, MICRO 2005) beside those of overhead and
// accuracy. Their results are lines of Go benchmarks:
//
//	text, err := peppaper.Lines(cfg, "one-time", peppaper.Options{Rounds: 1, Layouts: 1})
//
// The package does not judge the results: package lab/figure/pepfigures has verdicts.
package peppaper

// This file has the PEP paper's experiments beside overhead and accuracy. Their results are lines in the format of Go
// benchmarks, which figures paper pep makes a page of.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/pepgo/pep/lab/bench/beginnings"
	"github.com/pepgo/pep/lab/bench/benchlines"
	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/profiles"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/valgrind"
)

// A Part is an experiment of the PEP paper.
type Part struct {
	Name  string
	Shows string
	run   func(l *lab) ([]*benchfmt.Result, error)
}

// Parts has the experiments, but not those of overhead and accuracy, which have commands of their own.
var Parts = []Part{
	{"one-time", "how well profiles of the beginning of a run show all of it", (*lab).oneTime},
	{"order", "instructions with additions on cold and on hot edges", (*lab).orders},
	{"settings", "times of all settings", (*lab).settings},
	{"exact", "times of exact counts of paths and of edges, and of additions", (*lab).exact},
	{"builds", "times of builds and of runs", (*lab).builds},
	{"driven", "times of programs that a compiler has one-time, continuous and flipped profiles of", (*lab).driven},
}

// Options say how the parts are measured. Both must be at least 1.
type Options struct {
	Rounds  int // runs of each variant whose time is measured
	Layouts int // orders in which the linker places functions
}

// A lab is what the parts work with.
type lab struct {
	*programs.Config
	Options
}

// Lines measures the part with a name.
func Lines(cfg *programs.Config, name string, opts Options) (string, error) {
	i := slices.IndexFunc(Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		var all []string
		for _, p := range Parts {
			all = append(all, p.Name)
		}
		return "", fmt.Errorf("no part %q: there are %s", name, strings.Join(all, ", "))
	}
	list, err := Parts[i].run(&lab{cfg, opts})
	if err != nil {
		return "", err
	}
	return benchlines.Lines(list, cfg.Scale)
}

// oneTime compares exact profiles of the beginning of a run with that of all of it.
func (l *lab) oneTime() (list []*benchfmt.Result, err error) {
	err = l.Each(func(p *programs.Program) error {
		p.Logf("%s: exact run, with profiles of its parts", p.Name)
		if err := p.BuildInstrumented(programs.Exact, "-pepmode=exact"); err != nil {
			return err
		}
		growing, err := beginnings.Growing(p, programs.Exact, programs.Defaults)
		if err != nil {
			return err
		}
		values := beginnings.Overlaps(growing)
		for _, v := range values {
			if math.IsNaN(v.Value) {
				return fmt.Errorf("%d profiles of a run say nothing of %s: raise -scale", len(growing), v.Unit)
			}
		}
		list = append(list, benchlines.Line("OneTime", p.Name, "", values...))
		return nil
	})
	return list, err
}

const (
	coldestBuild = "coldest" // additions on hot edges
	onceBuild    = "once"    // optimised with a profile of the beginning
	wholeBuild   = "whole"   // with one of the whole run
	flippedBuild = "flipped" // with one whose outcomes are the opposite ones
)

// orders counts instructions, without collections, of builds whose additions are on cold edges and on hot edges. Both
// know from an exact profile which these are.
func (l *lab) orders() (list []*benchfmt.Result, err error) {
	err = l.Each(func(p *programs.Program) error {
		p.Logf("%s: building with additions on cold and on hot edges", p.Name)
		if err := errors.Join(p.BuildPlain(programs.Plain), p.BuildInstrumented(programs.Polls),
			p.BuildInstrumented(programs.Exact, "-pepmode=exact")); err != nil {
			return err
		}
		_, edges, err := p.EdgesFile(programs.Exact, "PEPOPTS=")
		if err == nil {
			err = errors.Join(p.BuildInstrumented(programs.Guided, "-pepguide="+edges),
				p.BuildInstrumented(coldestBuild, "-pepguide="+edges, "-peporder=coldest"))
		}
		if err != nil {
			return err
		}
		builds := []string{programs.Plain, programs.Polls, programs.Guided, coldestBuild}
		counts, _, err := p.Instructions(builds, 1, false, "GOGC=off")
		if errors.Is(err, valgrind.ErrCannotCount) {
			p.Logf("%s is left out: %v", p.Name, err)
			return nil
		}
		for build, n := range counts {
			list = append(list, benchlines.Line("Instructions", p.Name, build,
				benchfmt.Value{Value: float64(n), Unit: "instructions/op"}))
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b *benchfmt.Result) int { return strings.Compare(string(a.Name), string(b.Name)) })
	if err == nil && list == nil {
		err = valgrind.ErrCannotCount
	}
	return list, err
}

// timed builds all programs with build and measures variants, the first of which is the plain program.
func (l *lab) timed(variants []cost.Variant, layouts int,
	build func(p *programs.Program, c *cost.Cost) error) ([]*benchfmt.Result, error) {
	costs, err := cost.Measure(l.Config, func(p *programs.Program) (cost.Cost, error) {
		c := cost.Cost{Program: p.Name, Variants: variants}
		err := build(p, &c)
		if err == nil {
			err = cost.Rounds(p, &c, l.Rounds, layouts)
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	return cost.RunLines(costs, layouts), nil
}

// settings measures figure 6 of the paper.
func (l *lab) settings() ([]*benchfmt.Result, error) {
	list, err := programs.ParseSettings("1,1 16,17 64,17 64,17,regular 256,17 1024,17")
	if err != nil {
		return nil, err
	}
	variants := []cost.Variant{{Name: "plain", Build: programs.Plain, Env: nil}, {Name: "no ticks", Build: programs.Polls, Env: []string{programs.NoTicks}}}
	for _, s := range list {
		variants = append(variants, cost.Variant{Name: s.String(), Build: programs.Polls, Env: []string{s.Env()}})
	}
	return l.timed(variants, l.Layouts, l.allBuilds)
}

func (l *lab) allBuilds(p *programs.Program, c *cost.Cost) error {
	_, err := cost.Build(p, c, l.Layouts)
	return err
}

// exact measures what exact counts cost, and how long an atomic addition takes, with which they count. It also says how
// many counts counters of edges have, and how many branches are decided meanwhile.
func (l *lab) exact() ([]*benchfmt.Result, error) {
	var counts []*benchfmt.Result
	var mu sync.Mutex
	list, err := l.timed([]cost.Variant{
		{Name: "plain", Build: programs.Plain, Env: nil},
		{Name: "exact paths", Build: programs.Exact, Env: []string{programs.Defaults}}, {Name: "exact edges", Build: programs.Edges, Env: []string{programs.Defaults}},
		{Name: "exact paths, plain additions", Build: programs.AddedPaths, Env: nil}, {Name: "exact edges, plain additions", Build: programs.AddedEdges, Env: nil},
		{Name: "cover, count", Build: programs.Count, Env: nil},
	}, l.Layouts, func(p *programs.Program, c *cost.Cost) error {
		if err := l.allBuilds(p, c); err != nil {
			return err
		}
		edges, err := profiles.Of(p, programs.Edges, programs.Defaults)
		if err != nil {
			return err
		}
		e := edges.Exact()
		mu.Lock()
		defer mu.Unlock()
		counts = append(counts, benchlines.Line("Exact", p.Name, "join", benchfmt.Value{Value: float64(e.Ends), Unit: "ends"},
			benchfmt.Value{Value: float64(e.Flow), Unit: "decisions"}))
		return nil
	})
	added, failed := additions()
	return slices.Concat(list, counts, added), errors.Join(err, failed)
}

// additions measures how long a plain and an atomic addition take.
func additions() (list []*benchfmt.Result, err error) {
	var counter uint64
	for _, a := range []struct {
		name string
		add  func(b *testing.B)
	}{
		{"plain", func(b *testing.B) {
			for b.Loop() {
				counter++
			}
		}},
		{"atomic", func(b *testing.B) {
			for b.Loop() {
				atomic.AddUint64(&counter, 1)
			}
		}},
	} {
		before, failed := driver.CPUTime()
		r := testing.Benchmark(a.add)
		after, also := driver.CPUTime()
		err = errors.Join(err, failed, also)
		list = append(list, &benchfmt.Result{Name: benchfmt.Name("Addition/variant=" + a.name),
			Values: []benchfmt.Value{{Value: (after - before).Seconds() / float64(r.N), Unit: "cpu-sec/op"}}})
	}
	return list, err
}

// builds measures figure 7: builds with an empty cache, and one run.
func (l *lab) builds() (list []*benchfmt.Result, err error) {
	ways := []cost.TimedBuild{
		{Name: "plain", Command: []string{"go", "build"}},
		{Name: programs.PEP.String(), Command: []string{l.Pepbuild, "build", "-pepmode=polls", "-peppkg=" + l.Packages}},
		{Name: programs.Windows, Command: []string{l.Pepbuild, "build", "-pepmode=windows"}},
	}
	err = l.Each(func(p *programs.Program) error {
		times, err := cost.ColdBuilds(p, ways)
		if err != nil {
			return err
		}
		for _, way := range ways {
			list = append(list, benchlines.Line("Build", p.Name, way.Name, benchfmt.Value{Value: cost.CPU(times[way.Name]), Unit: "cpu-sec/op"}))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	runs, err := l.timed([]cost.Variant{{Name: "plain", Build: programs.Plain, Env: nil}, {Name: programs.PEP.String(), Build: programs.Polls, Env: []string{programs.PEP.Env()}},
		{Name: programs.Windows, Build: programs.Windows, Env: []string{programs.Defaults}}}, l.Layouts, l.allBuilds)
	return append(list, runs...), err
}

// driven measures what the compiler makes of one-time, continuous and flipped profiles of edges.
func (l *lab) driven() ([]*benchfmt.Result, error) {
	return l.timed([]cost.Variant{
		{Name: "plain", Build: programs.Plain, Env: nil}, {Name: "one-time", Build: onceBuild, Env: nil}, {Name: "continuous", Build: wholeBuild, Env: nil},
		{Name: "flipped", Build: flippedBuild, Env: nil},
	}, 1, func(p *programs.Program, _ *cost.Cost) error { return drive(p) })
}
