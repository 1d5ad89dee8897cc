package policy

// This file compares the names of core that instrumented code uses, which package
// runtime/doors lists, with what core exports and with what the rewriter writes.

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exported returns the exported names that a package's files declare outside of
// functions, without methods; in a const declaration also their values.
func exported(t *testing.T, dir string) (names, values []string) {
	t.Helper()
	for _, f := range goFiles(t) {
		if f.dir != dir || f.test() {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, id := range declared(d) {
				if id.IsExported() && !slices.Contains(names, id.Name) {
					names = append(names, id.Name)
				}
			}
			values = append(values, stringConstants(t, d)...)
		}
	}
	slices.Sort(names)
	slices.Sort(values)
	return names, values
}

// stringConstants returns the values of the constants that a declaration gives as string literals.
func stringConstants(t *testing.T, d ast.Decl) (values []string) {
	t.Helper()
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.CONST {
		return nil
	}
	for _, spec := range g.Specs {
		for _, value := range spec.(*ast.ValueSpec).Values {
			if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				v, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, v)
			}
		}
	}
	return values
}

// Package core exports the names that instrumented code uses, and no others.
func TestDoorsAreWhatCoreExports(t *testing.T) {
	core, _ := exported(t, "runtime/core")
	names, values := exported(t, "runtime/doors")
	if !slices.Equal(names, values) {
		t.Errorf("runtime/doors has the names %q with the values %q", names, values)
	}
	if !slices.Equal(core, values) {
		t.Errorf("runtime/core exports %q, and runtime/doors lists %q", core, values)
	}
}

// The functions of core that make a word of a value.
var wordName = regexp.MustCompile(`^[A-Z]\w*Word$`)

// Strings of package instrument and of gobuild/internal/toolexec name nothing of core. They
// use the constants of runtime/doors. (Comments show such text.)
func TestNamesOfCoreAreSpelledOnce(t *testing.T) {
	_, values := exported(t, "runtime/doors")
	spelled := regexp.MustCompile(`(%s|\b_pep_core)\.(` + strings.Join(values, "|") + `)\b`)
	used := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test() || !matches("instrument/...", f.dir) && !matches("gobuild/internal/toolexec", f.dir) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "doors" {
					used[n.Sel.Name] = true
				}
			case *ast.BasicLit:
				name := strings.Trim(n.Value, "`\"")
				if m := spelled.FindString(name); m != "" || wordName.MatchString(name) {
					t.Errorf("%s spells %s: use runtime/doors", f.name, n.Value)
				}
			}
			return true
		})
	}
	for _, name := range values {
		if !used[name] {
			t.Errorf("nothing uses doors.%s: the text of programs does not need it, or a string spells it", name)
		}
	}
}
