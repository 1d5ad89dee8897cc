package core

// This file counts polls of code that pepbuild's own compiler has compiled. A call of
// Poll is there no call, but a test and a branch:
//
//	      TESTL SP, armed
//	      JNE   cold
//	back: …
//	cold: CALL  flagPoll
//	      NOPL  3(CX)        the number of the path is CX+3; TESTL $3, AX if it is 3
//	      JMP   back
//
// The code around a poll keeps values in all registers, and may be a function without a frame that
// has not tested whether there is room on the stack. So the assembly function flagPoll
// saves all registers, and has package runtime call onFlagPoll on the stack of the thread, as
// package runtime calls functions of its own that must not be preempted or grow the stack.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

func flagPoll()

func pollOnSystemStack()

// A pollState is what flagPoll saves. It begins as the function value that systemstack calls.
type pollState struct {
	code  uintptr     // of pollOnSystemStack
	pc    uintptr     // of the instruction with the number, the return address
	regs  [16]uintptr // without SP and BP
	frame             // of flagPoll
	stack [1]uintptr  // begins with what was the stack top at the poll
}

// goroutine returns the g that the poll is in.
func (s *pollState) goroutine() uintptr { return s.regs[14] }

// onFlagPoll counts a poll.
func onFlagPoll(s *pollState) {
	if withoutProfile {
		return
	}
	began := golink.Cycles()
	take, act := counts.Poll()
	if take {
		k := pepfile.Key{Path: operand(golink.At(s.pc), &s.regs), PC: uint32(s.pc - callers.Text.Base)}
		if g := s.goroutine(); g == golink.CurrentG() {
			logSample(counts.Add(&k)) // the poll is itself on the stack of the thread: package runtime knows no callers
		} else {
			logSample(s.count(&k, (*goroutine)(golink.At(g))))
		}
	}
	endPoll(act, began)
}

// count finds who called the function of a poll, and counts it. It follows frame pointers, because package runtime
// looks up each frame in tables and took 14 µs in an interpreter of WebAssembly. Where C code has called back, the
// frame pointers lead into the stack of C, so package runtime finds the callers there.
func (s *pollState) count(k *pepfile.Key, g *goroutine) *pepfile.Entry {
	c := framesAt(&s.stack[0], s.frame.caller, g)
	if !c.whole() {
		return countCallers(k, uintptr(unsafe.Pointer(g)), g.labels())
	}
	followFrames(k, s.stack[0], c)
	k.Labels = counts.NumberOfLabels(g.labels())
	return counts.Add(k)
}

// whole reports whether frame pointers lead to where the goroutine begins.
func (c frames) whole() bool {
	for range callers.MaxWalk {
		if _, ok := c.next(); !ok {
			return c.at == 0
		}
	}
	return true // as far as followFrames goes
}

// operand returns the number in the instruction at pc: TESTB $n, AL; TESTL $n, AX; or NOPL n(R), where R is
// neither SP nor BP.
func operand(pc unsafe.Pointer, regs *[16]uintptr) (number uint32) {
	switch golink.ByteAt(pc, 0) {
	case 0xa8:
		return uint32(golink.ByteAt(pc, 1))
	case 0xa9:
		return *(*uint32)(unsafe.Add(pc, 1))
	}
	n, rex := uintptr(0), golink.ByteAt(pc, 0)
	if rex&0xf0 == 0x40 {
		n++
	} else {
		rex = 0
	}
	n += 2 // 0F 1F
	modrm := golink.ByteAt(pc, n)
	n++
	mod, base := modrm>>6, modrm&7
	if base == 4 {
		base = golink.ByteAt(pc, n) & 7 // of the SIB byte
		n++
	}
	number = uint32(regs[base|rex&1<<3])
	switch mod {
	case 1:
		number += uint32(int8(golink.ByteAt(pc, n)))
	case 2:
		number += *(*uint32)(unsafe.Add(pc, n))
	}
	return number
}

// labels returns the labels that runtime/pprof has given the goroutine. The collector does not
// free them in the meantime, because the goroutine is interrupted and its g points to them.
func (g *goroutine) labels() *golink.Labels {
	if labelsAt == 0 {
		return nil
	}
	return *(**golink.Labels)(unsafe.Add(unsafe.Pointer(g), labelsAt))
}
