package windows

import (
	"os"
	"testing"

	"github.com/pepgo/pep/format/branches"
	lab "github.com/pepgo/pep/lab/branches"
)

func TestTry(t *testing.T) {
	tracer := t.TempDir()
	if err := lab.BuildTracer("../branches/testdata/tracer/tracer.c", tracer); err != nil {
		t.Fatal(err)
	}
	exe := "/tmp/cuts/" + os.Getenv("PROG")
	data, err := os.ReadFile(exe + ".table")
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := branches.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	table, err := lab.Actions(exe, pkgs)
	if err != nil {
		t.Fatal(err)
	}
	forms := []Form{{2000, false}, {6000, false}, {20000, false}, {2000, true}, {6000, true}, {20000, true}}
	r, err := Measure(exe, table, tracer, t.TempDir(), forms, []int{200, 900, 3000}, 3, os.Getenv("PERCENT"))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Instructions, r.Paths)
	for _, f := range forms {
		for _, n := range []int{200, 900, 3000} {
			t.Log(f, n, r.Overlaps[Key{f, n, 0}], r.Overlaps[Key{f, n, 1}], r.Overlaps[Key{f, n, 2}])
		}
	}
}
