package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/executable"
)

// moduleOf makes a module whose package main imports packages, without the function main, and
// returns its directory and the flags with which the compiler tells what it inlines in these packages.
func moduleOf(t *testing.T, packages []string) (dir string, flags []string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/inlining\n\ngo 1.26\n")
	var imports strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&imports, "import _ %q\n", p)
		flags = append(flags, "-gcflags="+p+"=-m=2")
	}
	write(t, filepath.Join(dir, "imports.go"), "package main\n\n"+imports.String())
	return dir, flags
}

// The site table and the compiler agree on the functions that are no longer inlined, except
// for a few, because the table has an estimate.
func TestOutlinedIsWhatTheCompilerSays(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages of std")
	}
	packages := []string{"reflect", "sort", "strings", "encoding/json", "regexp"}
	dir, flags := moduleOf(t, packages)
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	plain := inlined(t, dir, "go", append([]string{"build", "-o", "plain"}, flags...))
	prog := filepath.Join(dir, "prog")
	now := inlined(t, dir, "pepbuild", append([]string{"build", "-pepinline=less", "-peppkg=" + strings.Join(packages, ","), "-o", prog}, flags...))
	exe, err := executable.Open(prog)
	if err != nil {
		t.Fatal(err)
	}
	funcs, outlined, missed, wrong := 0, 0, 0, 0
	for _, p := range exe.Packages {
		for _, f := range p.Funcs {
			at := fmt.Sprintf("%s:%d", p.Files[f.File], f.Line)
			before, ok := plain[at]
			after, ok2 := now[at]
			if !ok || !ok2 {
				continue // a literal, or a file that was left out
			}
			funcs++
			truth := before && !after
			if truth {
				outlined++
			}
			switch {
			case truth && !f.Outlined:
				missed++
				t.Logf("%s %s: the table does not have it", at, f.Name)
			case !truth && f.Outlined:
				wrong++
				t.Logf("%s %s: only the table has it", at, f.Name)
			}
		}
	}
	t.Logf("of %d functions the compiler stops inlining %d; the table misses %d of them and has %d others", funcs, outlined, missed, wrong)
	if funcs < 500 || outlined < 20 {
		t.Errorf("%d functions, %d no longer inlined: too little is compared", funcs, outlined)
	}
	if missed*3 > outlined || wrong > outlined {
		t.Error("more than a third are missed, or there are more others than right ones")
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

var decision = regexp.MustCompile(`^(\S+:\d+):\d+: (can|cannot) inline [^ ]+`)

// inlined returns what the compiler prints about the functions in a build with
// -gcflags=-m=2, by the position of their func keywords, "file:line".
func inlined(t *testing.T, dir, name string, args []string) map[string]bool {
	t.Helper()
	cmd := exec.Command(name, append(args, ".")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	can := map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if m := decision.FindStringSubmatch(s.Text()); m != nil {
			if _, ok := can[m[1]]; !ok { // what follows are literals on the line
				can[m[1]] = m[2] == "can"
			}
		}
	}
	return can
}
