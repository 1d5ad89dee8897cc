package taps

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/runtime/sys"
)

// A trace ends at the limit for the size of files, because the kernel would kill a program
// that writes more.
func TestTracesKeepToTheLimitOfFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace")
	fd, e := sys.Open(name, sys.OWronly|sys.OCreat|sys.OExcl)
	if e != 0 {
		t.Fatal(e)
	}
	defer sys.Close(fd)
	f := traceFile{fd: fd, name: name, limit: 10}
	for i, want := range []sys.Errno{0, 0, sys.EFBIG} {
		if got := f.write([]byte("12345")); got != want {
			t.Errorf("block %d: %v, want %v", i, got, want)
		}
	}
	if text, _ := os.ReadFile(name); string(text) != "1234512345" {
		t.Errorf("text %q", text)
	}
}
