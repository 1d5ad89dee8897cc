package record

import "testing"

// That programs are run is tested by the scripts of cmd/pepsim.
func TestOptionsKeepWhatIsSet(t *testing.T) {
	for _, test := range []struct {
		set  string
		max  uint64
		want string
	}{
		{"", 0, "trace=/t"},
		{"samples=1,tick=1ms", 0, "samples=1,tick=1ms,trace=/t"},
		{"trace=/other,samples=1,tracemax=3", 7, "samples=1,trace=/t,tracemax=7"},
	} {
		if got := options(test.set, "/t", test.max); got != test.want {
			t.Errorf("%q, %d: got %q, want %q", test.set, test.max, got, test.want)
		}
	}
}
