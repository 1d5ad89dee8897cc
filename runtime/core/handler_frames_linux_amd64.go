package core

// This file finds the callers of a poll or a tick by frame pointers.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A goroutine is the beginning of the runtime's type g, to which R14 points in
// compiled Go code.
type goroutine struct {
	stackLo, stackHi uintptr
}

// A frame is where RBP points to in compiled Go code.
type frame struct {
	caller *frame
	ret    uintptr
}

// followFrames adds the callers of a poll or a tick to k, given what RSP points to there, and the frame
// pointers. It also notes the word at the stack top: in a function without a frame that word is
// the return address, and RBP still is the caller's. Whether the function has a frame is found
// out later (frameless).
func followFrames(k *pepfile.Key, top uintptr, c frames) {
	if off, ok := callers.Offset(top); ok {
		k.Leaf = off
	}
	list := callers.New(k, counts.Header)
	for {
		off, ok := c.next()
		if !ok || !list.Add(off) {
			break
		}
	}
	list.Finish()
}

// frames are those of a goroutine, from one outwards. The type holds no pointers,
// because these would be stored with write barriers.
type frames struct {
	at        uintptr // the next frame; 0 where the goroutine begins
	low, high uintptr // where the frame may be
}

// framesAt returns the frames given RSP and RBP.
func framesAt(sp *uintptr, bp *frame, g *goroutine) frames {
	return frames{uintptr(unsafe.Pointer(bp)), uintptr(unsafe.Pointer(sp)), g.stackHi - unsafe.Sizeof(frame{})}
}

// next returns the next return address, relative to the text segment, or false if there is none.
func (c *frames) next() (off uint32, ok bool) {
	if c.at < c.low || c.at > c.high || c.at%8 != 0 {
		return 0, false
	}
	f := (*frame)(golink.At(c.at))
	if off, ok = callers.Offset(f.ret); ok {
		c.low = c.at + unsafe.Sizeof(frame{})
		c.at = uintptr(unsafe.Pointer(f.caller))
	}
	return off, ok
}
