package bench

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

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
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

// PartOptions say how the parts are measured. Both must be at least 1.
type PartOptions struct {
	Rounds  int // runs of each variant whose time is measured
	Layouts int // orders in which the linker places functions
}

// A lab is what the parts work with.
type lab struct {
	*Config
	PartOptions
}

// PaperLines measures the part with a name.
func PaperLines(cfg *Config, name string, opts PartOptions) (string, error) {
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
	return lines(list, cfg.Scale)
}

// line is a result of a program.
func line(kind string, p *program, variant string, values ...benchfmt.Value) *benchfmt.Result {
	name := kind + "/program=" + p.name
	if variant != "" {
		name += "/variant=" + word(variant)
	}
	return &benchfmt.Result{Name: benchfmt.Name(name), Values: values}
}

// fewDecisions is how many decisions of its branches a function makes before a one-time profile has
// seen enough of it. Jikes RVM compiles a method anew, without counters, when some
// samples have hit it; a tick of 20 ms is much longer than this.
const fewDecisions = 10_000

// shares are the parts of a run that profiles of its beginning have.
var shares = []float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5}

// oneTime compares exact profiles of the beginning of a run with that of all of it.
func (l *lab) oneTime() (list []*benchfmt.Result, err error) {
	err = l.each(func(p *program) error {
		p.logf("%s: exact run, with profiles of its parts", p.name)
		if err := p.pepbuild(exactBuild, "-pepmode=exact"); err != nil {
			return err
		}
		growing, err := p.growing(exactBuild, defaults)
		if err != nil {
			return err
		}
		values := beginnings(growing)
		for _, v := range values {
			if math.IsNaN(v.Value) {
				return fmt.Errorf("%d profiles of a run say nothing of %s: raise -scale", len(growing), v.Unit)
			}
		}
		list = append(list, line("OneTime", p, "", values...))
		return nil
	})
	return list, err
}

// beginnings returns relative overlaps with the whole run: of the one-time profile, function by function, and of the first
// shares of the run. Then it has how well parts of the run that begin behind 60 % of it are predicted by its first tenth,
// by all before them, and by the part before them.
func beginnings(growing [][]profile.Path) (values []benchfmt.Value) {
	add := func(unit string, x float64) { values = append(values, benchfmt.Value{Value: x, Unit: unit}) }
	whole := growing[len(growing)-1]
	actual := biasesOf(whole)
	relative := func(paths []profile.Path) float64 { return accuracy.Relative(actual, biasesOf(paths)) }
	add("one-time", relative(oneTime(growing, fewDecisions)))
	for _, share := range shares {
		paths, _ := nearest(growing, share)
		add(fmt.Sprintf("first-%.0f%%", 100*share), relative(paths))
	}
	half, _ := nearest(growing, 0.5)
	add("changed", changed(biasesOf(half), biasesOf(since(whole, half))))
	first, before, recent := predictions(growing)
	add("next-by-first", meanFrom(first, 0.6))
	add("next-by-all", meanFrom(before, 0.6))
	add("next-by-last", meanFrom(recent, 0.6))
	return values
}

const (
	coldestBuild = "coldest" // additions on hot edges
	onceBuild    = "once"    // optimised with a profile of the beginning
	wholeBuild   = "whole"   // with one of the whole run
	flippedBuild = "flipped" // with one whose outcomes are the opposite ones
)

// orders counts instructions, without collections, of builds whose additions are on cold edges and on hot edges. Both know from an exact profile
// which these are.
func (l *lab) orders() (list []*benchfmt.Result, err error) {
	err = l.each(func(p *program) error {
		p.logf("%s: building with additions on cold and on hot edges", p.name)
		if err := errors.Join(p.plain(plainBuild), p.pepbuild(pollsBuild), p.pepbuild(exactBuild, "-pepmode=exact")); err != nil {
			return err
		}
		_, edges, err := p.edgesFile(exactBuild, "PEPOPTS=")
		if err == nil {
			err = errors.Join(p.pepbuild(guidedBuild, "-pepguide="+edges),
				p.pepbuild(coldestBuild, "-pepguide="+edges, "-peporder=coldest"))
		}
		if err != nil {
			return err
		}
		counts, _, err := p.instructions([]string{plainBuild, pollsBuild, guidedBuild, coldestBuild}, 1, false, "GOGC=off")
		if errors.Is(err, ErrNoValgrind) {
			p.logf("%s is left out: %v", p.name, err)
			return nil
		}
		for build, n := range counts {
			list = append(list, line("Instructions", p, build, benchfmt.Value{Value: float64(n), Unit: "instructions/op"}))
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b *benchfmt.Result) int { return strings.Compare(string(a.Name), string(b.Name)) })
	if err == nil && list == nil {
		err = ErrNoValgrind
	}
	return list, err
}

// timed builds all programs with build and measures variants, the first of which is the plain program.
func (l *lab) timed(variants []Variant, layouts int, build func(p *program, c *Cost) error) ([]*benchfmt.Result, error) {
	costs, err := l.costs(func(p *program) (Cost, error) {
		c := Cost{Program: p.name, Variants: variants}
		err := build(p, &c)
		if err == nil {
			err = p.rounds(&c, l.Rounds, layouts)
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	return runLines(costs, layouts), nil
}

// settings measures figure 6 of the paper.
func (l *lab) settings() ([]*benchfmt.Result, error) {
	list, err := ParseSettings("1,1 16,17 64,17 64,17,regular 256,17 1024,17")
	if err != nil {
		return nil, err
	}
	variants := []Variant{{"plain", plainBuild, nil}, {"no ticks", pollsBuild, []string{noTicks}}}
	for _, s := range list {
		variants = append(variants, Variant{s.String(), pollsBuild, []string{s.env()}})
	}
	return l.timed(variants, l.Layouts, l.allBuilds)
}

func (l *lab) allBuilds(p *program, c *Cost) error {
	_, err := p.buildAll(c, l.Layouts)
	return err
}

// exact measures what exact counts cost, and how long an atomic addition takes, with which they count. It also says how
// many counts counters of edges have, and how many branches are decided meanwhile.
func (l *lab) exact() ([]*benchfmt.Result, error) {
	var counts []*benchfmt.Result
	var mu sync.Mutex
	list, err := l.timed([]Variant{
		{"plain", plainBuild, nil},
		{"exact paths", exactBuild, []string{defaults}}, {"exact edges", edgesBuild, []string{defaults}},
		{"exact paths, plain additions", addedPathsBuild, nil}, {"exact edges, plain additions", addedEdgesBuild, nil},
		{"cover, count", countBuild, nil},
	}, l.Layouts, func(p *program, c *Cost) error {
		if err := l.allBuilds(p, c); err != nil {
			return err
		}
		edges, err := p.profile(edgesBuild, defaults)
		if err != nil {
			return err
		}
		e := edges.exact()
		mu.Lock()
		defer mu.Unlock()
		counts = append(counts, line("Exact", p, "join", benchfmt.Value{Value: float64(e.Ends), Unit: "ends"},
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
		before, failed := cpuTime()
		r := testing.Benchmark(a.add)
		after, also := cpuTime()
		err = errors.Join(err, failed, also)
		list = append(list, &benchfmt.Result{Name: benchfmt.Name("Addition/variant=" + a.name),
			Values: []benchfmt.Value{{Value: (after - before).Seconds() / float64(r.N), Unit: "cpu-sec/op"}}})
	}
	return list, err
}

// builds measures figure 7: builds with an empty cache, and one run.
func (l *lab) builds() (list []*benchfmt.Result, err error) {
	ways := []timedBuild{
		{"plain", []string{"go", "build"}},
		{PEP.String(), []string{l.Pepbuild, "build", "-pepmode=polls", "-peppkg=" + l.Packages}},
		{windows, []string{l.Pepbuild, "build", "-pepmode=windows"}},
	}
	err = l.each(func(p *program) error {
		times, err := p.coldBuilds(ways)
		if err != nil {
			return err
		}
		for _, way := range ways {
			list = append(list, line("Build", p, way.name, benchfmt.Value{Value: cpu(times[way.name]), Unit: "cpu-sec/op"}))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	runs, err := l.timed([]Variant{{"plain", plainBuild, nil}, {PEP.String(), pollsBuild, []string{PEP.env()}},
		{windows, windowsBuild, []string{defaults}}}, l.Layouts, l.allBuilds)
	return append(list, runs...), err
}

// driven measures what the compiler makes of one-time, continuous and flipped profiles of edges.
func (l *lab) driven() ([]*benchfmt.Result, error) {
	return l.timed([]Variant{
		{"plain", plainBuild, nil}, {"one-time", onceBuild, nil}, {"continuous", wholeBuild, nil}, {"flipped", flippedBuild, nil},
	}, 1, func(p *program, _ *Cost) error { return p.drive() })
}
