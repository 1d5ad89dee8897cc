package annotate

// This file balances counts of paths.

import "math"

// A flow is the count of all paths that lead from a place to another one.
type flow struct {
	from, to int
	count    float64
}

// balance returns weights w of places by which count·w[from]/w[to], over all that leave a place, add up
// to the same as over all that lead to it. There are none if some flow is not part of a circle; then
// closed is false. It returns nil also if it does not find them in many rounds.
//
// It is the iteration of Osborne (1960) for the balancing of a matrix: each place in turn gets the
// weight that balances it, until all are balanced. That converges.
func balance(flows []flow, places int) (w []float64, closed bool) {
	at := make([][]flow, places)
	for _, f := range flows {
		if f.from != f.to && f.count > 0 { // others are balanced with any weights
			at[f.from] = append(at[f.from], f)
			at[f.to] = append(at[f.to], f)
		}
	}
	if !circular(at) {
		return nil, false
	}
	w = make([]float64, places)
	for i := range w {
		w[i] = 1
	}
	const rounds, accuracy = 2000, 1e-7
	for range rounds {
		worst := 0.
		for s := range w {
			out, in := 0., 0.
			for _, f := range at[s] {
				if c := f.count * w[f.from] / w[f.to]; f.from == s {
					out += c
				} else {
					in += c
				}
			}
			if len(at[s]) > 0 {
				worst = max(worst, math.Abs(out-in)/max(out, in))
				w[s] *= math.Sqrt(in / out)
			}
		}
		if worst < accuracy {
			return w, true
		}
	}
	return nil, true
}

// circular reports whether each flow is part of a circle: whether what it leads to leads back.
func circular(at [][]flow) bool {
	for s := range at {
		back := reach(at, s)
		for _, f := range at[s] {
			if f.to == s && !back[f.from] {
				return false
			}
		}
	}
	return true
}

// reach returns the places that flows lead to from a place.
func reach(at [][]flow, from int) []bool {
	seen := make([]bool, len(at))
	seen[from] = true
	for list := []int{from}; len(list) > 0; {
		s := list[len(list)-1]
		list = list[:len(list)-1]
		for _, f := range at[s] {
			if f.from == s && !seen[f.to] {
				seen[f.to] = true
				list = append(list, f.to)
			}
		}
	}
	return seen
}
