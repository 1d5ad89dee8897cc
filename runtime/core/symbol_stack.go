package core

// This file turns program counters into functions and lines.

import (
	"runtime"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sitetables"
)

// address returns the program counter that is off from the text segment. (The
// difference is signed where textBase is just some function's address.)
func address(off uint32) uintptr { return textBase + uintptr(int(int32(off))) }

// settleLeaf decides whether the word at the stack top was a return address. If it
// was, it becomes the innermost caller.
func settleLeaf(k *pepfile.Key) {
	leaf := k.Leaf
	if leaf == pepfile.Logical {
		return
	}
	k.Leaf = 0
	if leaf == 0 || !frameless(address(k.PC)) {
		return
	}
	if k.N >= pepfile.MaxCallers {
		// No room. The outermost caller says more than one in the middle.
		const middle = pepfile.MaxCallers / 2
		copy(k.Callers[1:middle], k.Callers[:])
		k.Callers[0], k.Callers[middle] = leaf, pepfile.Gap
		return
	}
	copy(k.Callers[1:k.N+1], k.Callers[:k.N])
	k.Callers[0] = leaf
	k.N++
}

// frameless reports whether the function that pc is in keeps no frame pointer. It has
// none if there is no PUSHQ BP; MOVQ SP, BP between its entry and pc, or within the
// longest prologue.
func frameless(pc uintptr) bool {
	const maxPrologue = 64
	f := runtime.FuncForPC(pc)
	if f == nil {
		return false
	}
	entry := f.Entry() // of the outermost function, if pc is in an inlined one
	code := unsafe.Slice((*byte)(golink.At(entry)), min(pc-entry, maxPrologue))
	for i := 0; i+4 <= len(code); i++ {
		if code[i] == 0x55 && code[i+1] == 0x48 && code[i+2] == 0x89 && code[i+3] == 0xe5 {
			return false
		}
	}
	return true
}

// sentinel is a program counter to follow all others: runtime.CallersFrames
// expands the inlined frames of a program counter only if another one follows.
var sentinel = golink.CodeOf(sitetables.All)

// A symbolizer turns program counters into frames, and each only once: a profile has
// many stacks of the same few thousand callers. Its table is a hash table with linear
// probing, which is faster than a map of small keys, and of which a third is free at least.
type symbolizer struct {
	frames []report.Frame
	table  []symbol
	used   int
}

// A symbol has the frames at a program counter.
type symbol struct {
	pc     uintptr  // 0 if the slot is free
	frames []uint32 // indices into frames, innermost first
}

// slot returns the slot of pc, or a free one for it.
func (s *symbolizer) slot(pc uintptr) *symbol {
	mask := uint64(len(s.table) - 1)
	for i := pepfile.Mix(0, uint64(pc)) & mask; ; i = (i + 1) & mask {
		if e := &s.table[i]; e.pc == pc || e.pc == 0 {
			return e
		}
	}
}

// grow doubles the table.
func (s *symbolizer) grow() {
	old := s.table
	s.table = make([]symbol, max(2*len(old), 1<<10))
	for _, e := range old {
		if e.pc != 0 {
			*s.slot(e.pc) = e
		}
	}
}

// stack returns the frames of a sample, inlined ones expanded: the function
// that polled first.
func (s *symbolizer) stack(k *pepfile.Key) []uint32 {
	pc := address(k.PC)
	if poll.Mode == poll.Page {
		pc++ // the poll's own; the rest are return addresses already
	}
	lookup := s.lookup
	if k.Leaf == pepfile.Logical {
		lookup = s.innermost
	}
	stack := append(make([]uint32, 0, k.N+4), lookup(pc)...)
	for _, off := range k.Callers[:min(k.N, pepfile.MaxCallers)] {
		if off == pepfile.Gap {
			stack = append(stack, s.gap())
			continue
		}
		stack = append(stack, lookup(address(off))...)
	}
	return stack
}

// innermost returns the innermost frame at pc.
func (s *symbolizer) innermost(pc uintptr) []uint32 {
	frames := s.lookup(pc)
	return frames[:min(1, len(frames))]
}

// gap returns the frame that stands for callers that were left out.
func (s *symbolizer) gap() uint32 {
	e := s.slot(gapPC)
	if e.pc == 0 {
		*e = symbol{gapPC, []uint32{uint32(len(s.frames))}}
		s.used++
		s.frames = append(s.frames, report.LeftOut)
	}
	return e.frames[0]
}

// gapPC is no program counter of Go code.
const gapPC = 1

// lookup returns the frames at pc. The end of a goroutine's stack,
// runtime.goexit, is left out as runtime/pprof does.
func (s *symbolizer) lookup(pc uintptr) []uint32 {
	if 3*s.used >= 2*len(s.table) {
		s.grow()
	}
	e := s.slot(pc)
	if e.pc == 0 && pc != 0 {
		*e = symbol{pc, s.find(pc)}
		s.used++
	}
	return e.frames
}

// find asks package runtime for the frames at pc.
func (s *symbolizer) find(pc uintptr) (list []uint32) {
	frames := runtime.CallersFrames([]uintptr{pc, sentinel + 1})
	for {
		f, more := frames.Next()
		if !more {
			return list // at the sentinel
		}
		if f.Function != "runtime.goexit" {
			list = append(list, uint32(len(s.frames)))
			s.frames = append(s.frames, report.Frame{Func: f.Function, Symbol: golink.FrameSymbolName(&f), File: f.File, Line: f.Line, StartLine: golink.FrameStartLine(&f)})
		}
	}
}
