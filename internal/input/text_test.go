package input_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/input"
)

func TestText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin := strings.NewReader("abcd")
	for _, x := range []struct {
		name       string
		limit      int64
		text, fail string
	}{
		{name, 5, "12345", ""},
		{name, 4, "", name + ": longer than 4 bytes: want the right file"},
		{"-", 4, "abcd", ""},
		{name + "none", 4, "", name + "none: no such file or directory"},
	} {
		text, err := input.Text(x.name, stdin, x.limit)
		if x.fail == "" && (err != nil || text != x.text) || x.fail != "" && (err == nil || err.Error() != x.fail) {
			t.Errorf("%s, limit %d: got %q, %v, want %q, %s", x.name, x.limit, text, err, x.text, x.fail)
		}
	}
}
