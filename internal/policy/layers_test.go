package policy

// This file says which layers package core has, and that each layer knows only the
// layers below it. The linker, the assembler and instrumented code name core's
// variables, so all code that shares these variables stays in one package. The layers
// keep that package readable.

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the layers of the package, the lowest first. A file is in the layer
// that the part of its name before the first "_" or "." names, or in that with
// the name in parentheses:
//
//	handler_tick_linux_amd64.go  is in handler
//	core.go                      is in door
//
// A file may use what is declared in its own layer and in those before it.
var layers = []string{
	"state",      // variables that several layers share; set when the program starts
	"handler",    // what runs in signal handlers, and nothing else
	"exit",       // the normal end of a program
	"start",      // the beginning of a program
	"door(core)", // what instrumented code calls
}

const layered = "runtime/core"

// layerOf returns the index of the layer of a file, -1 if it is in none.
func layerOf(name string) int {
	prefix := name[:strings.IndexAny(name, "_.")]
	return slices.IndexFunc(layers, func(r string) bool {
		r, other, _ := strings.Cut(strings.TrimSuffix(r, ")"), "(")
		return prefix == r || prefix == other
	})
}

// builds are builds that together have all files of the package.
var builds = [][]string{
	{"linux", "amd64"},
	{"linux", "amd64", "peplinked"},
	{"linux", "amd64", "peplinked", "peptaps"},
	{"linux", "arm64"},
}

func TestLayers(t *testing.T) {
	uses, files := usesIn(t, nil)
	for _, name := range files {
		if layerOf(name) < 0 {
			t.Errorf("%s is in no layer: the layers are %q", name, layers)
		}
	}
	if len(uses) < 100 {
		t.Fatalf("only %d uses were found: %v", len(uses), uses)
	}
	for _, u := range upward(uses) {
		t.Errorf("%s uses %s of %s, a layer above it", u.in, u.name, u.of)
	}
}

// The test above finds uses of a higher layer, from Go and from assembly.
func TestLayersNoticeArrowsUp(t *testing.T) {
	planted := map[string]string{
		"state_planted.go":            "package core\n\nfunc plantedCall() { finish() }",
		"handler_planted.go":          "package core\n\nfunc (t *Table) planted() { t.first() }",
		"handler_planted_variable.go": "package core\n\nvar planted = execing",
		"handler_planted.s":           "TEXT ·planted(SB), 4, $0\n\tMOVQ\t·execing(SB), AX\n\tRET\n",
		"exit_planted_module.go":      "package core\n\nfunc plantedModule() { start() }",
		"exit_planted_arch.s":         "\tCALL\t·beforeExec(SB)\n",
	}
	uses, _ := usesIn(t, planted)
	up := upward(uses)
	for name := range planted {
		if !slices.ContainsFunc(up, func(u use) bool { return u.in == name }) {
			t.Errorf("%s: no arrow up is found, only %v", name, up)
		}
	}
	for _, u := range up {
		if planted[u.in] == "" {
			t.Errorf("the arrow up %v is not from a planted file", u)
		}
	}
}

// A use is the use of a declaration of a file in another file.
type use struct{ in, of, name string }

// upward returns the uses of declarations in a higher layer.
func upward(uses []use) (up []use) {
	for _, u := range uses {
		if layerOf(u.in) < layerOf(u.of) {
			up = append(up, u)
		}
	}
	return up
}

// usesIn returns which declarations of the package, with some files more, are used
// in other files than their own, and all files. It type-checks without the packages of
// other modules and of std, and ignores the errors that this causes.
func usesIn(t *testing.T, more map[string]string) (uses []use, names []string) {
	t.Helper()
	fset := token.NewFileSet()
	texts := maps.Clone(more)
	if texts == nil {
		texts = map[string]string{}
	}
	entries, err := os.ReadDir(filepath.Join(root, layered))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") ||
			strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, layered, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	names = slices.Sorted(maps.Keys(texts))
	parsed := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, ".go") {
			if parsed[name], err = parser.ParseFile(fset, name, texts[name], parser.ParseComments); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen := map[use]bool{}
	seenFile := map[string]bool{}
	declared := map[string]string{} // package-level names of Go, for assembly
	for _, tags := range builds {
		imp := sources{tags, fset, map[string]*types.Package{}}
		var files []*ast.File
		for _, name := range names {
			if f := parsed[name]; f != nil && inBuild(f, name, tags) {
				files = append(files, f)
				seenFile[name] = true
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: imp, Error: func(error) {}}
		pkg, _ := config.Check(layered, fset, files, info)
		for id, obj := range info.Uses {
			if obj.Pkg() == pkg {
				u := use{fset.Position(id.Pos()).Filename, fset.Position(obj.Pos()).Filename, obj.Name()}
				if u.in != u.of {
					seen[u] = true
				}
			}
		}
		for _, name := range pkg.Scope().Names() {
			declared[name] = fset.Position(pkg.Scope().Lookup(name).Pos()).Filename
		}
	}
	symbol := regexp.MustCompile(`·(\w+)(?:\+\w+)?\(SB\)`)
	for _, name := range names {
		if strings.HasSuffix(name, ".s") {
			for _, m := range symbol.FindAllStringSubmatch(texts[name], -1) {
				if of, ok := declared[m[1]]; ok {
					seen[use{name, of, m[1]}] = true
				}
			}
		} else if !seenFile[name] && more[name] == "" {
			t.Errorf("%s is in none of the builds %v", name, builds)
		}
	}
	return slices.Collect(maps.Keys(seen)), names
}

// inBuild reports whether a file is part of a build.
func inBuild(f *ast.File, name string, tags []string) bool {
	if strings.HasSuffix(name, "_linux_amd64.go") && tags[1] != "amd64" {
		return false
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				x, err := constraint.Parse(c.Text)
				return err == nil && x.Eval(func(tag string) bool { return slices.Contains(tags, tag) })
			}
		}
	}
	return true
}

// sources imports packages of this module from source. All others are empty.
type sources struct {
	tags  []string
	fset  *token.FileSet
	known map[string]*types.Package
}

func (s sources) Import(imp string) (*types.Package, error) {
	if imp == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.known[imp]; p != nil {
		return p, nil
	}
	p := types.NewPackage(imp, path.Base(imp))
	if dir, ok := strings.CutPrefix(imp, module+"/"); ok {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		var files []*ast.File
		for _, name := range names {
			f, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			if !strings.HasSuffix(name, "_test.go") && inBuild(f, name, s.tags) {
				files = append(files, f)
			}
		}
		config := types.Config{Importer: s, Error: func(error) {}}
		p, _ = config.Check(imp, s.fset, files, nil)
	}
	p.MarkComplete()
	s.known[imp] = p
	return p, nil
}
