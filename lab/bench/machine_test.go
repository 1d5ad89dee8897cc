package bench

import "testing"

// TestCores looks at what the first line of a page says if the benchmark was restricted to some
// of the processors.
func TestCores(t *testing.T) {
	for _, test := range []struct {
		usable, total int
		want          string
	}{{2, 2, "2 cores"}, {1, 2, "1 of 2 cores"}, {4, 0, "4 cores"}} {
		if got := cores(test.usable, test.total); got != test.want {
			t.Errorf("%d of %d cores: got %q, want %q", test.usable, test.total, got, test.want)
		}
	}
}
