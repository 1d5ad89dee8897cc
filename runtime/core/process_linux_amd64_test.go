package core

import (
	"os"
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

// A header without its magic bytes is refused, whatever else is in it.
func TestTheMagicIsPublishedLast(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	c := pepfile.File{Table: pepfile.TableAt(unsafe.Pointer(&words[0])), Size: pepfile.TableSize(pepfile.SlotsOf(poll.Mode))}
	c.Fill(options.Default)
	if got := c.Check(); got != "not a .pep file yet: its program has not finished the header, or died before it did" {
		t.Errorf("before: %q", got)
	}
	c.Publish()
	if got := c.Check(); got != "" || string(c.Magic[:]) != pepfile.Magic {
		t.Errorf("after: %q, %q", got, c.Magic)
	}
}
