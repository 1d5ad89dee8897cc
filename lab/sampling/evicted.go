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

// EvictedTable returns what interrupts evict.
func EvictedTable(all []*Evicted) string {
	var b strings.Builder
	b.WriteString("| setting | the walk behind an interrupt is longer by, ns | as a part of what evicting all lines adds (quartiles) | of the program's time |\n|---|--:|--:|--:|\n")
	for _, v := range all {
		part := "-"
		if v.Hz > 0 {
			part = fmt.Sprintf("%.2f%%", median(v.NS)*v.Hz/1e7)
		}
		fmt.Fprintf(&b, "| %s | %.0f | %.0f%% (%.0f–%.0f) | %s |\n", v.Name, median(v.NS), median(v.Percent), quantile(v.Percent, .25), quantile(v.Percent, .75), part)
	}
	b.WriteString("\nThe paper counts misses of each block: 88% of the blocks have none, 3% miss at 81 to 100% of the loads. Without counters of misses the blocks cannot be told apart here. " +
		"More than 100% are lines from further away than the second cache, and what the processor has lost of pages and branches. Without a sampler the interrupts are those of the kernel's own clock.\n")
	return b.String()
}
