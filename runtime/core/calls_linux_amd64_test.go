package core

import (
	"syscall"
	"testing"
	"unsafe"
)

// Whether a thread was interrupted in a system call is told by registers, as SYSCALL leaves them. Code that can be
// executed need not be readable.
func TestCallsInCodeThatCannotBeRead(t *testing.T) {
	b, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	pc := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	const flags = 0x246
	for _, test := range []struct {
		rcx           uintptr
		r11           uint64
		inCall, slept bool
	}{
		{pc, flags, true, false},
		{pc + 2, flags, true, true},
		{pc - 2, flags, false, false},
		{pc, flags | 1, false, false},
		{pc + 2, flags | 1, false, false},
	} {
		c := &ucontext{rip: pc, rcx: test.rcx, r11: test.r11, flag: flags}
		if c.inCall() != test.inCall || c.slept() != test.slept {
			t.Errorf("%+v: in a call %v, slept %v", test, c.inCall(), c.slept())
		}
	}
	for offset, want := range map[uintptr]uintptr{unsafe.Offsetof(ucontext{}.r11): 64,
		unsafe.Offsetof(ucontext{}.rdx): 136, unsafe.Offsetof(ucontext{}.rcx): 152,
		unsafe.Offsetof(ucontext{}.rip): 168, unsafe.Offsetof(ucontext{}.flag): 176, unsafe.Offsetof(ucontext{}.mask): 296} {
		if offset != want { // 40 + 8 * the number of the register in struct sigcontext
			t.Errorf("a field is at %d, want %d", offset, want)
		}
	}
}
