package convert

// This file makes profiles of the words that taps have reported.

import (
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

// Taps has the events of taps in a .pep file, or in the memory of a running program.
type Taps struct {
	Words   []report.Word
	Fed     uint64 // events that have been counted, or that engines have got
	Dropped uint64 // events that there was no space for
	Counted uint64 // events that words stand for

	area        pepfile.Words
	sets        [][]pprofenc.Label // label sets of goroutines
	buffered    uint64             // events that were still in buffers, and went nowhere
	unsure      uint64             // events that may have been counted twice or not at all
	other       uint64             // of Counted, events of words for which there was no space
	unlabelled  uint64             // of these, events of goroutines whose labels found no space
	damaged     int                // words that are left out: see pepfile/verify.go
	implausible int                // other numbers that are left out

	damagedLabels int // words whose labels are left out
}

// ambiguous is how many events of a stream that was being emptied when the program
// was killed may have been counted twice or not at all: those of a [pepfile.FeedStep], and the
// counts that may just have been on their way from the caches to the table.
const ambiguous = pepfile.FeedStep + 3*pepfile.CacheMost

// Taps adds up the words of a file and the events that are still in streams: in their
// caches, and, for a program without an engine that has died, in buffers and chunks.
func (c Counts) Taps() *Taps {
	a := c.Words()
	t := &Taps{area: a}
	if a.WordsHeader == nil {
		t.area = pepfile.Words{WordsHeader: &pepfile.WordsHeader{Exact: 1}}
		return t
	}
	index := map[pepfile.WordKey]int{}
	labels := &labelSets{of: c}
	add := func(k pepfile.WordKey, count, messages uint64) {
		if k.Labels != 0 {
			number := uint16(labels.numberOf(uint32(k.Labels)))
			switch {
			case k.Labels == pepfile.TooManyLabels:
				t.unlabelled = plus(t.unlabelled, count)
			case number == 0:
				t.damagedLabels++
			}
			k.Labels = number
		}
		i, ok := index[k]
		if !ok {
			i = len(t.Words)
			index[k] = i
			t.Words = append(t.Words, report.Word{
				Tuple: tuple.Tuple{PC: k.PC &^ pepfile.OtherBit, W: k.W}, Free: k.Free, Other: k.PC&pepfile.OtherBit != 0,
				Labels: uint32(k.Labels),
			})
		}
		t.Words[i].Count = int64(plus(uint64(t.Words[i].Count), count))
		t.Words[i].Messages = int64(plus(uint64(t.Words[i].Messages), messages))
		t.Counted = plus(t.Counted, count)
		if t.Words[i].Other {
			t.other = plus(t.other, count)
		}
	}
	rest := func(tuples []tuple.Tuple, labels uint16) {
		if a.Exact == 0 || a.Deliver != options.DeliverInterrupt {
			t.buffered += uint64(len(tuples))
			return
		}
		t.Fed += uint64(len(tuples))
		for _, x := range tuples {
			if x.PC == tuple.GoroutinePC {
				continue
			}
			add(pepfile.WordKey{PC: x.PC, W: x.W, Labels: labels}, 1, 1)
		}
	}
	for i := range uint64(pepfile.WordSlots) {
		e := a.Word(i)
		if h := golink.Load64(&e.Hash); h&1 == 0 && golink.Load64(&e.Count) == 0 {
			continue // free, or being made
		}
		if !e.Intact() {
			t.damaged++
			continue
		}
		k, count, messages := e.Key(), golink.Load64(&e.Count), e.Messages()
		if a.Exact != 0 {
			messages = count
		}
		add(k, count, messages)
	}
	for _, m := range c.Held {
		add(pepfile.WordKey{PC: m.Tuple.PC, W: m.Tuple.W, Free: m.Free}, uint64(m.Count), uint64(m.Messages))
	}
	exact := a.Exact != 0 && a.Deliver == options.DeliverInterrupt
	for i := range min(c.Streams, pepfile.MaxStreams) {
		s := c.Stream(i)
		for _, n := range [...]uint64{s.Fed, s.Dropped} {
			if n > pepfile.MaxPlausible {
				t.implausible++
			}
		}
		t.Fed += min(s.Fed, pepfile.MaxPlausible)
		t.Dropped += min(s.Dropped, pepfile.MaxPlausible)
		for i := range s.Cache {
			if k, n := s.Cache[i].Events(); n > 0 {
				add(k, n, n)
			}
		}
		for i := range s.Others {
			if k, n := s.Others[i].Events(); n > 0 {
				add(k.Other(), n, n)
			}
		}
		rest(s.Buffered(), uint16(s.Labels))
		if golink.Load32(&s.Lock) != 0 && golink.Load32(&s.N) > 0 { // not closed, but killed
			if t.unsure += ambiguous; !exact {
				t.unsure += uint64(len(s.Buffered()))
			}
		}
	}
	for i := range uint32(min(a.Chunks, pepfile.MaxChunks)) {
		k := c.Chunk(i)
		left := k.Left()
		rest(left, k.Origin.Labels())
		if golink.Load32(&k.Lock) != 0 {
			t.unsure += uint64(len(left))
		}
	}
	t.sets = labels.sets
	t.Dropped = plus(t.Dropped, plus(a.NoStream, a.Queue.Queued-min(a.Queue.Served, a.Queue.Queued)))
	return t
}

// TapFiles returns the profiles of taps, none if the program has no taps. The paths profile p identifies the program
// and its run.
func (c Counts) TapFiles(p *report.Profile) []report.File {
	pkgs := wire.Packages(p.Packages)
	if c.Streams == 0 && !report.Tapped(pkgs) {
		return nil
	}
	t := c.Taps()
	names := symbol.NewNames(c.Here, c.Header)
	r := &report.Taps{
		Packages: pkgs, Words: t.Words, Labels: t.sets, Names: names, Code: t.places(names),
		Mapping: p.Mapping, Start: p.Start, Duration: p.Duration,
		Facts: t.Facts(),
	}
	at := report.NewOutsideOfTaps(pkgs)
	c.outside(symbol.NewTable(c.Here.Text), at)
	if p.Calls != nil {
		at.AddCalls(p.Calls)
	}
	at.Tell(&r.Facts)
	c.tellDetached(&r.Facts)
	r.PeriodType = pprofenc.ValueType{Type: "events", Unit: "count"}
	r.Period = t.period()
	return r.Write()
}

// places returns where the taps stand in the code of the program that the words are of,
// if words are about code.
func (t *Taps) places(n symbol.Names) (list []report.Place) {
	for i := range t.Words {
		if t.Words[i].Tuple.Site() == tuple.PoolCode {
			symbol.FindTaps(func(addr, pc uint64) { list = append(list, report.Place{Addr: n.There(uintptr(addr)), PC: pc}) })
			break
		}
	}
	return list
}

// period returns how many events a sample stands for, or a message if it is not known what
// the engine samples. It is 1 only if every event was counted.
func (t *Taps) period() int64 {
	if t.area.Exact != 0 {
		return 1
	}
	if n := t.area.Rate; n > 0 && n < 1<<62 {
		return int64(max(2, n))
	}
	var messages uint64
	for i := range t.Words {
		messages = plus(messages, uint64(t.Words[i].Messages))
	}
	return int64(max(2, t.Counted/max(messages, 1)))
}

// Facts says how the profile was made and what it lacks.
func (t *Taps) Facts() (f facts.List) {
	a := t.area
	o := options.Tapping{Engine: string(a.Engine[:min(a.EngineLen, uint32(len(a.Engine)))]), Deliver: a.Deliver}
	if a.Exact != 0 {
		o.Engine = options.EngineExact
	}
	f = o.Facts()
	kept := int64(t.Fed) - int64(t.Counted) - int64(a.Lost) // negative: counters that began with a phase
	if a.Exact != 0 {
		kept = 0 // without an engine, what is missing is part of t.unsure
	}
	for _, x := range [...]struct {
		key facts.Key
		n   uint64
	}{
		{facts.Events, t.Fed},
		{facts.Dropped, t.Dropped},
		{facts.InEngines, uint64(max(kept, 0))},
		{facts.Merged, uint64(a.Merged)},
		{facts.MergedRoughly, uint64(a.MergedRoughly)},
		{facts.InBuffers, t.buffered},
		{facts.Others, t.other},
		{facts.Unlabelled, t.unlabelled},
		{facts.NoSpace, a.Lost},
		{facts.Unsure, t.unsure},
	} {
		f.Set(x.key, x.n)
	}
	(&damage{entries: t.damaged, labels: t.damagedLabels, counters: t.implausible}).tell(&f)
	if q := &a.Queue; a.Deliver == options.DeliverService && q.Messages > 0 {
		f.Set(facts.Handled, q.Messages)
		f.Set(facts.Handling, q.Busy)
		f.Set(facts.MinGap, q.MinGap)
		f.Set(facts.GapP1, q.P1())
	}
	if a.Untold != 0 {
		f.Set(facts.Untold, 1)
	}
	return f
}

// plus adds counts of a file, which may be damaged. Instead of overflowing it returns the largest number.
func plus(a, b uint64) uint64 { return min(min(a, most)+min(b, most), most) }

const most = 1<<63 - 1

// Symbols returns the names of types and functions among the words of taps.
func (c Counts) Symbols(t *Taps) (list []trace.Symbol) {
	n := symbol.NewNames(c.Here, c.Header)
	for i := range t.Words {
		w := &t.Words[i]
		if w.Other || w.Tuple.W == 0 {
			continue
		}
		switch tag := w.Tuple.Tag(); tag {
		case tuple.Type:
			list = append(list, trace.Symbol{Tag: tag, W: w.Tuple.W, Name: n.Type(w.Tuple.W)})
		case tuple.Call, tuple.Direct:
			name := n.Func(w.Tuple.W).Func
			if !n.IsFunc(w.Tuple.W) { // a type, of whose methods one is called
				name = n.Type(w.Tuple.W)
			}
			list = append(list, trace.Symbol{Tag: tag, W: w.Tuple.W, Name: name})
		}
	}
	return list
}
