package rapfigures

// This file builds trees of ranges from the points of programs, and checks that they
// keep the promises of the theory.

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// The taps whose traces the points come from.
const (
	ofValues = "loads"  // points are the words that loads see
	ofCode   = "blocks" // points are the addresses of basic blocks
)

const (
	hot    = 0.1 // share of the stream from which on a range is hot (section 4.1)
	coarse = 0.1 // the two errors of the paper's figures 7 and 8
	fine   = 0.01
)

const (
	paperNode = 16 // bytes; "each node requiring about 128 bits", section 4.2
)

// what returns the name of points in titles and setups.
func what(taps string) string {
	if taps == ofCode {
		return "blocks of code"
	}
	return "values of loads"
}

// pointsOf returns the points of a recording.
func pointsOf(env *figure.Env, source replay.Source, taps string) ([]uint64, error) {
	list := make([]uint64, 0, env.Loads)
	err := figure.FirstTuples(source, env.Loads, func(_ uint32, tuples []tuple.Tuple) {
		for _, t := range tuples {
			if taps == ofCode || t.Tag() == tuple.Load {
				list = append(list, t.W)
			}
		}
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("the trace of %s has no points", taps)
	}
	return list, err
}

// eachPoints calls do with the points of all recordings of programs. It says in the setup what
// there was, and how trees are made. It is an error if no program has a recording.
func eachPoints(env *figure.Env, res *figure.Result, programs []figure.Program, taps string,
	do func(o figure.Origin, points []uint64) error) error {
	var list []figure.Origin
	var events []uint64
	if taps == ofCode {
		env = atAddresses(env)
	}
	err := env.EachRecording(res, programs, taps, func(o figure.Origin, source replay.Source) error {
		points, err := pointsOf(env, source, taps)
		if err != nil {
			return err
		}
		list, events = append(list, o), append(events, uint64(len(points)))
		return do(o, points)
	})
	if err != nil {
		return err
	}
	res.Ran(what(taps), list, events)
	res.Describe("trees: 2^64 points, b=4, thresholds with log2, merges after 2^10 events and whenever their number has doubled, if nothing else is said; every run held to the bounds of splits and errors")
	if taps == ofCode {
		res.Describe("a block is a function that is entered or a branch and where it went, at the address of the tap there (Makefile: build/traces/*.blocks.layout)")
	}
	res.Describe("%s", figure.Initialised)
	return nil
}

// A grown is a tree that has counted the points of a program.
type grown struct {
	*rap.Tree
	stats   rap.Stats
	average float64 // average number of nodes over the events
	later   float64 // the most nodes after the first settled events; NaN if there are not so many
	hot     []hotRange
}

// A hotRange is a hot range of a tree, with its true number of events.
type hotRange struct {
	rap.Range
	exact uint64
}

// error returns by how many percent of the truth the range's count is too low.
func (h hotRange) error() float64 {
	return 100 * float64(h.exact-h.Inclusive) / float64(h.exact)
}

// step is the number of points between two counts of the nodes. Merges are due after
// powers of two, from 1024 on, so the first count after a merge comes directly after
// it.
const step = 1024

// settled is the number of events from which on thresholds are above a thousand events
// at eps 10 %. The start of a tree, in which it has most nodes, is then over.
const settled = 1 << 20

// grow builds a tree from points and finds its hot ranges. If each is not nil, grow
// calls it after every step. grow returns an error if the tree breaks a promise: it
// makes at most rap.WorstSplits splits between two merges (section 3.3), no range has
// more events than in truth, and the error of each range is at most rap.Tree.Bound.
func grow(o rap.Options, points []uint64, each func(s rap.Stats)) (*grown, error) {
	t, err := rap.New(o)
	if err != nil {
		return nil, err
	}
	sum, later := 0.0, math.NaN()
	for rest := points; len(rest) > 0; {
		n := min(step, len(rest))
		if err := t.Add(rest[:n]); err != nil {
			return nil, err
		}
		rest = rest[n:]
		s := t.Stats()
		sum += float64(n) * float64(s.Nodes)
		if s.Events > settled && !(later > float64(s.Nodes)) {
			later = float64(s.Nodes)
		}
		if each != nil {
			each(s)
		}
	}
	g := &grown{Tree: t, stats: t.Stats(), average: sum / float64(len(points)), later: later}
	// Without a least threshold the first interval has no bound: it begins with no event.
	if o.Schedule.Kind != rap.Periodic && o.Start != 1 && g.stats.Busiest > rap.WorstSplits(o) {
		return nil, fmt.Errorf("%d splits between two merges, at most %d are possible: package rap is wrong", g.stats.Busiest,
			rap.WorstSplits(o))
	}
	for _, r := range t.Hot(hot) {
		h := hotRange{r, inRange(points, r.Lo, r.Hi)}
		if h.Inclusive > h.exact || g.stats.Denied == 0 && h.exact-h.Inclusive > t.Bound() {
			return nil, fmt.Errorf("%d events in %#x-%#x, counted as %d with a bound of %d: package rap is wrong", h.exact, h.Lo,
				h.Hi, h.Inclusive, t.Bound())
		}
		g.hot = append(g.hot, h)
	}
	return g, nil
}

// inRange counts the points from lo to hi exactly. The paper finds the truth in the
// same way, by a pass for each hot range (section 4.3).
func inRange(points []uint64, lo, hi uint64) (n uint64) {
	for _, x := range points {
		if lo <= x && x <= hi {
			n++
		}
	}
	return n
}

// errors returns the greatest and the average percent error of the hot ranges. Both are
// NaN if there are none.
func (g *grown) errors() (most, average float64) {
	for _, h := range g.hot {
		most = max(most, h.error())
		average += h.error()
	}
	if g.hot == nil {
		return math.NaN(), math.NaN()
	}
	return most, average / float64(len(g.hot))
}

func (g *grown) averageError() float64 { _, average := g.errors(); return average }
func (g *grown) most() float64         { return float64(g.stats.Most) }
func (g *grown) averageNodes() float64 { return g.average }

// A forest has the trees of one recording, by option.
type forest struct {
	figure.Origin
	trees []*grown
}

// of returns a number of one of the trees, as a tally of one run.
func (f *forest) of(tree int, number func(g *grown) float64) figure.Tally {
	return figure.Tally{number(f.trees[tree])}
}

// everyTree returns a number of one tree of each recording.
func everyTree(list []*forest, tree int, number func(g *grown) float64) (t figure.Tally) {
	for _, f := range list {
		t = append(t, f.of(tree, number)...)
	}
	return t
}

// forests builds trees with all the options from the points of all recordings of programs. If watch is
// not nil, it is called before each tree is built, and what it returns is called after every step.
func forests(env *figure.Env, res *figure.Result, programs []figure.Program, taps string, options []rap.Options,
	watch func(o figure.Origin, tree int) func(s rap.Stats)) (list []*forest, err error) {
	err = eachPoints(env, res, programs, taps, func(o figure.Origin, points []uint64) error {
		f := &forest{Origin: o}
		for i, option := range options {
			var each func(s rap.Stats)
			if watch != nil {
				each = watch(o, i)
			}
			g, err := grow(option, points, each)
			if err != nil {
				return err
			}
			f.trees = append(f.trees, g)
		}
		list = append(list, f)
		return nil
	})
	return list, err
}

// nodes is a number of nodes, rounded.
func nodes(x float64) figure.Value {
	if math.IsNaN(x) {
		return figure.Value{Text: "-", Number: x, Unit: "nodes"}
	}
	return figure.Value{Text: fmt.Sprintf("%.0f", x), Number: x, Unit: "nodes"}
}

// memoryOf returns the memory of nodes that have each bytes.
func memoryOf(nodes, each int) figure.Value { return figure.Count(nodes*each, "bytes") }

// worst returns the hot range with the greatest percent error, and the greatest error in percent of the
// whole stream.
func (g *grown) worst() (of hotRange, ofStream float64) {
	for i, h := range g.hot {
		if i == 0 || h.error() > of.error() {
			of = h
		}
		ofStream = max(ofStream, share(h.exact-h.Inclusive, g.Events()))
	}
	return of, ofStream
}

// accuracy is that of the hot ranges on average, in percent.
func (g *grown) accuracy() float64 { return 100 - g.averageError() }
