package counted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument/counted"
	"github.com/pepgo/pep/instrument/guide"
)

const source = `package p

func (t *T[E]) f(a, b, c bool, x int) int {
	if a && (b || !c) {
		x++
	}
	for x < 5 {
		x++
	}
	for range x {
		x += g
	}
	if x >= 0 && x < 9 {
		return 1
	}
	switch x {
	case 1, 2:
	case 3:
	}
	return 0
}

var v = func(x int) bool { return x > 1 && x < g }

func k(a bool, x int) {
	if a && x >= 0 && x < 9 {
	}
}

func glob(a bool) {
	if a {
	}
}

//line grammar.y:100
func h(x any) {
	switch x.(type) {
	case int:
	default:
	}
}
`

// text returns what Text makes of a profile of package p/q.v1.
func text(t *testing.T, source string, profiles ...*guide.Package) (lines []string, m guide.Match) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	got, m, err := counted.Text("p/q%2ev1", profiles, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(got)), "\n"), m
}

func branch(line, col int, kind string, outcomes map[string]float64) guide.Branch {
	return guide.Branch{Line: line, Col: col, Kind: kind, Outcomes: outcomes}
}

type counts = map[string]float64

func TestOutcomes(t *testing.T) {
	p := &guide.Package{Funcs: []*guide.Func{
		{Name: "(*T[...]).f", File: "x.go", Line: 3, Branches: []guide.Branch{
			branch(4, 5, "&&", counts{"true": 10, "false": 1}),
			branch(4, 11, "||", counts{"true": 2, "false": 8}),
			branch(4, 17, "if", counts{"true": 5, "false": 3}), // c, of !c
			branch(7, 6, "for", counts{"body": 50, "done": 11}),
			branch(10, 2, "range", counts{"body": 7}),
			branch(13, 5, "if(&&)", counts{"true": 4, "false": 6}),
			branch(16, 2, "switch", counts{"case 1, 2": 1, "no case": 2.2}),
			branch(16, 2, "unknown", counts{"true": 1}),
		}},
		{Name: "init.func1", File: "x.go", Branches: []guide.Branch{branch(23, 35, "&&", counts{"true": 1})}},
		{Name: "k", File: "x.go", Branches: []guide.Branch{branch(26, 10, "if(&&)", counts{"true": 12, "false": 13})}},
		{Name: "glob", File: "x.go", Branches: []guide.Branch{branch(31, 5, "if", counts{"false": 9})}},
		{Name: "h", File: "grammar.y", Branches: []guide.Branch{branch(101, 2, "type switch", counts{"default": 6})}},
	}}
	got, m := text(t, source, p)
	want := []string{
		"package p/q%2ev1",
		"file grammar.y",
		"102 2 C 0", "103 2 C 6",
		"file x.go",
		"4 2 F 5", "4 2 T 3", // the last operand, negated
		"4 7 F 1", "4 7 T 10",
		"4 13 F 8", "4 13 T 2",
		"7 2 F 11", "7 2 T 50",
		"10 6 F 0", "10 6 T 7",
		"13 2 F 6", "13 2 T 4", // of two operands, one of which decides
		"13 12 F 6", "13 12 T 4",
		"16 2 N 3",
		"17 2 C 1", "18 2 C 0",
		"23 41 F 0", "23 41 T 1",
		"26 2 F 13", "26 2 T 12", "26 17 F 13", "26 17 T 12", // neighbours, though they are no operands of one operator
		"31 2 F 9", "31 2 T 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Funcs != 5 || m.Branches != 11 || m.Counts != 10+1+2+8+5+3+50+11+7+4+6+1+2.2+1+12+13+9+6 {
		t.Errorf("match %+v", m)
	}
}

// Branches are found where the function has moved, and by their order where lines were added in it; a function that has
// changed is left out. Profiles of several versions count each by its own.
func TestOtherSource(t *testing.T) {
	p := &guide.Package{Funcs: []*guide.Func{{Name: "f.func1.2", File: "x.go", Line: 3, Branches: []guide.Branch{
		branch(4, 5, "if", counts{"true": 1, "false": 2}),
		branch(6, 2, "range", counts{"body": 3}),
	}}}}
	const before = "package p\n\nfunc f() {\n"
	for _, test := range []struct{ name, source, want string }{
		{"as it was", before + "\tif a {\n\t}\n\tfor range b {\n\t}\n}", "4 2 F 2,4 2 T 1,6 6 F 0,6 6 T 3"},
		{"moved", "//\n//\n" + before + "\tif a {\n\t}\n\tfor range b {\n\t}\n}", "6 2 F 2,6 2 T 1,8 6 F 0,8 6 T 3"},
		{"moved within", before + "\tif a {\n\n\n\t}\n\tfor {\n\t}\n\tfor range b {\n\t}\n}",
			"4 2 F 2,4 2 T 1,10 6 F 0,10 6 T 3"},
		{"behind another one", before + "\tif z {\n\t}\n\tif a {\n\t}\n\tfor range b {\n\t}\n}",
			"6 2 F 2,6 2 T 1,8 6 F 0,8 6 T 3"},
		{"another branch", before + "\tif a {\n\t}\n\tfor b {\n\t}\n}", ""},
		{"another column", before + "\tif a {\n\t}\n\t\tfor range b {\n\t}\n}", ""},
		{"gone", "package p\n\nfunc g() {\n\tif a {\n\t}\n\tfor range b {\n\t}\n}", ""},
	} {
		got, m := text(t, test.source, p)
		want := "package p/q%2ev1,file x.go," + test.want
		if test.want == "" {
			want = ""
		}
		if strings.Join(got, ",") != want || (m.Branches > 0) != (want != "") {
			t.Errorf("%s: %q and %+v, want %q", test.name, got, m, want)
		}
	}
	other := &guide.Package{Funcs: []*guide.Func{{Name: "f", File: "x.go",
		Branches: []guide.Branch{branch(94, 5, "if", counts{"true": 100})}}}}
	got, _ := text(t, before+"\tif a {\n\t}\n\tfor range b {\n\t}\n}", p, other)
	if want := "4 2 F 2,4 2 T 101,6 6 F 0,6 6 T 3"; !strings.HasSuffix(strings.Join(got, ","), want) {
		t.Errorf("two profiles: %q, want %q", got, want)
	}
}
