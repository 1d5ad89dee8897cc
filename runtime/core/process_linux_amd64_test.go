package core

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
)

// The header identifies the process: a running process, an earlier one with the same
// number, or one in another namespace or on another machine.
func TestProcessesOfHeaders(t *testing.T) {
	here := pepfile.Header{Pid: uint32(os.Getpid()), Born: sys.Born(), Namespaces: sys.Namespaces()}
	stopped, other, gone, elsewhere, unknown := here, here, here, here, here
	stopped.Stopped = 1
	other.Born--
	gone.Pid = 1 << 30
	elsewhere.Namespaces++
	unknown.Born = 0
	for name, test := range map[string]struct {
		h    pepfile.Header
		want int
	}{
		"here":      {here, processRuns},
		"stopped":   {stopped, processEnded},
		"other":     {other, processEnded},
		"gone":      {gone, processEnded},
		"elsewhere": {elsewhere, processUnknown},
		"unknown":   {unknown, processUnknown},
	} {
		if got := processOf(&test.h); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// Some kernels treat the address of the poll region as a hint. They may map the region
// elsewhere.
func TestRegionsElsewhereAreGivenBack(t *testing.T) {
	p, e := sys.Mmap(0, poll.Size, sys.ProtRead, sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve, ^uintptr(0), 0)
	if e != 0 {
		t.Fatal(e)
	}
	if got := misplaced(uintptr(p), 0); got != "something else is there" {
		t.Errorf("problem %q", got)
	}
	if _, _, e := syscall.Syscall(syscall.SYS_MSYNC, uintptr(p), pepfile.PageSize, 0); e != syscall.ENOMEM {
		t.Errorf("it is still mapped: %v", e)
	}
	if got := misplaced(^uintptr(0), sys.EEXIST); got != "file exists" {
		t.Errorf("problem %q", got)
	}
	if got := misplaced(poll.Base, 0); got != "" {
		t.Errorf("problem %q", got)
	}
}

// A header without its magic bytes is refused, whatever else is in it.
func TestTheMagicIsPublishedLast(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	c := counted{pepfile.File{Table: pepfile.TableAt(unsafe.Pointer(&words[0])), Size: pepfile.TableSize(pepfile.SlotsOf(poll.Mode))}}
	c.Fill(options.Default)
	if got := c.Check(); got != "not a .pep file yet: its program has not finished the header, or died before it did" {
		t.Errorf("before: %q", got)
	}
	c.Publish()
	if got := c.Check(); got != "" || string(c.Magic[:]) != pepfile.Magic {
		t.Errorf("after: %q, %q", got, c.Magic)
	}
}
