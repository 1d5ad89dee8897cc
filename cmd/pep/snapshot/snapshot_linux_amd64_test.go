package snapshot_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/cmd/pep/snapshot"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/tracer"
)

// A program counts its paths exactly, and probes count its calls at the same time. Each call
// takes one path from the entry, so both have the same numbers, while the program runs.
func TestPathsAgreeWithProbes(t *testing.T) {
	if testing.Short() {
		t.Skip("building with pepbuild takes seconds")
	}
	dir := t.TempDir()
	pepbuild := pepbuildtest.Pepbuild(t)
	app := filepath.Join(dir, "app")
	build := exec.Command(pepbuild, "build", "-pepmode=exact", "-o", app, "../../../tracer/internal/probe/testdata/target")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	x := exec.Command(app, "calls", "3", "1000")
	x.Env = append(os.Environ(), "PEPDIR="+dir)
	x.Stderr = os.Stderr
	in, err := x.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := x.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(time.Minute, func() { x.Process.Kill() })
	defer tooLong.Stop()
	lines := bufio.NewReader(out)
	expect := func(want string) {
		if line, err := lines.ReadString('\n'); err != nil || line != want {
			t.Fatalf("the program wrote %q, %v, want %q", line, err, want)
		}
	}
	expect("ready\n")
	want := map[string]int64{"main.pick": 3000, "main.known": 3000, "main.deep": 1830, "main.total": 3000, "main.work": 3}
	read := probes(t, x.Process.Pid)
	io.WriteString(in, "\n")
	expect("done\n")
	calls := read()

	data, err := snapshot.Take(x.Process.Pid, "paths")
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("snapshot", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]int64{}
	for _, p := range paths {
		if p.From.How == "entry" {
			counted[p.ID.Func.Name] += p.Count
		}
	}
	for fn, n := range want {
		if counted[fn] != n {
			t.Errorf("%s: %d paths from the entry, want %d", fn, counted[fn], n)
		}
		if calls != nil && calls[fn] != n {
			t.Errorf("%s: the probe has %d hits, want %d", fn, calls[fn], n)
		}
	}
	// Nothing is left of the snapshot, and the program still writes its own profiles.
	in.Close()
	if err := x.Wait(); err != nil {
		t.Error(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, _ := filepath.Glob(filepath.Join(dir, ".pep*"))
	if text := strings.Join(names, " "); len(hidden) > 0 || !strings.Contains(text, ".paths.pb.gz") ||
		strings.Contains(text, ".pep ") {
		t.Errorf("the files in the end: %q %q", names, hidden)
	}
}

// probes attaches probes to functions of main, and returns what reads their calls. Without
// the rights for probes, what it returns returns nil.
func probes(t *testing.T, pid int) func() map[string]int64 {
	t.Helper()
	if err := tracer.CheckRights(); err != nil {
		t.Log("without probes:", err)
		return func() map[string]int64 { return nil }
	}
	ctx, cancel := context.WithCancel(t.Context())
	q := tracer.ProbeRequest{PID: pid, Func: regexp.MustCompile(`^main\.(pick|known|deep|total|work)$`)}
	ready, ended := make(chan bool), make(chan map[string]int64, 1)
	go func() {
		defer close(ended)
		probed, err := tracer.Probe(ctx, q, func(int) { close(ready) })
		if err != nil {
			t.Error(err)
			return
		}
		defer probed.Close()
		calls := map[string]int64{}
		for _, f := range probed.Table(0).Functions {
			calls[f.Func] = int64(*f.Calls)
		}
		ended <- calls
	}()
	select {
	case <-ready:
	case <-ended:
		t.FailNow()
	}
	return func() map[string]int64 {
		cancel()
		return <-ended
	}
}

func TestOtherProcesses(t *testing.T) {
	if _, err := snapshot.Take(os.Getpid(), "paths"); err == nil ||
		!strings.Contains(err.Error(), "not built with pepbuild") {
		t.Errorf("a plain program: got the error %v", err)
	}
	if _, err := snapshot.Take(1<<22, "paths"); err == nil || !strings.Contains(err.Error(), "no such process") {
		t.Errorf("no process: got the error %v", err)
	}
}
