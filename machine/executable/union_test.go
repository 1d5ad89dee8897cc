//go:build unix

package executable

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// function is a function with a path that ends in a file.
func function(name string, file, line int) wire.Func {
	return wire.Func{
		Name: name, File: file, Line: line,
		Graph: pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: pdag.Exit}}}}, Starts: []pdag.Start{{Node: 0}}, N: 1},
		Blocks: []wire.Block{{Spans: []wire.Span{{File: file, Line: line, Col: 2, EndLine: line, EndCol: 9}},
			Outs: []wire.Out{{File: file, Line: line, Col: 2}}}},
		Source: &wire.Source{File: file, Line: line + 1,
			Blocks: []wire.Block{{Spans: []wire.Span{{File: file, Line: line + 1, Col: 2, EndLine: line + 1, EndCol: 9}}}}},
	}
}

// open encodes tables, and reads them.
func open(t *testing.T, pkgs ...*wire.Package) *File {
	t.Helper()
	data, err := (&File{Packages: pkgs}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// based gives the functions of a package the numbers of their first paths.
func based(p *wire.Package) *wire.Package {
	for i := range p.Funcs {
		p.Funcs[i].Base = uint64(i)
	}
	return p
}

// The test of lib has a file more than lib in the test of user, before it. Numbers of files are those of the union.
func TestUnion(t *testing.T) {
	lib := func() *wire.Package {
		return based(&wire.Package{Path: "lib", Files: []string{"lib.go"}, Funcs: []wire.Func{function("lib.F", 0, 3)}})
	}
	libTest := func() *wire.Package {
		return based(&wire.Package{
			Path: "lib", Files: []string{"a_test.go", "lib.go"},
			Funcs:   []wire.Func{function("lib.TestF", 0, 3), function("lib.F", 1, 3)},
			Skipped: []wire.Skipped{{Name: "lib.G", File: 1, Line: 9, Reason: "none", Source: &wire.Source{File: 1, Line: 10}}},
			Taps:    []wire.Tap{{Func: "lib.F", File: 1, Line: 3, Col: 2, Expr: "x", Type: "int", Bits: 64, Kind: wire.Signed}},
		})
	}
	user := func() *wire.Package { return based(&wire.Package{Path: "user", Files: []string{"user.go"}}) }

	join := func(files ...*File) *File {
		t.Helper()
		u := NewUnion()
		for _, f := range files {
			if err := u.Add("x.test", f); err != nil {
				t.Fatal(err)
			}
		}
		f, err := u.File()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	got := join(open(t, lib(), user()), open(t, libTest()), open(t, libTest()), open(t, lib()))
	want := []*wire.Package{
		based(&wire.Package{
			Path: "lib", Files: []string{"lib.go", "a_test.go"},
			Funcs:   []wire.Func{function("lib.F", 0, 3), function("lib.TestF", 1, 3)},
			Skipped: []wire.Skipped{{Name: "lib.G", File: 0, Line: 9, Reason: "none", Source: &wire.Source{Line: 10}}},
			Taps:    []wire.Tap{{Func: "lib.F", File: 0, Line: 3, Col: 2, Expr: "x", Type: "int", Bits: 64, Kind: wire.Signed}},
		}),
		user(),
	}
	if diff := cmp.Diff(want, got.Packages, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again := open(t, got.Packages...); again.ID() != got.ID() {
		t.Errorf("build %s, and %s when it is read", got.ID(), again.ID())
	}

	// Other positions under the same name.
	other := lib()
	other.Funcs[0].Blocks[0].Spans[0].Col++
	u := NewUnion()
	if err := u.Add("lib.test", open(t, libTest())); err != nil {
		t.Fatal(err)
	}
	err := u.Add("user.test", open(t, other))
	if err == nil || !strings.HasPrefix(err.Error(),
		"user.test: lib.F (lib.go:3) has other paths than in the programs before") {
		t.Errorf("got %v", err)
	}
}
