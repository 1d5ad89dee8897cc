package policy

// This file compares testdata/exported.txt with what the module exports to the world: the exported
// names of all packages that programs outside of the module can import.

import (
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const exportedNames = "testdata/exported.txt"

// TestExported makes a change of the API visible to reviewers. Methods and fields are part of their
// type, and not listed.
func TestExported(t *testing.T) {
	got := toTheWorld(goFiles(t))
	if *update {
		if err := os.WriteFile(exportedNames, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(exportedNames)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got); if that is as it should be, go test ./internal/policy -update:\n%s", exportedNames, d)
	}
}

// toTheWorld has a line "package: names" for each package that exports something.
func toTheWorld(files []*file) string {
	names := map[string]map[string]bool{}
	for _, f := range files {
		if f.test() || f.syntax.Name.Name == "main" || matches("lab/...", f.dir) ||
			slices.Contains(strings.Split(f.dir, "/"), "internal") {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, id := range declared(d) {
				if id.IsExported() {
					if names[f.dir] == nil {
						names[f.dir] = map[string]bool{}
					}
					names[f.dir][id.Name] = true
				}
			}
		}
	}
	var text strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(names)) {
		text.WriteString(dir + ": " + strings.Join(slices.Sorted(maps.Keys(names[dir])), " ") + "\n")
	}
	return text.String()
}

// declared returns the names that a declaration declares in the scope of its package.
func declared(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			}
		}
	}
	return names
}
