package taps

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
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

// Blocks are written until there is an error. CloseTrace says which error was the first, although a thread that was
// writing meanwhile has another one. That thread waits for space in a pipe until the first one is at the limit for
// files; then the pipe loses its reader.
func TestTracesEndAtTheFirstError(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("a thread that writes keeps its processor")
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // would wait for the thread that waits
	block := []tuple.Tuple{tuple.New(tuple.Load, 1, 2)}
	sinks := [2]sink{{trace: make([]byte, 0, 1<<12)}, {trace: make([]byte, 0, 1<<12)}}
	before := tracing
	defer func() { tracing = before }()

	for full := w.Fd(); err == nil; { // which would wait, and has to return here
		if err = syscall.SetNonblock(int(full), true); err == nil {
			_, err = syscall.Write(int(full), make([]byte, 1<<12))
		}
	}
	if err != syscall.EAGAIN || syscall.SetNonblock(int(w.Fd()), false) != nil {
		t.Fatalf("filling a pipe: %v", err)
	}
	size := uint64(len(trace.AppendBlock(nil, 0, block)))
	tracing = traceFile{fd: null.Fd(), open: 1, limit: 3 * size}
	for range 2 {
		sinks[0].traceBlock(block)
	}
	if tracing.written != 2*size || tracing.wrong != 0 || tracing.open != 1 {
		t.Errorf("two blocks of %d bytes: %d are written, error %v, open %d", size, tracing.written, tracing.wrong,
			tracing.open)
	}
	tracing = traceFile{fd: w.Fd(), open: 1, limit: size} // Fd takes O_NONBLOCK away
	done := make(chan bool)
	go func() {
		sinks[1].traceBlock(block)
		close(done)
	}()
	for golink.Load64(&tracing.written) != size {
		runtime.Gosched()
	}
	sinks[0].traceBlock(block)
	if tracing.wrong != sys.EFBIG || tracing.open != 0 {
		t.Errorf("at the limit: error %v, open %d", tracing.wrong, tracing.open)
	}
	r.Close()
	<-done
	sinks[0].traceBlock(block)
	if tracing.wrong != sys.EFBIG || tracing.open != 0 || tracing.written != 2*size {
		t.Errorf("at the end: error %v, want that of the limit; open %d; tried to write %d bytes, want two blocks of %d",
			tracing.wrong, tracing.open, tracing.written, size)
	}
}
