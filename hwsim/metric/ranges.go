package metric

// This file says which ranges of words are hot.

import (
	"cmp"
	"slices"

	"github.com/pepgo/pep/hwsim"
)

// A Range is the words of a place that a message was about.
type Range struct {
	hwsim.Message        // with the counts of all messages about the range
	Weight        uint64 // Count, and the weights of those ranges next inside that are not hot
	Inclusive     uint64 // Count, and that of all ranges inside
	Hot           bool   // Weight is at least a share of all events
}

// Hi returns the last word of the range; Tuple.W is the first.
func (r *Range) Hi() uint64 { return r.Tuple.W + (1<<r.Free - 1) }

// Ranges adds up messages by range, and finds the hot ranges: those that have the given
// share of all events without the hot ranges in them (the paper takes 0.1). A range is not
// hot because one inside is. Ranges of a place come from left to right, each before
// those inside.
//
//	0-255  12 events, of 100
//	  0-15 40 events: weight 40, hot
//	  16-31 5 events          0-255: weight 17, hot; inclusive 57
//
// Source: Mysore et al., "Profiling over Adaptive Ranges", CGO 2006, section 4.1.
func Ranges(msgs []hwsim.Message, share float64) []Range {
	msgs = slices.Clone(msgs)
	slices.SortFunc(msgs, func(a, b hwsim.Message) int {
		return cmp.Or(cmp.Compare(a.Tuple.PC, b.Tuple.PC), cmp.Compare(a.Tuple.W, b.Tuple.W), cmp.Compare(b.Free, a.Free))
	})
	var list []Range
	total := uint64(0)
	for _, m := range msgs {
		total += m.Count
		if n := len(list); n > 0 && list[n-1].Tuple == m.Tuple && list[n-1].Free == m.Free {
			list[n-1].Count += m.Count
			continue
		}
		list = append(list, Range{Message: m})
	}
	var open []int // the ranges around the present one, the widest first
	end := func() {
		r := &list[open[len(open)-1]]
		open = open[:len(open)-1]
		r.Weight += r.Count
		r.Inclusive += r.Count
		r.Hot = r.Weight > 0 && float64(r.Weight) >= share*float64(total)
		if len(open) == 0 {
			return
		}
		around := &list[open[len(open)-1]]
		around.Inclusive += r.Inclusive
		if !r.Hot {
			around.Weight += r.Weight
		}
	}
	for i, r := range list {
		for len(open) > 0 && !list[open[len(open)-1]].contains(&r) {
			end()
		}
		open = append(open, i)
	}
	for len(open) > 0 {
		end()
	}
	return list
}

// contains reports whether all words of o are in r.
func (r *Range) contains(o *Range) bool {
	return r.Tuple.PC == o.Tuple.PC && r.Tuple.W <= o.Tuple.W && o.Hi() <= r.Hi()
}

// Hot returns the hot ones of Ranges, the one with the greatest weight first.
func Hot(msgs []hwsim.Message, share float64) []Range {
	list := slices.DeleteFunc(Ranges(msgs, share), func(r Range) bool { return !r.Hot })
	slices.SortStableFunc(list, func(a, b Range) int { return cmp.Compare(b.Weight, a.Weight) })
	return list
}
