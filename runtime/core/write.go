package core

// This file makes pprof files of a table of counts.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/pprofenc"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/wire"
)

// counted is what a .pep file, or the table of a running program, holds.
type counted struct {
	table
	size uint64 // bytes of the file
}

// check says what is wrong with the file, "" if nothing is.
func (c counted) check() string {
	switch {
	case c.size < pageSize || string(c.Magic[:]) != magic:
		return "not a .pep file"
	case c.Version != version:
		return "of version " + digits.Uint(uint64(c.Version)) + ", not " + digits.Uint(version)
	case c.Mode != mode:
		return "of a program built with another kind of poll"
	case c.size < pageSize+uint64(c.Slots)*uint64(unsafe.Sizeof(entry{})), c.ExeLen > uint32(len(c.Exe)):
		return "truncated"
	}
	return ""
}

// profile returns the profile that c makes with the program's site tables.
func (c counted) profile(pkgs []*wire.Package, build [8]byte) *report.Profile {
	p := &report.Profile{
		Packages:   pkgs,
		Mapping:    pprofenc.Mapping{File: string(c.Exe[:c.ExeLen]), BuildID: hexBytes(build[:])},
		Comment:    c.comment(),
		PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     int64(c.Tick),
		Start:      int64(c.Start),
	}
	if mode == modeExact {
		p.PeriodType, p.Period = pprofenc.ValueType{Type: "paths", Unit: "count"}, 1
		p.Samples = c.exactSamples()
	} else {
		p.Frames, p.Samples = c.samples()
	}
	return p
}

// comment says how the profile was made and what it lacks.
func (c counted) comment() string {
	if mode == modeExact {
		return "pep: exact, every path counted"
	}
	form := ""
	switch c.Form {
	case agRegular:
		form = "regular "
	case agJikes:
		form = "jikes "
	}
	s := "pep: sampled " + form + "PEP(" + digits.Uint(uint64(c.Samples)) + "," + digits.Uint(uint64(c.Stride)) + "), tick " + duration(c.Tick) + " " + tickClock + ", " +
		modeNames[mode] + ", " + digits.Uint(c.Ticks) + " ticks, " + digits.Uint(c.Taken) + " samples, " +
		digits.Uint(c.Dropped) + " dropped, " + digits.Uint(c.Shortened) + " shortened"
	for _, more := range [...]struct {
		n    uint64
		what string
	}{
		{c.Overruns, " overruns"},
		{c.Truncated, " with more than 32 callers"},
		{c.Unknown, " polls not understood"},
	} {
		if more.n > 0 {
			s += ", " + digits.Uint(more.n) + more.what
		}
	}
	return s
}

// samples returns the entries of the table, equal ones added up, and the frames
// of their stacks.
func (c counted) samples() (frames []report.Frame, list []report.Sample) {
	merged := make(map[key]int)
	symbols := symbolizer{at: make(map[uintptr][]uint32)}
	for i := range c.Slots {
		e := c.entry(i)
		if load32(&e.State) != entryReady {
			continue
		}
		k := e.key
		k.settleLeaf()
		for i := min(k.N, maxCallers); i < maxCallers; i++ {
			k.Callers[i] = 0
		}
		j, ok := merged[k]
		if !ok {
			j = len(list)
			merged[k] = j
			list = append(list, report.Sample{Number: uint64(k.Path), Stack: symbols.stack(&k)})
		}
		list[j].Count += int64(load64(&e.Count))
	}
	return symbols.frames, list
}

// exactSamples returns the paths that were counted at all.
func (c counted) exactSamples() (list []report.Sample) {
	for _, s := range c.sections() {
		for i, n := range s.counters {
			if n > 0 {
				list = append(list, report.Sample{Package: s.path, Number: uint64(i), Count: int64(n)})
			}
		}
	}
	return list
}

// counters are the exact counts of a package.
type counters struct {
	path     string
	counters []uint64
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
