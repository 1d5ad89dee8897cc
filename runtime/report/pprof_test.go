package report_test

// This file opens each kind of profile in go tool pprof, while the program's file exists:
// pprof then disassembles the program for some of its views.

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// Every function of viewed has a path, and main.sum has a word of each kind of tap. It loads what it
// has stored before.
const viewed = `package main

import "fmt"

type shape interface{ area() int }
type square struct{ side int }

func (s square) area() int { return s.side * s.side }

//go:noinline
func sum(shapes []shape, f func(int) int, last *square) (n int) {
	for _, s := range shapes {
		last.side = last.side + 1
		if a := f(s.area()); a > 9 {
			n += a
		}
	}
	return n
}

func main() {
	var shapes []shape
	for i := range 100 {
		shapes = append(shapes, square{i})
	}
	fmt.Println(sum(shapes, func(n int) int { return n + 1 }, new(square)))
}
`

// waits is for profiles of loads, which windows make: sum waits for memory, for a second.
const waits = `package main

import (
	"math/rand"
	"syscall"
)

//go:noinline
func sum(next []int32, at int32) int32 {
	for range 10_000 {
		at = next[at]
	}
	return at
}

func main() {
	next, order := make([]int32, 4<<20), rand.New(rand.NewSource(1)).Perm(4<<20)
	for i, k := range order {
		next[k] = int32(order[(i+1)%len(order)])
	}
	var r syscall.Rusage
	for at := int32(0); r.Utime.Nano() < 2e9; at = sum(next, at) {
		syscall.Getrusage(0, &r)
	}
}
`

func TestViewsOfPprof(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), viewed)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module viewed\n\ngo 1.26\n")
	prog := pepbuildtest.Program(t, dir, "-pepmode=exact", "-peptaps=pairs,stores,args,calls,types,entries,returns")
	// run runs the program with an engine and returns the directory of its profiles.
	run := func(options string) string {
		profiles := t.TempDir()
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS="+options)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "328442\n" {
			t.Fatalf("%v: %s", err, out)
		}
		return profiles
	}
	exact := run("")
	engine := map[schema.Kind]string{
		schema.Deps:     run("engine=cop(program=deps,near=100,far=100)"),
		schema.Contexts: run("engine=cop(program=callstack,near=100,far=100)"),
	}
	if !testing.Short() { // a short test has paths alone
		engine[schema.Loads] = waited(t)
	}
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	if err != nil {
		t.Fatal(err)
	}
	v := viewer{strings.TrimSpace(string(out))}
	for _, kind := range schema.Kinds {
		if testing.Short() && kind != schema.Paths {
			continue
		}
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			profiles := cmp.Or(engine[kind], exact)
			names, err := filepath.Glob(filepath.Join(profiles, "*."+string(kind)+".pb.gz"))
			if err != nil || len(names) != 1 {
				t.Fatalf("profiles %q: %v", names, err)
			}
			v.open(t, kind, names[0])
		})
	}
}

// waited returns the directory of the profiles of program waits.
func waited(t *testing.T) (profiles string) {
	dir, profiles := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), waits)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module waits\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=windows"))
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=4ms")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return profiles
}

// A viewer is the executable of go tool pprof.
type viewer struct{ exe string }

// open opens all views of a profile of a kind. Each must show main.sum and report no error.
func (v viewer) open(t *testing.T, kind schema.Kind, profile string) {
	for _, how := range []string{"-top", "-tree", "-peek=sum", "-traces", "-list=sum", "-weblist=sum", "-dot", "-raw",
		"-callgrind"} {
		out, stderr, err := v.run(t, how, "-output=/dev/stdout", profile)
		if err != nil || !strings.Contains(out, "main.sum") || strings.Contains(stderr, "rror") {
			t.Errorf("pprof %s: %v\n%.500s\n%s", how, err, out, stderr)
		}
	}

	// Boxes of labels make the graph too wide to read.
	for hide, boxes := range map[string]bool{"-taghide=^$": true, "-taghide=.": false} {
		out, stderr, err := v.run(t, "-dot", hide, "-output=/dev/stdout", profile)
		if err != nil || !strings.Contains(out, "main.sum") || strings.Contains(out, "shape=box3d") != boxes {
			t.Errorf("pprof -dot %s: %v\n%.500s\n%s", hide, err, out, stderr)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, v.exe, "-http=127.0.0.1:", "-no_browser", profile)
	r, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cancel()
	base := ""
	lines := bufio.NewScanner(r)
	for base == "" && lines.Scan() {
		base = regexp.MustCompile(`http://[0-9.:]+`).FindString(lines.Text())
	}
	if base == "" {
		t.Fatal("pprof says no address")
	}
	go io.Copy(io.Discard, r)
	for {
		_, err := fetch(base)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("pprof does not listen: %v", err)
		}
		time.Sleep(10 * time.Millisecond) // pprof says its address before it listens
	}

	pages := []string{"top", "flamegraph", "peek?f=sum", "source?f=sum"}
	for _, page := range pages {
		checkPage(t, base+"/ui/"+page, fetch)
	}
	t.Run("graph", func(t *testing.T) {
		if _, err := exec.LookPath("dot"); err != nil {
			t.Skip("dot, of graphviz, is not installed")
		}
		checkPage(t, base+"/ui/", fetch)
	})
	t.Run("browser", func(t *testing.T) {
		browser, err := exec.LookPath("chromium")
		if err != nil {
			t.Skip("chromium is not installed")
		}
		// A start of the browser takes longer than all else. Its scripts draw the flame graph from what is in the
		// profile. The others only have lists that the server wrote, so one kind says whether scripts run on them.
		scripted := pages
		if kind != schema.Paths {
			scripted = []string{"flamegraph"}
		}
		for _, page := range scripted {
			checkPage(t, base+"/ui/"+page, func(url string) (text string, err error) {
				for range 3 { // a browser that crashes says nothing about the page
					cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu",
						"--virtual-time-budget=3000", "--user-data-dir="+t.TempDir(), "--dump-dom", url)
					var out []byte
					out, err = cmd.Output()
					exit, ok := errors.AsType[*exec.ExitError](err)
					if !ok || !exit.Sys().(syscall.WaitStatus).Signaled() { // no error, no start, or its own exit
						return string(out), err
					}
				}
				return "", err
			})
		}
	})
}

// checkPage gets a page. The page must show main.sum, and must not report an error.
func checkPage(t *testing.T, url string, get func(url string) (string, error)) {
	t.Helper()
	text, err := get(url)
	if err != nil {
		t.Errorf("%s: %v", url, err)
		return
	}
	if m := regexp.MustCompile(`(?s)<div id="errors">(.*?)</div>`).FindStringSubmatch(text); m == nil ||
		strings.TrimSpace(m[1]) != "" {
		t.Errorf("%s: errors %q", url, m)
	}
	if !strings.Contains(html.UnescapeString(text), "main.sum") {
		t.Errorf("%s: the page does not show main.sum:\n%.2000s", url, text)
	}
}

// run runs pprof without its server.
func (v viewer) run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(v.exe, args...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	err = cmd.Run()
	return out.String(), problems.String(), err
}

// fetch returns a page as pprof sends it.
func fetch(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.500s", resp.Status, text)
	}
	return string(text), err
}
