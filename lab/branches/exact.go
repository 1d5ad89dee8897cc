package branches

// This file compares paths with those of exact mode.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/machine/executable"
)

// A PathResult says how many paths have the counts of exact mode.
type PathResult struct {
	Functions int // that both know, and that were executed
	Equal     int // of these
	Paths     int // of the equal ones, that were executed
	N         int64
	Partly    map[string]int // functions some of whose paths are untold, by reason; the others are equal
	PartlyN   int64          // executions of these paths
	// paths of these functions that count as equal ones of exact mode together: one comparison stands for two
	Merged  int
	Untold  map[string]int // functions all of whose paths are untold, by name and reason
	UntoldN int64
	Differ  []string // that should be equal
}

// ComparePaths compares what was followed through a table with an exact profile of the same run, whose program has
// these site tables. What exact mode does not instrument is not compared.
func ComparePaths(t *actions.Table, got PathCount, program *executable.File, file *profile.File) (*PathResult, error) {
	exact := map[string]map[uint64]int64{}
	paths, err := file.Paths()
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if exact[p.Symbol] == nil {
			exact[p.Symbol] = map[uint64]int64{}
		}
		exact[p.Symbol][p.ID.Number] += p.Count
	}
	r := &PathResult{Partly: map[string]int{}, Untold: map[string]int{}}
	counted := map[string]uint64{} // the functions that exact mode counts, with their paths
	for _, p := range program.Packages {
		for _, f := range p.Funcs {
			counted[f.Name] = f.Graph.N
		}
	}
	for _, s := range t.Sources {
		n, ok := counted[s.Name]
		switch {
		case !ok || len(exact[s.Name]) == 0 && len(got[s]) == 0:
		case n != s.Paths():
			r.Differ = append(r.Differ, fmt.Sprintf("%s has %d paths in the table and %d in exact mode", s.Name, s.Paths(), n))
		default:
			r.add(s, got[s], exact[s.Name])
		}
	}
	return r, nil
}

func (r *PathResult) add(s *actions.Source, got, want map[uint64]int64) {
	r.Functions++
	all := map[uint64]bool{}
	total := int64(0)
	for p := range got {
		all[p] = true
	}
	for p, n := range want {
		all[p] = true
		total += n
	}
	if s.Why != "" {
		r.Untold[s.Name+": "+s.Why]++
		r.UntoldN += total
		return
	}
	want = together(s, want)
	for p := range want {
		all[p] = true
	}
	why, ok := "", true
	sum := int64(0) // of untold paths, which may be counted as each other
	for _, p := range slices.Sorted(maps.Keys(all)) {
		w := s.Tells(p)
		if isMerged(w) {
			why = w
			r.Merged++
			r.PartlyN += want[p]
		} else if w != "" {
			why = w
			sum += got[p] - want[p]
			r.PartlyN += want[p]
			continue
		}
		if got[p] != want[p] {
			ok = false
			r.Differ = append(r.Differ, fmt.Sprintf("%s path %d of %d: the table counts %d, exact mode %d",
				s.Name, p, s.Paths(), got[p], want[p]))
			continue
		}
		if w == "" {
			r.N += got[p]
			r.Paths++
		}
	}
	if sum != 0 {
		ok = false
		r.Differ = append(r.Differ, fmt.Sprintf("%s: the table counts %d more of all paths that it cannot tell apart (%s)",
			s.Name, sum, why))
	}
	switch {
	case !ok:
	case why != "":
		r.Partly[why]++
	default:
		r.Equal++
	}
}

// isMerged reports whether a reason is that one comparison stands for two.
func isMerged(why string) bool {
	return why == branches.Merged.String() || why == branches.Either.String()
}

// together adds up the counts of paths that count as one, because one comparison stands for two.
//
//	a || b    one comparison: where a holds, the program counts the path on which a does not, and b does
func together(s *actions.Source, counts map[uint64]int64) map[uint64]int64 {
	sums := map[uint64]int64{}
	for p, n := range counts {
		sums[stand(s, p)] += n
	}
	return sums
}

// stand returns the path as which path p counts.
func stand(s *actions.Source, p uint64) uint64 {
	if len(s.UntoldNodes) == 0 {
		return p
	}
	g := s.Package.Sites.Funcs[s.Site].Graph
	start, steps, ok := g.Decode(p)
	if !ok {
		return p
	}
	number := g.Starts[start].Val
	for _, step := range steps {
		for isMerged(s.UntoldNodes[step.Node]) && len(g.Nodes[step.Node].Out) == 2 {
			other := g.Nodes[step.Node].Out[1-step.Out]
			if other.Ends || other.To == pdag.Exit {
				break
			}
			out := g.Nodes[step.Node].Out[step.Out]
			i := slices.IndexFunc(g.Nodes[other.To].Out, func(e pdag.Edge) bool { return e.To == out.To && e.Ends == out.Ends })
			if i < 0 {
				break
			}
			number += other.Val
			step = pdag.Step{Node: other.To, Out: i}
		}
		number += g.Nodes[step.Node].Out[step.Out].Val
	}
	return number
}
