package instrument_test

import (
	"bytes"
	"flag"
	"go/importer"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
)

var update = flag.Bool("update", false, "rewrite the expected graphs")

// Each archive has a file in.go, and graphs.txt: the text that the package writes about
// its functions.
func TestGraphs(t *testing.T) {
	names, err := filepath.Glob("testdata/graphs/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in := filepath.Join(t.TempDir(), "in.go")
		if err := os.WriteFile(in, a.Files[0].Data, 0o666); err != nil {
			t.Fatal(err)
		}
		pkg := &instrument.Package{Path: "p", Files: []string{in}, Importer: importer.Default(), CorePath: "0pep/core"}
		res, err := instrument.Do(pkg, instrument.Options{Ends: rewrite.Poll})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := res.WriteGraphs(&got); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(got.String(), in, "in.go")
		if *update {
			a.Files = []txtar.File{a.Files[0], {Name: "graphs.txt", Data: []byte(text)}}
			if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(a.Files[1].Data), text); diff != "" {
			t.Errorf("%s: run with -update to accept (-want +got):\n%s", name, diff)
		}
	}
}
