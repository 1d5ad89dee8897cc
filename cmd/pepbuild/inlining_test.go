package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each function costs the inliner what it costs in the source, to the node, whatever
// pepbuild inserts, and with the compiler of the Go installation many cost more.
func TestFunctionsCostTheInlinerWhatTheyCostInTheSource(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages of std")
	}
	packages := []string{"sort", "strings", "unicode/utf8", "regexp", "regexp/syntax"}
	dir, flags := moduleOf(t, packages)
	flags = append([]string{"-gcflags=-m=2"}, flags...)
	shapes, err := os.ReadFile(filepath.Join("testdata", "inlining", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "main.go"), string(shapes))
	plain := costs(t, dir, "go", append([]string{"build", "-o", "plain"}, flags...))
	for _, test := range []struct {
		flags  string
		differ bool // the costs are others
	}{
		{"-pepmode=sample", false},
		{"-pepmode=exact", false},
		{"-peptaps=loads,edges", false},
		{"-peptaps=loads,edges -peptapmode=burst", false},
		{"-pepinline=less", true},
	} {
		args := append([]string{"build", "-peppkg=main," + strings.Join(packages, ","), "-o", "prog"}, strings.Fields(test.flags)...)
		args[1] = strings.Replace(args[1], "=main,", "=.,", 1)
		now := costs(t, dir, "pepbuild", append(args, flags...))
		differ, loop := 0, false
		for f, cost := range plain {
			if got, ok := now[f]; ok && got != cost {
				differ++
				loop = loop || strings.HasSuffix(f, " loop")
				if !test.differ && now[f] != known[f] {
					t.Errorf("%s: %s costs %s, want %s", test.flags, f, got, cost)
				}
			}
		}
		t.Logf("%s: of %d functions %d cost something else than in the source", test.flags, len(plain), differ)
		if test.differ && (!loop || differ < 100) {
			t.Errorf("%s: only %d functions differ (loop: %t): this test sees nothing", test.flags, differ, loop)
		}
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
