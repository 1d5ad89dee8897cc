package window

import (
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/follow"
)

// A machine of two goroutines: the words of each g, which begin with the ends of its stack.
type goroutines struct {
	*interp.Machine
	gs [6][2 * interp.LineSize / 8]uint64
}

func newGoroutines() *goroutines {
	x := &goroutines{Machine: new(interp.Machine)}
	for i := range x.gs {
		x.grow(i, uint64(1+i)<<20)
	}
	x.Reset(0, 0)
	return x
}

// g is the address of a goroutine's g.
func (x *goroutines) g(i int) uint64 { return uint64(uintptr(unsafe.Pointer(&x.gs[i]))) }

// grow gives a goroutine the 4096 bytes of stack from lo on.
func (x *goroutines) grow(i int, lo uint64) { x.gs[i][0], x.gs[i][1] = lo, lo+4096 }

// run has goroutine i executed with a stack of some depth.
func (x *goroutines) run(i int, depth uint64) { x.R[14], x.R[4] = x.g(i), x.gs[i][1]-depth }

func newStacks() *Stacks {
	s := new(Stacks)
	ops := []register.Op{{Do: register.Set, Arg: 7, Last: true}, {Do: register.End, Last: true}}
	for i := range MaxStacks {
		s.Init(i, follow.New(ops, []uint16{1}, follow.NewMemory(8, 8)))
	}
	s.Reset()
	return s
}

const begin, end = 0, 1 // actions

// Each goroutine keeps its registers while others are executed, and also if its stack is copied to another place.
func TestStacksOfGoroutines(t *testing.T) {
	x, s := newGoroutines(), newStacks()
	step := func(i int, depth uint64, action uint32, fresh bool) (paths int) {
		t.Helper()
		x.run(i, depth)
		stack, new := s.Of(x.Machine)
		if stack == nil || new != fresh || stack.G != x.g(i) || stack.Hi-x.R[4] != depth {
			t.Fatalf("goroutine %d at depth %d: %+v, %v", i, depth, stack, new)
		}
		stack.Step(depth, 0, action)
		return len(stack.Ended())
	}
	step(0, 100, begin, true)
	step(1, 300, begin, true)
	x.grow(0, 9<<20)
	x.Reset(0, 0) // the machine has copies of lines
	if n := step(0, 100, end, false); n != 1 {
		t.Errorf("%d paths of the goroutine whose stack was copied, want 1", n)
	}
	if n := step(1, 300, end, false); n != 1 {
		t.Errorf("%d paths of the other goroutine, want 1", n)
	}

	// The goroutine that was met least recently makes space for a new one.
	for i := range 4 {
		step(i, 100, begin, i >= 2)
	}
	step(4, 100, begin, true)
	if n := step(3, 100, end, false); n != 1 {
		t.Errorf("%d paths of a goroutine that was kept, want 1", n)
	}
	if n := step(0, 100, end, true); n != 0 {
		t.Errorf("%d paths of a goroutine that was forgotten, want 0", n)
	}

	// Paths that begin late do not count, in goroutines that are met late, too.
	s.Reset()
	step(0, 100, begin, true)
	s.Late()
	step(1, 100, begin, true)
	if n := step(0, 100, end, false); n != 1 {
		t.Errorf("%d paths that began early, want 1", n)
	}
	if n := step(1, 100, end, false); n != 0 {
		t.Errorf("%d paths that began late, want 0", n)
	}
}

// There is no stack without a goroutine, or if the stack pointer is elsewhere: on a stack of the kernel's or of C.
func TestNoStack(t *testing.T) {
	x, s := newGoroutines(), newStacks()
	x.R[14] = 0
	if stack, _ := s.Of(x.Machine); stack != nil {
		t.Errorf("without a goroutine: %+v", stack)
	}
	x.run(0, 100)
	x.R[4] = 1 << 40
	if stack, _ := s.Of(x.Machine); stack != nil {
		t.Errorf("on another stack: %+v", stack)
	}
	x.run(0, 100)
	if stack, new := s.Of(x.Machine); stack == nil || !new {
		t.Errorf("back again: %+v, %v", stack, new)
	}
}
