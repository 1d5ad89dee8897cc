package figure

// This file builds trees of ranges from the points of a program, and checks that they
// keep the promises of the theory. All figures of range adaptive profiling use it.

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// The taps whose traces the points come from.
const (
	ofValues = "loads"  // points are the words that loads see
	ofCode   = "blocks" // points are the addresses of basic blocks
)

const (
	hotShare = 0.1 // share of the stream from which on a range is hot (section 4.1)
	coarse   = 0.1 // the two errors of the paper's figures 7 and 8
	fine     = 0.01
)

const (
	paperNode = 16 // bytes; "each node requiring about 128 bits", section 4.2
	ourNode   = 48 // bytes with four children; docs/decisions/0016-rap.md
)

// what returns the name of points in titles and setups.
func what(taps string) string {
	if taps == ofCode {
		return "blocks of code"
	}
	return "values of loads"
}

// points returns the first points of a program, at most Env.Events.
func (env *Env) points(p Program, taps string) ([]uint64, error) {
	source, err := env.Source(p.Name, taps)
	if err != nil {
		return nil, err
	}
	enough := errors.New("enough")
	list := make([]uint64, 0, env.Events)
	err = source(func(b trace.Block) error {
		for _, t := range b.Tuples {
			if uint64(len(list)) == env.Events {
				return enough
			}
			if taps == ofCode || t.Tag() == tuple.Load {
				list = append(list, t.W)
			}
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: the trace of %s has no points", p.Name, taps)
	}
	if err != nil && err != enough {
		return nil, err
	}
	return list, nil
}

// A grown is a tree that has counted the points of a program.
type grown struct {
	*rap.Tree
	stats   rap.Stats
	average float64 // average number of nodes over the events
	later   int     // the most nodes after the first settled events
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
	sum, later := 0.0, 0
	for rest := points; len(rest) > 0; {
		n := min(step, len(rest))
		if err := t.Add(rest[:n]); err != nil {
			return nil, err
		}
		rest = rest[n:]
		s := t.Stats()
		sum += float64(n) * float64(s.Nodes)
		if s.Events > settled {
			later = max(later, s.Nodes)
		}
		if each != nil {
			each(s)
		}
	}
	g := &grown{Tree: t, stats: t.Stats(), average: sum / float64(len(points)), later: later}
	if o.Schedule.Kind != rap.Periodic && g.stats.Busiest > rap.WorstSplits(o) {
		return nil, fmt.Errorf("%d splits between two merges, at most %d are possible: package rap is wrong", g.stats.Busiest, rap.WorstSplits(o))
	}
	for _, r := range t.Hot(hotShare) {
		h := hotRange{r, inRange(points, r.Lo, r.Hi)}
		if h.Inclusive > h.exact || g.stats.Denied == 0 && h.exact-h.Inclusive > t.Bound() {
			return nil, fmt.Errorf("%d events in %#x-%#x, counted as %d with a bound of %d: package rap is wrong", h.exact, h.Lo, h.Hi, h.Inclusive, t.Bound())
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

// eachGrown builds trees with all the options from the points of every program that has
// a trace, and calls do with them. It returns an error if no program has a trace.
func (env *Env) eachGrown(res *Result, taps string, options []rap.Options, do func(p Program, trees []*grown) error) error {
	var ran, missing []string
	var last error
	for _, p := range Programs {
		points, err := env.points(p, taps)
		if errors.Is(err, ErrNoTrace) {
			missing, last = append(missing, p.Name), err
			continue
		}
		if err != nil {
			return err
		}
		var trees []*grown
		for _, o := range options {
			g, err := grow(o, points, nil)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			trees = append(trees, g)
		}
		ran = append(ran, fmt.Sprintf("%s: %s events", p, short(uint64(len(points)))))
		if err := do(p, trees); err != nil {
			return err
		}
	}
	if ran == nil {
		return last
	}
	res.setup("programs, %s: %s", what(taps), strings.Join(ran, ", "))
	if missing != nil {
		res.setup("no traces of %s of: %s", taps, strings.Join(missing, ", "))
	}
	env.tree(res, taps)
	return nil
}

// tree adds to the setup how trees and points are made.
func (env *Env) tree(res *Result, taps string) {
	res.setup("trees: 2^64 points, b=4, thresholds with log2, merges after 2^10 events and whenever their number has doubled, if nothing else is said; every run held to the bounds of splits and errors")
	if taps == ofCode {
		res.setup("a block is a function that is entered or a branch and where it went, at the address of the tap there (Makefile: build/traces/*.blocks.layout)")
	}
	res.setup("events: those after the initialisation of the programs, which make figures leaves out")
}

// nodes is a number of nodes, rounded.
func nodes(x float64) Value { return Value{fmt.Sprintf("%.0f", x), x, "nodes"} }

// memoryOf returns the memory of nodes that have each bytes.
func memoryOf(nodes, each int) Value { return count(nodes*each, "bytes") }

// list returns several values, separated by commas.
func list(v ...Value) ours {
	var texts []string
	for _, x := range v {
		texts = append(texts, x.Text)
	}
	return ours{strings.Join(texts, ", "), v}
}
