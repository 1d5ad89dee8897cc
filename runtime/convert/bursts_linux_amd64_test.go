package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/sampler"
	"github.com/pepgo/pep/runtime/symbol"
)

// A burst counts each of its samples as often as it was taken, and all bursts together count what the profile counts.
func TestBursts(t *testing.T) {
	f := pepfiletest.New()
	f.Samples, f.Stride, f.Form, f.Start = 6, 3, sampler.AgSimplified, 1
	f.Publish()
	paths := [][]uint32{{1, 2, 1, 1, 3, 2}, {4, 4, 4, 4, 4, 4}, {1, 5, 6, 7, 8, 9}}
	for _, burst := range paths {
		f.BeginBurst()
		for _, path := range burst {
			f.LogSample(f.Add(&pepfile.Key{Path: path, PC: 7}))
			for take := false; !take; take, _ = f.Poll() {
			}
		}
	}
	c := countsOf(f)
	samples, clusters, equal := c.samples(nil, symbol.NewTable(c.Here.Text), &labelSets{of: c}, nil, new(damage))
	sums := make([]int64, len(samples))
	var got []string
	for _, x := range clusters {
		counts := map[uint64]uint32{}
		for i, s := range x.Samples {
			counts[samples[s].Number] += x.Counts[i]
			sums[s] += int64(x.Counts[i])
		}
		got = append(got, fmt.Sprint(counts, x.Weight*x.Stands))
	}
	if equal != 3 {
		t.Errorf("as good as %g bursts, want 3", equal)
	}
	if want := "map[1:3 2:2 3:1] 1|map[4:6] 1|map[1:1 5:1 6:1 7:1 8:1 9:1] 1"; strings.Join(got, "|") != want {
		t.Errorf("bursts %s, want %s", strings.Join(got, "|"), want)
	}
	for i, s := range samples {
		if s.Count != sums[i] || s.Count == 0 || s.Stands != float64(s.Count) {
			t.Errorf("path %d has %d samples, %d of them in bursts", s.Number, s.Count, sums[i])
		}
	}
}

// A profile says how many windows there were, by the reasons of their ends, and how many ticks had none.
func TestFactsOfWindows(t *testing.T) {
	c := countsOf(pepfiletest.New())
	w := &c.Windows
	w.Ended[1], w.Ended[2], w.Steps, w.Thrown, w.Calls, w.Other, w.Busy, w.Changed = 3, 4, 50, 6, 7, 8, 9, 5
	var f facts.List
	c.tellWindows(&f)
	for key, want := range map[facts.Key]uint64{facts.Windows: 7, facts.WindowSteps: 50, facts.WindowsThrown: 6,
		facts.TicksInCalls: 7, facts.TicksInC: 8, facts.TicksBusy: 9,
		facts.WindowsChanged: 5} {
		if n := f.Number(key); n != want {
			t.Errorf("fact %v is %d, want %d", key, n, want)
		}
	}
}
