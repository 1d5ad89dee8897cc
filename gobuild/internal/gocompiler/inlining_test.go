package gocompiler_test

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

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// moduleOf makes a module whose package main imports packages, without the function main, and
// returns its directory and the flags with which the compiler tells what it inlines in these packages.
func moduleOf(t *testing.T, packages []string) (dir string, flags []string) {
	t.Helper()
	dir = t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/inlining\n\ngo 1.26\n")
	var imports strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&imports, "import _ %q\n", p)
		flags = append(flags, "-gcflags="+p+"=-m=2")
	}
	pepbuildtest.Write(t, filepath.Join(dir, "imports.go"), "package main\n\n"+imports.String())
	return dir, flags
}

// Each function costs the inliner what it costs in the source, to the node, whatever
// pepbuild inserts.
func TestFunctionsCostTheInlinerWhatTheyCostInTheSource(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages of std")
	}
	packages := []string{"sort", "strings", "unicode/utf8", "regexp", "regexp/syntax"}
	dir, inlining := moduleOf(t, packages)
	inlining = append([]string{"-gcflags=-m=2"}, inlining...)
	shapes, err := os.ReadFile(filepath.Join("testdata", "inlining", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), string(shapes))
	plain := costs(t, dir, "go", append([]string{"build", "-o", "plain"}, inlining...))
	for _, flags := range []string{"-pepmode=polls", "-pepmode=exact", "-pepmode=polls -peptaps=loads,edges"} {
		args := append([]string{"build", "-peppkg=.," + strings.Join(packages, ","), "-o", "prog"}, strings.Fields(flags)...)
		now := costs(t, dir, pepbuildtest.Pepbuild(t), append(args, inlining...))
		differ := 0
		for f, cost := range plain {
			if got, ok := now[f]; ok && got != cost {
				differ++
				if got != known[f] {
					t.Errorf("%s: %s costs %s, want %s", flags, f, got, cost)
				}
			}
		}
		t.Logf("%s: of %d functions %d cost something else than in the source", flags, len(plain), differ)
	}
}

// known are the functions whose costs differ: a condition of the form !(a && b) loses the
// !, which costs 1, and a constant operand is left out before the inliner looks.
var known = map[string]string{
	"regexp.go:129 calcFlags":                  "715", // !(lo <= f && f <= hi)
	"onepass.go:222 onePassCopy":               "216",
	"replace.go:221 (*genericReplacer).lookup": "132",
	"strings.go:127 IndexRune":                 "402", // !haveFastIndex && …
	"strings.go:110 IndexRune":                 "402", // in Go 1.27
}

var costOf = regexp.MustCompile(`^(?:\S*/)?([^/\s]+\.go:\d+)(?::\d+)?: (?:can|cannot) inline ([^ ]+?):? (?:with|function too complex:) cost (\d+)`)

// costs returns what the compiler says with -gcflags=-m=2 that functions cost, by line and
// name. Literals are left out: a line may have several.
func costs(t *testing.T, dir, name string, args []string) map[string]string {
	t.Helper()
	cmd := exec.Command(name, append(args, ".")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	cost := map[string]string{}
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if m := costOf.FindStringSubmatch(s.Text()); m != nil && !strings.Contains(m[2], ".func") {
			cost[m[1]+" "+m[2]] = m[3]
		}
	}
	if len(cost) < 300 {
		t.Fatalf("%s: the compiler tells the costs of %d functions", cmd, len(cost))
	}
	return cost
}
