package inline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/inline"
	"github.com/pepgo/pep/instrument/mark"
)

var corpus = flag.String("corpus", "regexp,encoding/json,compress/flate,text/template,sort,strconv",
	"packages to compare with the compiler, separated by commas")

// The test asks the compiler for the cost of each function and whether it inlines the
// function. In nearly all cases the estimate agrees about which functions the compiler
// inlines.
func TestTheCompilerAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles,DepOnly"}, strings.Split(*corpus, ",")...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles, CgoFiles       []string
		DepOnly                 bool
	}
	exports := map[string]string{}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && p.ImportPath != "unsafe" && len(p.GoFiles) > 0 && len(p.CgoFiles) == 0 {
			pkgs = append(pkgs, p)
		}
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			path = "vendor/" + path
		}
		return os.Open(exports[path])
	}
	all, tooLow, tooHigh := 0, 0, 0
	for _, p := range pkgs {
		want := compilerSays(t, p.ImportPath)
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		marks := mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {})
		_, info, err := flow.Functions(&flow.Config{Path: p.ImportPath, Fset: fset, Files: files, Markers: marks, Importer: importer.ForCompiler(fset, "gc", lookup)})
		if err != nil {
			t.Logf("%s: %v", p.ImportPath, err)
			continue
		}
		costs := inline.New(files, marks, info)
		for _, f := range files {
			for _, d := range f.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				pos := fset.Position(d.Pos() + token.Pos(len("func ")))
				w, ok := want[fmt.Sprintf("%s:%d:%d", filepath.Base(pos.Filename), pos.Line, pos.Column)]
				if !ok {
					continue
				}
				all++
				got := costs.Func(d)
				switch {
				case got <= 80 && w > 80:
					tooLow++
				case got > 80 && w <= 80:
					tooHigh++
				default:
					continue
				}
				t.Logf("%s %s: estimated %d, the compiler says %d", pos, d.Name.Name, got, w)
			}
		}
	}
	t.Logf("of %d functions, %d are taken for inlinable and are not, %d are and are not taken for it", all, tooLow, tooHigh)
	if tooLow*20 > all || tooHigh*20 > all {
		t.Error("more than one in twenty each")
	}
}

var canInline = regexp.MustCompile(`^(\S+:\d+:\d+): (?:can inline .* with cost (\d+) |cannot inline .*: (?:function too complex: cost (\d+) exceeds)?)`)

// compilerSays returns the compiler's costs of functions by their positions.
func compilerSays(t *testing.T, path string) map[string]int {
	t.Helper()
	cmd := exec.Command("go", "build", "-gcflags=-m=2", path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	costs := map[string]int{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		m := canInline.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		cost := 1 << 20
		if n, err := strconv.Atoi(m[2] + m[3]); err == nil {
			cost = n
		}
		at := filepath.Base(m[1])
		costs[at] = max(costs[at], cost) // the cost of the instance with the code, not of a wrapper that passes a dictionary to it
	}
	return costs
}
