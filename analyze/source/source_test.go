package source

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const text = `package app

// sign is documented.
func sign(n int) int {
	f := func() { g(func() {
	}) }
	if n < 0 {
		return -1
	}
	return 1
}
`

func write(t *testing.T, name string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTreeFindsFiles(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	abs := write(t, filepath.Join(dir, "app", "sign.go"))
	tests := []struct {
		name, list, file string
		want             bool
	}{
		{"The name as it is.", "", abs, true},
		{"A name relative to a directory.", dir, "app/sign.go", true},
		{"A name relative to the second directory.", other + string(filepath.ListSeparator) + dir, "app/sign.go", true},
		{"A name of another machine.", dir, "/build/17/app/sign.go", true},
		{"A module's name.", filepath.Join(dir, "app"), "example.com/app@v1.2.3/sign.go", true},
		{"A file that is not there.", dir, "app/gone.go", false},
		{"No directories.", "", "app/sign.go", false},
		{"A directory is not a file.", dir, "app", false},
		{"No name.", dir, "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := NewTree(test.list).Has(test.file); got != test.want {
				t.Errorf("Has(%q) in %q = %v, want %v", test.file, test.list, got, test.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	name := write(t, filepath.Join(t.TempDir(), "sign.go"))
	tree := NewTree("")
	for n, want := range map[int64]string{1: "package app", 7: "\tif n < 0 {", 11: "}"} {
		if got, ok := tree.Line(name, n); got != want || !ok {
			t.Errorf("Line(%d) = %q, %v, want %q", n, got, ok, want)
		}
	}
	for _, n := range []int64{-1, 0, 12} {
		if got, ok := tree.Line(name, n); ok {
			t.Errorf("Line(%d) = %q, want none", n, got)
		}
	}
}

func TestFuncEnd(t *testing.T) {
	name := write(t, filepath.Join(t.TempDir(), "sign.go"))
	tree := NewTree("")
	for start, want := range map[int64]int64{4: 11, 5: 6, 3: 0, 7: 0} {
		if got, ok := tree.FuncEnd(name, start); got != want || ok != (want != 0) {
			t.Errorf("FuncEnd(%d) = %d, %v, want %d", start, got, ok, want)
		}
	}
}

// The compiler makes functions of the bodies of ranges over functions, and of go and defer statements.
func TestFunctionsOfStatements(t *testing.T) {
	name := filepath.Join(t.TempDir(), "made.go")
	code := `package app

func f(s []int) {
	for x := range seq(
		s,
	) {
		go g(x,
			2)
		defer func(n int) {
			g(n, 0)
		}(
			x)
	}
	go func() { defer g(1, 2); go g(3, 4) }()
}
`
	if err := os.WriteFile(name, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	tree := NewTree("")
	for start, want := range map[int64]int64{3: 15, 4: 13, 5: 0, 7: 8, 8: 0, 9: 11, 10: 0, 14: 14} {
		if got, ok := tree.FuncEnd(name, start); got != want || ok != (want != 0) {
			t.Errorf("FuncEnd(%d) = %d, %v, want %d", start, got, ok, want)
		}
	}
}

// Deferred functions are called where their function returns.
func TestDeferred(t *testing.T) {
	name := filepath.Join(t.TempDir(), "defers.go")
	code := `package app

func f(x int, c *list[int]) int {
	defer c.mu.Unlock()
	defer func() {
		if x > 1 {
			return
		}
	}()
	if x > 2 {
		return func() int {
			return 1
		}()
	}
	for x := range seq(x) {
		defer (*list[int]).close(c)
		defer close[int](c)
		if x == 1 { return 2 }
	}
	c.closers[x]()
	return 3
}

func g() {
	defer f(1, nil)
	defer funcs[0]()
	defer (<-calls)()
	return
}

func h() int {
	return 1
}
`
	if err := os.WriteFile(name, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	tree := NewTree("")
	ofF := []Deferred{{Name: "Unlock"}, {Line: 5}, {Name: "close"}, {Name: "close"}}
	ofG := []Deferred{{Name: "f"}, {Name: "funcs"}, {}}
	for line := int64(0); line < 40; line++ {
		var want []Deferred
		switch line {
		case 11, 18, 21, 22:
			want = ofF
		case 28, 29:
			want = ofG
		}
		if got := tree.Deferred(name, line); !slices.Equal(got, want) {
			t.Errorf("Deferred(%d) = %v, want %v", line, got, want)
		}
	}
}

func TestCalls(t *testing.T) {
	name := filepath.Join(t.TempDir(), "calls.go")
	code := `package app

func f(n int, list []int) int {
	n++
	g(1,
		2, n)
	for range list {
		n--
	}
	return n + len(list)
}
`
	if err := os.WriteFile(name, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	tree := NewTree("")
	for line, want := range map[int64]bool{0: false, 3: false, 4: false, 5: true, 6: true, 7: true, 8: false, 10: true,
		99: false} {
		if got := tree.Calls(name, line); got != want {
			t.Errorf("Calls(%d) = %v, want %v", line, got, want)
		}
	}
	if tree.Calls(name+"x", 5) {
		t.Error("a file that is not there calls")
	}
}

// A generator that ran in the module's directory writes "//line lex/parser.y:1" into lex/parser.go, and
// the compiler takes that for lex/lex/parser.y.
func TestGrammarBesideItsGoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "lex"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parser.y", "parser.go"} {
		if err := os.WriteFile(filepath.Join(dir, "lex", name), []byte("text of "+name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree := NewTree("")
	if text, ok := tree.Line(filepath.Join(dir, "lex", "lex", "parser.y"), 1); text != "text of parser.y" || !ok {
		t.Errorf("got %q, %v", text, ok)
	}
	if text, ok := tree.Line(filepath.Join(dir, "lex", "lex", "parser.go"), 1); ok {
		t.Errorf("a Go file of another directory was found: %q", text)
	}
}
