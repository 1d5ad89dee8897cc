package cover_test

// This file tests tracefiles of LCOV by what their readers do with them.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// A tracefileOf is what readers of a tracefile know of a source file.
type tracefileOf struct {
	functions map[string]int   // lines by name
	calls     map[string]int64 // by name
	branches  map[[3]int]int64 // by line, block and branch; -1 for "-"
	lines     map[int]int64
	totals    map[string]int
}

// readTracefile reads a tracefile. As lcov 1, genhtml, Coverage Gutters (lcov-parse), Codecov and lcov_cobertura do,
// it takes the file, the name of a function up to a comma, the line, and the line, block and branch together for keys:
// none may be there twice.
func readTracefile(t *testing.T, text string) map[string]*tracefileOf {
	t.Helper()
	files := make(map[string]*tracefileOf)
	var f *tracefileOf
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, ":")
		var n [3]int
		var count int64
		var name string
		scan := func(format string, to ...any) {
			if _, err := fmt.Sscanf(rest, format, to...); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		twice := false
		switch kind {
		case "TN":
		case "SF":
			twice = files[rest] != nil
			f = &tracefileOf{make(map[string]int), make(map[string]int64), make(map[[3]int]int64), make(map[int]int64),
				make(map[string]int)}
			files[rest] = f
		case "FN":
			scan("%d,%s", &n[0], &name)
			name, _, _ = strings.Cut(name, ",")
			_, twice = f.functions[name]
			f.functions[name] = n[0]
		case "FNDA":
			scan("%d,%s", &count, &name)
			if _, ok := f.functions[name]; !ok {
				t.Errorf("%s: the function is not known", line)
			}
			_, twice = f.calls[name]
			f.calls[name] = count
		case "BRDA":
			scan("%d,%d,%d,%s", &n[0], &n[1], &n[2], &name)
			if count = -1; name != "-" {
				if _, err := fmt.Sscan(name, &count); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			_, twice = f.branches[n]
			f.branches[n] = count
		case "DA":
			scan("%d,%d", &n[0], &count)
			_, twice = f.lines[n[0]]
			f.lines[n[0]] = count
		case "FNF", "FNH", "BRF", "BRH", "LF", "LH":
			scan("%d", &n[0])
			_, twice = f.totals[kind]
			f.totals[kind] = n[0]
		case "end_of_record":
			f = nil
		default:
			t.Errorf("%s: unknown record", line)
		}
		if twice {
			t.Errorf("%s: it is there twice", line)
		}
	}
	if f != nil {
		t.Error("the last record does not end")
	}
	return files
}

// check checks what the totals say, and what readers expect of lines: one with a branch or a function has code, and it
// was executed if a branch on it was decided.
func (f *tracefileOf) check(t *testing.T, name string) {
	t.Helper()
	want := map[string]int{"FNF": len(f.functions), "FNH": 0, "BRF": len(f.branches), "BRH": 0, "LF": len(f.lines),
		"LH": 0}
	for function, line := range f.functions {
		if f.calls[function] > 0 {
			want["FNH"]++
		}
		if n, ok := f.lines[line]; !ok || n == 0 && f.calls[function] > 0 {
			t.Errorf("%s:%d: %s was called %d times, and its line executed %d times", name, line, function, f.calls[function], n)
		}
	}
	for at, n := range f.branches {
		if n > 0 {
			want["BRH"]++
		}
		if executed, ok := f.lines[at[0]]; !ok || n > 0 && executed == 0 {
			t.Errorf("%s:%d: block %d has an outcome %d times, and the line was executed %d times", name, at[0], at[1], n,
				executed)
		}
		for i := range 2 { // the first ones are numbered 0, and no number is left out
			before := at
			if before[1+i]--; i == 0 {
				before[2] = 0
			}
			if _, ok := f.branches[before]; !ok && before[1+i] >= 0 {
				t.Errorf("%s:%d: block %d, branch %d has none before it", name, at[0], at[1], at[2])
			}
		}
		if first := f.branches[[3]int{at[0], at[1], 0}]; (first < 0) != (n < 0) {
			t.Errorf("%s:%d: some branches of block %d are '-', and some are not", name, at[0], at[1])
		}
	}
	for _, n := range f.lines {
		if n > 0 {
			want["LH"]++
		}
	}
	for kind, n := range want {
		if f.totals[kind] != n {
			t.Errorf("%s: %s is %d, want %d", name, kind, f.totals[kind], n)
		}
	}
}

// lcovReads reads a tracefile with lcov and genhtml, which must not warn.
func lcovReads(t *testing.T, text string) {
	t.Run("lcov", func(t *testing.T) {
		if _, err := exec.LookPath("genhtml"); err != nil {
			t.Skipf("the package lcov is not installed: %v", err)
		}
		name := filepath.Join(t.TempDir(), "lcov.info")
		pepbuildtest.Write(t, name, text)
		for _, args := range [][]string{{"lcov", "--summary", name},
			{"genhtml", "--branch-coverage", "-o", filepath.Join(t.TempDir(), "html"), name}} {
			out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
			if low := bytes.ToLower(out); err != nil || bytes.Contains(low, []byte("warning")) ||
				bytes.Contains(low, []byte("error")) {
				t.Errorf("%s: %v\n%s", args, err, out)
			}
		}
	})
}

func tracefile(t *testing.T, c *cover.Coverage) string {
	t.Helper()
	var b strings.Builder
	if err := c.WriteLCOV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Functions have as many calls as the program itself counts, whatever ends them, and wherever they stand.
func TestTracefileOfCalls(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "coverlines", "calls.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := pepbuildtest.Extract(t, a)
	c := coverageOf(t, dir, 3)
	want := map[string]int64{"main.in": 0, "main.report": 1, "main.none": 0, "main.init.func2": 0, "main.lines.func3": 0}
	for line := range strings.Lines(c.out) {
		var n int64
		var name string
		if _, err := fmt.Sscanf(line, "calls %d %s", &n, &name); err == nil && strings.HasPrefix(name, "main.") {
			want[name] = n
		}
	}
	text := tracefile(t, c.Coverage)
	f := readTracefile(t, text)[filepath.Join(dir, "calls.go")]
	f.check(t, "calls.go")
	for name, n := range want {
		if got, ok := f.calls[name]; !ok || got != n && name != "main.in" {
			t.Errorf("%s: %d calls, want %d", name, got, n)
		}
	}
	for name := range f.calls {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is not known", name)
		}
	}
	source, err := os.ReadFile(filepath.Join(dir, "calls.go"))
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]any) // of lines that have one text
	for i, line := range strings.Split(string(source), "\n") {
		if n, ok := f.lines[i+1]; ok {
			counts[strings.TrimSpace(line)] = n
		}
		// The line above was executed, and the literal that begins there was not called.
		if first := f.functions["main.lines.func3"]; strings.HasSuffix(line, "// never") && first != i+1 {
			t.Errorf("the literal begins in line %d, want %d", first, i+1)
		}
	}
	for line, n := range map[string]any{
		"s += i": int64(6), "for i := range n {": int64(2), "spin(3)": int64(1), "n--": int64(3),
		"func spin(n int) {": int64(1), "func empty() {}": int64(1),
		"in(\"main.lines.func3\") // never": int64(0), "// A comment.": nil, "use(func() {": int64(2),
		"case 1, 2, 3:": int64(2), "case 4, 5:": int64(0),
		// The line of a decision has the count of its conditions if no statement begins there.
		"n > 7 && n < 9)": int64(2),
	} {
		if counts[line] != n {
			t.Errorf("%q has the count %v, want %v", line, counts[line], n)
		}
	}
	lcovReads(t, text)
}
