package metric

// This file has the selection of tuples and the error over them.

import (
	"cmp"
	"math"
	"slices"

	"github.com/pepgo/pep/format/tuple"
)

// A Selection says which tuples of an ideal profile count. The paper gives the formula for
// values; here it applies to all kinds of profiles.
type Selection struct {
	Executions uint64  // events that a place must have
	Invariant  float64 // share of its place's events that a tuple must have
	Covered    float64 // share of a place's events that such tuples must have together
}

// Value selects what an optimizer that reuses values would look at.
var Value = Selection{Executions: 1000, Invariant: 0.10, Covered: 0.40}

// Pairs selects what an optimizer that specialises code for values would look at: values that
// a load has in at least a tenth of its executions. The text of Zilles and Sohi, HPCA 2001,
// section 5.2, has lost the least share and says nothing of a least number of executions, so
// both are ours: with fewer than 1000 executions no sampler could know the share.
var Pairs = Selection{Executions: 1000, Invariant: 0.10}

// Of returns the selected tuples of an ideal profile, ordered by pc and word.
func (s Selection) Of(ideal *Profile) []tuple.Tuple {
	var all []tuple.Tuple
	for pc, at := range ideal.places {
		if at.total < s.Executions {
			continue
		}
		first, covered := len(all), uint64(0)
		for w, n := range at.words {
			if reaches(n, s.Invariant, at.total) {
				all = append(all, tuple.Tuple{PC: pc, W: w})
				covered += n
			}
		}
		if !reaches(covered, s.Covered, at.total) {
			all = all[:first]
		}
	}
	slices.SortFunc(all, func(a, b tuple.Tuple) int {
		return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.W, b.W))
	})
	return all
}

// reaches reports whether n is at least the given share of total. Shares such as 0.1 are not
// exact in binary, so a difference below a millionth of an event counts as equal.
func reaches(n uint64, share float64, total uint64) bool {
	return float64(n) >= share*float64(total)-1e-6
}

// An Error is what Selection.Error returns. Its errors are NaN if there are no
// tuples.
type Error struct {
	Mean   float64 // of |ideal - measured| invariance, weighted with ideal events (Sastry et al.), from 0 to 1
	RMS    float64 // root of the mean square, weighted likewise (Zilles and Sohi, HPCA 2001), from 0 to 1
	Tuples int     // that were selected
	Places int     // that they belong to
}

// An Estimate says which share of the events of its place a tuple has, from 0 to 1. A Profile
// is an Estimate.
type Estimate interface{ Invariance(t tuple.Tuple) float64 }

// Error compares a measured profile with the ideal one of the same stream. A
// tuple that was not measured has the invariance 0.
func (s Selection) Error(ideal, measured *Profile) Error {
	return Over(s.Of(ideal), ideal, measured)
}

// Over is Error for tuples that Of has selected. So several measured profiles need only one
// selection.
func Over(selected []tuple.Tuple, ideal *Profile, measured Estimate) Error {
	var e Error
	var weight, sum, squares float64
	var last uint64
	for i, t := range selected {
		if e.Tuples++; i == 0 || t.PC != last {
			e.Places++
		}
		last = t.PC
		f := float64(ideal.Tuple(t))
		d := math.Abs(ideal.Invariance(t) - measured.Invariance(t))
		weight += f
		sum += f * d
		squares += f * d * d
	}
	e.Mean = sum / weight
	e.RMS = math.Sqrt(squares / weight)
	return e
}
