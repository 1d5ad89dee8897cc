package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/command/commandtest"
	"github.com/pepgo/pep/machine/executable"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pep": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			return makeExample(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mkprofile": mkprofile,
			"truncate":  truncate,
			"exitcode":  commandtest.ExitCode,
		},
	})
}

// mkprofile makes a profile of the text of package proftest, in which $WORK
// is the directory of the script.
//
//	mkprofile text.txt app.71.paths.pb.gz
func mkprofile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mkprofile text out")
	}
	data, err := proftest.Encode(strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK", ts.Getenv("WORK")))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// truncate cuts a file to its first half.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: truncate file")
	}
	name := ts.MkAbs(args[0])
	info, err := os.Stat(name)
	ts.Check(err)
	ts.Check(os.Truncate(name, info.Size()/2))
}

// makeExample puts the profiles and the source of testdata/example into a
// directory: every x.txt as x.pb.gz.
func makeExample(dir string) error {
	names, err := filepath.Glob(filepath.Join("testdata", "example", "*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out := filepath.Base(name)
		if text, ok := strings.CutSuffix(out, ".txt"); ok {
			out = text + ".pb.gz"
			if data, err = proftest.Encode(string(data)); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, out), data, 0o644); err != nil {
			return err
		}
	}
	table, err := os.ReadFile("../../format/branches/testdata/pick.table")
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "pick.table"), table, 0o644),
		makeProgram(filepath.Join(dir, "app")), makeCover(dir), makeCold(dir))
}

// makeCover makes the profile of a program that was built with -pepmode=cover, and its site tables: pick was called
// with a and b 3 times, and without a twice.
func makeCover(dir string) error {
	const source = "package main\n\nfunc pick(a, b bool) int {\n\tif a && b {\n\t\treturn 1\n\t}\n\treturn 0\n}\n"
	leave := func(line int) wire.Block {
		return wire.Block{Spans: []wire.Span{{Line: line, Col: 2, EndLine: line, EndCol: 10}},
			Outs: []wire.Out{{Line: line, Col: 2}}}
	}
	branch := func(kind string, col, then int) wire.Block {
		return wire.Block{Branch: wire.Branch{Kind: kind, Line: 4, Col: col},
			Outs: []wire.Out{{Outcome: wire.OutTrue, Line: then, Col: 2}, {Outcome: wire.OutFalse, Line: 7, Col: 2}}}
	}
	tables, err := wire.Join(wire.AppendPackage(nil,
		&wire.Package{Path: "main", Files: []string{"pick.go"}, Funcs: []wire.Func{{
			Name: "main.pick", Line: 3,
			Graph: pdag.Graph{N: 3, Starts: []pdag.Start{{Node: 0}}, Nodes: []pdag.Node{
				{Out: []pdag.Edge{{To: 1}, {To: 3, Val: 2}}}, {Out: []pdag.Edge{{To: 2}, {To: 3, Val: 1}}},
				{Out: []pdag.Edge{{To: pdag.Exit}}}, {Out: []pdag.Edge{{To: pdag.Exit}}},
			}},
			Blocks: []wire.Block{branch("&&", 5, 4), branch("if", 10, 5), leave(5), leave(7)},
		}}}))
	if err != nil {
		return err
	}
	program, err := executable.Read(bytes.NewReader(tables))
	if err != nil {
		return err
	}
	head := "\ncomment \"#pep.version=1 mode=cover\"\nbinary gone\nbuild " + program.ID() + "\nperiod 1 paths/count\n"
	paths, err := proftest.Encode("profile paths" + head + `
path func=main.pick at=pick.go:3 path=p0 end=5 count=3 flow=6 from=entry lines=4-5 branches="4:5 && true; 4:10 if true"
path func=main.pick at=pick.go:3 path=p2 end=7 count=2 flow=2 from=entry lines=4,7 branches="4:5 && false"
`)
	if err != nil {
		return err
	}
	edges, err := proftest.Encode("profile edges" + head + `
edge func=main.pick at=pick.go:3 branch=pick.go:4:5 kind=&& outcome=true line=4 count=3
edge func=main.pick at=pick.go:3 branch=pick.go:4:5 kind=&& outcome=false line=7 count=2
edge func=main.pick at=pick.go:3 branch=pick.go:4:10 kind=if outcome=true line=5 count=3
`)
	return errors.Join(err,
		os.WriteFile(filepath.Join(dir, "cover.74.edges.pb.gz"), edges, 0o644),
		os.WriteFile(filepath.Join(dir, "pick.go"), []byte(source), 0o644),
		os.WriteFile(filepath.Join(dir, "cover.74.paths.pb.gz"), paths, 0o644),
		os.WriteFile(filepath.Join(dir, "cover.74.sites"), tables, 0o644))
}

// makeCold makes a file of peptrace cold: main.count ran but for line 7, and main.isVowel did not.
func makeCold(dir string) error {
	piece := func(source, line int32) []cold.Piece {
		return []cold.Piece{{Source: source, Line: line, Size: 10, Statement: true}}
	}
	d := cold.New(&cold.Program{
		BuildID: "b1", Path: "/usr/bin/app", Go: "go1.26.8", Module: "example.com/app", Scope: cold.Modules, DWARF: true,
		Sources: []cold.Source{{Name: "main.count", Package: "main", File: "words.go", Line: 4},
			{Name: "main.isVowel", Package: "main", File: "words.go", Line: 14}},
		Functions: []cold.Function{
			{Name: "main.count", Hash: 1, Blocks: []cold.Block{{Start: 0, End: 10, Probed: true, Pieces: piece(0, 6)},
				{Start: 10, End: 20, Probed: true, Pieces: piece(0, 7)}}},
			{Name: "main.isVowel", Hash: 2, Blocks: []cold.Block{{Start: 0, End: 10, Probed: true, Pieces: piece(1, 15)},
				{Start: 10, End: 20, Probed: true, Pieces: piece(1, 17)}}},
		},
	})
	d.Seen[0] = cold.Sight{At: 1_800_000_000, Age: 3}
	d.Watches = []cold.Watch{{From: 1_800_000_000_000, To: 1_800_000_600_000}}
	f, err := os.Create(filepath.Join(dir, "app.cold"))
	if err != nil {
		return err
	}
	_, err = d.WriteTo(f)
	return errors.Join(err, f.Close())
}

// makeProgram makes a file with site tables amid other data, as a program has them.
func makeProgram(name string) error {
	graph := func(n uint64) pdag.Graph { return pdag.Graph{N: n} }
	var tables []byte
	for _, p := range []*wire.Package{
		{
			Path: "main", Files: []string{"words.go"},
			Funcs: []wire.Func{
				{Name: "main.count", Line: 4, Graph: graph(5)},
				{Name: "main.isVowel", Line: 14, Base: 5, Graph: graph(3)},
			},
			Skipped: []wire.Skipped{{Name: "main.fork", Line: 30, Reason: "//go:nosplit"}},
			Taps: []wire.Tap{
				{Tag: uint8(tuple.Arg), Func: "main.isVowel", Line: 14, Col: 14, Expr: "c", Type: "byte", Bits: 8,
					Kind: wire.Unsigned},
				{Tag: uint8(tuple.Result), Func: "main.isVowel", Line: 17, Col: 10, Expr: "isVowel(c)", Type: "bool", Bits: 8,
					Kind: wire.Bool},
				{Tag: uint8(tuple.Load), Func: "main.count", Line: 7, Col: 24, Expr: "w[0]", Type: "byte", Bits: 8,
					Kind: wire.Unsigned},
			},
		},
		{Path: "example.com/lib", Files: []string{"lib/a.go"},
			Funcs: []wire.Func{{Name: "example.com/lib.A", Line: 3, Graph: graph(1)}}},
	} {
		tables = wire.AppendPackage(tables, p)
	}
	data, err := wire.Join(tables)
	if err != nil {
		return err
	}
	return os.WriteFile(name, slices.Concat([]byte("\x7fELF and code"), data, []byte("and symbols")), 0o755)
}
