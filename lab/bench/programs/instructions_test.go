package programs

import (
	"errors"
	"testing"

	"github.com/pepgo/pep/lab/valgrind"
)

// Programs whose rounds are so long that one and five percent of the workload are the same have no counts.
func TestAdditionalInstructions(t *testing.T) {
	if n, err := additional(200, 900); n != 700 || err != nil {
		t.Errorf("got %d, %v, want 700", n, err)
	}
	if n, err := additional(1000, 1020); !errors.Is(err, valgrind.ErrCannotCount) {
		t.Errorf("got %d, %v, want an error", n, err)
	}
	if n, err := additional(1000, 990); !errors.Is(err, valgrind.ErrCannotCount) {
		t.Errorf("got %d, %v, want an error", n, err)
	}
}
