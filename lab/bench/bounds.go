package bench

// This file measures how often the bounds of sampled profiles have the true value.

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
)

// Hits says how many of some bounds have the true value.
type Hits struct {
	In, Below, Above int // the true value is within the bounds, below, above
	Seen             int // of all, those of what was sampled
	Missed           int // of those outside of the bounds, those of what was not sampled
}

func (h *Hits) add(b profile.Bounds, truth float64, seen bool) {
	in := false
	switch {
	case truth < b.Low:
		h.Below++
	case truth > b.High:
		h.Above++
	default:
		h.In++
		in = true
	}
	if seen {
		h.Seen++
	} else if !in {
		h.Missed++
	}
}

// all is the number of bounds.
func (h *Hits) all() int { return h.In + h.Below + h.Above }

// part returns n in percent of all bounds.
func (h *Hits) part(n int) string { return percent(float64(n) / float64(max(h.all(), 1))) }

// A Coverage says how often the bounds of a program's sampled profiles have the true value.
// The paths are those that are hot in the exact profile, the edges those on a branch that
// has more than accuracy.HotShare of all outcomes, the values those of hot taps: with all paths, most would be some that
// hardly ever run, whose bounds begin at 0. What a run has no sample of counts with the
// bound for what is never seen.
type Coverage struct {
	Program                string
	Runs, Ticks            int
	HotPaths, HotEdges     int
	Unsteady               int  // hot paths and edges left out, because two exact runs differ
	Paths, Edges, Outcomes Hits // shares of path ends, edges for each path end, shares of outcomes in their branches
	Unweighed              Hits // Paths, if samples were independent and all alike
	Values                 Hits // shares of loaded values in their taps
	HotValues              int
	Missing                int // hot taps that are not there in bursts
}

// BoundsOptions are those of [Bounds].
type BoundsOptions struct {
	Setting       Setting
	Runs          int
	Paths, Values bool // what is profiled: paths with their edges, loaded values, each in a build of its own. [BoundLabels] needs neither
}

// Bounds runs each test program twice with exact counts of paths, once with exact values, and many times with samples.
func Bounds(cfg *Config, opts BoundsOptions) ([]Coverage, error) {
	var all []Coverage
	err := cfg.each(func(p *program) error {
		c := Coverage{Program: p.name, Runs: opts.Runs}
		if opts.Paths {
			if err := p.boundPaths(&c, opts); err != nil {
				return err
			}
		}
		if opts.Values {
			if err := p.boundValues(&c, opts); err != nil {
				return err
			}
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

// boundPaths compares the bounds of paths and edges with exact counts.
func (p *program) boundPaths(c *Coverage, opts BoundsOptions) error {
	p.logf("%s: building", p.name)
	if err := errors.Join(p.pepbuildFor([]Setting{opts.Setting}), p.pepbuild(exactBuild, "-pepmode=exact")); err != nil {
		return err
	}
	truth, err := p.truth()
	if err != nil {
		return err
	}
	again, err := p.truth()
	if err != nil {
		return err
	}
	c.Unsteady = truth.leaveOut(again)
	c.HotPaths, c.HotEdges = len(truth.paths), len(truth.edges)
	return p.times(opts.Runs, func() error {
		sampled, err := p.profile(opts.Setting.build(), opts.Setting.env())
		if err == nil {
			err = c.add(truth, sampled)
		}
		return err
	})
}

// truth runs the program with exact counts.
func (p *program) truth() (*truth, error) {
	exact, err := p.profile(exactBuild, "PEPOPTS=")
	if err != nil {
		return nil, err
	}
	return truthOf(exact, p.exe(exactBuild))
}

// times calls f so many times, and logs that now and then.
func (p *program) times(runs int, f func() error) error {
	for i := range runs {
		if i%20 == 0 {
			p.logf("%s: run %d of %d", p.name, i+1, runs)
		}
		if err := f(); err != nil {
			return err
		}
	}
	return nil
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

// leaveOut removes what was not as frequent in another exact run, since it depends on how goroutines were scheduled, and a third run
// has its own truth. It returns how many paths and edges it has removed.
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
func truthOf(exact *counts, program string) (*truth, error) {
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
	for id, n := range exact.ends {
		if !single[id.Func] {
			ends += float64(n)
			flow += float64(exact.flows[id])
		}
	}
	for _, o := range exact.outcomes {
		for _, n := range o {
			outcomes += float64(n)
		}
	}
	t := &truth{make(map[profile.Func]bool), make(map[profile.PathID]float64), make(map[edgeID]float64), make(map[edgeID]float64)}
	for id, n := range exact.flows {
		t.funcs[id.Func] = true
		if float64(n) > accuracy.HotShare*flow {
			t.paths[id] = float64(exact.ends[id]) / ends
		}
	}
	for id, o := range exact.outcomes {
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
func (c *Coverage) add(t *truth, sampled *counts) error {
	c.Ticks += int(sampled.ticks)
	paths, err := sampled.file.Paths()
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
	unseen := profile.Bounds{High: sampled.file.UnseenBound() * all / total}
	for id, share := range t.paths {
		p, seen := sums[id]
		b := unseen
		if seen {
			b = scaled(sampled.file.CountBounds(p.Count, p.Estimate), total)
		}
		c.Paths.add(b, share, seen)
		q := float64(p.Samples) / samples
		half := 1.96 * math.Sqrt(max(q*(1-q), 0)/samples)
		c.Unweighed.add(profile.Bounds{Low: q - half, High: max(q+half, 3.84/samples)}, share, seen)
	}
	edges, err := sampled.edges.Edges()
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
			b = scaled(sampled.edges.CountBounds(x.outcome.Count, x.outcome.Estimate), total)
		}
		c.Edges.add(b, n, ok)
		if branch, ok := branches[e.branch]; ok { // of other branches nothing is printed
			c.Outcomes.add(branch.ShareBounds(x.outcome), t.outcomes[e], ok)
		}
	}
	return nil
}

func scaled(b profile.Bounds, total float64) profile.Bounds {
	return profile.Bounds{Low: b.Low / total, High: b.High / total}
}

// BoundsTables returns the results as Markdown tables.
func BoundsTables(all []Coverage) string {
	t := newTable("program", "ticks a run", "hot paths", "hot edges", "left out", "paths", "edges", "outcomes", "paths as independent samples", "true share below", "above", "paths never seen")
	v := newTable("program", "taps not there in bursts", "hot values", "values", "true share below", "above", "never seen", "values that were seen")
	for i := range all {
		c := &all[i]
		if c.HotPaths > 0 {
			t.row(c.Program, fmt.Sprintf("%.0f", float64(c.Ticks)/float64(max(c.Runs, 1))), fmt.Sprint(c.HotPaths), fmt.Sprint(c.HotEdges), fmt.Sprint(c.Unsteady),
				c.Paths.part(c.Paths.In), c.Edges.part(c.Edges.In), c.Outcomes.part(c.Outcomes.In), c.Unweighed.part(c.Unweighed.In),
				c.Paths.part(c.Paths.Below), c.Paths.part(c.Paths.Above), c.Paths.part(c.Paths.all()-c.Paths.Seen))
		}
		if c.HotValues == 0 {
			continue
		}
		missed := c.Values.Below + c.Values.Above - c.Values.Missed
		v.row(c.Program, fmt.Sprint(c.Missing), fmt.Sprint(c.HotValues), c.Values.part(c.Values.In), c.Values.part(c.Values.Below), c.Values.part(c.Values.Above),
			c.Values.part(c.Values.all()-c.Values.Seen), percent(1-float64(missed)/float64(max(c.Values.Seen, 1))))
	}
	var text strings.Builder
	text.WriteString("## Bounds\n\nHow many of the 95 % bounds have the true value, over all runs.\n\n")
	if len(t.rows) > 1 {
		fmt.Fprintf(&text, "Bounds of the share of each hot path in all path ends, of edges for each path end, of the share of each outcome in its branch. "+
			"For comparison: paths, if each sample counted once and samples were independent. Functions with a single path are left out; so are (column left out) paths and edges whose shares differ by more than 5 %% between two exact runs.\n\n%s\n", t)
	}
	if len(v.rows) > 1 {
		fmt.Fprintf(&text, "Bounds of the shares of loaded values that have %.0f to %.1f %% of the events of a hot tap, in programs built for bursts of taps. "+
			"Addresses are left out, values for which the exact profile has no room, and taps that the program built for bursts does not have. "+
			"The last column is without values that a run has no sample of; these count with the bound that the profile's comment has.\n\n%s\n", 100*leastShare, 100*mostShare, v)
	}
	return text.String()
}
