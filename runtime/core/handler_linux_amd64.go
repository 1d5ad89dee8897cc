package core

// This file holds the Go side of the signal handlers. It runs with a g of zeros
// and all signals blocked: no allocation, no pointer stores, no locks, no calls
// that are not compiled from this package, nothing that could panic.

import "unsafe"

// A ucontext is the machine state that a signal interrupted: struct ucontext of
// linux/amd64 as far as it is needed.
type ucontext struct {
	_       [88]byte
	r14     *goroutine
	_       [24]byte
	rbp     *frame
	_       [32]byte
	rsp     *uintptr
	rip     unsafe.Pointer
	_       [16]byte
	errCode uint64
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

// A frame is where RBP points to in compiled Go code.
type frame struct {
	caller *frame
	ret    uintptr
}

// textOffset returns pc relative to the text segment; not ok is a pc outside.
func textOffset(pc uintptr) (off uint32, ok bool) {
	off64 := pc - textBase
	return uint32(off64), off64 < textSize
}

// onFault handles the fault of a page poll for path number: it counts the path
// if that is due, and steps over the poll.
func onFault(ctx *ucontext, number uintptr) action {
	k := key{Path: uint32(number)}
	var ok bool
	if k.PC, ok = textOffset(uintptr(ctx.rip)); !ok {
		return actChain
	}
	n := pollLen(ctx.rip)
	if n == 0 {
		add64(&counts.Unknown, 1)
		return actDisarm
	}
	take, act := counts.poll()
	if take {
		ctx.callers(&k)
		counts.add(&k)
	}
	ctx.rip = unsafe.Add(ctx.rip, n)
	return act
}

// callers follows the frame pointers. The word at the stack top is logged
// beside them, for in a function without a frame it is the return address and
// RBP is still the caller's; which it is can be seen later (frameless).
func (ctx *ucontext) callers(k *key) {
	if off, ok := textOffset(*ctx.rsp); ok {
		k.Leaf = off
	}
	low := uintptr(unsafe.Pointer(ctx.rsp))
	high := ctx.r14.stackHi - unsafe.Sizeof(frame{})
	for fp := ctx.rbp; ; fp = fp.caller {
		p := uintptr(unsafe.Pointer(fp))
		if p < low || p > high || p%8 != 0 {
			return
		}
		off, ok := textOffset(fp.ret)
		if !ok {
			return
		}
		if k.N == maxCallers {
			add64(&counts.Truncated, 1)
			return
		}
		k.Callers[k.N] = off
		k.N++
		low = p + unsafe.Sizeof(frame{})
	}
}

// onTick handles the timer's signal.
func onTick() action {
	keepCrashing()
	act := counts.tick()
	if mode == modePage {
		return act
	}
	setFlag(act)
	return actNone
}

// A fate is what becomes of a program that got a signal, as bits.
type fate uintptr

const (
	fateWrite fate = 1 << iota // run the writer
	fateChain                  // go on with the handler that was there before
	fateExit                   // exit(2)
)

const (
	sigABRT = 6
	siTkill = -6

	raiseSize = 64 // bytes from the start of runtime.raise that are surely in it or harmless
)

// onDeath handles signals that may be the end of the program. Go's own handler
// decides: unless the program has asked to be notified, it raises the signal
// again for the kernel to act upon, and that is when the profile is written.
// The same way come panics and fatal errors, as SIGABRT, because the runtime
// has been told to dump core after them (keepCrashing).
func onDeath(sig uintptr, info *siginfo, ctx *ucontext) fate {
	if info.code != siTkill || uintptr(ctx.rip)-raiseStart >= raiseSize {
		return fateChain
	}
	var f fate
	if cas32(&dying, 0, 1) {
		store32(&counts.Stopped, 1)
		f = fateWrite
	}
	if sig == sigABRT && crashBitIsOurs() {
		f |= fateExit
	}
	return f
}

// dying is set when the writer has been started for the last time.
var dying uint32

// crashBit is what GOTRACEBACK=crash sets in runtime.traceback_cache.
const crashBit = 1

// withOurBit is the value of runtime.traceback_cache that we last stored, with
// the crash bit that is ours and not the user's; 0 if the user's is set.
var withOurBit uint32

// keepCrashing sets the crash bit, so that the runtime ends panics and fatal
// errors with a signal, unless the program's user has set it. It is called at
// every tick because debug.SetTraceback clears the bit.
func keepCrashing() {
	p := tracebackCachePtr
	old := load32(p)
	if old&crashBit == 0 && cas32(p, old, old|crashBit) {
		store32(&withOurBit, old|crashBit)
	}
}

// crashBitIsOurs reports whether the program would have exited with status 2
// instead of dumping core. (It is mistaken if the user, having started it with
// GOTRACEBACK=system, calls debug.SetTraceback("crash").)
func crashBitIsOurs() bool { return load32(tracebackCachePtr) == load32(&withOurBit) }
