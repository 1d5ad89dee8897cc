package policy

// This file has the other rules of the tree.

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/format"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// direct are the modules that go.mod of each module requires directly. A further one needs a
// record in docs/decisions.
var direct = map[string][]string{
	".": {
		"github.com/cilium/ebpf",          // loading of BPF programs
		"github.com/google/go-cmp",        // differences in tests
		"github.com/google/pprof",         // reading and merging of profiles
		"github.com/rogpeppe/go-internal", // scripts that test commands
		"golang.org/x/arch",               // decoder of machine code
		"golang.org/x/sys",                // ptrace, perf events
		"golang.org/x/term",               // width of terminals
		"golang.org/x/tools",              // go/ssa, export data
	},
	"lab": {
		"github.com/chromedp/cdproto",  // what a browser says of a page
		"github.com/chromedp/chromedp", // a browser, for tests of the page
		"github.com/cilium/ebpf",
		"github.com/google/go-cmp",
		"github.com/google/pprof",
		"github.com/pepgo/pep",
		"github.com/rogpeppe/go-internal",
		"golang.org/x/arch", // to disassemble calls
		"golang.org/x/perf", // statistics and format of benchmarks
		"golang.org/x/sys",  // processors of threads
	},
}

func TestDirectRequirements(t *testing.T) {
	for _, dir := range modules {
		var mod struct {
			Require []struct {
				Path     string
				Indirect bool
			}
		}
		if err := json.Unmarshal([]byte(output(t, "go", "mod", "edit", "-json", dir+"/go.mod")), &mod); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range mod.Require {
			if !r.Indirect {
				got = append(got, r.Path)
			}
		}
		slices.Sort(got)
		if d := cmp.Diff(direct[dir], got); d != "" {
			t.Errorf("direct requirements of go.mod in %s (-want +got):\n%s", dir, d)
		}
	}
}

func TestGoModIsTidy(t *testing.T) {
	for _, dir := range modules {
		cmd := exec.Command("go", "mod", "tidy", "-diff")
		cmd.Dir = filepath.Join(root, dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s in %s: %v\n%s", cmd, dir, err, out)
		}
	}
}

// A command parses flags, calls other packages, and prints errors. The packages that it
// calls have tests of their own.
const (
	maxCommand = 200 // statements in the package of a command, tests apart
	maxMain    = 8   // statements in its func main
)

func TestCommandsAreThin(t *testing.T) {
	total := map[string]int{}
	for _, f := range goFiles(t) {
		if !strings.HasPrefix(f.dir, "cmd/") || f.test() {
			continue
		}
		total[f.dir] += statements(f.syntax)
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			if fn.Name.Name == "main" {
				if n := statements(fn.Body); n > maxMain {
					t.Errorf("%s: func main has %d statements, at most %d: let it call run", f.name, n, maxMain)
				}
			} else if exits(fn.Body) {
				t.Errorf("%s: %s calls os.Exit: return an error, exit codes are main's", f.name, fn.Name.Name)
			}
		}
	}
	for dir, n := range total {
		if n > maxCommand {
			t.Errorf("%s has %d statements, at most %d: it wants a package below", dir, n, maxCommand)
		}
	}
}

// statements counts the statements in n that are not blocks.
func statements(n ast.Node) (count int) {
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(ast.Stmt); ok {
			switch n.(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			default:
				count++
			}
		}
		return true
	})
	return count
}

// exits reports whether os.Exit or log.Fatal is called in n.
func exits(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				found = found || x.Name == "os" && sel.Sel.Name == "Exit" || x.Name == "log" &&
					strings.HasPrefix(sel.Sel.Name, "Fatal")
			}
		}
		return true
	})
	return found
}

func TestPackagesHaveOneComment(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range goFiles(t) {
		if f.test() {
			continue
		}
		comments[f.dir] = append(comments[f.dir], "")
		if doc := f.syntax.Doc.Text(); doc != "" {
			comments[f.dir] = append(comments[f.dir], doc)
		}
	}
	for dir, docs := range comments {
		docs = slices.DeleteFunc(docs, func(d string) bool { return d == "" })
		name := regexp.QuoteMeta(filepath.Base(dir))
		want := regexp.MustCompile(`^Package ` + name + ` `)
		if filepath.Base(filepath.Dir(dir)) == "cmd" {
			want = regexp.MustCompile(`^(Command )?(?i:` + name + `) `)
		}
		if len(docs) != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, len(docs))
		} else if !want.MatchString(docs[0]) {
			t.Errorf("%s: the package comment does not begin as %s says", dir, want)
		}
	}
}

// The page says what each top-level folder is for. What a package is for stands in its comment.
func TestArchitectureNamesEveryRoom(t *testing.T) {
	const architecture = "docs/architecture.md"
	text, err := os.ReadFile(filepath.Join(root, architecture))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{".": true}
	for _, f := range goFiles(t) {
		folder, _, _ := strings.Cut(f.dir, "/")
		if !seen[folder] && !strings.Contains(string(text), "| `"+folder+"/` |") {
			t.Errorf("%s does not say what %s/ is for", architecture, folder)
		}
		seen[folder] = true
	}
}

// Package format/schema holds the names in profiles, for the package that writes them
// and for the one that reads them. Package proftest repeats the names on purpose: it
// makes profiles for tests of the reader.
func TestSchemaOwnsTheNamesInProfiles(t *testing.T) {
	const owner = "format/schema"
	literals := func(f *file, do func(text string)) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					do(text)
				}
			}
			return true
		})
	}
	names := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.dir == owner && !f.test() {
			literals(f, func(text string) { names[text] = true })
		}
	}
	if !names["branch_flow"] || !names["(other)"] {
		t.Fatalf("%s has the names %v, want branch_flow and (other) among them", owner, names)
	}
	for _, f := range goFiles(t) {
		if f.test() || f.dir != "runtime/report" && f.dir != "analyze/profile" {
			continue
		}
		literals(f, func(text string) {
			if names[text] {
				t.Errorf("%s has the string %q: take the constant of %s", f.name, text, owner)
			}
		})
	}
}

// The tree speaks of itself alone. It names neither the machines on which people work
// on it nor the servers from which its dependencies come. This file has the forbidden
// words in pieces, so that it passes the test itself.
var foreign = regexp.MustCompile(strings.Join([]string{
	`(^|[^\w$.])/` + `(root|work|home/[a-z]+/go)/`,
	`proxy\.` + `golang\.org`, `sum\.` + `golang\.org`,
	`registry\.` + `npmjs`, `pypi\.` + `org`, `index\.` + `docker\.io`, `ghcr\.` + `io`,
}, "|"))

func TestNoFileNamesMachinesOrRegistries(t *testing.T) {
	err := walk(func(name string) error {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !utf8.Valid(text) {
			return err
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if m := foreign.Find(line); m != nil {
				t.Errorf("%s:%d: %q", name, i+1, m)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGofmt(t *testing.T) {
	err := walk(func(name string) error {
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		formatted, err := format.Source(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(text, formatted) {
			t.Errorf("%s: not as gofmt has it: gofmt -w %s", name, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mostColumns is how long lines of code and comments are at most, a tab being one column. Lines with a string, examples
// and tables in comments, and directives may be longer.
const mostColumns = 120

func TestLinesAreShort(t *testing.T) {
	err := walk(func(name string) error {
		if !strings.HasSuffix(name, ".go") || outside(name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		for _, line := range longLines(text, mostColumns) {
			t.Errorf("%s:%d: longer than %d columns", name, line, mostColumns)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const text = "package p\n\n// aaaaaaaaaaaaaaaaaaaa\n//\taaaaaaaaaaaaaaaaaaaaa\nvar x = `aaaaaaaaaaaaaaaaaaaaaaa\naaaaaaaaaaaaaaaaaaaaaa` + \"a\"\nvar aaaaaaaaaaaaaaaaaaaaaa int\n"
	if got := longLines([]byte(text), 20); !slices.Equal(got, []int{3, 7}) {
		t.Errorf("lines %d are long, want 3 and 7", got)
	}
}

// mayBeLong matches lines of comments that are indented, and directives.
var mayBeLong = regexp.MustCompile(`^\t*//(\t|  |[a-z]+:)`)

// longLines returns the lines of a file that are longer than some columns, have no part of a string and are not matched
// by mayBeLong.
func longLines(text []byte, most int) (long []int) {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	strung := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		for i := 0; tok == token.STRING && i <= strings.Count(literal, "\n"); i++ {
			strung[file.Line(pos)+i] = true
		}
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if n++; utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > most && !strung[n] && !mayBeLong.MatchString(line) {
			long = append(long, n)
		}
	}
	return long
}
