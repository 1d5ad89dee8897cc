package cop_test

// This file runs programs of the co-processor online, in a tapped program, and offline, over the
// trace that the program records at the same time.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/cmd/pepsim/profiles"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

const branching = `package main

type box struct{ n, sum int }

//go:noinline
func set(b *box, n int) { b.n = n }

//go:noinline
func get(b *box) int {
	n := b.n
	return n
}

//go:noinline
func odd(f func(*box) int, b *box) int {
	n := f(b)
	return n
}

func main() {
	b := new(box)
	for i := 0; i < 300; i++ {
		if i%3 == 0 {
			set(b, i)
		} else {
			b.n = 7
		}
		total := odd(get, b)
		b.sum = b.sum + total
	}
	println(b.sum)
}
`

// The profiles have the counts that follow from the source. In the model the program is so slow that the
// machine takes every event. A replay of the trace writes the same samples.
func TestCOP33_ProgramsOnlineAndOffline(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module main\n\ngo 1.26\n", "main.go": branching} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog := pepbuildtest.Program(t, dir, "-pepmode=taps", "-peptaps=edges,pairs,stores,calls,entries,returns")
	for _, x := range []struct {
		program, kind string
		want          []string // of package main: count, leaf, its caller and the value or outcome
	}{
		{"edges", "edges", []string{"1 main.main done", "100 main.main true", "200 main.main false", "300 main.main body"}},
		{"targets", "calltargets", []string{"300 main.get main.odd"}},
		{"follow", "deps", []string{
			"1 main.main main.main for=done after main.go:23:6 if false",
			"100 main.main main.main for=body after main.go:23:6 if true",
			"100 main.main main.main if=true after main.go:22:14 for body",
			"199 main.main main.main for=body after main.go:23:6 if false",
			"200 main.main main.main if=false after main.go:22:14 for body",
		}},
		{"deps", "deps", []string{
			"1 main.main main.main b.sum=main.go:29:3 b.sum",
			"100 main.get main.set b.n=main.go:6:27 b.n",
			"200 main.get main.main b.n=main.go:26:4 b.n",
			"299 main.main main.main b.sum=main.go:29:3 b.sum",
		}},
		{"callstack", "contexts", []string{
			"1 main.main b.sum=main.main",
			"1 main.main enter=(no caller)",
			"100 main.set main.main b.n=main.set < main.main",
			"100 main.set main.main enter=main.main",
			"200 main.main b.n=main.main",
			"300 main.get main.odd main.main b.n=main.get < main.odd < main.main",
			"300 main.get main.odd main.main enter=main.odd < main.main",
			"300 main.main b.sum=main.main",
			"300 main.main b.sum=main.main",
			"300 main.main if=main.main",
			"300 main.odd main.main enter=main.main",
			"300 main.odd main.main f=main.odd < main.main",
			"301 main.main for=main.main",
		}},
	} {
		engine := "cop(program=" + x.program + ",near=200,far=200)"
		out := t.TempDir()
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=engine="+engine+",trace=t.trace", "GOMAXPROCS=1")
		if text, err := cmd.CombinedOutput(); err != nil || string(text) != "16250\n" {
			t.Fatalf("%v: %s", err, text)
		}
		online := briefly(pepbuildtest.Pprof(t, out, x.kind))
		if d := cmp.Diff(x.want, online); d != "" {
			t.Errorf("%s: -want +got:\n%s", x.program, d)
		}

		r, err := trace.Open(filepath.Join(out, "t.trace"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		c := profiles.New()
		if _, err := replay.Run(replay.Of(r), replay.Config{Engines: []string{engine}, Messages: c.Add}); err != nil {
			t.Fatal(err)
		}
		files, err := c.Files(r, "replay")
		if err != nil {
			t.Fatal(err)
		}
		offline := 0
		for _, f := range files {
			if f.Kind != x.kind {
				continue
			}
			offline++
			p, err := profile.ParseData(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(online, briefly(p)); d != "" {
				t.Errorf("%s: -online +offline:\n%s", x.program, d)
			}
		}
		if offline != 1 {
			t.Errorf("%s: %d profiles %s of the replay", x.program, offline, x.kind)
		}
	}
}

// briefly returns the samples of a profile as lines: count, stack, and value or outcome.
func briefly(p *profile.Profile) (list []string) {
	for _, s := range p.Sample {
		text := []string{}
		for _, l := range s.Location {
			text = append(text, l.Line[0].Function.Name)
		}
		for _, key := range []string{"value", "outcome"} {
			text = append(text, s.Label[key]...)
		}
		list = append(list, strings.Join(append([]string{fmt.Sprint(s.Value[0])}, text...), " "))
	}
	slices.Sort(list)
	return list
}
