package core

// This file makes pprof files of the profile of words.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/pprofenc"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// taps is what is known of taps in a .pep file, or in a running program.
type taps struct {
	area  areaOf
	words []report.Word

	fed, dropped uint64
	buffered     uint64 // events that were still in buffers, and went nowhere
	unsure       uint64 // events that may have been counted twice or not at all
	counted      uint64 // events that words stand for
	other        uint64 // of these, events of words for which there was no room
	damaged      int    // words that are left out: see verify.go
}

// ambiguous is how many events of a stream that was being emptied when the program
// was killed may have been counted twice or not at all: those of a step, and the
// counts that may just have been on their way from the caches to the table.
const ambiguous = step + 3*cacheMost

// taps adds up the words of a file and what is still in streams: in their
// caches, and in the buffers and chunks of a program that has died without an
// engine.
func (c counted) taps() *taps {
	a := c.area()
	t := &taps{area: a}
	if a.areaHeader == nil {
		t.area = areaOf{areaHeader: &areaHeader{Exact: 1}}
		return t
	}
	type key struct {
		tuple.Tuple
		free uint64
	}
	index := map[key]int{}
	add := func(pc, w, free, count, messages uint64) {
		k := key{tuple.Tuple{PC: pc, W: w}, free}
		i, ok := index[k]
		if !ok {
			i = len(t.words)
			index[k] = i
			other := pc&otherBit != 0
			k.PC &^= otherBit
			t.words = append(t.words, report.Word{Tuple: k.Tuple, Free: uint8(free), Other: other})
		}
		t.words[i].Count += int64(count)
		t.words[i].Messages += int64(messages)
		t.counted += count
		if t.words[i].Other {
			t.other += count
		}
	}
	rest := func(tuples []tuple.Tuple) {
		if a.Exact == 0 || a.Deliver != deliverInterrupt {
			t.buffered += uint64(len(tuples))
			return
		}
		t.fed += uint64(len(tuples))
		for _, x := range tuples {
			if x.PC == goroutinePC {
				continue
			}
			add(x.PC, x.W, 0, 1, 1)
		}
	}
	for i := range uint64(wordSlots) {
		e := a.word(i)
		if h := load64(&e.Hash); h&1 == 0 && load64(&e.Count) == 0 {
			continue // free, or being made
		}
		if !e.intact() {
			t.damaged++
			continue
		}
		add(e.PC, e.W, e.Free, load64(&e.Count), load64(&e.Messages))
	}
	for _, m := range held {
		add(m.Tuple.PC, m.Tuple.W, uint64(m.Free), uint64(m.Count), uint64(m.Messages))
	}
	exact := a.Exact != 0 && a.Deliver == deliverInterrupt
	for i := range min(c.Streams, maxStreams) {
		s := c.stream(i)
		t.fed += s.Fed
		t.dropped += s.Dropped
		for i := range s.Cache {
			if c := &s.Cache[i]; c.PC != 0 && c.Count > 0 {
				add(c.PC, c.W, 0, c.Count, c.Count)
			}
		}
		for i := range s.Others {
			if c := &s.Others[i]; c.PC != 0 && c.Count > 0 {
				add(c.PC|otherBit, 0, 0, c.Count, c.Count)
			}
		}
		rest(s.buffered())
		if load32(&s.Lock) != 0 && load32(&s.N) > 0 { // not closed, but killed
			if t.unsure += ambiguous; !exact {
				t.unsure += uint64(len(s.buffered()))
			}
		}
	}
	if a.Taps == tapsFull {
		for i := range uint32(min(a.Chunks, maxChunks)) {
			k := c.chunk(i)
			left := k.left()
			rest(left)
			if load32(&k.Lock) != 0 {
				t.unsure += uint64(len(left))
			}
		}
	}
	t.dropped += a.NoStream + a.Queue.Queued - min(a.Queue.Served, a.Queue.Queued)
	return t
}

// tapFiles returns the profiles of what was tapped: none if nothing could be, or
// if another process has it all. The paths profile p says what they are of.
func (c counted) tapFiles(p *report.Profile) []report.File {
	if c.Streams == 0 && !report.Tapped(p.Packages) {
		return nil
	}
	t := c.taps()
	a := t.area
	if a.Deliver == deliverRing {
		return nil
	}
	names := newNames(c.header)
	r := &report.Taps{
		Packages: p.Packages, Words: t.words, Names: names,
		Mapping: p.Mapping, Start: p.Start, Duration: p.Duration,
		Comment: t.comment() + c.untilDetached(), Scale: 1,
	}
	r.PeriodType = pprofenc.ValueType{Type: "events", Unit: "count"}
	r.Period = t.period()
	if a.Taps == tapsBurst {
		r.Scale = a.Burst.scale()
	}
	return r.Write()
}

// period returns how many events a message stands for: 1 only if every event was
// counted.
func (t *taps) period() int64 {
	if t.area.Exact != 0 && t.area.Taps != tapsBurst {
		return 1
	}
	var messages int64
	for i := range t.words {
		messages += t.words[i].Messages
	}
	return max(2, int64(t.counted)/max(messages, 1))
}

// comment says how the profile was made and what it lacks.
func (o tapping) comment() string {
	s := "pep: taps, "
	if o.engine == engineExact {
		s += "every event counted"
	} else {
		s += "engine " + o.engine
	}
	if o.taps == tapsBurst {
		s += ", in bursts"
	}
	return s + [...]string{", by interrupt", ", by service", ", by ring"}[min(o.deliver, deliverRing)]
}

func (t *taps) comment() string {
	a := t.area
	o := tapping{engine: string(a.Engine[:min(a.EngineLen, uint32(len(a.Engine)))]), taps: a.Taps, deliver: a.Deliver}
	if a.Exact != 0 {
		o.engine = engineExact
	}
	s := o.comment() + ", " + digits.Uint(t.fed) + " events, " + digits.Uint(t.dropped) + " dropped"
	kept := int64(t.fed) - int64(t.counted) - int64(a.Lost) // negative: counters that began with a phase
	if a.Exact != 0 {
		kept = 0 // without an engine, what is missing is part of t.unsure
	}
	q := &a.Queue
	for _, more := range [...]struct {
		n    uint64
		what string
	}{
		{uint64(max(kept, 0)), " left in engines"},
		{uint64(a.Merged), " engines merged"},
		{uint64(a.MergedRoughly), " engines merged, so that counts are approximate"},
		{t.buffered, " left in buffers"},
		{t.other, " of words without room, as other"},
		{a.Lost, " without room"},
		{t.unsure, " at most counted twice or not at all when the program was killed"},
	} {
		if more.n > 0 {
			s += ", " + digits.Uint(more.n) + more.what
		}
	}
	s += (&damage{entries: t.damaged}).comment()
	if a.Deliver == deliverService && q.Messages > 0 {
		s += ", gap between messages at least " + digits.Uint(q.MinGap) + "ns, p1 " + digits.Uint(q.p1()) + "ns, " +
			digits.Uint(q.Busy/q.Messages) + "ns to handle one"
	}
	if a.Taps == tapsBurst {
		b := &a.Burst
		s += ", " + digits.Uint(b.Taken) + " taken in " + digits.Uint(b.Ticks) + " bursts of about " + digits.Uint(uint64(b.events())) + " events: "
		s += digits.Uint(b.Seen) + " in " + digits.Uint(b.Inside/1000) + "us of " + digits.Uint(b.CPU/1000) + "us"
	}
	return s
}

// symbols returns the names of types and functions among the words.
func (t *taps) symbols() (list []trace.Symbol) {
	n := newNames(counts.header)
	for i := range t.words {
		w := &t.words[i]
		if w.Other || w.Tuple.W == 0 {
			continue
		}
		switch tag := w.Tuple.Tag(); tag {
		case tuple.Type:
			list = append(list, trace.Symbol{Tag: tag, W: w.Tuple.W, Name: n.Type(w.Tuple.W)})
		case tuple.Call, tuple.Direct:
			name := n.Func(w.Tuple.W).Func
			if len(n.symbols.lookup(n.here(w.Tuple.W)+1)) == 0 { // a type, of whose methods one is called
				name = n.Type(w.Tuple.W)
			}
			list = append(list, trace.Symbol{Tag: tag, W: w.Tuple.W, Name: name})
		}
	}
	return list
}

// names tells what addresses in the program that a header is of were the
// addresses of. It is the same binary as this one, but may have been elsewhere
// in memory.
type names struct {
	symbols *symbolizer
	of      *header
}

func newNames(of *header) names { return names{&symbolizer{at: map[uintptr][]uint32{}}, of} }

func (n names) here(addr uint64) uintptr {
	if n.of.Text == 0 {
		return uintptr(addr)
	}
	return uintptr(addr) - uintptr(n.of.Text) + textBase
}

// Func returns the function whose code begins at pc.
func (n names) Func(pc uint64) report.Frame { return n.funcAt(n.here(pc)) }

// there is the inverse of here.
func (n names) there(p uintptr) uint64 { return uint64(p - n.here(0)) }

// funcAt returns the function whose code begins at pc in this process.
func (n names) funcAt(pc uintptr) report.Frame {
	frames := n.symbols.lookup(pc + 1)
	if len(frames) == 0 {
		return report.Frame{Func: digits.Hex(n.there(pc))}
	}
	f := n.symbols.frames[frames[len(frames)-1]] // what is inlined at its beginning comes before it
	f.Line = f.StartLine
	return f
}

// Method returns the method of a name that the type whose descriptor is at addr
// has: the one that is in the source, if the type has it from another one.
func (n names) Method(addr uint64, name string) report.Frame {
	if t := n.here(addr); n.mayReadType(t) {
		if pc := methodPC(t, name); pc != 0 {
			f := n.funcAt(pc)
			if isWrapper(f) {
				if real, ok := n.behind(pc, name); ok {
					return real
				}
			}
			return f
		}
	}
	return report.Frame{Func: n.Type(addr) + "." + name}
}

// Type returns the name of the type whose descriptor is at addr.
func (n names) Type(addr uint64) string {
	t := n.here(addr)
	if !n.mayReadType(t) {
		return "type " + digits.Hex(addr)
	}
	return typeName(t)
}

func (names) Float(x float64, bits int) string { return formatFloat(x, bits) }

// An abiType is the beginning of a type descriptor: internal/abi.Type.
type abiType struct {
	_    [2]uintptr
	_    uint32
	flag uint8
	_    [3]uint8
	_    [2]uintptr
	str  int32 // offset of the name
	_    int32
}

// extraStar is abi.TFlagExtraStar: the name has a star before it that is not
// part of it.
const extraStar = 1 << 1

// typeName returns the name that the descriptor at p has.
func typeName(p uintptr) string {
	t := (*abiType)(at(p))
	name := nameAt((*byte)(resolveNameOff(unsafe.Pointer(t), t.str)))
	if t.flag&extraStar != 0 {
		name = name[1:]
	}
	return name
}

// nameAt returns the name at p: behind a byte of flags, its length as a varint,
// and its bytes.
func nameAt(p *byte) string {
	b := (*[1 << 16]byte)(unsafe.Pointer(p))
	n, size := 0, 1
	for shift := 0; ; shift += 7 {
		x := b[size]
		size++
		n |= int(x&0x7f) << shift
		if x < 0x80 {
			return string(b[size : size+n])
		}
	}
}
