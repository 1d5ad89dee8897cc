// Package accuracy computes how well a sampled profile agrees with an exact one, by the
// metrics of PEP (Bond & McKinley, MICRO 2005, §6.3 and §6.4).
//
// Profiles come as plain maps. For paths the values are branch flows: the
// count of a path times the number of branches on it. For edges the values
// are the counts of every outcome of a branch:
//
//	actual := map[int]int64{0: 1800, 1: 200, 2: 10, 3: 0}
//	sampled := map[int]int64{0: 90, 1: 8}
//	accuracy.Wall(actual, sampled, cmp.Compare[int]).Accuracy // 2000/2010 = 0.99502
//
//	actual := map[string]accuracy.Outcomes{"x.go:12:5": {"true": 900, "false": 100}}
//	sampled := map[string]accuracy.Outcomes{"x.go:12:5": {"true": 45, "false": 4}}
//	accuracy.Relative(actual, sampled) // 1 - |900/1000 - 45/49| = 0.98163
//
// The package knows no file format. Package profile loads profiles, and package report
// prints the metrics.
package accuracy

import (
	"math"
	"slices"
)

// HotShare is the share of a program's branch flow above which a path is
// hot: 0.125 % (§6.3).
const HotShare = 0.00125

// A Matching is the result of Wall.
type Matching struct {
	// Accuracy is the share, from 0 to 1, of the actual hot paths' flow that
	// lies on paths the estimate holds for hot. It is NaN when there is no
	// actual hot path.
	Accuracy float64
	Hot      int // actual hot paths
	Matched  int // those of them that are hot in the estimate too
}

// Wall compares two path profiles by Wall's weight-matching scheme (§6.3).
// Both map path identities to branch flow; compare orders identities and
// decides between paths of equal estimated flow.
//
// The estimated hot paths are as many paths of highest estimated flow as
// there are actual hot paths. A path without estimated flow is never one of
// them: the estimate has not seen it.
func Wall[ID comparable](actual, estimated map[ID]int64, compare func(a, b ID) int) Matching {
	var total int64
	for _, flow := range actual {
		total += flow
	}
	// A division by 800, because 0.00125 has no exact float64: a path of
	// exactly the threshold is not hot.
	threshold := float64(total) / (1 / HotShare)

	var m Matching
	var hotFlow, matchedFlow int64
	isHot := func(id ID) bool { return float64(actual[id]) > threshold }
	for id, flow := range actual {
		if isHot(id) {
			m.Hot++
			hotFlow += flow
		}
	}
	for _, id := range hottest(estimated, m.Hot, compare) {
		if isHot(id) {
			m.Matched++
			matchedFlow += actual[id]
		}
	}
	m.Accuracy = float64(matchedFlow) / float64(hotFlow)
	return m
}

// hottest returns the up to n identities of highest positive flow.
func hottest[ID comparable](flows map[ID]int64, n int, compare func(a, b ID) int) []ID {
	var ids []ID
	for id, flow := range flows {
		if flow > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b ID) int {
		switch {
		case flows[a] > flows[b]:
			return -1
		case flows[a] < flows[b]:
			return 1
		}
		return compare(a, b)
	})
	return ids[:min(n, len(ids))]
}

// Outcomes are the counts of the outcomes of one branch, by name. Outcomes
// that never happened may be left out.
type Outcomes map[string]int64

func (o Outcomes) total() int64 {
	var sum int64
	for _, n := range o {
		sum += n
	}
	return sum
}

// Relative compares two edge profiles by relative overlap (§6.4): how well
// the estimate shows the bias of every branch, weighted by how often the
// branch was actually executed. It is NaN when no branch was.
//
// The paper defines it for two-way branches, 1 - |taken_a - taken_e|. For
// switches this is 1 - ½Σ|p_a - p_e| over the outcomes, which is the same
// when there are two. A branch that the estimate has not seen counts as
// evenly biased: 0.5 for two outcomes, 1/n for n.
func Relative[ID comparable](actual, estimated map[ID]Outcomes) float64 {
	var terms []float64
	var total int64
	for id, a := range actual {
		n := a.total()
		if n == 0 {
			continue
		}
		total += n
		terms = append(terms, float64(n)*biasOverlap(a, estimated[id]))
	}
	return sum(terms) / float64(total)
}

// biasOverlap is Accuracy(b) of §6.4. The actual counts a are not all zero.
func biasOverlap(a, e Outcomes) float64 {
	names := make(map[string]bool)
	for name := range a {
		names[name] = true
	}
	for name := range e {
		names[name] = true
	}
	// A branch has two outcomes at least, even if only one was ever seen.
	even := 1 / float64(max(2, len(names)))

	na, ne := a.total(), e.total()
	var terms []float64 // p of both profiles that is common: Σmin = 1 - ½Σ|p_a - p_e|
	for name := range names {
		pe := even
		if ne > 0 {
			pe = float64(e[name]) / float64(ne)
		}
		terms = append(terms, min(float64(a[name])/float64(na), pe))
	}
	return sum(terms)
}

// Absolute compares two edge profiles by absolute overlap (§6.4): the sum,
// over all branch outcomes, of the smaller of the shares that the outcome
// has in the two profiles. It is NaN when the actual profile is empty and 0
// when only the estimated one is.
func Absolute[ID comparable](actual, estimated map[ID]Outcomes) float64 {
	na, ne := edgeTotal(actual), edgeTotal(estimated)
	if na == 0 {
		return math.NaN()
	}
	if ne == 0 {
		return 0
	}
	var terms []float64
	for id, a := range actual {
		e := estimated[id]
		for name, n := range a {
			terms = append(terms, min(float64(n)/float64(na), float64(e[name])/float64(ne)))
		}
	}
	return sum(terms)
}

func edgeTotal[ID comparable](edges map[ID]Outcomes) int64 {
	var total int64
	for _, o := range edges {
		total += o.total()
	}
	return total
}

// sum adds the smallest terms first, so that the result depends neither on
// the order of a map nor on the magnitude of the largest term.
func sum(terms []float64) float64 {
	slices.Sort(terms)
	var s float64
	for _, t := range terms {
		s += t
	}
	return s
}
