package rewrite_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

var update = flag.Bool("update", false, "rewrite the expected texts")

const corePath = "0pep/core"

// archives returns the archives in testdata by name.
func archives(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	return archivesIn(t, "testdata/*.txtar")
}

func coverArchives(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	return archivesIn(t, "testdata/cover/*.txtar")
}

func archivesIn(t *testing.T, pattern string) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) == 0 || a.Files[0].Name != "in.go" || len(bytes.TrimSpace(a.Comment)) == 0 {
			t.Fatalf("%s: want a sentence and a file in.go", file)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = a
	}
	return all
}

// do instruments a file in.go in a temporary directory.
func do(t *testing.T, text []byte, opts instrument.Options) (pkg *instrument.Package, res *instrument.Result) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in.go")
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	pkg = &instrument.Package{Path: "main", Files: []string{name}, Importer: importer.Default(), CorePath: corePath}
	res, err := instrument.Do(pkg, opts)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, res
}

// Each archive has a program in.go, and polls.go: the instrumented text for
// polls, followed by the functions that are skipped.
func TestGolden(t *testing.T) {
	golden(t, ".", archives(t), "polls.go", instrument.Options{Ends: rewrite.Poll})
}

// Each archive in testdata/cover likewise has the instrumented text for coverage, cover.go.
func TestCoverGolden(t *testing.T) {
	golden(t, "cover", coverArchives(t), "cover.go", cover)
}

var cover = instrument.Options{Ends: rewrite.Count, Decisions: true, Numbers: pathnum.Options{Truncate: pathnum.Rest}}

func golden(t *testing.T, dir string, all map[string]*txtar.Archive, file string, opts instrument.Options) {
	for name, a := range all {
		t.Run(name, func(t *testing.T) {
			in := a.Files[0].Data
			pkg, res := do(t, in, opts)
			text := strings.ReplaceAll(res.Text[pkg.Files[0]], pkg.Files[0], "in.go")
			got := []txtar.File{a.Files[0], {Name: file, Data: []byte(text)}}
			if len(res.Sites.Skipped) > 0 {
				var left strings.Builder
				for _, l := range res.Sites.Skipped {
					fmt.Fprintf(&left, "%s: %s\n", l.Name, l.Reason)
				}
				got = append(got, txtar.File{Name: "left", Data: []byte(left.String())})
			}
			if *update {
				a.Files = got
				if err := os.WriteFile(filepath.Join("testdata", dir, name+".txtar"), txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := string(txtar.Format(&txtar.Archive{Files: a.Files}))
			if diff := cmp.Diff(want, string(txtar.Format(&txtar.Archive{Files: got}))); diff != "" {
				t.Errorf("run with -update to accept (-want +got):\n%s", diff)
			}
		})
	}
}

// Each archive in testdata/taps begins with the kinds of taps on a line. It has a
// program in.go and the instrumented text, taps.go.
func TestTapsGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/taps/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(a.Comment), "\n")
		kinds, err := tap.ParseKinds(line)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pkg, res := do(t, a.Files[0].Data, instrument.Options{Ends: rewrite.Count, Taps: tap.Options{Kinds: kinds}})
		text := res.Text[pkg.Files[0]]
		typeCheck(t, pkg.Files[0], text, res.Table)
		got := txtar.Format(&txtar.Archive{Comment: a.Comment, Files: []txtar.File{
			a.Files[0], {Name: "taps.go", Data: []byte(strings.ReplaceAll(text, pkg.Files[0], "in.go"))},
		}})
		if *update {
			if err := os.WriteFile(name, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(txtar.Format(a)), string(got)); diff != "" {
			t.Errorf("%s: run with -update to accept (-want +got):\n%s", name, diff)
		}
	}
}

// The instrumented text type-checks in every mode, with taps and without. It
// has as many lines as the source.
func TestTextIsValid(t *testing.T) {
	all, err := tap.ParseKinds("all")
	if err != nil {
		t.Fatal(err)
	}
	programs := archives(t)
	maps.Copy(programs, coverArchives(t))
	for name, a := range programs {
		for kind, opts := range map[string]instrument.Options{
			"polls":             {Ends: rewrite.Poll},
			"without registers": {Ends: rewrite.Poll, Without: rewrite.WithoutRegisters},
			"without polls":     {Ends: rewrite.Poll, Without: rewrite.WithoutPolls},
			"exact":             {Ends: rewrite.Count},
			"without atomics":   {Ends: rewrite.Count, Without: rewrite.WithoutAtomics},
			"edges":             {Ends: rewrite.Count, Numbers: pathnum.Options{Truncate: pathnum.Join}},
			"cover":             cover,
			"polls,taps":        {Ends: rewrite.Poll, Taps: tap.Options{Kinds: all}},
			"exact,taps":        {Ends: rewrite.Count, Taps: tap.Options{Kinds: all}},
			"exact,edges":       {Ends: rewrite.Count, Taps: tap.Options{Kinds: 1 << tuple.Edge}},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				in := a.Files[0].Data
				pkg, res := do(t, in, opts)
				text := res.Text[pkg.Files[0]]
				header, text, _ := strings.Cut(text, "\n")
				if want := "//line " + pkg.Files[0] + ":1:1"; header != want {
					t.Errorf("the text begins with %q, want %q", header, want)
				}
				if got, want := strings.Count(text, "\n"), bytes.Count(in, []byte("\n")); got != want {
					t.Errorf("got %d lines, want %d", got, want)
				}
				if register := strings.Contains(text, "_pep_r "); register && opts.Without != "" &&
					opts.Without != rewrite.WithoutAtomics {
					t.Error("there is a register")
				}
				if poll := strings.Contains(text, "_pep_core.Poll("); poll && opts.Without == rewrite.WithoutPolls {
					t.Error("there is a poll")
				}
				if atomic := strings.Contains(text, "_pep_core.Count("); atomic && opts.Without == rewrite.WithoutAtomics {
					t.Error("there is an atomic addition")
				}
				typeCheck(t, pkg.Files[0], text, res.Table)
			})
		}
	}
}

// typeCheck checks an instrumented file and the package's table.
func typeCheck(t *testing.T, name, text, table string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{f}
	if table != "" {
		f, err := parser.ParseFile(fset, "table.go", table, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	core, err := corePackage()
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: withCore{importer.Default(), core}, Error: func(err error) { t.Error(err) }}
	conf.Check("main", fset, files, nil)
}

// corePackage is the part of the linked runtime that instrumented text uses.
func corePackage() (*types.Package, error) {
	const text = `package core
import "unsafe"
type Table struct { Path string; N uint64 }
type Number uint32
func Poll(Number)
func Count(*Table, Number)
func Increment(*uint64)
func Counted(*Table, Number) Number
func Added(*Number, Number) Number
func Restarted(*Number, Number) Number
func Tap(pc, w uint64)
func Tap2(pc, w, more uint64)
func Tap3(pc, w, more, third uint64)
func TapCase(pc, w uint64) bool
func Tap2Case(pc, w, more uint64) bool
func Tap3Case(pc, w, more, third uint64) bool
func Exec(func(string, []string, []string) error) func(string, []string, []string) error
func at(uintptr) unsafe.Pointer
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "core.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	taps, err := parser.ParseFile(fset, "../../runtime/core/door_words.go", nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: importer.Default()}
	return conf.Check(corePath, fset, []*ast.File{f, taps}, nil)
}

type withCore struct {
	types.Importer
	core *types.Package
}

func (w withCore) Import(path string) (*types.Package, error) {
	if path == corePath {
		return w.core, nil
	}
	return w.Importer.Import(path)
}

// Only edges with a value have an increment, and one way out of every branch has
// none.
func TestIncrementsPEP12(t *testing.T) {
	for name, a := range archives(t) {
		t.Run(name, func(t *testing.T) {
			pkg, res := do(t, a.Files[0].Data, instrument.Options{Ends: rewrite.Poll})
			text := res.Text[pkg.Files[0]]
			if regexp.MustCompile(`_pep_r [+-]= 0\b`).MatchString(text) {
				t.Error("the text has an increment of 0")
			}
			edges := 0
			for _, f := range res.Sites.Funcs {
				for _, n := range f.Graph.Nodes {
					zero := len(n.Out) == 0
					for _, e := range n.Out {
						zero = zero || e.Val == 0
						if e.Val != 0 && !e.Dead {
							edges++
						}
					}
					if !zero {
						t.Errorf("%s: no way out of a block has the value 0", f.Name)
					}
				}
			}
			if res.Adds > 2*edges {
				t.Errorf("%d increments for %d edges with a value", res.Adds, edges)
			}
		})
	}
}

// The numbers of the paths of a function with 2^40 of them are few enough.
func TestManyPathsPEP35(t *testing.T) {
	_, res := do(t, archives(t)["sequential"].Files[0].Data, instrument.Options{Ends: rewrite.Poll})
	i := slices.IndexFunc(res.Sites.Funcs, func(f wire.Func) bool { return f.Name == "main.bits" })
	if i < 0 {
		t.Fatalf("main.bits is skipped: %v", res.Sites.Skipped)
	}
	g := res.Sites.Funcs[i].Graph
	if g.N < 40 || g.N > instrument.MaxPaths {
		t.Errorf("%d paths", g.N)
	}
	cuts := 0
	for _, s := range g.Starts {
		if s.Cut {
			cuts++
		}
	}
	if cuts == 0 {
		t.Error("no cut is reported")
	}
	if msg := g.Check(); msg != "" {
		t.Error(msg)
	}
}

// Every instrumented program does what the plain program does, with every mode and
// kind of truncation. One executable has them all, for linking takes longer than compiling.
func TestProgramsRunAlikePEP10(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all programs seven times")
	}
	dir := t.TempDir()
	tool := pepbuildtest.Pepbuild(t)
	module := filepath.Join(dir, "module")
	all := archives(t)
	maps.Copy(all, coverArchives(t))
	var imports, calls strings.Builder
	for name, a := range all {
		fmt.Fprintf(&imports, "import p%s \"example.com/programs/%[1]s\"\n", name)
		fmt.Fprintf(&calls, "\tcase %q:\n\t\tp%[1]s.Main()\n", name)
		program := strings.NewReplacer("package main", "package p", "func main()",
			"func Main()").Replace(string(a.Files[0].Data))
		write(t, filepath.Join(module, name, "in.go"), []byte(program))
	}
	write(t, filepath.Join(module, "main.go"),
		fmt.Appendf(nil, "package main\n\nimport \"os\"\n%s\nfunc main() {\n\tswitch os.Args[1] {\n%s\t}\n}\n", &imports,
			&calls))
	write(t, filepath.Join(module, "go.mod"), []byte("module example.com/programs\n\ngo 1.26\n"))
	run(t, module, "go", "build", "-o", filepath.Join(dir, "plain"), ".")
	want := map[string]string{}
	for name := range all {
		want[name] = outcome(t, filepath.Join(dir, "plain"), name)
		if !strings.HasPrefix(want[name], "<nil>") {
			t.Fatalf("%s ends with %s", name, want[name])
		}
	}
	for mode, flag := range map[string]string{
		"polls":    "-pepmode=polls",
		"exact":    "-pepmode=exact",
		"cover":    "-pepmode=cover",
		"backedge": "-pepmode=polls -peptruncate=backedge",
		"edges":    "-pepmode=exact -peptruncate=join",
		"taps":     "-pepmode=polls -peptaps=all",
		"exacttap": "-peptaps=all -pepmode=exact",
	} {
		t.Run(mode, func(t *testing.T) {
			run(t, module, tool, slices.Concat([]string{"build"}, strings.Fields(flag),
				[]string{"-o", filepath.Join(dir, mode), "."})...)
			for name := range all {
				if got := outcome(t, filepath.Join(dir, mode), name); got != want[name] {
					t.Errorf("%s:\n%s", name, cmp.Diff(want[name], got))
				}
			}
		})
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// outcome runs a program of an executable, and returns how it ended and what it printed.
func outcome(t *testing.T, exe, program string) string {
	t.Helper()
	cmd := exec.Command(exe, program)
	cmd.Env = append(os.Environ(), "PEPDIR="+t.TempDir(), "PEPOPTS=tick=200us,stride=3")
	out, err := cmd.CombinedOutput()
	return fmt.Sprintf("%v\n%s", err, out)
}
