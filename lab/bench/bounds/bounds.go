// Package bounds measures how often the 95 % bounds of sampled profiles have the true value.
//
//	all, err := bounds.Measure(cfg, programs.Setting{Windows: true}, 200)
//	fmt.Print(bounds.Tables(all))
//
// compares 200 sampled runs of each program with exact counts.
package bounds

// This file measures how often the bounds of sampled profiles have the true value.

import (
	"errors"
	"fmt"
	"math"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/lab/bench/profiles"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/machine/executable"
)

// Hits says how many of some bounds have the true value.
type Hits struct {
	In, Below, Above int // the true value is within the bounds, below, above
	Seen             int // of all, those of what was sampled
}

func (h *Hits) Add(b profile.Bounds, truth float64, seen bool) {
	switch {
	case truth < b.Low:
		h.Below++
	case truth > b.High:
		h.Above++
	default:
		h.In++
	}
	if seen {
		h.Seen++
	}
}

// All is the number of bounds.
func (h *Hits) All() int { return h.In + h.Below + h.Above }

// Part returns n in percent of all bounds.
func (h *Hits) Part(n int) string { return markdown.Percent(float64(n) / float64(max(h.All(), 1))) }

// A Coverage says how often the bounds of a program's sampled profiles have the true value.
// The paths are those that are hot in the exact profile, the edges those on a branch that
// has more than accuracy.HotShare of all outcomes: with all paths, most would be some that
// hardly ever run, whose bounds begin at 0. What a run has no sample of counts with the
// bound for what is never seen.
type Coverage struct {
	Program                string
	Runs, Ticks            int
	HotPaths, HotEdges     int
	Unsteady               int  // hot paths and edges left out, because two exact runs differ
	Paths, Edges, Outcomes Hits // shares of path ends, edges for each path end, shares of outcomes in their branches
	Unweighed              Hits // Paths, if samples were independent and all alike
}

// Measure runs each test program twice with exact counts of paths, and so many times with samples.
func Measure(cfg *programs.Config, s programs.Setting, runs int) ([]Coverage, error) {
	var all []Coverage
	err := cfg.Each(func(p *programs.Program) error {
		c := Coverage{Program: p.Name, Runs: runs}
		err := bounds(p, &c, s)
		if err == nil {
			all = append(all, c)
		}
		return err
	})
	return all, err
}

// bounds compares the bounds of paths and edges with exact counts.
func bounds(p *programs.Program, c *Coverage, s programs.Setting) error {
	p.Logf("%s: building", p.Name)
	if err := errors.Join(p.BuildFor([]programs.Setting{s}),
		p.BuildInstrumented(programs.Exact, "-pepmode=exact")); err != nil {
		return err
	}
	truth, err := exactTruth(p)
	if err != nil {
		return err
	}
	again, err := exactTruth(p)
	if err != nil {
		return err
	}
	c.Unsteady = truth.leaveOut(again)
	c.HotPaths, c.HotEdges = len(truth.paths), len(truth.edges)
	for i := range c.Runs {
		if i%20 == 0 {
			p.Logf("%s: run %d of %d", p.Name, i+1, c.Runs)
		}
		sampled, err := profiles.Of(p, s.Build(), s.Env())
		if err == nil {
			err = c.add(truth, sampled)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// exactTruth runs the program with exact counts.
func exactTruth(p *programs.Program) (*truth, error) {
	exact, err := profiles.Of(p, programs.Exact, "PEPOPTS=")
	if err != nil {
		return nil, err
	}
	return truthOf(exact, p.Exe(programs.Exact))
}

// A truth is what the hot paths and edges of an exact profile are.
type truth struct {
	funcs    map[profile.Func]bool      // that have paths
	paths    map[profile.PathID]float64 // share of path ends
	edges    map[edgeID]float64         // for each path end
	outcomes map[edgeID]float64         // share of the branch
}

// steady is how many times as large as in one exact run a share may be in another one. Bounds are much wider.
const steady = 1.05

// leaveOut removes what was not as frequent in another exact run, since it depends on how goroutines were scheduled,
// and a third run has its own truth. It returns how many paths and edges it has removed.
func (t *truth) leaveOut(again *truth) (n int) {
	differ := func(x, y float64) bool { return max(x, y) > steady*min(x, y) }
	for id, x := range t.paths {
		if differ(x, again.paths[id]) {
			delete(t.paths, id)
			n++
		}
	}
	for e, x := range t.edges {
		if differ(x, again.edges[e]) {
			delete(t.edges, e)
			delete(t.outcomes, e)
			n++
		}
	}
	return n
}

type edgeID struct {
	branch  profile.BranchID
	outcome string
}

// truthOf returns what an exact profile says. Functions of the program that have a single
// path are left out: where paths are sampled they have no polls.
func truthOf(exact *profiles.Counts, program string) (*truth, error) {
	exe, err := executable.Open(program)
	if err != nil {
		return nil, err
	}
	single := make(map[profile.Func]bool)
	for _, pkg := range exe.Packages {
		for i := range pkg.Funcs {
			f := &pkg.Funcs[i]
			if f.Graph.N == 1 {
				single[profile.Func{Name: f.Name, File: pkg.Files[f.File], StartLine: int64(f.Line)}] = true
			}
		}
	}
	var ends, flow, outcomes float64
	for id, n := range exact.Ends {
		if !single[id.Func] {
			ends += float64(n)
			flow += float64(exact.Flows[id])
		}
	}
	for _, o := range exact.Outcomes {
		for _, n := range o {
			outcomes += float64(n)
		}
	}
	t := &truth{make(map[profile.Func]bool), make(map[profile.PathID]float64), make(map[edgeID]float64),
		make(map[edgeID]float64)}
	for id, n := range exact.Flows {
		t.funcs[id.Func] = true
		if float64(n) > accuracy.HotShare*flow {
			t.paths[id] = float64(exact.Ends[id]) / ends
		}
	}
	for id, o := range exact.Outcomes {
		var all float64
		for _, n := range o {
			all += float64(n)
		}
		for name, n := range o {
			if all > accuracy.HotShare*outcomes {
				e := edgeID{id, name}
				t.edges[e], t.outcomes[e] = float64(n)/ends, float64(n)/all
			}
		}
	}
	return t, nil
}

// add compares the bounds of a run with the truth.
func (c *Coverage) add(t *truth, sampled *profiles.Counts) error {
	c.Ticks += int(sampled.Ticks)
	paths, err := sampled.File.Paths()
	if err != nil {
		return err
	}
	var all, total, samples float64
	sums := make(map[profile.PathID]profile.Path)
	for _, p := range profile.SumPaths(paths) {
		all += float64(p.Count)
		if !t.funcs[p.ID.Func] {
			continue // windows see functions that exact counts leave out, such as those of package runtime
		}
		sums[p.ID] = p
		total += float64(p.Count)
		samples += float64(p.Samples)
	}
	if total == 0 {
		return fmt.Errorf("%s: a run without samples: use a larger -scale", c.Program)
	}
	unseen := profile.Bounds{High: sampled.File.UnseenBound() * all / total}
	for id, share := range t.paths {
		p, seen := sums[id]
		b := unseen
		if seen {
			b = scaled(sampled.File.CountBounds(p.Count, p.Estimate), total)
		}
		c.Paths.Add(b, share, seen)
		q := float64(p.Samples) / samples
		half := 1.96 * math.Sqrt(max(q*(1-q), 0)/samples)
		c.Unweighed.Add(profile.Bounds{Low: q - half, High: max(q+half, 3.84/samples)}, share, seen)
	}
	edges, err := sampled.Edges.Edges()
	if err != nil {
		return err
	}
	type seen struct {
		branch  profile.Branch
		outcome profile.Outcome
	}
	known := make(map[edgeID]seen)
	branches := make(map[profile.BranchID]profile.Branch)
	for _, b := range profile.SumEdges(edges) {
		branches[b.ID] = b
		for _, o := range b.Outcomes {
			known[edgeID{b.ID, o.Name}] = seen{b, o}
		}
	}
	for e, n := range t.edges {
		x, ok := known[e]
		b := unseen
		if ok {
			b = scaled(sampled.Edges.CountBounds(x.outcome.Count, x.outcome.Estimate), total)
		}
		c.Edges.Add(b, n, ok)
		if branch, ok := branches[e.branch]; ok { // of other branches nothing is printed
			c.Outcomes.Add(branch.ShareBounds(x.outcome), t.outcomes[e], ok)
		}
	}
	return nil
}

func scaled(b profile.Bounds, total float64) profile.Bounds {
	return profile.Bounds{Low: b.Low / total, High: b.High / total}
}

// Tables returns the results as Markdown tables.
func Tables(all []Coverage) string {
	t := markdown.NewTable("program", "ticks a run", "hot paths", "hot edges", "left out", "paths", "edges", "outcomes",
		"paths as independent samples", "true share below", "above", "paths never seen")
	for i := range all {
		c := &all[i]
		t.Row(c.Program, fmt.Sprintf("%.0f", float64(c.Ticks)/float64(max(c.Runs, 1))), fmt.Sprint(c.HotPaths),
			fmt.Sprint(c.HotEdges), fmt.Sprint(c.Unsteady),
			c.Paths.Part(c.Paths.In), c.Edges.Part(c.Edges.In), c.Outcomes.Part(c.Outcomes.In), c.Unweighed.Part(c.Unweighed.In),
			c.Paths.Part(c.Paths.Below), c.Paths.Part(c.Paths.Above), c.Paths.Part(c.Paths.All()-c.Paths.Seen))
	}
	return fmt.Sprintf("## Bounds\n\nHow many of the 95 %% bounds have the true value, over all runs.\n\n"+
		"Bounds of the share of each hot path in all path ends, of edges for each path end, of the share of each outcome in its branch. "+
		"For comparison: paths, if each sample counted once and samples were independent. Functions with a single path are left out; "+
		"so are (column left out) paths and edges whose shares differ by more than 5 %% between two exact runs.\n\n%s\n", t)
}

// Plus adds other bounds.
func (h *Hits) Plus(g Hits) {
	h.In += g.In
	h.Below += g.Below
	h.Above += g.Above
	h.Seen += g.Seen
}
