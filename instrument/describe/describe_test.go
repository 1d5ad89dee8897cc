package describe_test

import (
	"fmt"
	"go/importer"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/runtime/wire"
)

// described returns the functions of a file.
func described(t *testing.T, src string) []wire.Func {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	pkg := &instrument.Package{Path: "p", Files: []string{name}, Importer: importer.Default(), CorePath: "0pep/core"}
	res, err := instrument.Do(pkg, instrument.Options{Poll: rewrite.Page})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range res.Sites.Left {
		t.Errorf("%s is skipped: %s", l.Name, l.Reason)
	}
	return res.Sites.Funcs
}

// branches writes the branches of a function, each on a line, with the line that
// every outcome leads to.
func branches(f wire.Func) string {
	var b strings.Builder
	for _, block := range f.Blocks {
		if len(block.Outs) < 2 {
			continue
		}
		fmt.Fprintf(&b, "%d:%d %s:", block.Branch.Line, block.Branch.Col, block.Branch.Kind)
		for i, o := range block.Outs {
			if i > 0 {
				b.WriteString(";")
			}
			fmt.Fprintf(&b, " %s to %d", o.Outcome, o.Line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestBranches(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{
			"an outcome that leads to a condition alone leads to the line of that",
			`package p
func f(a, b, c bool) int {
	if a {
		return 1
	} else if b &&
		c {
		return 2
	} else if a ||
		b ||
		c {
		return 3
	}
	return 4
}`, `
3:5 if: true to 4; false to 5
5:12 &&: true to 6; false to 8
6:3 if: true to 7; false to 8
8:12 ||: true to 11; false to 9
9:3 ||: true to 11; false to 10
10:3 if: true to 11; false to 13
`,
		},
		{
			"a condition at the head of a loop has a line of its own too",
			`package p
func f(a, b bool, n int) {
	for i := 0; i < n &&
		b; i++ {
		if a {
			continue
		}
	}
	for range n {
		if b {
			n--
		}
	}
}`, `
3:14 &&: true to 4; false to 9
4:3 for: true to 5; false to 9
5:6 if: true to 6; false to 8
10:6 if: true to 11; false to 13
9:2 range: body to 10; done to 13
`,
		},
		{
			"texts of cases that are cut or the same are told apart by where they stand",
			`package p
func f(s string, c, d chan int) {
	switch s {
	case "a long text, of which there are two that are the same for 48 bytes: one":
	case "a long text, of which there are two that are the same for 48 bytes: two":
	case "a long text, and another one of at least as much length":
	case "short":
	}
	select {
	case <-c:
	case <-d:
	case <-c:
	}
}`, `
3:2 switch: case "a long text, of which there are two that are… at 4:2 to 4; case "a long text, of which there are two that are… at 5:2 to 5; case "a long text, and another one of at least as … to 6; case "short" to 7; no case to 8
9:2 select: case <-c at 10:2 to 10; case <-d to 11; case <-c at 12:2 to 12
`,
		},
		{
			"a jump out of the body of a loop over a function is an outcome of the loop",
			`package p
func f(s func(func(int) bool), n int) {
outer:
	for range n {
		for x := range s {
			if x == 1 {
				continue outer
			}
			if x == 2 {
				break outer
			}
			if x == 3 {
				break
			}
			if x == 4 {
				continue outer
			}
		}
		n++
	}
	n--
}`, `
5:3 range: done to 19; continue outer to 4; break outer to 21
4:2 range: body to 5; done to 21
`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), branches(described(t, test.src)[0])); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// What follows a loop over a function is a start because of the loop, which is on
// the line that profiles name.
func TestLoopsOverFunctionsAreLoops(t *testing.T) {
	for _, src := range []string{
		"package p\nfunc f(s func(func() bool)) {\n\tprintln()\n\tfor range s {\n\t}\n}\n",
		"package p\nfunc f(s func(func() bool)) {\nouter:\n\tfor range s {\n\t\tcontinue outer\n\t}\n}\n",
	} {
		f := described(t, src)[0]
		if len(f.Graph.Starts) != 2 || f.Graph.Starts[1].Cut {
			t.Fatalf("got starts %+v, want a second one that is not cut", f.Graph.Starts)
		}
	}
}
