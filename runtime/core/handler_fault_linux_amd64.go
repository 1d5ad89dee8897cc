package core

// This file handles the fault of a page poll. Like all files of this room it runs in a
// signal handler: on the signal stack, with a g of zeros, and with all signals blocked
// but SIGBUS. So it must not allocate, store pointers with write barriers, lock, call
// the runtime, or panic. A test looks for all that in the compiled code.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sampler"
)

// A ucontext is the machine state that a signal interrupted: struct ucontext of
// linux/amd64 as far as it is needed.
type ucontext struct {
	_   [88]byte
	r14 *goroutine
	_   [24]byte
	rbp *frame
	_   [8]byte
	rdx *ucontext
	rax int64
	_   [8]byte
	rsp *uintptr
	rip uintptr // not a pointer: it is stored to, and must not be with a write barrier
}

// A siginfo is the beginning of struct siginfo.
type siginfo struct {
	signo, errno, code, _ int32
}

// A goroutine is the beginning of the runtime's type g, to which R14 points in
// compiled Go code.
type goroutine struct {
	stackLo, stackHi uintptr
}

// labels returns the labels that runtime/pprof has given the goroutine. The collector does not
// free them in the meantime, because the goroutine is interrupted and its g points to them.
func (g *goroutine) labels() *golink.Labels {
	if labelsAt == 0 {
		return nil
	}
	return *(**golink.Labels)(unsafe.Add(unsafe.Pointer(g), labelsAt))
}

// A frame is where RBP points to in compiled Go code.
type frame struct {
	caller *frame
	ret    uintptr
}

// textOffset returns pc relative to the text segment, and false if pc is outside.
func textOffset(pc uintptr) (off uint32, ok bool) {
	d := pc - textBase
	return uint32(d), d < textSize
}

// noExit is where the time of an exit goes that nobody needs.
var noExit uint64

// onFault handles the fault of a page poll for path number: it counts the path
// if that is due, and steps over the poll. Its times are in cycles of the time stamp
// counter: now, and where the caller stores the time when it returns to the program.
func onFault(ctx *ucontext, number uintptr, now uint64) (act sampler.Action, exit *uint64) {
	k := pepfile.Key{Path: uint32(number)}
	var ok bool
	if k.PC, ok = textOffset(ctx.rip); !ok {
		return sampler.ActChain, &noExit
	}
	n := pollLen(golink.At(ctx.rip))
	if n == 0 {
		golink.Add64(&counts.Unknown, 1)
		return sampler.ActDisarm, &noExit
	}
	// Each thread has a signal stack of its own, and the ucontext is always at the same
	// address of it.
	thread := uintptr(unsafe.Pointer(ctx))
	if l, _ := lastPollOf(thread); l.again(ctx.rip, now) {
		ctx.skip(n)
		return sampler.ActNone, &l.exit
	}
	take, act := counts.Poll()
	var e *pepfile.Entry
	if take {
		follow(&k, *ctx.rsp, chainAt(ctx.rsp, ctx.rbp, ctx.r14))
		k.Labels = counts.NumberOfLabels(ctx.r14.labels())
		e = counts.Add(&k)
	}
	l, repeats := note(&k, thread, now, e)
	if repeats && act == sampler.ActNone {
		l.repeat = uint64(ctx.rip) + 1
	} else {
		ctx.skip(n)
	}
	return act, &l.exit
}

// skip makes the program go on n bytes later.
func (ctx *ucontext) skip(n uintptr) {
	// Not a pointer store: that would be a write barrier during a collection.
	*(*uintptr)(unsafe.Pointer(&ctx.rip)) += n
}

// follow adds the callers of a poll to k, given what RSP points to at the poll, and the frame
// pointers. It also notes the word at the stack top: in a function without a frame that word is
// the return address, and RBP still is the caller's. Whether the function has a frame is found
// out later (frameless).
func follow(k *pepfile.Key, top uintptr, c chain) {
	if off, ok := textOffset(top); ok {
		k.Leaf = off
	}
	list := callerList{Key: k, room: pepfile.MaxCallers}
	for {
		off, ok := c.next()
		if !ok || !list.add(off) {
			break
		}
	}
	list.finish()
}

// A chain is the frame pointers on a goroutine's stack, from a frame outwards. It holds no pointers,
// because these would be stored with write barriers.
type chain struct {
	at        uintptr // the next frame; 0 where the goroutine begins
	low, high uintptr // where the frame may be
}

// chainAt returns the chain given RSP and RBP.
func chainAt(sp *uintptr, bp *frame, g *goroutine) chain {
	return chain{uintptr(unsafe.Pointer(bp)), uintptr(unsafe.Pointer(sp)), g.stackHi - unsafe.Sizeof(frame{})}
}

// next returns the next return address, relative to the text segment, or false if there is none.
func (c *chain) next() (off uint32, ok bool) {
	if c.at < c.low || c.at > c.high || c.at%8 != 0 {
		return 0, false
	}
	f := (*frame)(golink.At(c.at))
	if off, ok = textOffset(f.ret); ok {
		c.low = c.at + unsafe.Sizeof(frame{})
		c.at = uintptr(unsafe.Pointer(f.caller))
	}
	return off, ok
}
