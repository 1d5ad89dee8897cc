package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
)

const pathsText = `profile paths
comment "#pep.version=1 mode=exact"
binary /bin/app
build 5eed
period 1 paths/count
path func=main.sign at=/src/app/sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches="11:2 if true" callers=""
`

const edgesText = `profile edges
comment "#pep.version=1 mode=exact"
binary /bin/app
build 5eed
period 1 paths/count
edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7 callers="main.main /src/app/main.go:9" labels="handler=/users method=GET"
`

var signSource = strings.Repeat("\n", 9) + "func sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n"

func parse(t *testing.T, text string) *profile.File {
	t.Helper()
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// signTree has the source of sign.go.
func signTree(t *testing.T) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sign.go"), []byte("package main"+signSource), 0o644); err != nil {
		t.Fatal(err)
	}
	return source.NewTree(dir)
}

// codeBlock returns the first block of code in a file's comments that
// contains a text.
func codeBlock(t *testing.T, file, text string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile(`(?m)(^//\t.*\n(//\n//\t.*\n)?)+`).FindAllString(string(data), -1) {
		if strings.Contains(block, text) {
			return regexp.MustCompile(`(?m)^//\t?`).ReplaceAllString(block, "")
		}
	}
	t.Fatalf("%s has no code with %q", file, text)
	return ""
}

// TestDocs checks that the comments show what is printed.
func TestDocs(t *testing.T) {
	paths, edges, src := parse(t, pathsText), parse(t, edgesText), signTree(t)
	text := func(l listing.Listing, err error) string {
		t.Helper()
		var b strings.Builder
		if err := errors.Join(err, listing.Text(&b, l)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	run := &profile.Run{Paths: paths, Edges: edges}
	program, err := annotate.New(annotate.Input{Run: run, Source: src})
	if err != nil {
		t.Fatal(err)
	}
	top, list := text(Top(paths, src, TopOptions{})), text(List(run, program, src, regexp.MustCompile("sign")))
	dumpPaths, dumpEdges := text(Dump(paths)), text(Dump(edges))
	if diff := cmp.Diff(codeBlock(t, "report.go", "flow%"), top); diff != "" {
		t.Errorf("Top (-doc +got):\n%s", diff)
	}
	if doc := codeBlock(t, "list.go", "share"); !strings.Contains(list, doc) {
		t.Errorf("List prints\n%swithout\n%s", list, doc)
	}
	if diff := cmp.Diff(codeBlock(t, "dump.go", "path func"), dumpPaths); diff != "" {
		t.Errorf("Dump of paths (-doc +got):\n%s", diff)
	}
	if doc := codeBlock(t, "dump.go", "edge func"); !strings.HasSuffix(dumpEdges, doc) {
		t.Errorf("Dump of edges prints\n%swithout\n%s", dumpEdges, doc)
	}
}
