package bpf_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// programs are what the interpreters are compared on: tools of the Go distribution, test
// programs of this project, and one with C code.
var programs = []struct {
	name    string
	command func(t *testing.T, dir string) []string
}{
	{"gofmt", func(t *testing.T, dir string) []string {
		//lint:ignore SA1019 tests read the installation that builds them
		return []string{filepath.Join(runtime.GOROOT(), "bin", "gofmt"), "-l", filepath.Join(runtime.GOROOT(), "src")}
	}},
	{"compile", func(t *testing.T, dir string) []string {
		src := filepath.Join(dir, "big.go")
		if err := os.WriteFile(src, []byte(bigSource()), 0o666); err != nil {
			t.Fatal(err)
		}
		return []string{tool(t, "compile"), "-p", "big", "-o", os.DevNull, src}
	}},
	{"objdump", func(t *testing.T, dir string) []string {
		return []string{tool(t, "objdump"), tool(t, "compile")}
	}},
	{"typecheck", testprog},
	{"jsonbench", testprog},
	{"flate", testprog},
	{"raytrace", testprog},
	{"cgo", func(t *testing.T, dir string) []string {
		if _, err := exec.LookPath("cc"); err != nil {
			t.Skip("there is no C compiler")
		}
		mod := filepath.Join(dir, "cgo")
		for name, text := range map[string]string{"go.mod": "module cgo\n\ngo 1.26.0\n", "main.go": cgoSource} {
			if err := os.MkdirAll(mod, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(mod, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return []string{build(t, mod, dir)}
	}},
}

// tool returns the path of a tool of the Go distribution.
func tool(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimSpace(string(out))
	if _, err := os.Stat(path); err != nil { // go tool makes those that are not distributed when they run
		if err := exec.Command("go", "tool", name, "-V").Run(); err == nil {
			t.Logf("made %s", path)
		}
	}
	return path
}

// testprog builds the test program that has the name of the test.
func testprog(t *testing.T, dir string) []string {
	t.Helper()
	src, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "testprogs", filepath.Base(t.Name())))
	if err != nil {
		t.Fatal(err)
	}
	return []string{build(t, src, dir)}
}

func build(t *testing.T, src, dir string) string {
	t.Helper()
	exe := filepath.Join(dir, filepath.Base(src)+".exe")
	cmd := exec.Command("go", "build", "-o", exe, ".")
	cmd.Dir = src
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// start runs the program. With one processor it has a busy thread.
func (c *comparison) start() *exec.Cmd {
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return cmd
}

// bigSource is a file that needs no imports and keeps the compiler busy.
func bigSource() string {
	var b strings.Builder
	b.WriteString("package big\n")
	for i := range 3000 {
		fmt.Fprintf(&b, `
type t%[1]d struct { a, b int; m map[string]int; next *t%[1]d }
func f%[1]d(x []int, s string, p *t%[1]d) (n int) {
	for i, v := range x {
		switch { case v > %[1]d: n += v * %[1]d; case v%%7 == i: n ^= v << 3; default: if p != nil { p.m[s] += v; p = p.next } }
	}
	return n + len(s)
}
`, i)
	}
	return b.String()
}

const cgoSource = `package main

/*
#cgo CFLAGS: -O2
#include <string.h>
#include <stdlib.h>
struct node { struct node *next; unsigned v; unsigned char name[20]; };
static unsigned mix(unsigned a, unsigned char b) { return (a << 5 | a >> 27) ^ b * 2654435761u; }
static unsigned work(int n) {
	struct node *head = 0; unsigned h = 1; short s = 3;
	for (int i = 0; i < n; i++) {
		struct node *p = malloc(sizeof *p);
		memset(p->name, i, sizeof p->name);
		p->v = i / (i % 7 + 1); p->next = head; head = p;
		for (int k = 0; k < 20; k++) h = mix(h, p->name[k]);
		s += h; h += __builtin_popcount(h) + (s < 0 ? -s : s);
	}
	double d = 0;
	while (head) { struct node *p = head; head = p->next; d += p->v * 0.5; h ^= (unsigned)d; free(p); }
	return h;
}
*/
import "C"

import (
	"fmt"
	"sort"
	"time"
)

func main() {
	begin, sum := time.Now(), uint32(0)
	for time.Since(begin) < 5*time.Second {
		sum += uint32(C.work(300))
		x := make([]int, 500)
		for i := range x {
			x[i] = i * 7919 % 501
		}
		sort.Ints(x)
		sum += uint32(len(fmt.Sprint(x)))
	}
	fmt.Println(sum)
}
`
