package cost

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The moment when a file is removed is between those before and after the call, and it is not that of
// a file that gets another name.
func TestRemovalIsNoticed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := watchRemoval(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	before := time.Now()
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	at, ok := r.stop()
	if !ok || at.Before(before) || at.After(time.Now()) {
		t.Errorf("removed at %v, %v: want a moment between %v and now", at, ok, before)
	}
}
