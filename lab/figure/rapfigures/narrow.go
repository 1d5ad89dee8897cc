package rapfigures

// This file checks the statements of section 4.4 about narrow operands.

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// narrow selects operations whose operands fit into 16 bits, signed or unsigned.
const narrow = "where(second=-32768..65535,third=-32768..65535,pass=first)"

// narrowLevels are the parts of a program that the paper states, from the file down.
var narrowLevels = []struct {
	name string
	of   func(x position) string
}{
	{"file", func(x position) string { return x.file }},
	{"function", func(x position) string { return x.function }},
	{"line", func(x position) string { return fmt.Sprintf("%s:%d", x.file, x.line) }},
}

// narrowOperands finds the code with narrow operands (RAP-27). The sites of a package are numbered from file
// to file, in the order of the source, so files, functions and lines are ranges of
// sites. The paper has numbers of gcc alone; a table has the same of all programs.
func narrowOperands(env *figure.Env, res *figure.Result) error {
	p := figure.InRole("gcc")
	t := figure.Table{Title: "the hottest file, its hottest function, and the hottest line of that",
		Columns: []string{"recording", "", "sites", "by the tree", "counted exactly"}}
	all := figure.Table{Title: "the same of all programs, by the tree",
		Columns: []string{"recording", "operations", "narrow"}}
	for _, level := range narrowLevels {
		all.Columns = append(all.Columns, level.name, "share")
	}
	var ran []figure.Origin
	var events []uint64
	var hotOnes figure.Table
	bars := plot.Bars{Title: "RAP: where operands are narrow, recording 1", Y: "% of narrow operations",
		Series: []plot.Series{{Name: "by the tree"}, {Name: "counted exactly"}}}
	err := env.EachRecording(res, figure.Programs, "ops", func(o figure.Origin, source replay.Source) error {
		x, err := narrowOf(env, o, source)
		if err != nil {
			return err
		}
		ran, events = append(ran, o), append(events, x.operations)
		line := []figure.Value{figure.Text(o.String()), figure.Count(x.operations, "operations"),
			figure.Percent(share(x.narrow, x.operations))}
		for _, part := range x.parts {
			line = append(line, figure.Text(part.name), figure.Percent(part.least))
		}
		all.Rows = append(all.Rows, line)
		if o.Program != p {
			return nil
		}
		if hotOnes.Rows == nil {
			hotOnes = hotSites(x.ranges, x.where, x.sites)
		}
		for i, part := range x.parts {
			name := narrowLevels[i].name
			t.Rows = append(t.Rows, []figure.Value{figure.Text(o.String()), figure.Text(name + " " + part.name),
				figure.Count(part.sites, "sites"), figure.Percent(part.least), figure.Percent(part.truth)})
			if o.Recording == figure.Recordings[0] {
				bars.Groups = append(bars.Groups, name)
				bars.Series[0].Values = append(bars.Series[0].Values, part.least)
				bars.Series[1].Values = append(bars.Series[1].Values, part.truth)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if t.Rows == nil {
		return fmt.Errorf("ops of %s: %w", p, figure.ErrNoTrace)
	}
	res.Ran("operations on integers", ran, events)
	res.Describe("narrow: both operands are in 16 bits; the paper does not say whether one is enough")
	res.Tables = append(res.Tables, t, hotOnes, all)
	res.AddBars("rap-narrow", bars)
	return nil
}

// A narrowPart is the hottest file of a program, or a part of it: where most narrow operations are.
type narrowPart struct {
	name         string
	sites        int
	least, truth float64 // its share of all narrow operations in percent: what the tree has, and in truth
}

// The narrowOperations of a recording.
type narrowOperations struct {
	operations, narrow uint64
	parts              []narrowPart // by narrowLevels
	ranges             []hwsim.Message
	sites              []uint64 // that have narrow operations
	where              func(site uint64) position
}

// narrowOf finds the parts of a recording that have most narrow operations.
func narrowOf(env *figure.Env, o figure.Origin, source replay.Source) (*narrowOperations, error) {
	sent, err := messagesOf(env, source, narrow+":rap(1%,over=sites)", "where(pass=first):rap(1%,over=sites)", narrow)
	if err != nil {
		return nil, err
	}
	exact := map[uint64]uint64{}
	for _, m := range sent[2] {
		exact[m.Tuple.Site()] += m.Count
	}
	x := &narrowOperations{operations: eventsOf(sent[1]), narrow: eventsOf(sent[0]), ranges: sent[0],
		sites: slices.Sorted(maps.Keys(exact))}
	if x.narrow == 0 {
		return nil, fmt.Errorf("the trace of ops has no operation with two narrow operands")
	}
	if x.where, err = positions(env, o.Program, o.Taps("ops")); err != nil {
		return nil, err
	}
	sites := x.sites
	for _, level := range narrowLevels {
		part := narrowPart{}
		part.name, sites = hottest(sites, exact, func(site uint64) string { return level.of(x.where(site)) })
		truth := uint64(0)
		for _, s := range sites {
			truth += exact[s]
		}
		part.sites = len(sites)
		part.least, part.truth = share(within(x.ranges, sites[0], sites[len(sites)-1]), x.narrow), share(truth, x.narrow)
		x.parts = append(x.parts, part)
	}
	return x, nil
}

// A position is the place of a tap in the source. The file is that of a package.
type position struct {
	file, function string
	line           int
}

// positions returns a function that finds the position of a site. Without site tables
// the function returns the name of the site.
func positions(env *figure.Env, p figure.Program, taps string) (func(site uint64) position, error) {
	if env.Sites == nil {
		return func(site uint64) position { return position{"?", fmt.Sprintf("%#x", site), 0} }, nil
	}
	sites, err := env.Sites(p.Name, taps)
	if err != nil {
		return nil, err
	}
	return func(site uint64) position {
		pkg, tap := sites.Tap(site)
		if tap == nil || tap.File >= len(pkg.Files) {
			return position{"?", fmt.Sprintf("%#x", site), 0}
		}
		return position{path.Join(pkg.Path, path.Base(pkg.Files[tap.File])), tap.Func, tap.Line}
	}, nil
}

// hottest groups sites by name, and returns the group that has most events.
func hottest(sites []uint64, counts map[uint64]uint64, name func(site uint64) string) (best string, inside []uint64) {
	groups, sums := map[string][]uint64{}, map[string]uint64{}
	for _, s := range sites {
		n := name(s)
		groups[n] = append(groups[n], s)
		sums[n] += counts[s]
	}
	for _, n := range slices.Sorted(maps.Keys(sums)) {
		if inside == nil || sums[n] > sums[best] {
			best, inside = n, groups[n]
		}
	}
	return best, inside
}

// within returns the lower bound of the events with words from lo to hi: the sum of the
// counts of the ranges inside.
func within(msgs []hwsim.Message, lo, hi uint64) (n uint64) {
	for _, r := range metric.Ranges(msgs, hot) {
		if lo <= r.Tuple.W && r.Hi() <= hi {
			n += r.Count
		}
	}
	return n
}

// hotSites lists the hot ranges of sites. Each has the first and the last place that
// has events.
func hotSites(msgs []hwsim.Message, where func(site uint64) position, sites []uint64) figure.Table {
	t := figure.Table{Title: "hot ranges of sites", Columns: []string{"from", "to", "share", "inclusive"}}
	total := eventsOf(msgs)
	for _, r := range metric.Ranges(msgs, hot) {
		from, _ := slices.BinarySearch(sites, r.Tuple.W)
		to, inside := slices.BinarySearch(sites, r.Hi())
		if !inside {
			to--
		}
		if !r.Hot || from > to {
			continue
		}
		at := func(site uint64) figure.Value {
			x := where(site)
			return figure.Text(fmt.Sprintf("%s:%d %s", x.file, x.line, x.function))
		}
		t.Rows = append(t.Rows, []figure.Value{at(sites[from]), at(sites[to]), figure.Percent(share(r.Weight, total)),
			figure.Percent(share(r.Inclusive, total))})
	}
	return t
}
