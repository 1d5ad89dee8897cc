//go:build linux && amd64

package probe_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// Probes in gofmt count the calls of its parser and printer. pepbuild builds a second gofmt,
// which counts each path from each entry in its source. Both format the same file. Functions
// that the compiler inlines nowhere in the first one must have the same number of calls.
// The output does not change, and all probes together see as many jumps, calls and values
// as a second run with them.
func TestCallsOfGofmtAgreeWithExactPaths(t *testing.T) {
	targettest.NeedRights(t)
	if testing.Short() {
		t.Skip("building gofmt twice takes seconds")
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, cmd := range []*exec.Cmd{
		exec.Command("go", "build", "-o", path("gofmt"), "cmd/gofmt"),
		exec.Command(pepbuildtest.Pepbuild(t), "build", "-pepmode=exact", "-peppkg=go/parser,go/scanner,go/printer", "-o",
			path("exact"), "cmd/gofmt"),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	//lint:ignore SA1019 tests read the installation that builds them
	source, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src", "go", "scanner", "scanner.go"))
	if err != nil {
		t.Fatal(err)
	}

	exact := exec.Command(path("exact"))
	exact.Env = append(os.Environ(), "PEPDIR="+dir)
	exact.Stdin = bytes.NewReader(source)
	want, err := exact.Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path("exact.*.paths.pb.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("profiles: %q, %v", files, err)
	}
	f, err := profile.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	paths, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]uint64{}
	for _, p := range paths {
		if p.From.How == "entry" {
			calls[p.ID.Func.Name] += uint64(p.Count)
		}
	}

	wish := probe.Wish{Func: regexp.MustCompile(`^go/(parser|scanner|printer)\.`)}
	plan, c, out := gofmt(t, path("gofmt"), source, wish)
	if !bytes.Equal(out, want) {
		t.Error("gofmt with probes prints something else")
	}
	inlined := map[string]bool{}
	for _, s := range plan.Skipped {
		inlined[s.Func] = true
	}
	// Initialisers run before there are probes, and a function made in one runs when a
	// sync.Pool is empty.
	for name := range calls {
		inlined[name] = inlined[name] || regexp.MustCompile(`\.init\b`).MatchString(name)
	}
	compared := 0
	for i, s := range plan.Sites {
		name := plan.Funcs[s.Func].Name
		if _, ok := calls[name]; !ok || inlined[name] {
			continue
		}
		if got := c.Sites[i].Hits; got != calls[name] {
			t.Errorf("%s: %d hits, %d exact paths begin at its entry", name, got, calls[name])
		}
		if calls[name] > 0 {
			compared++
		}
	}
	if compared < 100 {
		t.Errorf("only %d functions compared", compared)
	}

	wish.Args, wish.Results, wish.Edges, wish.Calls = true, true, true, true
	plan, c, out = gofmt(t, path("gofmt"), source, wish)
	if !bytes.Equal(out, want) {
		t.Error("gofmt with all probes prints something else")
	}
	unread, words := uint64(0), uint64(0)
	for i, s := range plan.Sites {
		name := plan.Funcs[s.Func].Name
		if n, ok := calls[name]; s.Kind == probe.Entry && ok && !inlined[name] && c.Sites[i].Hits != n {
			t.Errorf("%s with all probes: %d hits, want %d", name, c.Sites[i].Hits, n)
		}
		for _, w := range c.Sites[i].Words {
			sum := w.Other + w.Full + w.Faults
			for _, v := range w.Values {
				sum += v.Count
			}
			if sum != c.Sites[i].Hits {
				t.Errorf("%s at %#x: %d hits, %d of them with a value or a reason", name, s.Addr, c.Sites[i].Hits, sum)
			}
			unread += w.Faults
			words += c.Sites[i].Hits
		}
	}
	t.Logf("%d functions compared; %d probes, %d of %d words not read", compared, len(plan.Sites), unread, words)
}

// gofmt formats a source with probes.
func gofmt(t *testing.T, path string, source []byte, wish probe.Wish) (*probe.Plan, *probe.Counts, []byte) {
	t.Helper()
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	p, err := process.Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	im, err := image.OpenProcess(p.PID)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	plan, err := probe.Choose(im, wish)
	if err != nil {
		t.Fatal(err)
	}
	s, err := probe.Attach(p, plan, probe.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.Copy(in, bytes.NewReader(source)); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return plan, finish(t, s), out.Bytes()
}
