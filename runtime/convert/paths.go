package convert

// This file makes profiles of paths from the counts of a .pep file.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
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
		Comment:    c.comment(),
		PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     int64(c.Tick),
		Start:      int64(c.Start),
		Outside:    report.NewOutside(pkgs),
		Both:       both,
	}
	if poll.Mode == poll.Exact {
		p.PeriodType, p.Period = pprofenc.ValueType{Type: "paths", Unit: "count"}, 1
		p.Samples, p.Called = c.exactCounts(pkgs, &d)
	} else {
		symbols := symbol.NewTable(c.Here.Text)
		labels := c.labelSets()
		p.Labels = labels.sets
		p.Sampled = true
		both(func() {
			p.Samples, p.Bursts, p.Polled = c.samples(symbols, labels, &d)
		}, func() {
			c.outside(symbol.NewTable(c.Here.Text), p.Outside)
		})
		p.Frames = symbols.Frames
	}
	p.Comment += d.comment()
	return p
}

// comment says how the profile was made and what it lacks.
func (c Counts) comment() string {
	if poll.Mode == poll.Exact {
		s := "pep: exact, every path counted"
		if c.Dropped > 0 {
			s += ", but " + digits.Uint(c.Dropped) + " paths and calls of packages without a site table"
		}
		return s + c.untilDetached()
	}
	form := ""
	switch c.Form {
	case sampler.AgRegular:
		form = "regular "
	case sampler.AgJikes:
		form = "jikes "
	}
	s := "pep: sampled " + form + "PEP(" + digits.Uint(uint64(c.Samples)) + "," + digits.Uint(uint64(c.Stride)) + "), tick " + duration(c.Tick) + " " + tickClock + ", " +
		digits.Uint(c.Ticks) + " ticks, " + digits.Uint(c.Taken) + " samples, " +
		digits.Uint(c.Dropped) + " dropped, " + digits.Uint(c.Shortened) + " shortened"
	for _, more := range [...]struct {
		n    uint64
		what string
	}{
		{c.Overruns, " overruns"},
		{c.Folded, " with repeated callers of recursion left out"},
		{c.Erased, " with cycles of recursion left out"},
		{c.Gapped, " with callers in the middle left out"},
		{c.Truncated, " without the outermost callers of a deep stack"},
		{c.Unlabelled, " without labels, which are too long or too many"},
	} {
		if more.n > 0 {
			s += ", " + digits.Uint(more.n) + more.what
		}
	}
	if why := WhyStopped(c.Header); why != "" {
		s += ", sampling stopped: " + why
	}
	return s + c.took() + c.untilDetached()
}

// took says what sampling has taken, and of what the budget was a part.
func (c Counts) took() string {
	if c.Time == 0 {
		return ""
	}
	s := ", sampling took " + digits.Uint(c.Spent/1e6) + "ms, " + percent(c.Spent, c.Time)
	if c.Budget > 0 {
		s += " (budget " + percent(c.Budget, 1e6) + ")"
	}
	return s
}

// percent returns the share of part in all with two digits behind the point.
func percent(part, all uint64) string {
	n := uint64(float64(part)/float64(all)*1e4 + .5)
	return digits.Uint(n/100) + "." + digits.Uint(n%100 + 100)[1:] + "%"
}

// untilDetached says when and why counting stopped before the program did.
func (c Counts) untilDetached() string {
	if c.Detached == 0 {
		return ""
	}
	return ", until the disk was full or the file was cut off " + digits.Uint((c.Detached-min(c.Start, c.Detached))/1e6) + "ms after the start"
}

// samples returns the entries of the table that count paths, equal ones added up. Their
// stacks are numbers of frames of symbols, and their labels are numbers of sets. It also
// returns the bursts, in which the indices of paths are below polled.
func (c Counts) samples(symbols *symbol.Table, labels labelSets, d *damage) (list []report.Sample, bursts []report.Burst, polled int) {
	most := min(c.Used, uint64(c.Slots))
	list = make([]report.Sample, 0, most)
	known := newKeys(c.Slots, most)
	samples := make([]int32, c.Slots) // by entry; 0 if it is none, else index in list + 1
	sum := uint64(0)
	for i := range c.Slots {
		e := c.Entry(i)
		if golink.Load32(&e.State) == 0 && golink.Load64(&e.Count) == 0 {
			continue
		}
		if !e.Intact() {
			d.entries++
			continue
		}
		if e.Path == pepfile.TickPath {
			continue
		}
		k := &e.Key
		if k.Leaf != 0 || k.Labels != 0 {
			copied := *k
			k = &copied
			symbols.SettleLeaf(k)
			if k.Labels != 0 {
				if k.Labels = labels.number[k.Labels]; k.Labels == 0 {
					d.labels++
				}
			}
		}
		j, ok := known.add(k)
		if !ok {
			list = append(list, report.Sample{Number: uint64(k.Path), Stack: symbols.Stack(k), Labels: k.Labels})
		}
		samples[i] = int32(j + 1)
		n := golink.Load64(&e.Count)
		list[j].Count = int64(plus(uint64(list[j].Count), n))
		sum += n
	}
	d.ofSamples(c, sum)
	bursts, polled = c.bursts(samples)
	return list, bursts, polled
}

// keys are a set of keys of entries. (A map would compute the hash of all 32 callers.)
type keys struct {
	list  []*pepfile.Key
	slots []int32 // by hash; 0 if free, else index in list + 1
}

// newKeys returns a set that takes up to n keys. It need not allocate for the first ones, as many as some says.
func newKeys(n uint32, some uint64) *keys {
	size := uint64(16)
	for size < 2*uint64(n) {
		size *= 2
	}
	return &keys{list: make([]*pepfile.Key, 0, some), slots: make([]int32, size)}
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

// duration writes ns as PEPOPTS has it.
func duration(ns uint64) string {
	for _, u := range [...]struct {
		ns   uint64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}} {
		if ns%u.ns == 0 {
			return digits.Uint(ns/u.ns) + u.name
		}
	}
	return digits.Uint(ns) + "ns"
}

func hexBytes(b []byte) string {
	const digits = "0123456789abcdef"
	var s []byte
	for _, x := range b {
		s = append(s, digits[x>>4], digits[x&15])
	}
	return string(s)
}
