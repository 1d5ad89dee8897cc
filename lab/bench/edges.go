package bench

// This file computes with profiles of edges: of the beginning of a run, flipped, and as a guide for
// the numbering of paths.

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/pdag"
)

// biases are the counts of the outcomes of branches.
type biases map[profile.BranchID]accuracy.Outcomes

// biasesOf adds up the outcomes on paths.
func biasesOf(paths []profile.Path) biases {
	b := make(biases)
	for _, p := range paths {
		for _, d := range p.Branches {
			id := profile.BranchID{Func: p.ID.Func, Pos: profile.Pos{File: filepath.Base(p.ID.Func.File), Line: d.Line, Col: d.Col}}
			if b[id] == nil {
				b[id] = make(accuracy.Outcomes)
			}
			b[id][d.Outcome] += p.Count
		}
	}
	return b
}

// unseen is the outcome of a branch of which the profile has only seen another one.
const unseen = "unseen"

// flipped returns biases in which the rarest outcome of each branch has the count of the most
// frequent one, and so on: 90 true and 10 false become 10 and 90. A branch that always went one
// way then always goes another way.
func flipped(b biases) biases {
	r := make(biases)
	for id, outcomes := range b {
		names := slices.Collect(maps.Keys(outcomes))
		if len(names) == 1 {
			names = append(names, unseen)
		}
		slices.SortFunc(names, func(x, y string) int {
			return cmp.Or(cmp.Compare(outcomes[x], outcomes[y]), strings.Compare(x, y))
		})
		r[id] = make(accuracy.Outcomes)
		for i, name := range names {
			r[id][name] = outcomes[names[len(names)-1-i]]
		}
	}
	return r
}

// flow returns how often branches were decided on paths.
func flow(paths []profile.Path) (n int64) {
	for _, p := range paths {
		n += p.Flow
	}
	return n
}

// oneTime makes the profile that a virtual machine has if it counts in a function only at its
// beginning: of each function, its counts in the first of several growing profiles in which its
// branches were decided at least a number of times, or in the last one.
func oneTime(growing [][]profile.Path, least int64) []profile.Path {
	done := make(map[profile.Func]bool)
	var r []profile.Path
	for i, paths := range growing {
		decided := make(map[profile.Func]int64)
		for _, p := range paths {
			decided[p.ID.Func] += p.Flow
		}
		last := i == len(growing)-1
		for _, p := range paths {
			if f := p.ID.Func; !done[f] && (last || decided[f] >= least) {
				r = append(r, p)
			}
		}
		for f, n := range decided {
			done[f] = done[f] || n >= least
		}
	}
	return r
}

// since returns what a later profile has more than an earlier one of the same run.
func since(later, earlier []profile.Path) []profile.Path {
	before := make(map[profile.PathID]profile.Path)
	for _, p := range earlier {
		before[p.ID] = p
	}
	var r []profile.Path
	for _, p := range later {
		b := before[p.ID]
		p.Count, p.Flow = p.Count-b.Count, p.Flow-b.Flow
		if p.Count > 0 {
			r = append(r, p)
		}
	}
	return r
}

// nearest returns the growing profile whose share of all decisions is nearest to a share, and its
// own share.
func nearest(growing [][]profile.Path, share float64) ([]profile.Path, float64) {
	total := float64(flow(growing[len(growing)-1]))
	far := func(paths []profile.Path) float64 {
		x := float64(flow(paths))/total - share
		return max(x, -x)
	}
	best := slices.MinFunc(growing, func(a, b []profile.Path) int { return cmp.Compare(far(a), far(b)) })
	return best, float64(flow(best)) / total
}

// graphs are the numbered graphs of the functions of a program.
type graphs map[profile.Func]*pdag.Graph

func graphsOf(exe string) (graphs, error) {
	f, err := executable.Open(exe)
	if err != nil {
		return nil, err
	}
	g := make(graphs)
	for _, pkg := range f.Packages {
		for i := range pkg.Funcs {
			fn := &pkg.Funcs[i]
			g[profile.Func{Name: fn.Name, File: pkg.Files[fn.File], StartLine: int64(fn.Line)}] = &fn.Graph
		}
	}
	return g, nil
}

// edgeCounts returns how often each edge was taken on paths, by function, node and out-edge.
func (g graphs) edgeCounts(paths []profile.Path) (map[profile.Func][][]uint64, error) {
	counts := make(map[profile.Func][][]uint64)
	for _, p := range paths {
		graph := g[p.ID.Func]
		if graph == nil {
			return nil, fmt.Errorf("no graph of function %v", p.ID.Func)
		}
		if counts[p.ID.Func] == nil {
			counts[p.ID.Func] = graph.EdgeCounts()
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(p.ID.Label, "p"), 10, 64)
		if err != nil || !graph.Accumulate(n, uint64(p.Count), counts[p.ID.Func]) {
			return nil, fmt.Errorf("function %s has no path %s", p.ID.Func.Name, p.ID.Label)
		}
	}
	return counts, nil
}

// A freedom says which out-edge of a node gets no addition.
type freedom int

const (
	asBuilt freedom = iota // the one that the program has been built with
	hottest                // the most frequent one of the guide
	coldest                // the least frequent one
)

// additions returns how often branches were decided on paths, and how often then the program would
// have come over an edge with an addition, if the numbering had had a guide. In a node with k
// out-edges, all but one have a value, whatever the order. Where the guide has no count of a
// node, its edges stay as they are built. An edge on which a path ends costs nothing: its value
// is part of a constant.
//
// For a loop body with an if that is true 90 times and false 10 times, additions are 10 with
// the hottest edge free, and 90 with the coldest one free.
func (g graphs) additions(actual, guide []profile.Path, o freedom) (adds, decided int64, err error) {
	counts, err := g.edgeCounts(actual)
	if err != nil {
		return 0, 0, err
	}
	guides, err := g.edgeCounts(guide)
	if err != nil {
		return 0, 0, err
	}
	for f, nodes := range counts {
		for i, out := range nodes {
			edges := g[f].Nodes[i].Out
			free, live := -1, 0
			for j, e := range edges {
				if e.Dead {
					continue
				}
				live++
				if e.Val == 0 {
					free = j
				}
			}
			if live < 2 {
				continue
			}
			if o != asBuilt && guides[f] != nil {
				free = choose(edges, guides[f][i], free, o)
			}
			for j, e := range edges {
				decided += int64(out[j])
				if j != free && !e.Ends && e.To != pdag.Exit {
					adds += int64(out[j])
				}
			}
		}
	}
	return adds, decided, nil
}

// choose returns the live edge that has the most or the least of the counts. Without counts, and
// among equals, it is the edge that is free already.
func choose(edges []pdag.Edge, counts []uint64, free int, o freedom) int {
	for j, e := range edges {
		if !e.Dead && (o == hottest && counts[j] > counts[free] || o == coldest && counts[j] < counts[free]) {
			free = j
		}
	}
	return free
}
