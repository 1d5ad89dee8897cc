// Package profiles reads what a run of a test program has written: counts of paths and edges, exact or sampled.
//
//	exact, err := profiles.Of(p, programs.Exact, programs.Defaults)
//	fmt.Println(exact.Exact().Paths)
package profiles

// This file reads what the profiles of a run have.

import (
	"maps"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/bench/programs"
)

// Exact has numbers of an exact profile.
type Exact struct {
	Paths int   // that were taken
	Hot   int   // of these
	Ends  int64 // of paths: the polls of a sampled run
	Flow  int64 // branch flow
}

// Exact returns the numbers of an exact profile.
func (c *Counts) Exact() (e Exact) {
	e.Paths = len(c.Flows)
	e.Hot = accuracy.Wall(c.Flows, c.Flows, profile.PathID.Compare).Hot
	e.Ends = c.Samples
	for _, flow := range c.Flows {
		e.Flow += flow
	}
	return e
}

// Counts are the profiles of one run, or of several added up.
type Counts struct {
	File     *profile.File // of paths; of one run
	Edges    *profile.File // of edges; likewise
	Flows    map[profile.PathID]int64
	Ends     map[profile.PathID]int64 // counts of paths; of one run
	Outcomes map[profile.BranchID]accuracy.Outcomes
	Samples  int64 // or all path ends, in an exact profile
	Ticks    int64
	Dropped  int64

	Unweighed *Counts // of samples, if these are estimates; nil of exact profiles
}

// Of runs a build once and reads what it writes.
func Of(p *programs.Program, build string, env ...string) (c *Counts, err error) {
	err = p.WithProfile(build, env, func(name string) error {
		c, err = read(name)
		return err
	})
	return c, err
}

// read reads a profile of paths, by its name, and the profile of edges beside it.
func read(name string) (*Counts, error) {
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
	c.Edges, c.Ends = edgesFile, make(map[profile.PathID]int64)
	for _, path := range paths {
		c.Flows[path.ID] += path.Flow
		c.Ends[path.ID] += path.Count
		c.Samples += path.Recorded()
	}
	for _, e := range edges {
		c.outcome(e.Branch, e.Outcome, e.Count)
	}
	if file.Estimated() {
		c.Unweighed = newCounts(file)
		for _, path := range paths {
			c.Unweighed.Flows[path.ID] += path.Samples * int64(len(path.Branches))
		}
		for _, e := range edges {
			c.Unweighed.outcome(e.Branch, e.Outcome, e.Samples)
		}
	}
	c.Ticks, c.Dropped = int64(file.Fact(facts.Ticks)), int64(file.Fact(facts.Dropped))
	return c, nil
}

// Only leaves out what c has of packages that an exact profile has no paths of, such as package runtime.
func (c *Counts) Only(exact *Counts) {
	counted := make(map[string]bool)
	for id := range exact.Flows {
		counted[profile.PackageOf(id.Func.Name)] = true
	}
	other := func(f profile.Func) bool { return !counted[profile.PackageOf(f.Name)] }
	for _, c := range []*Counts{c, c.Unweighed} {
		maps.DeleteFunc(c.Flows, func(id profile.PathID, _ int64) bool { return other(id.Func) })
		maps.DeleteFunc(c.Outcomes, func(id profile.BranchID, _ accuracy.Outcomes) bool { return other(id.Func) })
	}
}

func newCounts(file *profile.File) *Counts {
	return &Counts{File: file, Flows: make(map[profile.PathID]int64),
		Outcomes: make(map[profile.BranchID]accuracy.Outcomes)}
}

func (c *Counts) outcome(id profile.BranchID, name string, n int64) {
	if c.Outcomes[id] == nil {
		c.Outcomes[id] = make(accuracy.Outcomes)
	}
	c.Outcomes[id][name] += n
}

// Add adds a run to c, whose zero value has no runs.
func (c *Counts) Add(run *Counts) {
	if c.Flows == nil {
		c.Flows, c.Outcomes = make(map[profile.PathID]int64), make(map[profile.BranchID]accuracy.Outcomes)
	}
	for id, flow := range run.Flows {
		c.Flows[id] += flow
	}
	for id, o := range run.Outcomes {
		for name, n := range o {
			c.outcome(id, name, n)
		}
	}
	c.Samples += run.Samples
	c.Ticks += run.Ticks
	c.Dropped += run.Dropped
}
