package policy

// This file keeps the project small: pages have so many words at most, and a table that reviewers see has what there is
// of packages, flags, environment variables and words.

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sizeTable = "testdata/size.txt"

// Most words of a page, of a decision, and of all pages. References may be longer: those in docs/reference, and that of
// microcode.
const (
	pageWords     = 1500
	decisionWords = 600
	allWords      = 50_000
)

// wordsOf returns the number of words of each page.
func wordsOf(t *testing.T) map[string]int {
	words := make(map[string]int)
	err := walk(func(name string) error {
		if strings.HasSuffix(name, ".md") && (!outside(name) || name == "testprogs/README.md") {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			words[name] = len(strings.Fields(string(text)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func TestPagesAreShort(t *testing.T) {
	sum := 0
	for name, n := range wordsOf(t) {
		sum += n
		most := pageWords
		switch {
		case strings.HasPrefix(name, "docs/reference/"), name == "hwsim/cop/microcode.md":
			continue
		case strings.HasPrefix(name, "docs/decisions/"):
			most = decisionWords
		}
		if n > most {
			t.Errorf("%s has %d words, and should have %d at most", name, n, most)
		}
	}
	if sum > allWords {
		t.Errorf("all pages have %d words, and should have %d at most", sum, allWords)
	}
}

// TestSize makes visible to reviewers what a change adds. Who adds a package, a flag, a variable or a page says in the
// commit what it replaces, or why nothing can.
func TestSize(t *testing.T) {
	got := size(goFiles(t), wordsOf(t))
	if *update {
		if err := os.WriteFile(sizeTable, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(sizeTable)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got); if that is as it should be, go test ./internal/policy -update:\n%s", sizeTable, d)
	}
}

// size is the table. Words are rounded up to thousands, so that it changes when much does.
func size(files []*file, words map[string]int) string {
	packages, tests, flags, variables := map[string]bool{}, map[string]bool{}, map[string]map[string]bool{},
		map[string]bool{}
	for _, f := range files {
		if f.test() || strings.HasPrefix(f.dir, "lab") {
			continue
		}
		if own(f.dir) {
			tests[f.dir] = true
			continue
		}
		packages[f.dir] = true
		if strings.HasPrefix(f.dir, "hwsim/") {
			continue // what these read are descriptions of engines
		}
		for _, name := range flagsIn(f.syntax) {
			command, _, _ := strings.Cut(strings.TrimPrefix(f.dir, "cmd/"), "/")
			if f.dir == "gobuild" {
				command = "pepbuild"
			} else if !strings.HasPrefix(f.dir, "cmd/") {
				command = "several commands"
			}
			if flags[command] == nil {
				flags[command] = map[string]bool{}
			}
			flags[command][name] = true
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if s, ok := literal(n); ok && variable.MatchString(s) {
				variables[s] = true
			}
			return true
		})
	}
	pages, sum := 0, 0
	for _, n := range words {
		pages, sum = pages+1, sum+n
	}
	var b strings.Builder
	fmt.Fprintf(&b, "packages of the product: %d, and %d of tests and checks\n", len(packages), len(tests))
	for _, command := range slices.Sorted(maps.Keys(flags)) {
		fmt.Fprintf(&b, "flags of %s: %d: %s\n", command, len(flags[command]),
			strings.Join(slices.Sorted(maps.Keys(flags[command])), " "))
	}
	fmt.Fprintf(&b, "environment variables: %d: %s\n", len(variables),
		strings.Join(slices.Sorted(maps.Keys(variables)), " "))
	fmt.Fprintf(&b, "pages: %d, with up to %d thousand words\n", pages, (sum+999)/1000)
	return b.String()
}

// variable is the name of an environment variable of the project.
var variable = regexp.MustCompile(`^PEP[A-Z]*(_[A-Z]+)*$`)

// flagsIn returns the names of the flags that a file defines: by package flag, or as a row of pepbuild's table.
func flagsIn(f *ast.File) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) < 2 {
				return true
			}
			at := 0
			if strings.HasSuffix(s.Sel.Name, "Var") || s.Sel.Name == "TextVar" {
				at = 1
			}
			if name, ok := literal(n.Args[at]); ok && slices.Contains(kindsOfFlags, strings.TrimSuffix(s.Sel.Name, "Var")) {
				names = append(names, name)
			}
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			if name, isText := literal(n.Value); ok && isText && key.Name == "name" && strings.HasPrefix(name, "pep") {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

var kindsOfFlags = []string{"Number", "OneOf", "Percent", "Percents", "Regexp", "Bool", "BoolFunc", "Duration",
	"Float64", "Func", "Int", "Int64", "String", "Text", "Uint", "Uint64", ""}

func literal(n ast.Node) (string, bool) {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
