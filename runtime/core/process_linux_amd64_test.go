package core

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

func TestProcessesAreReadFromProc(t *testing.T) {
	const rest = " 1 71 71 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 "
	for _, test := range []struct {
		line string
		want processInfo
		ok   bool
	}{
		{"71 (prog) S" + rest + "9 0 12345 1 2\n", processInfo{71, 12345, false}, true},
		{"71 (a) Z 9 (b) c) R" + rest + "9 0 12345 1 2\n", processInfo{71, 12345, false}, true},
		{"71 (prog) Z" + rest + "1 0 12345 1 2\n", processInfo{71, 12345, true}, true},
		{"71 (the first thread) Z" + rest + "2 0 12345 1 2\n", processInfo{71, 12345, false}, true},
		{"71 (prog) S" + rest + "9 0\n", processInfo{71, 0, false}, false},
		{"71 (prog)", processInfo{}, false},
		{"", processInfo{}, false},
	} {
		if got, ok := parseStat(test.line); ok != test.ok || ok && got != test.want {
			t.Errorf("%q: %+v, %t, want %+v", test.line, got, ok, test.want)
		}
	}
	self, ok := processAt("self")
	if !ok || self.pid != uint64(os.Getpid()) || self.born == 0 || self.dead {
		t.Errorf("this process: %+v, %t", self, ok)
	}
}

// The header says of which process it is: one that runs, one that had the same
// number, one elsewhere.
func TestProcessesOfHeaders(t *testing.T) {
	here := header{Pid: uint32(os.Getpid()), Born: born(), Namespaces: namespaces()}
	stopped, other, gone, elsewhere, unknown := here, here, here, here, here
	stopped.Stopped = 1
	other.Born--
	gone.Pid = 1 << 30
	elsewhere.Namespaces++
	unknown.Born = 0
	for name, test := range map[string]struct {
		h    header
		want int
	}{
		"here":      {here, processRuns},
		"stopped":   {stopped, processEnded},
		"other":     {other, processEnded},
		"gone":      {gone, processEnded},
		"elsewhere": {elsewhere, processUnknown},
		"unknown":   {unknown, processUnknown},
	} {
		if got := test.h.process(); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// Where the kernel takes the address of the poll region for a hint, it may map it
// elsewhere.
func TestRegionsElsewhereAreGivenBack(t *testing.T) {
	p, e := mmap(0, Size, protRead, mapPrivate|mapAnonymous|mapNoreserve, ^uintptr(0), 0)
	if e != 0 {
		t.Fatal(e)
	}
	if got := misplaced(uintptr(p), 0); got != "something else is there" {
		t.Errorf("problem %q", got)
	}
	if _, _, e := syscall.Syscall(syscall.SYS_MSYNC, uintptr(p), pageSize, 0); e != syscall.ENOMEM {
		t.Errorf("it is still mapped: %v", e)
	}
	if got := misplaced(^uintptr(0), eEXIST); got != "file exists" {
		t.Errorf("problem %q", got)
	}
	if got := misplaced(Base, 0); got != "" {
		t.Errorf("problem %q", got)
	}
}

// A header without its magic is not read, whatever is in it.
func TestTheMagicIsPublishedLast(t *testing.T) {
	words := make([]uint64, tableSize(slotsOf(mode))/8)
	c := counted{tableAt(unsafe.Pointer(&words[0])), tableSize(slotsOf(mode))}
	c.fill(defaultOptions)
	if got := c.check(); got != "not a .pep file yet: its program is about to make it one, or died before it did" {
		t.Errorf("before: %q", got)
	}
	c.publish()
	if got := c.check(); got != "" || string(c.Magic[:]) != magic {
		t.Errorf("after: %q, %q", got, c.Magic)
	}
}
