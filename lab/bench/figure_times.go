package bench

// This file has the experiments that measure time. They need a quiet machine.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/lab/plot"
)

const (
	coldestBuild  = "coldest"  // additions on hot edges
	backedgeBuild = "backedge" // paths end at back edges
	edgesBuild    = "edges"    // every outcome of a branch is tapped
	onceBuild     = "once"     // optimised with a profile of the beginning
	wholeBuild    = "whole"    // with one of the whole run
	flippedBuild  = "flipped"  // with one whose hot calls are cold
)

// timed builds all programs with build and measures variants, the first of which the others are
// divided by.
func (l *lab) timed(variants []Variant, build func(p *program) error) ([]Cost, error) {
	return l.costs(func(p *program) (Cost, error) {
		p.logf("%s: building", p.name)
		c := Cost{Program: p.name, Variants: variants}
		err := build(p)
		if err == nil {
			err = p.rounds(&c, l.opts.Rounds, 1)
		}
		return c, err
	})
}

// paperTimes is what the paper says of a variant: mean and maximum; 0 if it does not.
type paperTimes struct{ mean, max float64 }

func (p paperTimes) texts() (mean, most string) {
	if p.mean != 0 {
		mean = overhead(p.mean)
	}
	if p.max != 0 {
		most = overhead(p.max)
	}
	return mean, most
}

// timeRows adds a row for each variant, the table of programs, their spread, and a plot.
func (r *FigureResult) timeRows(id string, costs []Cost, paper []paperTimes) {
	var names []string
	for _, c := range costs {
		names = append(names, c.Program)
	}
	bars := plot.Bars{Title: "CPU time, divided by that of the program as it is", Y: "ratio", Groups: names, Limit: 1}
	for v, variant := range costs[0].Variants {
		if v == 0 {
			continue
		}
		xs := ratiosOf(costs, v)
		average, most := paper[v].texts()
		verdict := ""
		if paper[v].mean != 0 {
			verdict = compared(xs, paper[v].mean, false)
		}
		at := argMax(xs)
		r.row(variant.Name, fmt.Sprintf("%s (%s to %s, %s)", overhead(geoMean(xs)), overhead(slices.Min(xs)), overhead(xs[at]), names[at]),
			joined(average, most), verdict)
		bars.Series = append(bars.Series, plot.Series{Name: variant.Name, Values: xs})
	}
	r.tables = append(r.tables, leastRatios(costs, cpu), roundRatios(costs, cpu))
	r.plot(id, bars)
}

// joined is "+1.1%, at most +5.4%".
func joined(average, most string) string {
	if most == "" {
		return average
	}
	return average + ", at most " + most
}

// ratiosOf returns the least times of a variant, divided by the least of the first, by program.
func ratiosOf(costs []Cost, v int) (xs []float64) {
	for i := range costs {
		xs = append(xs, costs[i].leastRatio(v, cpu))
	}
	return xs
}

// against returns by how much variant v takes longer than variant w, by program.
func against(costs []Cost, v, w int) (xs []float64) {
	for i := range costs {
		xs = append(xs, costs[i].least(v, cpu)/costs[i].least(w, cpu)-1)
	}
	return xs
}

const howTimed = "The least CPU time of all runs, divided by the least of the plain program: geometric mean, least and greatest over the programs. Then by program; the last table has median and quartiles of the ratios within " +
	"a round. Every round runs each variant once, by turns."

// settings measures figure 6 of the paper.
func (l *lab) settings() (*FigureResult, error) {
	variants := []Variant{{"plain", plainBuild, nil}, {"no ticks", sampleBuild, []string{noTicks}}}
	paper := []paperTimes{{}, {1.011, 1.054}}
	for _, s := range []Setting{{Samples: 1, Stride: 1}, {Samples: 16, Stride: 17}, PEP, {Samples: 256, Stride: 17}, {Samples: 1024, Stride: 17}} {
		variants = append(variants, Variant{s.String(), sampleBuild, []string{s.env()}})
		p := paperTimes{}
		switch {
		case s == PEP:
			p = paperTimes{1.012, 1.043}
		case s.Samples == 1:
			p = paperTimes{mean: 1.011} // "no detectable overhead"
		}
		paper = append(paper, p)
	}
	costs, err := l.timed(variants, func(p *program) error {
		return errors.Join(p.plain(plainBuild), p.pepbuild(sampleBuild))
	})
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	r.say("%s", howTimed)
	r.timeRows("pep-25", costs, paper)
	for _, x := range []struct {
		v     int
		paper string
	}{{2, "none that can be detected"}, {4, "0.1%"}, {6, "0.8 to 2.3%, other settings"}} {
		xs := against(costs, x.v, 1)
		r.row("samples of "+variants[x.v].Name+", beyond no ticks", ranged(xs, percent), x.paper, effect(xs, 0))
	}
	return r, nil
}

// compileAndRun measures figure 7: builds with one run.
func (l *lab) compileAndRun() (*FigureResult, error) {
	timer, err := newBuildTimer(l.Config)
	if err != nil {
		return nil, err
	}
	defer timer.close()
	r := new(FigureResult)
	t := newTable("program", "go build", "pepbuild", "ratio", "run", "with "+PEP.String(), "both", "with pep", "ratio")
	var builds, both []float64
	err = l.each(func(p *program) error {
		if err := errors.Join(p.plain(plainBuild), p.pepbuild(sampleBuild)); err != nil {
			return err
		}
		pkgs, err := p.importPaths()
		if err != nil {
			return err
		}
		times, err := timer.measure(p, pkgs)
		if err != nil {
			return err
		}
		c := Cost{Program: p.name, Variants: []Variant{{"plain", plainBuild, nil}, {PEP.String(), sampleBuild, []string{PEP.env()}}}}
		if err := p.rounds(&c, l.opts.Rounds, 1); err != nil {
			return err
		}
		b := []float64{times["go"].CPU.Seconds(), times["pepbuild"].CPU.Seconds()}
		s := []float64{b[0] + c.least(0, cpu), b[1] + c.least(1, cpu)}
		builds, both = append(builds, b[1]/b[0]), append(both, s[1]/s[0])
		sec := func(x float64) string { return fmt.Sprintf("%.2f s", x) }
		t.row(p.name, sec(b[0]), sec(b[1]), ratio(b[1]/b[0]), sec(c.least(0, cpu)), sec(c.least(1, cpu)), sec(s[0]), sec(s[1]), ratio(s[1]/s[0]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.say("The paper's first iteration compiles methods as they get hot, in runs of 11 s, and executes them. Ours builds everything, with -peppkg=%s, once, and then runs a program "+
		"of %d%% of its workload: CPU time of both. All instrumented packages are compiled anew.", l.Packages, l.Scale)
	r.row("building and running", fmt.Sprintf("%s (at most %s)", overhead(geoMean(both)), overhead(slices.Max(both))), "+1.6%, at most +4.6%", compared(both, 1.016, false))
	r.row("building alone", fmt.Sprintf("%s (at most %s)", overhead(geoMean(builds)), overhead(slices.Max(builds))), "", "")
	r.tables = append(r.tables, t)
	return r, nil
}

// exactCosts measures perfect profiles.
func (l *lab) exactCosts() (*FigureResult, error) {
	costs, err := l.timed([]Variant{
		{"plain", plainBuild, nil},
		{"exact paths", exactBuild, []string{"PEPOPTS="}},
		{"exact edges: an event for each outcome", edgesBuild, []string{"PEPOPTS=engine=exact"}},
		{"go build -cover, counts of blocks", countBuild, nil},
	}, func(p *program) error {
		if err := errors.Join(p.plain(plainBuild), p.pepbuild(sampleBuild), p.pepbuild(exactBuild, "-pepmode=exact"),
			p.pepbuild(edgesBuild, "-pepmode=taps", "-peptaps=edges")); err != nil {
			return err
		}
		pkgs, err := p.importPaths()
		if err != nil {
			return err
		}
		list := pkgs[0]
		for _, pkg := range pkgs[1:] {
			list += "," + pkg
		}
		return p.plain(countBuild, "-cover", "-covermode=count", "-coverpkg="+list)
	})
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	r.say("What perfect profiles cost. Ours of edges is the stream of all outcomes of branches into a table, which is made for any engine and not for counters; go build -cover has a counter for each block, "+
		"as the paper's perfect edge profile has for each outcome. %s", howTimed)
	r.timeRows("pep-31", costs, []paperTimes{{}, {1.92, 5.07}, {1.10, 1.34}, {1.10, 1.34}})
	xs := against(costs, 1, 3)
	r.row("exact paths take longer than counters of blocks", ranged(xs, percent), "75% (1.92 to 1.10)", effect(xs, 0))
	return r, nil
}

// orders measures the hot-edge ablation and the two truncations.
func (l *lab) orders() (*FigureResult, error) {
	ticks := []string{noTicks}
	costs, err := l.timed([]Variant{
		{"plain", plainBuild, nil},
		{"as built", sampleBuild, ticks},
		{"additions on hot edges", coldestBuild, ticks},
		{"paths end at back edges", backedgeBuild, ticks},
	}, func(p *program) error {
		return errors.Join(p.plain(plainBuild), p.pepbuild(sampleBuild),
			p.pepbuild(coldestBuild, "-peporder=coldest"), p.pepbuild(backedgeBuild, "-peptruncate=backedge"))
	})
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	r.say("Registers and polls without ticks. Additions are on the edges that are hot or cold by static guesses, which are all that builds have; the paper has a profile. %s", howTimed)
	r.timeRows("pep-30-cost", costs, []paperTimes{{}, {1.011, 1.054}, {mean: 1.025}, {}})
	hot, back := against(costs, 2, 1), against(costs, 3, 1)
	r.row("hot beyond as built", ranged(hot, percent), "1.4%", effect(hot, 0))
	r.row("back edges beyond as built", ranged(back, percent), "", effect(back, 0))
	return r, nil
}

// driven measures what a compiler makes of one-time, continuous and flipped profiles.
func (l *lab) driven() (*FigureResult, error) {
	costs, err := l.timed([]Variant{
		{"no profile", plainBuild, nil}, {"one-time", onceBuild, nil}, {"continuous", wholeBuild, nil}, {"flipped", flippedBuild, nil},
	}, (*program).drive)
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	r.say("Programs built with go build -pgo. The profiles are what pep pgo makes of a run of %s with the whole workload: of the first tenth of its CPU time, of all of it, and of all of it with the weights flipped, so that the "+
		"hottest call has the weight of the coldest. The compiler inlines and devirtualises by calls; it does not lay out code by branches, as the paper's does. %s", PEP, howTimed)
	r.timeRows("pep-33-cost", costs, make([]paperTimes, 4))
	gain, flip := against(costs, 1, 2), against(costs, 3, 2)
	r.row("one-time slower than continuous", ranged(gain, percent), "0.9%", effect(gain, 0))
	r.row("flipped slower than continuous", ranged(flip, percent), "significant", effect(flip, 0))
	return r, nil
}

// drive builds p without a profile and with three.
func (p *program) drive() error {
	if err := errors.Join(p.plain(plainBuild, "-pgo=off"), p.pepbuild(sampleBuild)); err != nil {
		return err
	}
	cfg := *p.Config
	cfg.Scale = 100 // a tenth of a shorter run has few ticks
	full := &program{&cfg, p.name, p.dir, p.work}
	c, err := full.profile(sampleBuild, PEP.env())
	if err != nil {
		return err
	}
	all, _, err := pgo.Calls(c.file)
	if err != nil {
		return err
	}
	first, err := full.beginning(0.1)
	if err != nil {
		return err
	}
	some, _, err := pgo.Calls(first)
	if err != nil {
		return err
	}
	for _, b := range []struct {
		build string
		calls []pgo.Call
	}{{onceBuild, some}, {wholeBuild, all}, {flippedBuild, flippedCalls(all)}} {
		hot, cold := pgo.Hot(b.calls, pgo.Share)
		name := filepath.Join(p.work, b.build+".pgo")
		if err := c.file.SaveStacks(name, pgo.Types, pgo.Stacks(hot, cold)); err != nil {
			return err
		}
		p.logf("%s: building with %d calls, %s", p.name, len(hot), b.build)
		if err := p.plain(b.build, "-pgo="+name); err != nil {
			return err
		}
	}
	return nil
}

// flippedCalls gives each call the weight of the one that is as far from the other end of the
// list, which is sorted by weight.
func flippedCalls(calls []pgo.Call) []pgo.Call {
	r := slices.Clone(calls)
	for i := range r {
		other := calls[len(calls)-1-i]
		r[i].Count, r[i].Weight = other.Count, other.Weight
	}
	slices.Reverse(r)
	return r
}

// beginning returns the profile of the first part of a sampled run, by CPU time.
func (p *program) beginning(share float64) (*profile.File, error) {
	r, _, err := p.runVariant(Variant{"", sampleBuild, []string{PEP.env()}}, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	cmd := p.command(out, sampleBuild, PEP.env())
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}()
	var f *profile.File
	for f == nil {
		used, state, err := status(cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		if state == ended {
			return nil, fmt.Errorf("the run ended before its first %s: raise -scale", whole(share))
		}
		if float64(used) < share*float64(r.CPU) {
			time.Sleep(time.Millisecond)
			continue
		}
		if f, err = stopped(cmd.Process); err != nil {
			return nil, err
		}
	}
	return f, nil
}
