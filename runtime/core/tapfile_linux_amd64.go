package core

// This file holds the files that tuples go to: the trace, and the ring.

import (
	"github.com/pepgo/pep/runtime/ring"
	"github.com/pepgo/pep/runtime/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// A traceFile is the trace as far as it is written.
type traceFile struct {
	fd      uintptr
	name    string
	open    uint32 // 1: blocks are to be written
	written uint64 // bytes
	limit   uint64 // of bytes
	wrong   errno  // why blocks are not written any more
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
	if problem := replaceable(name); problem != "" {
		return "the trace " + name + ": " + problem
	}
	tables, build, err := rawTables()
	if err != nil {
		return "the trace: " + err.Error()
	}
	tmp, fd, e := createTemporary(name, oAppend)
	if e != 0 {
		return "creating the trace " + name + ": " + e.Error()
	}
	tracing = traceFile{fd: fd, name: name, limit: fileLimit()}
	h := trace.Header{Build: build, Exe: string(counts.Exe[:counts.ExeLen]), Tables: tables, Comment: tapOptions.comment()}
	if e = tracing.write(trace.AppendHeader(nil, &h)); e == 0 {
		e = rename(tmp, name)
	}
	if e != 0 {
		unlink(tmp)
		closeFd(fd)
		return "writing " + name + ": " + e.Error()
	}
	tracing.open = 1
	return ""
}

// write adds to the file, unless it would become larger than files may be: the
// kernel would kill the program.
func (f *traceFile) write(b []byte) errno {
	if add64(&f.written, int64(len(b))) > f.limit {
		return eFBIG
	}
	return write(f.fd, b)
}

// traceBlock adds tuples to the trace if there is one.
func (k *sink) traceBlock(tuples []tuple.Tuple) {
	if load32(&tracing.open) == 0 || len(tuples) == 0 {
		return
	}
	b := trace.AppendBlock(k.trace, k.id, tuples)
	if e := tracing.write(b); e != 0 && cas32(&tracing.open, 1, 0) {
		tracing.wrong = e
	}
}

// closeTrace ends the trace with the names of types and functions in it, as far
// as they are in the profile, and the number of events.
func closeTrace() {
	if tracing.wrong != 0 {
		print("pep: writing ", tracing.name, ": ", tracing.wrong.Error(), "; the trace ends there\n")
	}
	if !cas32(&tracing.open, 1, 0) {
		return
	}
	var end trace.End
	var syms []trace.Symbol
	if area.areaHeader != nil {
		c := counted{table: counts}.taps()
		end.Tuples, end.Dropped = c.fed, c.dropped
		syms = c.symbols()
	}
	b := trace.AppendEnd(trace.AppendSymbols(nil, syms), end)
	if e := tracing.write(b); e != 0 {
		print("pep: writing ", tracing.name, ": ", e.Error(), "\n")
	}
	closeFd(tracing.fd)
}

// ringName returns the name of the ring that belongs to a .pep file.
func ringName(table string) string { return table[:len(table)-len(".pep")] + ".ring" }

// openRing makes the ring.
func openRing() (problem string) {
	name := ringName(tableName)
	fd, e := open(name, oRdwr|oCreat|oExcl|oNofollow)
	if e != 0 {
		return "creating " + name + ": " + e.Error()
	}
	defer closeFd(fd)
	problem = allocate(fd, uintptr(ring.Size))
	if problem == "" {
		p, e := mmap(0, uintptr(ring.Size), protRead|protWrite, mapShared, fd, 0)
		if e == 0 {
			live[1] = [2]uintptr{uintptr(p), uintptr(ring.Size)}
			handoff = ring.At(p)
			handoff.Pid, handoff.Build = counts.Pid, counts.Build
			handoff.ExeLen = uint32(copy(handoff.Exe[:], counts.Exe[:counts.ExeLen]))
			handoff.Init()
			return ""
		}
		problem = e.Error()
	}
	unlink(name)
	return "making room in " + name + ": " + problem
}

// closeRing lets the reader, who has it mapped, come to an end.
func closeRing() {
	if tapOptions.deliver == deliverRing && handoff.Header != nil {
		store32(&handoff.Closed, 1)
		unlink(ringName(tableName))
	}
}
