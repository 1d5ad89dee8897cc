//go:build linux && amd64

package probe

// This file reads what the probes have counted.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/tracer/internal/interp/bpf/probe"
)

// Counts is what the sites of a plan have counted, in their order.
type Counts struct {
	Sites []SiteCount
	Times []Times // of the functions of the plan; empty if none is timed
}

// A SiteCount is what a site has counted.
type SiteCount struct {
	Hits   uint64
	Taken  uint64        // of an Edge: how often it jumped
	Others uint64        // executions that are no hits: a fused site's jump led elsewhere, or the site was off
	Off    time.Duration // when it was switched off, after these hits, because they came too fast; 0 if it was not
	Words  []WordCount
}

// A WordCount is what a site has recorded of a word. Every hit counts as a value, or as a
// text, or in Other, Full or Faults.
type WordCount struct {
	Values []ValueCount // the most frequent first
	Texts  []TextCount  // of a Text if secrets are shown, the most frequent first
	Other  uint64       // hits whose value is not among the values: these were as many as the limit
	Full   uint64       // likewise: the table of the values of all words was full
	Faults uint64       // hits at which the word could not be read
}

// A ValueCount is a value and its hits.
type ValueCount struct{ Value, Count uint64 }

// A TextCount is a string and its hits: its first 48 bytes and its length.
type TextCount struct {
	Text   string
	Length uint64
	Count  uint64
}

// Times are the durations of the calls of a function, from entry to exit. That is time on
// the clock: waiting counts. When a site of an end is switched off, the timing of the
// function ends: without the other end, nothing can be said of a call.
type Times struct {
	Calls     uint64        // that began and returned while there were probes
	NS        uint64        // of all of them, in nanoseconds
	Unmatched uint64        // returns of calls that began before the probes
	Replaced  uint64        // calls that never returned, as far as later calls in the same frame tell: panics, Goexit
	Open      uint64        // calls that had not returned at the end, or at Off
	Full      uint64        // calls that are not timed: too many were under way
	Faults    uint64        // likewise: the goroutine could not be read
	Buckets   [48]uint64    // bucket i has calls that took [2^(i-1), 2^i) ns
	Off       time.Duration // when the timing ended because a site was switched off; 0 if it did not
}

// Read reads the counters. While probes are attached, hits can come between the reading of
// one counter and of the next.
func (s *Session) Read() (*Counts, error) {
	c := &Counts{}
	if err := s.readSites(c); err != nil {
		return nil, fmt.Errorf("reading the counts of sites: %w", err)
	}
	if err := s.readWords(c); err != nil {
		return nil, fmt.Errorf("reading the counts of values: %w", err)
	}
	if err := s.readTimes(c); err != nil {
		return nil, fmt.Errorf("reading durations: %w", err)
	}
	return c, nil
}

func (s *Session) readSites(c *Counts) error {
	sites, err := all[probe.ProbeSite](s.objects.Sites, len(s.plan.Sites))
	if err != nil {
		return err
	}
	for i := range sites {
		x := SiteCount{Off: s.after(sites[i].Off), Words: make([]WordCount, len(s.plan.Sites[i].Words))}
		var perCPU []probe.ProbeHits
		if err := s.objects.Counts.Lookup(uint32(i), &perCPU); err != nil {
			return err
		}
		for _, n := range perCPU {
			x.Hits += n.Hits
			x.Taken += n.Taken
			x.Others += n.Others
		}
		c.Sites = append(c.Sites, x)
	}
	return nil
}

func (s *Session) readWords(c *Counts) error {
	var places []*WordCount // of all words
	for i := range c.Sites {
		for j := range c.Sites[i].Words {
			places = append(places, &c.Sites[i].Words[j])
		}
	}
	if len(places) == 0 {
		return nil
	}
	words, err := all[probe.ProbeWord](s.objects.Words, len(places))
	if err != nil {
		return err
	}
	types := map[uint64]uint64{} // of itabs
	if err := each(s.objects.Itabs, func(itab, typ uint64) { types[itab] = typ }); err != nil {
		return err
	}
	for i, w := range words {
		places[i].Other, places[i].Full, places[i].Faults = w.Other, w.Full, w.Faults
	}
	err = each(s.objects.Values, func(k probe.ProbeValue, n uint64) {
		w := places[k.Word]
		if typ, ok := types[k.Value]; ok && words[k.Word].As == uint8(probe.ProbeAsITAB) {
			k.Value = typ
		}
		w.Values = append(w.Values, ValueCount{k.Value, n})
	})
	if err != nil {
		return err
	}
	err = each(s.objects.Texts, func(k probe.ProbeText, n uint64) {
		w := places[k.Word]
		w.Texts = append(w.Texts, TextCount{string(k.Bytes[:min(int(k.Length), len(k.Bytes))]), uint64(k.Length), n})
	})
	for _, w := range places {
		slices.SortFunc(w.Values, func(a, b ValueCount) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		slices.SortFunc(w.Texts, func(a, b TextCount) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
		})
	}
	return err
}

// each calls do for all entries of a hash map.
func each[K, V any](m *ebpf.Map, do func(K, V)) error {
	var cursor ebpf.MapBatchCursor
	n := int(m.MaxEntries())
	keys, list := make([]K, n), make([]V, n)
	for {
		got, err := m.BatchLookup(&cursor, keys, list, nil)
		for i := range got {
			do(keys[i], list[i])
		}
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *Session) readTimes(c *Counts) error {
	if !slices.ContainsFunc(s.plan.Funcs, func(f Func) bool { return f.Timed }) {
		return nil
	}
	ends, err := all[uint64](s.objects.Ends, len(s.plan.Funcs))
	if err != nil {
		return err
	}
	c.Times = make([]Times, len(s.plan.Funcs))
	for i := range c.Times {
		var perCPU []probe.ProbeDurations
		if err := s.objects.Times.Lookup(uint32(i), &perCPU); err != nil {
			return err
		}
		t := &c.Times[i]
		t.Off = s.after(ends[i])
		for _, n := range perCPU {
			t.Calls += n.Calls
			t.NS += n.Ns
			t.Unmatched += n.Unmatched
			t.Replaced += n.Replaced
			t.Full += n.Full
			t.Faults += n.Faults
			for b := range n.Bucket {
				t.Buckets[b] += n.Bucket[b]
			}
		}
	}
	return each(s.objects.Calls, func(k probe.ProbeCall, _ uint64) { c.Times[k.Func].Open++ })
}
