package sys

import (
	"os"
	"testing"
)

func TestProcessesAreReadFromProc(t *testing.T) {
	const rest = " 1 71 71 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 "
	for _, test := range []struct {
		line string
		want ProcessInfo
		ok   bool
	}{
		{"71 (prog) S" + rest + "9 0 12345 1 2\n", ProcessInfo{71, 12345, false}, true},
		{"71 (a) Z 9 (b) c) R" + rest + "9 0 12345 1 2\n", ProcessInfo{71, 12345, false}, true},
		{"71 (prog) Z" + rest + "1 0 12345 1 2\n", ProcessInfo{71, 12345, true}, true},
		{"71 (the first thread) Z" + rest + "2 0 12345 1 2\n", ProcessInfo{71, 12345, false}, true},
		{"71 (prog) S" + rest + "9 0\n", ProcessInfo{71, 0, false}, false},
		{"71 (prog)", ProcessInfo{}, false},
		{"", ProcessInfo{}, false},
	} {
		if got, ok := ParseStat(test.line); ok != test.ok || ok && got != test.want {
			t.Errorf("%q: %+v, %t, want %+v", test.line, got, ok, test.want)
		}
	}
	self, ok := ProcessAt("self")
	if !ok || self.Pid != uint64(os.Getpid()) || self.Born == 0 || self.Dead {
		t.Errorf("this process: %+v, %t", self, ok)
	}
}
