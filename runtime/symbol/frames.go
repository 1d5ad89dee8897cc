package symbol

// This file turns program counters into functions and lines.

import (
	"runtime"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sitetables"
)

// address returns the program counter that is off from the beginning of the text. (The
// difference is signed where that is just some function's address.)
func (s *Table) address(off uint32) uintptr { return s.text + uintptr(int(int32(off))) }

// SettleLeaf decides whether the word at the stack top was a return address. If it
// was, it becomes the innermost caller.
func (s *Table) SettleLeaf(k *pepfile.Key) {
	leaf := k.Leaf
	if leaf == pepfile.Logical {
		return
	}
	k.Leaf = 0
	if leaf == 0 || !frameless(s.address(k.PC)) {
		return
	}
	if k.N >= pepfile.MaxCallers {
		// No space. The outermost caller says more than one in the middle.
		const middle = pepfile.MaxCallers / 2
		copy(k.Callers[1:middle], k.Callers[:])
		k.Callers[0], k.Callers[middle] = leaf, pepfile.Gap
		return
	}
	copy(k.Callers[1:k.N+1], k.Callers[:k.N])
	k.Callers[0] = leaf
	k.N++
}

// frameless reports whether the frame pointer is that of the caller at pc. It is if there is no PUSHQ BP; MOVQ SP, BP
// between the function's entry and pc, or within the longest prologue, and at a RET.
func frameless(pc uintptr) bool {
	const maxPrologue, ret = 64, 0xc3
	f := runtime.FuncForPC(pc)
	if f == nil {
		return false
	}
	if *(*byte)(golink.At(pc)) == ret {
		return true
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

// A Table has the frames of program counters. It finds each only once: a profile has
// many stacks of the same few thousand callers. It is a hash table with linear
// probing, which is faster than a map of small keys, and of which a third is free at least.
type Table struct {
	Frames []report.Frame // all that were found

	text  uintptr
	table []symbol
	used  int
	free  []uint32 // of a block that stacks are made of
}

// NewTable returns a table without frames. PCs in a .pep file are relative to text.
func NewTable(text uintptr) *Table { return &Table{text: text} }

// A symbol has what is at a program counter: a function and those that it is inlined into,
// innermost first, as n frames from the first one on.
type symbol struct {
	pc       uintptr // 0 if the slot is free
	first, n uint32
}

// slot returns the slot of pc, or a free one for it.
func (s *Table) slot(pc uintptr) *symbol {
	mask := uint64(len(s.table) - 1)
	for i := pepfile.Mix(0, uint64(pc)) & mask; ; i = (i + 1) & mask {
		if e := &s.table[i]; e.pc == pc || e.pc == 0 {
			return e
		}
	}
}

// grow doubles the table.
func (s *Table) grow() {
	old := s.table
	s.table = make([]symbol, max(2*len(old), 1<<10))
	for _, e := range old {
		if e.pc != 0 {
			*s.slot(e.pc) = e
		}
	}
}

// Stack returns the frames of a sample as indices of Frames, inlined ones expanded: the function
// that polled first.
func (s *Table) Stack(k *pepfile.Key) []uint32 {
	leaf := s.at(s.address(k.PC))
	if k.Leaf == pepfile.Logical {
		leaf.n = min(1, leaf.n)
	}
	const block = 1 << 14
	if cap(s.free) < block/16 { // else it has space for nearly all stacks
		s.free = make([]uint32, 0, block)
	}
	stack := leaf.appendTo(s.free)
	for _, off := range k.Callers[:min(k.N, pepfile.MaxCallers)] {
		if off == pepfile.Gap {
			stack = s.gap().appendTo(stack)
			continue
		}
		stack = s.at(s.address(off)).appendTo(stack)
	}
	n := len(stack)
	s.free = stack[n:n:cap(stack)]
	return stack[:n:n]
}

// appendTo appends the indices of the frames to a stack.
func (e symbol) appendTo(stack []uint32) []uint32 {
	for i := range e.n {
		stack = append(stack, e.first+i)
	}
	return stack
}

// gap returns the frame that stands for callers that were left out.
func (s *Table) gap() symbol {
	e := s.slot(gapPC)
	if e.pc == 0 {
		*e = symbol{gapPC, uint32(len(s.Frames)), 1}
		s.used++
		s.Frames = append(s.Frames, report.LeftOut)
	}
	return *e
}

// gapPC is no program counter of Go code.
const gapPC = 1

// At returns the frames at a program counter that is off from the beginning of the text, innermost first.
func (s *Table) At(off uint32) []report.Frame { return s.lookup(s.address(off)) }

// lookup returns the frames at pc, innermost first.
func (s *Table) lookup(pc uintptr) []report.Frame {
	e := s.at(pc)
	return s.Frames[e.first:][:e.n]
}

// at returns what is at pc. The end of a goroutine's stack, runtime.goexit, is left out
// as runtime/pprof does.
func (s *Table) at(pc uintptr) symbol {
	if 3*s.used >= 2*len(s.table) {
		s.grow()
	}
	e := s.slot(pc)
	if e.pc == 0 && pc != 0 {
		*e = symbol{pc: pc, first: uint32(len(s.Frames))}
		s.find(pc)
		e.n = uint32(len(s.Frames)) - e.first
		s.used++
	}
	return *e
}

// find appends the frames at pc, which package runtime knows.
func (s *Table) find(pc uintptr) {
	frames := runtime.CallersFrames([]uintptr{pc, sentinel + 1})
	for {
		f, more := frames.Next()
		if !more {
			return // at the sentinel
		}
		if f.Function != "runtime.goexit" {
			s.Frames = append(s.Frames, report.Frame{Func: f.Function, Symbol: golink.FrameSymbolName(&f), File: f.File,
				Line: f.Line, StartLine: golink.FrameStartLine(&f)})
		}
		if f.Func != nil { // no inlined function, so the sentinel is next
			return
		}
	}
}
