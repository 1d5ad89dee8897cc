package record

import "testing"

// The scripts of cmd/pepsim test that Run runs programs.
func TestOptionsKeepWhatIsSet(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"", "trace=/t"},
		{"samples=1,tick=1ms", "samples=1,tick=1ms,trace=/t"},
		{"trace=/other,samples=1", "samples=1,trace=/t"},
	} {
		if got := options(test.set, "/t"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.set, got, test.want)
		}
	}
}
