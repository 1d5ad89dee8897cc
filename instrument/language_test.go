package instrument_test

import (
	"go/importer"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

// Files in a language without generics are instrumented, and their text has no generic calls. Decisions whose values
// have a type have a generic marker, which is not in the text.
func TestLanguageWithoutGenerics(t *testing.T) {
	const source = "package p\n\ntype truth bool\n\nfunc f(a, b truth, list []int) (truth, []int) {\n\tx := a && b\n\tlast := list[1:]\n\treturn x, last\n}\n"
	file := filepath.Join(t.TempDir(), "in.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := tap.ParseKinds("all")
	if err != nil {
		t.Fatal(err)
	}
	for lang, generic := range map[string]bool{"go1.17": false, "go1.18": true} {
		pkg := &instrument.Package{Path: "p", Files: []string{file}, Importer: importer.Default(), CorePath: linkedCore,
			GoVersion: lang}
		cover := instrument.Options{Ends: rewrite.Count, Decisions: true}
		cover.Numbers.Truncate = pathnum.Rest
		if res, err := instrument.Do(pkg, cover); err != nil || len(res.Text) != 1 {
			t.Errorf("%s, cover: %v", lang, err)
		}
		taps := instrument.Options{Ends: rewrite.Nothing}
		taps.Taps.Kinds = all
		res, err := instrument.Do(pkg, taps)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(res.Text[file], "SliceWord("); got != generic {
			t.Errorf("%s: generic calls %t, want %t\n%s", lang, got, generic, res.Text[file])
		}
	}
}
