// Package accuracy measures how well sampled profiles of test programs agree with exact ones.
//
//	fits, err := accuracy.Measure(cfg, accuracy.Options{Runs: 5, Settings: []programs.Setting{programs.PEP}})
//	fmt.Print(accuracy.Tables(fits))
//
// prints the means of three metrics, which package analyze/accuracy has, beside those of the PEP paper (Bond &
// McKinley, MICRO 2005, §6), and a row for each program.
package accuracy

// This file measures how well sampled profiles agree with exact ones.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/lab/bench/profiles"
	"github.com/pepgo/pep/lab/bench/programs"
)

// Options say what Accuracy measures. Runs must be at least 1, so the zero value
// cannot be used.
type Options struct {
	Runs     int                // sampled runs for each setting
	Settings []programs.Setting // the report shows each program for the first two only
	Truncate string             // -peptruncate; "" is header
}

// A Fit says how well the sampled profiles of a program agree with its exact profile.
type Fit struct {
	Program  string
	Settings []programs.Setting
	Samples  [][]Match // by setting and run
	Together Match     // all runs of the first setting added up

	// The same, if each sample counts once, whatever the weight of its burst or window: as in
	// the paper.
	Unweighed [][]Match

	Exact profiles.Exact
	Worst Difference // where all runs of the first setting together are farthest off
}

// A Match has the metrics that compare a sampled profile with the exact one.
type Match struct {
	Wall, Relative, Absolute float64 // see package accuracy
	Paths                    int     // that were sampled
	Ticks, Samples, Dropped  int64
}

// A Difference is a function that has a larger or a smaller share of the samples than of the
// exact profile.
type Difference struct {
	Func           string
	Exact, Sampled float64 // its share of the program's branch flow
}

// Measure measures how well sampled profiles of the test programs agree with exact ones. It
// runs each program once with exact counts, and opts.Runs times with samples for each
// setting, by turns.
func Measure(cfg *programs.Config, opts Options) ([]Fit, error) {
	truncate := "-peptruncate=header"
	if opts.Truncate != "" {
		truncate = "-peptruncate=" + opts.Truncate
	}
	var fits []Fit
	err := cfg.Each(func(p *programs.Program) error {
		p.Logf("%s: building with %s", p.Name, truncate)
		if err := errors.Join(
			p.BuildFor(opts.Settings, truncate),
			p.BuildInstrumented(programs.Exact, "-pepmode=exact", truncate),
		); err != nil {
			return err
		}
		fit, err := fitOf(p, opts)
		fits = append(fits, fit)
		return err
	})
	return fits, err
}

func fitOf(p *programs.Program, opts Options) (Fit, error) {
	n := len(opts.Settings)
	fit := Fit{Program: p.Name, Settings: opts.Settings, Samples: make([][]Match, n), Unweighed: make([][]Match, n)}
	p.Logf("%s: exact run", p.Name)
	exact, err := profiles.Of(p, programs.Exact, "PEPOPTS=")
	if err != nil {
		return fit, err
	}
	fit.Exact = exact.Exact()
	var together profiles.Counts
	for run := range opts.Runs {
		p.Logf("%s: run %d of %d", p.Name, run+1, opts.Runs)
		for i, s := range opts.Settings {
			sampled, err := profiles.Of(p, s.Build(), s.Env())
			if err == nil && s.Windows {
				sampled.Only(exact)
			} else if err == nil {
				err = profile.SameProgram(exact.File, sampled.File)
			}
			if err != nil {
				return fit, fmt.Errorf("%s: %w", s, err)
			}
			fit.Samples[i] = append(fit.Samples[i], match(exact, sampled))
			fit.Unweighed[i] = append(fit.Unweighed[i], match(exact, sampled.Unweighed))
			if i == 0 {
				together.Add(sampled)
			}
		}
	}
	fit.Together = match(exact, &together)
	fit.Worst = worst(exact, &together)
	return fit, nil
}

func match(exact, sampled *profiles.Counts) Match {
	return Match{
		Wall:     accuracy.Wall(exact.Flows, sampled.Flows, profile.PathID.Compare).Accuracy,
		Relative: accuracy.Relative(exact.Outcomes, sampled.Outcomes),
		Absolute: accuracy.Absolute(exact.Outcomes, sampled.Outcomes),
		Paths:    len(sampled.Flows),
		Ticks:    sampled.Ticks,
		Samples:  sampled.Samples,
		Dropped:  sampled.Dropped,
	}
}

// worst returns the function whose share of the flow differs most.
func worst(exact, sampled *profiles.Counts) Difference {
	all := make(map[string]*Difference)
	shares := func(c *profiles.Counts, share func(*Difference) *float64) {
		var total int64
		for _, flow := range c.Flows {
			total += flow
		}
		for id, flow := range c.Flows {
			d := all[id.Func.Name]
			if d == nil {
				d = &Difference{Func: id.Func.Name}
				all[id.Func.Name] = d
			}
			*share(d) += float64(flow) / float64(max(1, total))
		}
	}
	shares(exact, func(d *Difference) *float64 { return &d.Exact })
	shares(sampled, func(d *Difference) *float64 { return &d.Sampled })
	var list []Difference
	for _, d := range all {
		list = append(list, *d)
	}
	if len(list) == 0 {
		return Difference{}
	}
	return slices.MaxFunc(list, func(a, b Difference) int {
		switch x, y := a.off(), b.off(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(b.Func, a.Func)
	})
}

// off returns how far the sampled share is from the exact one.
func (d Difference) off() float64 { return max(d.Exact-d.Sampled, d.Sampled-d.Exact) }
