package write

import (
	"os"
	"testing"

	"github.com/pepgo/pep/runtime/pepfile"
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
