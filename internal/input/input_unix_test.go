//go:build unix

package input_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pepgo/pep/internal/input"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := input.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) ||
		strings.Count(err.Error(), "none") != 1 {
		t.Errorf("no such file: got %v", err)
	}
	if _, err := input.Open(dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: got %v", err)
	}
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := input.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := io.ReadAll(f); len(data) != 0 || err != nil {
		t.Errorf("an empty file: got %q, %v", data, err)
	}
}

// A pipe without a writer is an error at once; one with a writer is read to its
// end, even if the writer takes its time.
func TestPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	f, err := input.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(f); err != input.ErrNoWriter {
		t.Errorf("without a writer: got %v", err)
	}
	f.Close()

	w, err := os.OpenFile(name, os.O_RDWR, 0) // does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	if f, err = input.Open(name); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := make(chan string)
	go func() {
		data, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		got <- string(data)
	}()
	for _, s := range []string{"one", "two"} {
		if _, err := io.WriteString(w, s); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if s := <-got; s != "onetwo" {
		t.Errorf("with a writer: got %q", s)
	}
}
