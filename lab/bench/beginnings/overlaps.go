// Package beginnings measures how well profiles of the beginning of a run show all of it.
//
//	growing, err := beginnings.Growing(p, programs.Exact, programs.Defaults)
//	for _, v := range beginnings.Overlaps(growing) {
//		fmt.Println(v.Unit, v.Value) // such as first-10% 0.93
//	}
//
// Growing takes profiles of a program while it runs.
package beginnings

// This file says how well profiles of the beginning of a run show all of it.

import (
	"fmt"

	"golang.org/x/perf/benchfmt"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
)

// fewDecisions is how many decisions of its branches a function makes before a one-time profile has
// seen enough of it. Jikes RVM compiles a method anew, without counters, when some
// samples have hit it; a tick of 20 ms is much longer than this.
const fewDecisions = 10_000

// shares are the parts of a run that profiles of its beginning have.
var shares = []float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5}

// Overlaps returns relative overlaps with the whole run: of the one-time profile, function by function, and of the
// first shares of the run. Then it has how well parts of the run that begin behind 60 % of it are predicted by its
// first tenth, by all before them, and by the part before them.
func Overlaps(growing [][]profile.Path) (values []benchfmt.Value) {
	add := func(unit string, x float64) { values = append(values, benchfmt.Value{Value: x, Unit: unit}) }
	whole := growing[len(growing)-1]
	actual := biasesOf(whole)
	relative := func(paths []profile.Path) float64 { return accuracy.Relative(actual, biasesOf(paths)) }
	add("one-time", relative(oneTime(growing, fewDecisions)))
	for _, share := range shares {
		paths, _ := nearest(growing, share)
		add(fmt.Sprintf("first-%.0f%%", 100*share), relative(paths))
	}
	half, _ := nearest(growing, 0.5)
	add("changed", changed(biasesOf(half), biasesOf(since(whole, half))))
	first, before, recent := predictions(growing)
	add("next-by-first", meanFrom(first, 0.6))
	add("next-by-all", meanFrom(before, 0.6))
	add("next-by-last", meanFrom(recent, 0.6))
	return values
}
