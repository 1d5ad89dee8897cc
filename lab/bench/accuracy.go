package bench

// This file measures how well sampled profiles agree with exact ones.

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
)

// AccuracyOptions say what Accuracy measures. Runs must be at least 1, so the zero value
// cannot be used.
type AccuracyOptions struct {
	Runs     int       // sampled runs for each setting
	Settings []Setting // the report shows each program for the first two only
	Truncate string    // -peptruncate; "" is header
}

// A Fit says how well the sampled profiles of a program agree with its exact profile.
type Fit struct {
	Program  string
	Settings []Setting
	Samples  [][]Match // by setting and run
	Together Match     // all runs of the first setting added up

	// The same, if each sample counts once, whatever the weight of its burst or window: as in
	// the paper.
	Unweighed [][]Match

	Exact Exact
	Worst Difference // where all runs of the first setting together are farthest off
}

// Exact has numbers of an exact profile.
type Exact struct {
	Paths int   // that were taken
	Hot   int   // of these
	Ends  int64 // of paths: the polls of a sampled run
	Flow  int64 // branch flow
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

// Accuracy measures how well sampled profiles of the test programs agree with exact ones. It
// runs each program once with exact counts, and opts.Runs times with samples for each
// setting, by turns.
func Accuracy(cfg *Config, opts AccuracyOptions) ([]Fit, error) {
	truncate := "-peptruncate=header"
	if opts.Truncate != "" {
		truncate = "-peptruncate=" + opts.Truncate
	}
	var fits []Fit
	err := cfg.each(func(p *program) error {
		p.logf("%s: building with %s", p.name, truncate)
		if err := errors.Join(
			p.pepbuildFor(opts.Settings, truncate),
			p.pepbuild(exactBuild, "-pepmode=exact", truncate),
		); err != nil {
			return err
		}
		fit, err := p.fit(opts)
		fits = append(fits, fit)
		return err
	})
	return fits, err
}

func (p *program) fit(opts AccuracyOptions) (Fit, error) {
	n := len(opts.Settings)
	fit := Fit{Program: p.name, Settings: opts.Settings, Samples: make([][]Match, n), Unweighed: make([][]Match, n)}
	p.logf("%s: exact run", p.name)
	exact, err := p.profile(exactBuild, "PEPOPTS=")
	if err != nil {
		return fit, err
	}
	fit.Exact = exact.exact()
	var together counts
	for run := range opts.Runs {
		p.logf("%s: run %d of %d", p.name, run+1, opts.Runs)
		for i, s := range opts.Settings {
			sampled, err := p.profile(s.build(), s.env())
			if err == nil && s.Windows {
				sampled.only(exact)
			} else if err == nil {
				err = profile.SameProgram(exact.file, sampled.file)
			}
			if err != nil {
				return fit, fmt.Errorf("%s: %w", s, err)
			}
			fit.Samples[i] = append(fit.Samples[i], match(exact, sampled))
			fit.Unweighed[i] = append(fit.Unweighed[i], match(exact, sampled.unweighed))
			if i == 0 {
				together.add(sampled)
			}
		}
	}
	fit.Together = match(exact, &together)
	fit.Worst = worst(exact, &together)
	return fit, nil
}

// exact returns the numbers of an exact profile.
func (c *counts) exact() (e Exact) {
	e.Paths = len(c.flows)
	e.Hot = accuracy.Wall(c.flows, c.flows, profile.PathID.Compare).Hot
	e.Ends = c.samples
	for _, flow := range c.flows {
		e.Flow += flow
	}
	return e
}

// counts are the profiles of one run, or of several added up.
type counts struct {
	file     *profile.File // of paths; of one run
	edges    *profile.File // of edges; likewise
	flows    map[profile.PathID]int64
	ends     map[profile.PathID]int64 // counts of paths; of one run
	outcomes map[profile.BranchID]accuracy.Outcomes
	samples  int64 // or all path ends, in an exact profile
	ticks    int64
	dropped  int64

	unweighed *counts // of samples, if these are estimates; nil of exact profiles
}

// profile runs a build once and reads what it writes.
func (p *program) profile(build string, env ...string) (c *counts, err error) {
	_, err = p.written(build, "*.paths.pb.gz", env, func(name string) error {
		c, err = read(name)
		return err
	})
	return c, err
}

// written runs a build once, and calls read with the name of the profile that it writes, of
// which the pattern is given.
func (p *program) written(build, pattern string, env []string, read func(name string) error) (r Run, err error) {
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(out)
	r, err = start(out, append(env, "PEPDIR="+out), p.exe(build), p.scale())
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("%s exits with code %d", p.exe(build), r.Code)
	}
	if err != nil {
		return r, err
	}
	names, err := filepath.Glob(filepath.Join(out, pattern))
	if err != nil {
		return r, err
	}
	if len(names) != 1 {
		return r, fmt.Errorf("%d profiles %s of one run, want 1", len(names), pattern)
	}
	return r, read(names[0])
}

// read reads a profile of paths, by its name, and the profile of edges beside it.
func read(name string) (*counts, error) {
	file, err := profile.Open(name)
	if err != nil {
		return nil, err
	}
	paths, err := file.Paths()
	if err != nil {
		return nil, err
	}
	sibling, err := file.Beside(schema.Edges)
	if err != nil {
		return nil, err
	}
	edgesFile, err := profile.Open(sibling)
	if err != nil {
		return nil, err
	}
	edges, err := edgesFile.Edges()
	if err != nil {
		return nil, err
	}
	c := newCounts(file)
	c.edges, c.ends = edgesFile, make(map[profile.PathID]int64)
	for _, path := range paths {
		c.flows[path.ID] += path.Flow
		c.ends[path.ID] += path.Count
		c.samples += path.Recorded()
	}
	for _, e := range edges {
		c.outcome(e.Branch, e.Outcome, e.Count)
	}
	if file.Estimated() {
		c.unweighed = newCounts(file)
		for _, path := range paths {
			c.unweighed.flows[path.ID] += path.Samples * int64(len(path.Branches))
		}
		for _, e := range edges {
			c.unweighed.outcome(e.Branch, e.Outcome, e.Samples)
		}
	}
	c.ticks, c.dropped = int64(file.Fact(facts.Ticks)), int64(file.Fact(facts.Dropped))
	return c, nil
}

// only leaves out what c has of packages that an exact profile has no paths of, such as package runtime.
func (c *counts) only(exact *counts) {
	counted := make(map[string]bool)
	for id := range exact.flows {
		counted[profile.PackageOf(id.Func.Name)] = true
	}
	other := func(f profile.Func) bool { return !counted[profile.PackageOf(f.Name)] }
	for _, c := range []*counts{c, c.unweighed} {
		maps.DeleteFunc(c.flows, func(id profile.PathID, _ int64) bool { return other(id.Func) })
		maps.DeleteFunc(c.outcomes, func(id profile.BranchID, _ accuracy.Outcomes) bool { return other(id.Func) })
	}
}

func newCounts(file *profile.File) *counts {
	return &counts{file: file, flows: make(map[profile.PathID]int64), outcomes: make(map[profile.BranchID]accuracy.Outcomes)}
}

func (c *counts) outcome(id profile.BranchID, name string, n int64) {
	if c.outcomes[id] == nil {
		c.outcomes[id] = make(accuracy.Outcomes)
	}
	c.outcomes[id][name] += n
}

// add adds a run to c, whose zero value has no runs.
func (c *counts) add(run *counts) {
	if c.flows == nil {
		c.flows, c.outcomes = make(map[profile.PathID]int64), make(map[profile.BranchID]accuracy.Outcomes)
	}
	for id, flow := range run.flows {
		c.flows[id] += flow
	}
	for id, o := range run.outcomes {
		for name, n := range o {
			c.outcome(id, name, n)
		}
	}
	c.samples += run.samples
	c.ticks += run.ticks
	c.dropped += run.dropped
}

func match(exact, sampled *counts) Match {
	return Match{
		Wall:     accuracy.Wall(exact.flows, sampled.flows, profile.PathID.Compare).Accuracy,
		Relative: accuracy.Relative(exact.outcomes, sampled.outcomes),
		Absolute: accuracy.Absolute(exact.outcomes, sampled.outcomes),
		Paths:    len(sampled.flows),
		Ticks:    sampled.ticks,
		Samples:  sampled.samples,
		Dropped:  sampled.dropped,
	}
}

// worst returns the function whose share of the flow differs most.
func worst(exact, sampled *counts) Difference {
	all := make(map[string]*Difference)
	shares := func(c *counts, share func(*Difference) *float64) {
		var total int64
		for _, flow := range c.flows {
			total += flow
		}
		for id, flow := range c.flows {
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
