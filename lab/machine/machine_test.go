package machine

import (
	"strings"
	"testing"
	"time"
)

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

func TestHeaderNamesMachineAndCommand(t *testing.T) {
	got := Header("Title", "x", []string{"-n", "1", "a|b"}, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if !strings.HasPrefix(got, "# Title\n\n2026-03-04, ") ||
		!strings.HasSuffix(got, ".\n\n    go run -C lab ./cmd/x -n 1 'a|b'\n\n") || !strings.Contains(got, " cores, ") ||
		!strings.Contains(got, "go1.") || !strings.Contains(got, "commit") {
		t.Errorf("got %q", got)
	}
}
