package annotate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
)

const header = `
comment "#pep.version=1 mode=exact"
binary /bin/app
build 5eed
period 1 paths/count
`

const signPaths = `profile paths` + header + `
path func=main.sign at=/src/app/sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches="11:2 if true" callers="main.main /src/app/main.go:9"
path func=main.sign at=/src/app/sign.go:10 path=p1 end=14 count=1 flow=1 from=entry lines=10-11,14 branches="11:2 if false" callers="main.main /src/app/main.go:9"
`

const signEdges = `profile edges` + header + `
edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7
edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=false line=14 count=1
`

var signSource = "package main" + strings.Repeat("\n", 9) + "func sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n"

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

// TestDoc checks the example of the package comment.
func TestDoc(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sign.go"), []byte(signSource), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := New(Input{Run: &profile.Run{Paths: parse(t, signPaths), Edges: parse(t, signEdges)}, Source: source.NewTree(dir)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, l := range d.Lines {
		count, text, branches := " ", "", ""
		if l.State == Seen {
			count = fmt.Sprint(l.Count)
		}
		for _, r := range l.Text {
			text += r[1]
		}
		for _, b := range d.Branches {
			if b.Line == l.Line {
				branches = fmt.Sprintf("              %s: %s %d, %s %d", b.Kind, b.Outcomes[0].Name, b.Outcomes[0].Count, b.Outcomes[1].Name, b.Outcomes[1].Count)
			}
		}
		got += strings.TrimRight(fmt.Sprintf("%s  %d  %s%s", count, l.Line, text, branches), " ") + "\n"
	}
	doc, err := os.ReadFile("annotate.go")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?m)^//\t.*10  func sign(.*\n//\t)+.*\n`).FindString(string(doc))
	want := regexp.MustCompile(`(?m)^//\t`).ReplaceAllString(block, "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-doc +got):\n%s", diff)
	}
	if c := d.Callers; len(c) != 1 || c[0] != (Call{"main.main", 9, 8, 1}) {
		t.Errorf("callers %v", c)
	}
}

// Runs of text make up the source, with the classes that the language gives them.
func TestWords(t *testing.T) {
	list := strings.Split(`package p // comment
/* a
b */ func f(x int) string {
	return g(x, len("a\"b"), 'c', 0x1f) + `+"`raw\nraw2` + h.Méthode (x)"+`
}
	"unterminated`, "\n")
	var got []string
	for i, runs := range words(list) {
		text := ""
		for _, r := range runs {
			text += r[1]
			if r[0] != "" {
				got = append(got, r[0]+":"+r[1])
			}
		}
		if text != list[i] {
			t.Errorf("line %q became %q", list[i], text)
		}
	}
	want := []string{"k:package", "c:// comment", "c:/* a", "c:b */", "k:func", "f:f", "b:int", "b:string", "k:return", "f:g", "b:len",
		`s:"a\"b"`, "s:'c'", "n:0x1f", "s:`raw", "s:raw2`", "f:Méthode", `s:"unterminated`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
