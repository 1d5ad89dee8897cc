//go:build linux && amd64

package sampling

// This file measures what an interrupt of the sampler evicts from the first cache, in place of
// Table 1 of the paper (section 3.3): by the time to load it again.

import (
	"fmt"
	"strings"
	"time"
)

// An Evicted has what it costs that interrupts of a setting evict lines: a number of each round.
type Evicted struct {
	Name    string
	NS      []float64 // that a walk behind an interrupt is longer: the median over the interrupts of the round
	Percent []float64 // of what a walk is longer behind one over other memory
	Hz      float64   // interrupts that the setting asks for; 0 without a sampler
}

// Evicted measures it in each round. It begins no round after the limit.
func (e *Experiment) Evicted(rounds int, limit time.Duration) (all []*Evicted, err error) {
	exe, err := e.hidden("evicts")
	if err != nil {
		return nil, err
	}
	var ways []*way
	for _, x := range takens(0) {
		switch x.Name {
		case noSampler, countUser, valuesUser, countPaper, valuesPaper:
			ways = append(ways, x.way)
			v := &Evicted{Name: x.Name}
			if x.way != nil {
				v.Hz = 1e9 / float64(x.every)
			}
			all = append(all, v)
		}
	}
	began := time.Now()
	for round := range rounds {
		if round > 0 && time.Since(began) > limit {
			break
		}
		fmt.Fprintf(e.Log, "evicted lines: round %d of %d\n", round+1, rounds)
		for i, v := range all {
			r, err := sampled(exe, []string{"200ms", "500ms"}, ways[i], 0)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
			if err := v.add(r.stdout); err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
		}
	}
	return all, nil
}

// add adds what the program evicts has printed.
func (v *Evicted) add(out string) error {
	var ns []float64
	for i, word := range strings.Fields(out) {
		var x float64
		if _, err := fmt.Sscan(word, &x); err != nil {
			return fmt.Errorf("number %d of the program evicts is %q: %w", i+1, word, err)
		}
		ns = append(ns, x)
	}
	if len(ns) < 3 || ns[1] <= ns[0] {
		return fmt.Errorf("the program evicts had %d interrupts, and its walks take %.100q", max(len(ns)-2, 0), out)
	}
	after := median(ns[2:])
	v.NS = append(v.NS, after)
	v.Percent = append(v.Percent, 100*after/(ns[1]-ns[0]))
	return nil
}
