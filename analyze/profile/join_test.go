package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/executable"
)

// writeRun writes a profile of a program with functions F and one of its own, which ran F so many times, and the
// program's site tables.
func writeRun(t *testing.T, stem, own string, count int, tables bool) (name string) {
	t.Helper()
	p := &wire.Package{Path: "lib", Files: []string{"lib.go"}}
	for i, f := range []string{"lib.F", own} {
		p.Funcs = append(p.Funcs, wire.Func{
			Name: f, Line: 3 + i, Base: uint64(i),
			Graph:  pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: pdag.Exit}}}}, Starts: []pdag.Start{{Node: 0}}, N: 1},
			Blocks: []wire.Block{{Outs: []wire.Out{{Line: 3 + i, Col: 1}}}},
		})
	}
	data, err := (&executable.File{Packages: []*wire.Package{p}}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	h, err := wire.ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	if tables {
		if err := os.WriteFile(stem+".sites", data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf("profile paths\ncomment \"#pep.version=1 mode=exact\"\nbinary %s\nbuild %x\nperiod 1 paths/count\n", filepath.Base(stem), h.Build)
	for i, f := range []string{"lib.F", own} {
		text += fmt.Sprintf("path func=%s at=lib.go:%d path=p0 end=5 count=%d flow=1 from=entry lines=4\n", f, 3+i, count)
	}
	encoded, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	name = stem + ".paths.pb.gz"
	if err := os.WriteFile(name, encoded, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// Profiles of three programs are added up by function, in one go or in parts, and stay so in a file.
func TestJoin(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	names := []string{
		writeRun(t, at("a.test"), "lib.A", 1, true), writeRun(t, at("b.test"), "lib.B", 10, true),
		writeRun(t, at("c.test"), "lib.C", 100, true), writeRun(t, at("again.test"), "lib.A", 1000, true),
	}
	check := func(f *profile.File, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		paths, err := f.Paths()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, p := range paths {
			got[p.ID.Func.Name] += p.Count
		}
		if want := map[string]int64{"lib.F": 1111, "lib.A": 1001, "lib.B": 10,
			"lib.C": 100}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("counts %v, want %v", got, want)
		}
		if len(paths) != 4 {
			t.Errorf("%d paths: those of F in several programs are not one", len(paths))
		}
		x, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Packages) != 1 || len(x.Packages[0].Funcs) != 4 || x.ID() != f.BuildID || f.Binary != "a.test and 2 more" {
			t.Errorf("program %s, build %s, tables %+v", f.Binary, f.BuildID, x)
		}
	}
	f, err := new(profile.Reader).OpenMerged(names...)
	check(f, err)
	in, err := (&profile.Reader{Memory: 40 << 10}).OpenMerged(names...)
	check(in, err)
	if err := f.Save(at("all.paths.pb.gz")); err != nil {
		t.Fatal(err)
	}
	f, err = profile.Open(at("all.paths.pb.gz"))
	check(f, err)
	if err := in.Save(at("all.pb.gz")); err == nil || !strings.Contains(err.Error(), `does not contain ".paths."`) {
		t.Errorf("a name without the kind: %v", err)
	}

	// The tables of packages that are in no program.
	writeRun(t, at("untested"), "lib.U", 1, true)
	f, err = new(profile.Reader).OpenMerged(names[0], at("untested.sites"))
	if err != nil {
		t.Fatal(err)
	}
	if x, err := f.Program(); err != nil || len(x.Packages[0].Funcs) != 3 || x.ID() != f.BuildID || f.Binary != "a.test" {
		t.Errorf("with more tables: %s, %+v, %v", f.Binary, x, err)
	}
	if _, err := new(profile.Reader).OpenMerged(at("untested.sites")); err == nil ||
		!strings.Contains(err.Error(), "no profile beside") {
		t.Errorf("tables alone: %v", err)
	}

	// Without the tables of one of them.
	names[1] = writeRun(t, at("d.test"), "lib.D", 10, false)
	_, err = new(profile.Reader).OpenMerged(names...)
	if err == nil || !strings.Contains(err.Error(), "are not all there: d.test: no such file") {
		t.Errorf("no tables: %v", err)
	}

	// Tables that are there and are not those.
	if err := os.Rename(at("a.test.sites"), at("d.test.sites")); err != nil {
		t.Fatal(err)
	}
	if _, err := new(profile.Reader).OpenMerged(names[1:]...); err == nil ||
		!strings.Contains(err.Error(), "d.test.sites: it is of build ") {
		t.Errorf("tables of another program: %v", err)
	}
	if err := os.WriteFile(at("d.test.sites"), []byte(wire.Magic), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := new(profile.Reader).OpenMerged(names[1:]...); err == nil ||
		!strings.Contains(err.Error(), "d.test.sites: site table") {
		t.Errorf("damaged tables: %v", err)
	}
}
