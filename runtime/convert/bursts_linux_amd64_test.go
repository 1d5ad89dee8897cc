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

// Bursts that lasted several ticks are read as one burst for each tick, with the polls that followed it.
// A tick that no sample follows before the next one counts with that one. If threads have polled by turns, each
// has a burst of its own and a part of the tick.
func TestBurstsEndAtTicks(t *testing.T) {
	f := pepfiletest.New()
	f.Samples, f.Stride, f.Form, f.Tick, f.Start = 6, 3, sampler.AgSimplified, 1<<20, 1
	f.Publish()
	var samples []int32
	thread := uint32(5)
	poll := func(path uint32) {
		_, _, p := f.NextPoll()
		take, _ := f.Poll()
		k := &pepfile.Key{Path: path, PC: 7}
		var e *pepfile.Entry
		if take {
			e = f.Add(k)
			samples = make([]int32, f.Slots)
			for i := range samples {
				samples[i] = int32(i) + 1
			}
		}
		f.Note(p, k, 1, thread, e)
	}
	f.BeginBurst(1 << 20) // skips no poll
	f.BeginBurst(2 << 20) // nothing was seen yet, so these are one
	poll(1)
	poll(2)
	f.BeginBurst(1 << 19)
	f.BeginBurst(1 << 19)
	poll(3)
	f.BeginBurst(4 << 20)
	for range 3 {
		poll(4)
	}
	f.BeginBurst(1 << 20) // skips one poll
	poll(5)
	f.BeginBurst(5 << 20) // which is no sample, so this tick counts with the first
	for range 6 {
		poll(6)
	}
	f.BeginBurst(3 << 20) // skips two polls
	for i := range uint32(8) {
		thread = 5 + i%3/2 // 5, 5, 6 and again
		poll(7 + i)
	}
	list, polled := countsOf(f).bursts(samples)
	var got []string
	for _, b := range list {
		var paths []string
		for i, p := range b.Polls {
			s := fmt.Sprint(p.Path)
			if b.Samples[i] < 0 {
				s += "-"
			}
			paths = append(paths, s)
		}
		got = append(got, fmt.Sprintf("%v ticks: %s", b.Ticks, strings.Join(paths, " ")))
	}
	want := []string{"3 ticks: 0 1", "1 ticks: 2", "4 ticks: 3 3 3", "6 ticks: 4- 5 5 5 5 5 5", "1.5 ticks: 6- 7- 9 10 12 13", "1.5 ticks: 8 11"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || polled != 14 {
		t.Errorf("%d paths, bursts\n%s\nwant 14 paths and\n%s", polled, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// The samples that bursts refer to are those of the same profile.
	c := countsOf(f)
	all, again, polled := c.samples(nil, symbol.NewTable(c.Here.Text), &labelSets{of: c}, nil, new(damage))
	if len(again) != len(list) || polled != 14 {
		t.Fatalf("%d bursts of %d paths, want %d of 14", len(again), polled, len(list))
	}
	inBursts := make([]int64, len(all))
	for _, b := range again {
		for _, s := range b.Samples {
			if s >= 0 {
				inBursts[s]++
			}
		}
	}
	for i, s := range all {
		if s.Count != inBursts[i] || s.Count == 0 {
			t.Errorf("path %d has %d samples, %d of them in bursts", s.Number, s.Count, inBursts[i])
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
	for key, want := range map[facts.Key]uint64{facts.Windows: 7, facts.WindowSteps: 50, facts.WindowsThrown: 6, facts.TicksInCalls: 7, facts.TicksInC: 8, facts.TicksBusy: 9,
		facts.WindowsChanged: 5} {
		if n := f.Number(key); n != want {
			t.Errorf("fact %v is %d, want %d", key, n, want)
		}
	}
}
