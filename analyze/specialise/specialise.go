// Package specialise finds values that are worth code of their own: those that a place in the code nearly always has.
package specialise

import (
	"cmp"
	"slices"
)

// A Site is a place in the code that has one value more often than any other. Code can be specialised for that value,
// as whoever made the site has checked: it is no constant, and no address that differs between runs.
type Site[R any] struct {
	Row    R       // what a listing has of it
	Events int64   // how often a value was seen there
	Least  float64 // lower bound of the share that the value has: with few events it is below 1, even if all are alike
	Score  float64 // share of time that may be saved; 0 if times are not known
	Prefer int     // of sites with the same score, those with the greatest come first
	Same   []any   // what it is about: in a function a value is loaded, copied and compared
}

// Find sorts sites, and returns the rows of those with at least so many events, of which at least a share has the
// value, the highest scores first. Scores that differ by less than a hundredth are equal: numbers of events differ by
// chance. Of sites that are about the same it returns the first.
func Find[R any](sites []Site[R], events int64, share float64) (rows []R) {
	slices.SortStableFunc(sites, func(a, b Site[R]) int {
		return cmp.Or(cmp.Compare(int(100*b.Score), int(100*a.Score)), cmp.Compare(b.Prefer, a.Prefer),
			cmp.Compare(b.Events, a.Events))
	})
	seen := map[any]bool{}
	for _, s := range sites {
		if s.Events < events || s.Least < share || slices.ContainsFunc(s.Same, func(x any) bool { return seen[x] }) {
			continue
		}
		for _, x := range s.Same {
			seen[x] = true
		}
		rows = append(rows, s.Row)
	}
	return rows
}
