package taps

// This file writes the trace, a file of all tuples.

import (
	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/sys"
)

// A traceFile is the trace as far as it is written.
type traceFile struct {
	fd      uintptr
	name    string
	open    uint32    // 1: threads write blocks
	written uint64    // bytes
	limit   uint64    // of bytes
	wrong   sys.Errno // why blocks are not written any more
}

var tracing traceFile

// openTrace begins the trace if PEPOPTS names one. The file is open for appending, so
// blocks that several threads write at the same time come one after the other
// without a lock.
func openTrace() (problem string) {
	if settings.Trace == "" {
		return ""
	}
	name := settings.Trace
	if name[0] != '/' {
		name = file[:len(file)-len(sys.Base(file))] + name
	}
	if problem := sys.Replaceable(name); problem != "" {
		return "the trace " + name + ": " + problem
	}
	tables, build, err := sitetables.Raw()
	if err != nil {
		return "the trace: " + err.Error()
	}
	tmp, fd, e := sys.CreateTemporary(name, sys.OAppend)
	if e != 0 {
		return "creating the trace " + name + ": " + e.Error()
	}
	tracing = traceFile{fd: fd, name: name, limit: sys.FileLimit()}
	h := trace.Header{Build: build, Exe: string(counts.Exe[:counts.ExeLen]), Tables: tables, Comment: settings.Comment()}
	if e = tracing.write(trace.AppendHeader(nil, &h)); e == 0 {
		e = sys.Rename(tmp, name)
	}
	if e != 0 {
		sys.Unlink(tmp)
		sys.Close(fd)
		return "writing " + name + ": " + e.Error()
	}
	tracing.open = 1
	return ""
}

// write adds to the file, unless the file would become larger than ulimit -f permits:
// then the kernel would kill the program.
func (f *traceFile) write(b []byte) sys.Errno {
	if golink.Add64(&f.written, int64(len(b))) > f.limit {
		return sys.EFBIG
	}
	return sys.Write(f.fd, b)
}

// traceBlock adds tuples to the trace if there is one. After an error it adds no
// more.
func (k *sink) traceBlock(tuples []tuple.Tuple) {
	if golink.Load32(&tracing.open) == 0 || len(tuples) == 0 {
		return
	}
	b := trace.AppendBlock(k.trace, k.id, tuples)
	if e := tracing.write(b); e != 0 && golink.Cas32(&tracing.open, 1, 0) {
		tracing.wrong = e
	}
}

// CloseTrace ends the trace with what end returns, if there is a trace.
func CloseTrace(end func() (trace.End, []trace.Symbol)) {
	if !Linked {
		return
	}
	if tracing.wrong != 0 {
		print("pep: writing ", tracing.name, ": ", tracing.wrong.Error(), "; the trace ends there\n")
	}
	if !golink.Cas32(&tracing.open, 1, 0) {
		return
	}
	e, names := end()
	b := trace.AppendEnd(trace.AppendSymbols(nil, names), e)
	if e := tracing.write(b); e != 0 {
		print("pep: writing ", tracing.name, ": ", e.Error(), "\n")
	}
	sys.Close(tracing.fd)
}
