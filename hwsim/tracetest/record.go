package tracetest

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/trace"
)

// Record runs a program with taps on one P, so that its trace has one stream, and calls do for
// each tuple of the trace. It returns what the program prints.
func Record(t testing.TB, prog string, args []string, do func(r *trace.Reader, u tuple.Tuple)) (stdout string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace")
	var out, stderr bytes.Buffer
	cmd := exec.Command(prog, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "PEPOPTS=trace="+name, "PEPDIR="+filepath.Dir(prog))
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", prog, err, &stderr)
	}
	r, err := trace.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.Stream != 0 {
			t.Fatalf("stream %d, want 0 alone", b.Stream)
		}
		for _, u := range b.Tuples {
			do(r, u)
		}
	}
}
