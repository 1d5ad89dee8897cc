package instrument_test

// This file instruments a corpus of real packages. It checks the text with the type
// checker, and the numbering by its invariants.

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/gobuild/goruntimetest"
	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

// defaultCorpus has few packages, but shows most mistakes.
const defaultCorpus = "go/types,regexp,encoding/json,compress/flate,net/http,text/template,sort,slices,reflect,strconv,iter,maps,testing"

var corpus = flag.String("corpus", defaultCorpus,
	"packages to instrument, separated by commas; std for all")

type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	DepOnly                 bool
}

// list returns what the go command lists. It takes longer than to instrument a package, so it is asked once.
func list(t *testing.T, args ...string) []*listed {
	t.Helper()
	key := strings.Join(args, " ")
	if known[key] != nil {
		return known[key]
	}
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles,DepOnly"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	var pkgs []*listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			known[key] = pkgs
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

var known = map[string][]*listed{} // by the arguments

// files returns the names of the files of p.
func (p *listed) files() (names []string) {
	for _, f := range p.GoFiles {
		names = append(names, filepath.Join(p.Dir, f))
	}
	return names
}

// linkedCore is the import path of what instrumented code calls.
const linkedCore = "github.com/pepgo/pep/runtime/core"

// The go command calls this binary in the place of its tools.
func TestMain(m *testing.M) {
	goruntimetest.Toolexec()
	os.Exit(m.Run())
}

// readCorpus returns the packages of the corpus that have files and no cgo. It also
// returns the export data of all packages that they, and the other packages named,
// import.
func readCorpus(t *testing.T, others ...string) (pkgs []*listed, lookup importer.Lookup) {
	t.Helper()
	exports := map[string]string{}
	for _, p := range list(t, slices.Concat([]string{"-tags=peptaps", "-export", "-deps"}, goruntimetest.Flags(t), others,
		strings.Split(*corpus, ","))...) {
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && p.ImportPath != "unsafe" && !slices.Contains(others, p.ImportPath) && len(p.CgoFiles) == 0 &&
			len(p.GoFiles) > 0 {
			pkgs = append(pkgs, p)
		}
	}
	return pkgs, func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	}
}

// vendored looks a package up as std's own packages do. If it does not find the
// package, it looks in std's vendor directory.
type vendored struct{ types.Importer }

func (v vendored) Import(path string) (*types.Package, error) {
	if pkg, err := v.Importer.Import(path); err == nil {
		return pkg, nil
	}
	return v.Importer.Import("vendor/" + path)
}

func TestCorpus(t *testing.T) { instrumentCorpus(t, instrument.Options{}) }

// Decisions in values and cases have code around their operands.
func TestCorpusCover(t *testing.T) {
	instrumentCorpus(t, instrument.Options{Ends: rewrite.Count, Decisions: true,
		Numbers: pathnum.Options{Truncate: pathnum.Rest}})
}

// events are the kinds that "all" leaves to engines and traces.
const events = "pairs,stores,ops,directcalls,entries,returns"

// A package with all kinds of taps is still valid.
func TestCorpusTapped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 30 s")
	}
	for _, kinds := range []string{"all", events} {
		t.Run(kinds, func(t *testing.T) {
			set, err := tap.ParseKinds(kinds)
			if err != nil {
				t.Fatal(err)
			}
			instrumentCorpus(t, instrument.Options{Taps: tap.Options{Kinds: set}})
		})
	}
}

func instrumentCorpus(t *testing.T, opts instrument.Options) {
	if testing.Short() {
		t.Skip("instruments many packages")
	}
	opts.Ends = cmp.Or(opts.Ends, rewrite.Poll)
	pkgs, lookup := readCorpus(t, linkedCore)
	core, err := importer.ForCompiler(token.NewFileSet(), "gc", lookup).Import(linkedCore)
	if err != nil {
		t.Fatal(err)
	}
	skippedFuncs := map[string]int{}
	tapped, skipped := map[tuple.Tag]int{}, map[tap.Skip]int{}
	funcs, adds, polls := 0, 0, 0
	for _, p := range pkgs {
		imp := vendored{importer.ForCompiler(token.NewFileSet(), "gc", lookup)}
		pkg := &instrument.Package{Path: p.ImportPath, Files: p.files(), Importer: imp, CorePath: "0pep/core"}
		res, err := instrument.Do(pkg, opts)
		if err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
			continue
		}
		for _, f := range res.Sites.Funcs {
			if msg := f.Graph.Check(); msg != "" {
				t.Errorf("%s: %s: %s", p.ImportPath, f.Name, msg)
			}
		}
		for _, l := range res.Sites.Skipped {
			skippedFuncs[l.Reason]++
			if testing.Verbose() {
				t.Logf("not instrumented: %s:%d %s: %s", res.Sites.Files[l.File], l.Line, l.Name, l.Reason)
			}
		}
		for _, tap := range res.Sites.Taps {
			tapped[tuple.Tag(tap.Tag)]++
		}
		if res.Taps != nil {
			for s, exprs := range res.Taps.Skipped {
				skipped[s] += len(exprs)
			}
		}
		funcs += len(res.Sites.Funcs)
		adds += res.Adds
		polls += res.Polls
		check(t, pkg, res, withCore{imp, core})
	}
	total, ours := 0, 0 // ours are the functions without a directive against calls that are no hooks of the runtime
	var reasons []string
	for r, n := range skippedFuncs {
		reasons = append(reasons, fmt.Sprintf("%6d %s", n, r))
		total += n
		if !strings.HasPrefix(r, "//go:") && !strings.HasPrefix(r, "the runtime calls it") {
			ours += n
		}
	}
	sort.Strings(reasons)
	t.Logf("%d packages, %d functions, %d increments, %d ends of paths; %d functions not instrumented:\n%s",
		len(pkgs), funcs, adds, polls, total, strings.Join(reasons, "\n"))
	logTaps(t, tapped, skipped)
	if ours*1000 > funcs {
		t.Errorf("%d of %d functions are not instrumented and have no directive, more than one in a thousand", ours,
			funcs+total)
	}
}

func logTaps(t *testing.T, tapped map[tuple.Tag]int, skipped map[tap.Skip]int) {
	for tag := tuple.Tag(1); tag.Known() && len(tapped) > 0; tag++ {
		var reasons []string
		total := tapped[tag]
		for s, n := range skipped {
			if s.Tag == tag {
				reasons = append(reasons, fmt.Sprintf("%7d %s", n, s.Reason))
				total += n
			}
		}
		sort.Strings(reasons)
		t.Logf("%s: %d of %d tapped, %.1f %%; not tapped:\n%s",
			tag, tapped[tag], total, 100*float64(tapped[tag])/float64(max(total, 1)), strings.Join(reasons, "\n"))
	}
}

type withCore struct {
	types.Importer
	core *types.Package
}

func (w withCore) Import(path string) (*types.Package, error) {
	if path == "0pep/core" {
		return w.core, nil
	}
	return w.Importer.Import(path)
}

// check type-checks an instrumented package, and compares its lines with those of the
// source: their number, and the lines on which declarations begin and end.
func check(t *testing.T, pkg *instrument.Package, res *instrument.Result, imp types.Importer) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.Files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := res.Text[name]
		if !ok {
			text = string(src)
		} else if _, rest, _ := strings.Cut(text, "\n"); strings.Count(rest, "\n") != strings.Count(string(src), "\n") {
			t.Errorf("%s: the number of lines has changed", name)
		}
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("instrumented %s: %v", name, err)
			return
		}
		if got, want := declLines(fset, f), declLines(fset, parsed(t, fset, name, src)); got != want {
			t.Errorf("%s: declarations are on lines %s, want %s", name, got, want)
		}
		files = append(files, f)
	}
	if res.Table != "" {
		f, err := parser.ParseFile(fset, "table.go", res.Table, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: imp, Error: func(err error) { t.Errorf("instrumented %s: %v", pkg.Path, err) }}
	conf.Check(pkg.Path, fset, files, nil)
}

func parsed(t *testing.T, fset *token.FileSet, name string, src []byte) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// declLines returns the lines on which the declarations of a file begin and end,
// without the declarations that the instrumenter has added.
func declLines(fset *token.FileSet, f *ast.File) string {
	var b strings.Builder
	for _, d := range f.Decls {
		g, isGen := d.(*ast.GenDecl)
		f, isFunc := d.(*ast.FuncDecl)
		if !(isGen && g.Tok == token.IMPORT || isFunc && rewrite.Reserved([]byte(f.Name.Name))) {
			fmt.Fprint(&b, " ", fset.Position(d.Pos()).Line, "-", fset.Position(d.End()).Line)
		}
	}
	return b.String()
}
