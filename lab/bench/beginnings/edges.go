package beginnings

// This file computes with profiles of edges: of the beginning of a run, and of parts of it.

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/lab/stats"
)

// biases are the counts of the outcomes of branches.
type biases map[profile.BranchID]accuracy.Outcomes

// biasesOf adds up the outcomes on paths.
func biasesOf(paths []profile.Path) biases {
	b := make(biases)
	for _, p := range paths {
		for _, d := range p.Branches {
			id := profile.BranchID{Func: p.ID.Func,
				Pos: profile.Pos{File: filepath.Base(p.ID.Func.File), Line: d.Line, Col: d.Col}}
			if b[id] == nil {
				b[id] = make(accuracy.Outcomes)
			}
			b[id][d.Outcome] += p.Count
		}
	}
	return b
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

// A prediction is how well a profile shows the part of the run that follows.
type prediction struct{ at, overlap float64 }

// predictions compares each part of the run with three profiles of what was before: of the first
// tenth, of everything, and of the last part.
func predictions(growing [][]profile.Path) (first, before, recent []prediction) {
	tenth, share := nearest(growing, 0.1)
	total := float64(flow(growing[len(growing)-1]))
	for i := 1; i+1 < len(growing); i++ {
		at := float64(flow(growing[i])) / total
		next := biasesOf(since(growing[i+1], growing[i]))
		if at < share || len(next) == 0 {
			continue
		}
		predict := func(paths []profile.Path) prediction {
			return prediction{at, accuracy.Relative(next, biasesOf(paths))}
		}
		first = append(first, predict(tenth))
		before = append(before, predict(growing[i]))
		recent = append(recent, predict(since(growing[i], growing[i-1])))
	}
	return first, before, recent
}

func meanFrom(ps []prediction, from float64) float64 {
	var xs []float64
	for _, p := range ps {
		if p.at >= from {
			xs = append(xs, p.overlap)
		}
	}
	return stats.Mean(xs)
}

// changed returns the share of all decisions that are made in branches whose most frequent outcome
// is another one in the second profile. Branches that one of them has not seen do not change.
func changed(first, second biases) float64 {
	var all, changes int64
	usual := func(o accuracy.Outcomes) (name string, total int64) {
		for x, n := range o {
			total += n
			if name == "" || n > o[name] || n == o[name] && x < name {
				name = x
			}
		}
		return name, total
	}
	for _, b := range []biases{first, second} {
		for id, o := range b {
			_, n := usual(o)
			all += n
			x, in := usual(first[id])
			y, out := usual(second[id])
			if in > 0 && out > 0 && x != y {
				changes += n
			}
		}
	}
	return float64(changes) / float64(all)
}
