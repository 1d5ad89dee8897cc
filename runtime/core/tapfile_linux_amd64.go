package core

// This file holds the files that tuples go to: the trace, and the ring.

import (
	"github.com/pepgo/pep/runtime/ring"
	"github.com/pepgo/pep/runtime/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// A traceFile is the trace as far as it is written.
type traceFile struct {
	fd   uintptr
	name string
	open uint32 // 1: blocks are to be written
}

var tracing traceFile

// openTrace begins the trace if there is to be one. The file is opened for
// appending: so blocks that threads write at the same time come one after the
// other, and no lock is needed.
func openTrace() (problem string) {
	if tapOptions.trace == "" {
		return ""
	}
	name := tapOptions.trace
	if name[0] != '/' {
		name = tableName[:len(tableName)-len(base(tableName))] + name
	}
	fd, e := open(name, oWronly|oCreat|oTrunc|oAppend)
	if e != 0 {
		return "creating the trace " + name + ": " + e.Error()
	}
	tables, build, err := rawTables()
	if err != nil {
		return "the trace: " + err.Error()
	}
	h := trace.Header{Build: build, Exe: string(counts.Exe[:counts.ExeLen]), Tables: tables, Comment: tapOptions.comment()}
	if e := write(fd, trace.AppendHeader(nil, &h)); e != 0 {
		return "writing " + name + ": " + e.Error()
	}
	tracing = traceFile{fd, name, 1}
	return ""
}

// traceBlock adds tuples to the trace if there is one.
func (k *sink) traceBlock(id uint32, tuples []tuple.Tuple) {
	if load32(&tracing.open) == 0 || len(tuples) == 0 {
		return
	}
	k.trace = trace.AppendBlock(k.trace[:0], id, tuples)
	if e := write(tracing.fd, k.trace); e != 0 && cas32(&tracing.open, 1, 0) {
		print("pep: writing ", tracing.name, ": ", e.Error(), "; the trace ends here\n")
	}
}

// closeTrace ends the trace with the names of types and functions in it, as far
// as they are in the profile, and the number of events.
func closeTrace() {
	if load32(&tracing.open) == 0 {
		return
	}
	store32(&tracing.open, 0)
	var end trace.End
	var syms []trace.Symbol
	if area.areaHeader != nil {
		c := tapsOf(area, openStreams(), nil)
		end.Tuples, end.Dropped = c.fed, c.dropped
		syms = c.symbols()
	}
	b := trace.AppendEnd(trace.AppendSymbols(nil, syms), end)
	if e := write(tracing.fd, b); e != 0 {
		print("pep: writing ", tracing.name, ": ", e.Error(), "\n")
	}
	closeFd(tracing.fd)
}

// ringName returns the name of the ring that belongs to a .pep file.
func ringName(table string) string { return table[:len(table)-len(".pep")] + ".ring" }

// openRing makes the ring.
func openRing() (problem string) {
	name := ringName(tableName)
	fd, e := open(name, oRdwr|oCreat|oTrunc)
	if e != 0 {
		return "creating " + name + ": " + e.Error()
	}
	defer closeFd(fd)
	if _, e = sys(sysFallocate, fd, 0, 0, uintptr(ring.Size), 0, 0); e == eOPNOTSUPP {
		_, e = sys(sysFtruncate, fd, uintptr(ring.Size), 0, 0, 0, 0)
	}
	if e == 0 {
		p, e2 := mmap(0, uintptr(ring.Size), protRead|protWrite, mapShared, fd, 0)
		if e = e2; e == 0 {
			handoff = ring.At(p)
			handoff.Pid, handoff.Build = counts.Pid, counts.Build
			handoff.ExeLen = uint32(copy(handoff.Exe[:], counts.Exe[:counts.ExeLen]))
			handoff.Init()
			return ""
		}
	}
	unlink(name)
	return "making room in " + name + ": " + e.Error()
}

// closeRing lets the reader, who has it mapped, come to an end.
func closeRing() {
	if tapOptions.deliver == deliverRing && handoff.Header != nil {
		store32(&handoff.Closed, 1)
		unlink(ringName(tableName))
	}
}
