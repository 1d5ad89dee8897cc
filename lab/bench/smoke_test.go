package bench

// This file runs the measurements on one program at a small scale.

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/pepbuildtest"
)

// smokeConfig needs the go command and a system on which paths are sampled.
func smokeConfig(t *testing.T) *Config {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program in all variants")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("sampling of CPU time needs linux/amd64")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	pepbuild, err := pepbuildtest.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Config{Root: root, Pepbuild: pepbuild, Programs: []string{"sortbench"}, Packages: "container/heap,.", Scale: 2}
}

func TestOverheadOfOneProgram(t *testing.T) {
	cfg := smokeConfig(t)
	opts := OverheadOptions{Rounds: 2, Layouts: 2}
	if _, err := exec.LookPath("valgrind"); err == nil {
		opts.Instructions = 1
	} else {
		t.Log("instructions are not counted: valgrind is not in PATH")
	}
	costs, err := Overhead(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) != 1 || costs[0].Packages != 2 {
		t.Fatalf("got %+v, want the costs of one program with 2 packages instrumented", costs)
	}
	c := costs[0]
	for v, variant := range c.Variants {
		if n := len(c.Runs[v]); n != 2 || c.Runs[v][1].CPU <= 0 {
			t.Errorf("%s: got %d runs, %+v, want 2 that take time", variant.Name, n, c.Runs[v])
		}
		if w := c.Written[v][0]; variant.writesPaths() != (w.Exit > 0) || w.Share < 0 || w.Share >= 1 {
			t.Errorf("%s: got %+v, want the time of the exit exactly if profiles are written, and a share", variant.Name, w)
		}
	}
	if c.Size[pollsBuild] <= c.Size[plainBuild] {
		t.Errorf("instrumented executable has %d bytes, plain one %d, want more", c.Size[pollsBuild], c.Size[plainBuild])
	}
	// At 1 % of the workload the collector decides which build executes more instructions.
	for _, b := range buildsOf(c.Variants) {
		if opts.Instructions > 0 && b != selfBuild && (c.Skipped != nil || c.Instructions[b] <= 0) {
			t.Errorf("%s: got instructions %v, %v, want a count", b, c.Instructions, c.Skipped)
		}
	}
	if text := OverheadTables(costs); !strings.Contains(text, "| sortbench") {
		t.Errorf("no row of the program in:\n%s", text)
	}
}

func TestAccuracyOfOneProgram(t *testing.T) {
	cfg := smokeConfig(t)
	fits, err := Accuracy(cfg, AccuracyOptions{Runs: 1, Settings: []Setting{{Samples: 1024, Stride: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	f := fits[0]
	if f.Exact.Paths == 0 || f.Exact.Ends == 0 || f.Exact.Hot == 0 {
		t.Errorf("got %+v of the exact profile, want no zeros", f.Exact)
	}
	if m := f.Samples[0][0]; m.Wall != f.Together.Wall || m.Samples != f.Together.Samples {
		t.Errorf("adding up one run gives %+v, want the run itself, %+v", f.Together, m)
	}
	if text := AccuracyTables(fits); !strings.Contains(text, "| sortbench") {
		t.Errorf("no row of the program in:\n%s", text)
	}
}

// TestMetricsAreThoseOfPep checks that pep accuracy prints the same metrics.
func TestMetricsAreThoseOfPep(t *testing.T) {
	cfg := smokeConfig(t)
	err := cfg.each(func(p *program) error {
		if err := errors.Join(p.pepbuild(exactBuild, "-pepmode=exact"), p.pepbuildFor([]Setting{PEP, {Windows: true}})); err != nil {
			return err
		}
		exact, exactFiles := profiled(t, p, exactBuild)
		for _, build := range []string{pollsBuild, windowsBuild} {
			sampled, sampledFiles := profiled(t, p, build, "PEPOPTS=tick=1ms")
			if build == windowsBuild {
				sampled.only(exact)
			}
			table, err := report.Accuracy(exactFiles, sampledFiles)
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := listing.Text(&text, table); err != nil {
				return err
			}
			m := match(exact, sampled)
			for name, x := range map[string]float64{"Wall weight matching": m.Wall, "relative overlap": m.Relative, "absolute overlap": m.Absolute} {
				if want := regexp.MustCompile(fmt.Sprintf(`(?m)^%s +%.2f%%$`, name, 100*x)); x == 0 || !want.Match(text.Bytes()) {
					t.Errorf("%s: %s is %v, pep accuracy prints\n%s", build, name, x, &text)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// profiled runs a build and returns its profiles, as read here and for package
// report.
func profiled(t *testing.T, p *program, build string, env ...string) (*counts, *profile.Run) {
	t.Helper()
	dir := t.TempDir()
	if _, err := start(dir, append(env, "PEPDIR="+dir), p.exe(build), p.scale()); err != nil {
		t.Fatal(err)
	}
	open := func(kind schema.Kind) *profile.File {
		names, err := filepath.Glob(filepath.Join(dir, "*."+string(kind)+".pb.gz"))
		if err != nil || len(names) != 1 {
			t.Fatalf("%s profiles: got %v, %v, want one", kind, names, err)
		}
		f, err := profile.Open(names[0])
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	run := &profile.Run{Paths: open(schema.Paths), Edges: open(schema.Edges)}
	c, err := read(run.Paths.Name)
	if err != nil {
		t.Fatal(err)
	}
	return c, run
}
