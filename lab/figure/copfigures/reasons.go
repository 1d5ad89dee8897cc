package copfigures

// This file has the experiments that look for reasons: curves of the largest working set, and single rules and
// constants on the two largest.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// largestOf returns the programs with the two largest working sets.
func largestOf(m *figure.Measured) []figure.Program {
	list := slices.SortedStableFunc(slices.Values(programs), func(a, b figure.Program) int {
		return cmp.Compare(m.First(b.Name, "sites"), m.First(a.Name, "sites"))
	})
	return list[:2]
}

// orNever replaces NaN, which below returns, by infinity.
func orNever(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// The errors in percent that figures 1 and 8 look for.
const reachedError = 20

// curves has figures 1, 6 and 8: the largest working set, as recorded and in random order.
func (x *stream) curves(env *figure.Env, m *figure.Measured, base float64) error {
	random, err := x.shuffled(env.Seed)
	if err != nil {
		return err
	}
	if err := x.scatter(m, random); err != nil {
		return err
	}
	for _, order := range []struct {
		name string
		x    *stream
	}{{"recorded", x}, {"random", random}} {
		if err := order.x.rates(m, "rates/"+order.name, base); err != nil {
			return err
		}
	}
	for _, c := range columns {
		band := bandAt(base, m.Of(x.Name, "whole", c.name, "overhead").Median())
		if err := x.plain(base, true, band); err != nil {
			return err
		}
		name := "converge/" + c.name
		for seed := range seeds {
			runs, err := x.run(rulesOf(c.rules, fmt.Sprintf("seed=%d", seed+1)))
			if err != nil {
				return err
			}
			m.Add(name+"/reach", orNever(runs[0].below(reachedError)))
			for _, s := range band {
				m.Add(name+"/along", apart(runs[0], &run{points: s.points}, overhead))
			}
		}
		for _, s := range band {
			m.Add(name+"/simple-reach", orNever((&run{points: s.points}).below(reachedError)))
		}
	}
	return nil
}

// rates compares three rates of the simple sampler, each with three neighbouring periods and all phases.
func (x *stream) rates(m *figure.Measured, name string, base float64) error {
	var groups [][]*plainSampler
	var all []*plainSampler
	for _, period := range samplerPeriods {
		var group []*plainSampler
		for _, further := range []int{-1, 0, 1} {
			group = append(group, inPhases(uint64(period+further))...)
		}
		groups, all = append(groups, group), append(all, group...)
	}
	if err := x.plain(base, true, all); err != nil {
		return err
	}
	for i, group := range groups {
		for k, s := range group {
			fast := &run{points: s.points}
			m.Add(fmt.Sprintf("%s/reach/%d", name, samplerPeriods[i]), orNever(fast.below(reachedError)))
			if i+1 < len(groups) {
				m.Add(name+"/apart", apart(fast, &run{points: groups[i+1][k].points}, overhead))
			}
		}
	}
	return nil
}

// The changes whose effect is measured on the two largest working sets: each rule that the project has added, by
// itself; and other constants with the rules of the paper, because our text has lost the constants.
var (
	addedRules  = [][]string{{"advance=1"}, {"weigh=1"}, {"bound=2"}, {"early=8"}, {"rf=7"}}
	constantsOf = [][]string{
		{"r=7"}, {"r=127"}, {"rf=1"}, {"rf=5"}, {"keep=64"}, {"fth=1"}, {"fth=16"}, {"dth=8"}, {"hi=90"}, {"lo=1"},
		{"times=2"}, {"times=16"}, {"clear=0"}, {"clear=2000000"}, {"clear=20000000"}, {"timer=500000"}, {"timer=4000000"},
		{"slots=512"},
	}
)

// collecting are the machines of which figure 9 asks how many samples arrays of each size collect: today's, one so fast
// that its buffer loses nothing, and one that, besides, never masks a load.
var collecting = map[string][]string{
	"base": nil, "fast": {"clock=16"}, "unmasked": {"clock=16", "times=1048576", "hi=100", "lo=0", "least=1000000"},
}

// reasons measures the changes with the loads of a program, and both columns in random order.
func reasons(env *figure.Env, m *figure.Measured, p figure.Program) error {
	x, err := streamOf(env, p)
	if err != nil {
		return err
	}
	base := m.First(p.Name, "base")
	for kind, list := range map[string][][]string{"added": addedRules, "constant": constantsOf} {
		for _, changed := range list {
			if err := x.factors(m, p.Name+"/"+kind+"/"+strings.Join(changed, ","), base,
				rulesOf(paperRules, changed...)); err != nil {
				return err
			}
		}
	}
	if p == figure.InRole("gcc") {
		if err := x.workingSets(m, base); err != nil {
			return err
		}
	}
	random, err := x.shuffled(env.Seed)
	if err != nil {
		return err
	}
	for _, c := range columns {
		if err := random.factors(m, p.Name+"/random/"+c.name, base, rulesOf(c.rules, "clear=0")); err != nil {
			return err
		}
		for name, changed := range collecting {
			for seed := range seeds {
				for _, slots := range []int{128, 256, 512} {
					runs, err := x.run(rulesOf(c.rules,
						append([]string{fmt.Sprintf("seed=%d", seed+1), fmt.Sprintf("slots=%d", slots)},
							changed...)...))
					if err != nil {
						return err
					}
					end := runs[0].end()
					m.Add(fmt.Sprintf("%s/collect/%s/%s/%d", p.Name, c.name, name, slots),
						float64(end.samples)/float64(end.cycles)*1e6)
				}
			}
		}
	}
	return nil
}

// copiesOfCode are how often the code of the largest working set is there, to make larger ones of it.
var copiesOfCode = []uint64{1, 3, 10, 30}

// copied returns the loads of a program whose code is there k times.
func (x *stream) copied(k uint64) (*stream, error) {
	return newStream(x.Program, figure.Copies(x.source, k), x.limit)
}

// workingSets measures overhead and error by the size of the working set.
func (x *stream) workingSets(m *figure.Measured, base float64) error {
	for _, k := range copiesOfCode {
		y, err := x.copied(k)
		if errors.Is(err, errNoPairs) {
			continue
		}
		if err != nil {
			return err
		}
		name := fmt.Sprintf("copies/%d", k)
		m.Add(name+"/sites", float64(y.places))
		m.Add(name+"/pairs", float64(len(y.selected)))
		for _, c := range columns {
			if err := y.factors(m, name+"/"+c.name, base, rulesOf(c.rules)); err != nil {
				return err
			}
			runs, err := y.run(rulesOf(c.rules, "clear=0"))
			if err != nil {
				return err
			}
			m.Add(name+"/"+c.name+"/stay", float64(runs[0].end().overhead))
		}
	}
	return nil
}

// factors adds the errors of a value profiler to those of a band of samplers at equal overhead.
func (x *stream) factors(m *figure.Measured, name string, base float64, spec string) error {
	runs, err := x.run(spec)
	if err != nil {
		return err
	}
	end := runs[0].end()
	band := bandAt(base, end.percent())
	if err := x.plain(base, false, band); err != nil {
		return err
	}
	errs, _ := errorsOf(band)
	m.Add(name+"/error", end.rms)
	m.Add(name+"/overhead", end.percent())
	m.Add(name+"/simple", errs...)
	return nil
}
