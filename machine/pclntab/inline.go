package pclntab

// This file reads the inline tree. The package comment has its format.

import (
	"encoding/binary"
	"slices"
	"sort"
)

// callSize is the size of a call in the inline tree, and maxDepth a bound on the depth of
// the tree, which damaged tables could make endless.
const (
	callSize = 16
	maxDepth = 1000
)

// A call is an entry of the inline tree.
type call struct {
	name, parentPC uint32
	startLine      int32
}

func (f Func) call(i int32) (c call, ok bool) {
	off := uint64(f.tree) + callSize*uint64(uint32(i))
	if f.tree == none || i < 0 || off+callSize > uint64(len(f.t.gofunc)) {
		return c, false
	}
	b := f.t.gofunc[off:]
	return call{
		name:      binary.LittleEndian.Uint32(b[4:]),
		parentPC:  binary.LittleEndian.Uint32(b[8:]),
		startLine: int32(binary.LittleEndian.Uint32(b[12:])),
	}, true
}

// A Frame is a function at an address: that which contains the code, or one that was
// inlined there.
type Frame struct {
	Func      string // linker's name
	StartLine int    // line of the func keyword, or 0
	Position
	Inlined bool
}

// InlinedCall returns a number for the inlined call that the instruction at pc belongs to,
// the innermost one: instructions of the same call have the same number. It is -1 for code
// of the function itself.
func (f Func) InlinedCall(pc uint64) int {
	i, ok := f.value(f.pcinline, pc)
	if _, isCall := f.call(i); !ok || !isCall {
		return -1
	}
	return int(i)
}

// Frames returns the functions to which the instruction at pc belongs, the innermost
// inlined one first. The last frame is that of f. The positions of the frames after the
// first are those of calls.
func (f Func) Frames(pc uint64) []Frame {
	var frames []Frame
	for len(frames) < maxDepth {
		at := f.Position(pc)
		i, ok := f.value(f.pcinline, pc)
		c, isCall := f.call(i)
		if !ok || !isCall {
			return append(frames, Frame{Func: f.Name(), StartLine: f.StartLine, Position: at})
		}
		frames = append(frames, Frame{str(f.t.names, c.name), int(c.startLine), at, true})
		pc = f.Entry + uint64(c.parentPC)
	}
	return frames
}

// An Inlined is a call that the compiler replaced by the body of the called function.
type Inlined struct {
	Func      string   // linker's name of the called function
	StartLine int      // line of its func keyword
	Call      Position // of the call
	// Parent is the index, in the same list, of the call in whose body this call is, or -1
	// if the call is in the body of the function itself.
	Parent int
	// Ranges are the addresses of the code of the body, without that of calls inlined into
	// it. They are empty if the compiler kept no instruction of the body itself.
	Ranges []Range
}

// maxCalls bounds the number of calls that Inlined returns for a function; damaged tables
// could name any.
const maxCalls = 1 << 15

// Inlined returns the calls that are inlined into f. It is in the order of the inline
// tree; calls of which no instruction remained are missing from its end.
func (f Func) Inlined() []Inlined {
	var list []Inlined
	var tree []pieceOf[int32]
	for r, i := range f.steps(f.pcinline) {
		tree = append(tree, pieceOf[int32]{r, i})
	}
	var lines []pieceOf[Position]
	add := func(i int32) bool { // makes list[i]
		for len(list) <= int(i) && i < maxCalls {
			c, ok := f.call(int32(len(list)))
			if !ok {
				return false
			}
			if lines == nil {
				for r, at := range f.Lines() {
					lines = append(lines, pieceOf[Position]{r, at})
				}
			}
			at := f.Entry + uint64(c.parentPC)
			parent, ok := lookUp(tree, at)
			if !ok || parent < 0 {
				parent = -1
			}
			call, _ := lookUp(lines, at)
			list = append(list, Inlined{Func: str(f.t.names, c.name), StartLine: int(c.startLine), Call: call,
				Parent: int(parent)})
		}
		return int(i) < len(list)
	}
	for _, p := range tree {
		if p.value >= 0 && add(p.value) {
			list[p.value].Ranges = append(list[p.value].Ranges, p.Range)
		}
	}
	for i := 0; i < len(list); i++ { // parents without code of their own
		if p := list[i].Parent; p >= len(list) {
			add(int32(p))
		}
	}
	for i := range list {
		if list[i].Parent >= i { // a damaged tree: calls stand before those in their bodies
			list[i].Parent = -1
		}
	}
	return slices.Clip(list)
}

// A pieceOf is a range of a pc table that has been read, with its value.
type pieceOf[T any] struct {
	Range
	value T
}

// lookUp returns the value for pc in pieces in the order of their addresses.
func lookUp[T any](pieces []pieceOf[T], pc uint64) (value T, ok bool) {
	i := sort.Search(len(pieces), func(i int) bool { return pieces[i].End > pc })
	if i == len(pieces) || !pieces[i].Contains(pc) {
		return value, false
	}
	return pieces[i].value, true
}
