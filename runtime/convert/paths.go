package convert

// This file makes profiles of paths from the counts of a .pep file.

import (
	"unsafe"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sampler"
	"github.com/pepgo/pep/runtime/symbol"
)

// Profile returns the profile of paths, with the program's site tables.
func (c Counts) Profile(pkgs []*wire.Lazy, build [8]byte) *report.Profile {
	var d damage
	p := &report.Profile{
		Packages:   pkgs,
		Mapping:    pprofenc.Mapping{File: string(c.Exe[:c.ExeLen]), BuildID: hexBytes(build[:])},
		Facts:      c.facts(),
		PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     int64(c.Tick),
		Start:      int64(c.Start),
		Outside:    report.NewOutside(pkgs),
		Both:       both,
	}
	if poll.Counts {
		p.PeriodType, p.Period = pprofenc.ValueType{Type: "paths", Unit: "count"}, 1
		p.Samples, p.Called = c.exactCounts(pkgs, &d)
	} else {
		symbols := symbol.NewTable(c.Here.Text)
		labels := &labelSets{of: c}
		p.Sampled, p.Windows = true, poll.Interprets
		p.Outside.Windows = p.Windows
		both(func() {
			var windows []logged
			if p.Windows {
				windows, d.windows = c.logged()
				p.Loads, p.Notes = c.loads(windows, symbols), c.notes(windows, symbols)
			}
			p.Samples, p.Clusters, p.Equal = c.samples(pkgs, symbols, labels, windows, &d)
			p.Ticks = c.ticks(symbols)
			p.Labels = labels.sets
		}, func() {
			c.outside(symbol.NewTable(c.Here.Text), p.Outside)
		})
		p.Frames = symbols.Frames
	}
	d.tell(&p.Facts)
	return p
}

// facts says how the profile was made and what it lacks.
func (c Counts) facts() (f facts.List) {
	if poll.Counts {
		if poll.Cover {
			f.SetText(facts.Mode, facts.ModeCover)
		} else {
			f.SetText(facts.Mode, facts.ModeExact)
		}
		f.Set(facts.NoTable, c.Dropped)
		c.tellDetached(&f)
		return f
	}
	f.SetText(facts.Mode, facts.ModeSampled)
	switch c.Form {
	case sampler.AgRegular:
		f.SetText(facts.Form, "regular")
	case sampler.AgJikes:
		f.SetText(facts.Form, "jikes")
	}
	if poll.Interprets {
		f.SetText(facts.Form, facts.FormWindows)
		f.SetText(facts.Module, mainModule(golink.ModInfo()))
	}
	f.SetText(facts.Clock, tickClock)
	f.SetText(facts.Stopped, WhyStopped(c.Header))
	c.tellDetached(&f)
	for _, x := range [...]struct {
		key facts.Key
		n   uint64
	}{
		{facts.Tick, c.Tick},
		{facts.Budget, c.Budget},
		{facts.Ticks, c.Ticks},
		{facts.Samples, c.Taken},
		{facts.Dropped, c.Dropped},
		{facts.Shortened, c.Shortened},
		{facts.Overruns, c.Overruns},
		{facts.Folded, c.Folded},
		{facts.Erased, c.Erased},
		{facts.Gapped, c.Gapped},
		{facts.Truncated, c.Truncated},
		{facts.Unlabelled, c.Unlabelled},
		{facts.SampledTime, c.Spent},
		{facts.TickTime, c.TickTime},
		{facts.CPUTime, c.Time},
	} {
		f.Set(x.key, x.n)
	}
	if poll.Interprets {
		c.tellWindows(&f)
	} else {
		f.Set(facts.Burst, uint64(c.Samples))
		f.Set(facts.Stride, uint64(c.Stride))
	}
	return f
}

// tellDetached adds when counting stopped before the program did.
func (c Counts) tellDetached(f *facts.List) {
	if c.Detached > 0 {
		f.Set(facts.Detached, max(c.Detached-min(c.Start, c.Detached), 1))
	}
}

// samples returns the entries of the table that count paths, equal ones added up. Their
// stacks are numbers of frames of symbols, and their labels are numbers of sets. It also
// returns the bursts or windows, and how many equal ones there were.
func (c Counts) samples(pkgs []*wire.Lazy, symbols *symbol.Table, labels *labelSets, windows []logged,
	d *damage) (list []report.Sample, clusters []report.Cluster, equal float64) {
	filled := c.Filled()
	list = make([]report.Sample, 0, filled)
	known := newKeys(filled)
	samples := make([]int32, c.Slots) // by entry; 0 if it is none, else index in list + 1
	sum := uint64(0)
	var numbers *numbering
	if poll.Interprets {
		numbers = newNumbering(pkgs)
	}
	for i := range filled {
		e := c.Entry(i)
		if golink.Load32(&e.State) == 0 && golink.Load64(&e.Count) == 0 {
			continue
		}
		if !e.Intact() {
			d.entries++
			continue
		}
		if e.OfTicks() {
			continue
		}
		k := &e.Key
		if k.Leaf != 0 || k.Labels != 0 {
			copied := *k
			k = &copied
			symbols.SettleLeaf(k)
			if k.Labels != 0 {
				if k.Labels = labels.numberOf(k.Labels); k.Labels == 0 {
					d.labels++
				}
			}
		}
		j, ok := known.add(k)
		if !ok {
			s := report.Sample{Number: uint64(k.Path), Stack: symbols.Stack(k), Labels: k.Labels}
			if numbers != nil {
				s.Untold = k.Path&actiontable.Untold != 0
				s.Package, s.Number = numbers.of(uint64(k.Path &^ actiontable.Untold))
			}
			list = append(list, s)
		}
		samples[i] = int32(j + 1)
		n := golink.Load64(&e.Count)
		list[j].Count = int64(plus(uint64(list[j].Count), n))
		if poll.Interprets {
			list[j].Stands += float64(golink.Load64(&e.Stands))
		} else {
			list[j].Stands = float64(list[j].Count)
		}
		sum += n
	}
	d.ofSamples(c, sum)
	if poll.Interprets {
		clusters, equal = c.windows(windows, samples)
		return list, clusters, equal
	}
	return list, c.bursts(samples), float64(c.Log >> 32)
}

// keys are a set of keys of entries. (A map would compute the hash of all 32 callers.)
type keys struct {
	list  []*pepfile.Key
	slots []int32 // by hash; 0 if free, else index in list + 1
}

// newKeys returns a set that takes up to n keys. It need not allocate for the first ones, as many as some says.
func newKeys(n uint32) *keys {
	size := uint64(16)
	for size < 2*uint64(n) {
		size *= 2
	}
	return &keys{list: make([]*pepfile.Key, 0, n), slots: make([]int32, size)}
}

// add adds k, unless the set has it already, and returns its index.
func (s *keys) add(k *pepfile.Key) (i int, had bool) {
	mask := uint64(len(s.slots) - 1)
	for at := k.Hash() & mask; ; at = (at + 1) & mask {
		switch i := s.slots[at]; {
		case i == 0:
			s.list = append(s.list, k)
			s.slots[at] = int32(len(s.list))
			return len(s.list) - 1, false
		case s.list[i-1].Equal(k):
			return int(i - 1), true
		}
	}
}

// exactCounts returns the paths and the calls of functions that were counted at all.
func (c Counts) exactCounts(pkgs []*wire.Lazy, d *damage) (paths []report.Sample, calls []report.Call) {
	at := uint64(0)
	for _, p := range pkgs {
		n := min(p.Counters(), c.Counters-at)
		for i, count := range unsafe.Slice((*uint64)(c.At(c.Layout().Counters+8*at)), n) {
			switch i := uint64(i); {
			case count > pepfile.MaxPlausible:
				d.counters++
			case count > 0 && i < p.Paths:
				paths = append(paths, report.Sample{Package: p.Path, Number: i, Count: int64(count)})
			case count > 0:
				calls = append(calls, report.Call{Package: p.Path, Func: int(i - p.Paths), Count: int64(count)})
			}
		}
		at += n
	}
	return paths, calls
}

func hexBytes(b []byte) string {
	const digits = "0123456789abcdef"
	var s []byte
	for _, x := range b {
		s = append(s, digits[x>>4], digits[x&15])
	}
	return string(s)
}
