package recorder

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// program prints what a recorder could change, and makes decisions whose vectors are known.
const program = `//go:build !never

// A program.
package main; import "fmt"

import "runtime"

type flag bool

var global = yes(2) && !yes(4)

const fixed = 2 > 1 && 3 > 2

func yes(n int) bool { return n%2 == 0 }

func generic[T ~bool](a, b T) T { return a || !b && T(fixed) }

func mixed(a flag, n int) flag { return a && n > 1 || fixed }

func deep(n int) bool {
	return n > 0 && (deep(n-1) || n == 2) // four calls for 3: the innermost is false at once
}

func caller(a bool) bool {
	_, _, line, _ := runtime.Caller(1)
	fmt.Println(line)
	return a
}

func panics(p *int) (s string) {
	defer func() {
		if recover() != nil && p == nil {
			s = "recovered"
		}
	}()
	if yes(2) && *p > 1 {
		return "large"
	}
	return "small"
}

func nested(a, b bool) (n int) {
	for i := 0; i < 3 && (a ||
		// a comment
		b); i++ {
		n++
	}
	f := func(c bool) bool { return c && yes(n) || b }
	switch {
	case (yes(3) || f(a && b)) == true && !(a && n > 1):
		n += 10
	}
again:
	if n > 20 || a && n > 12 {
		return n
	}
	n += 5
	goto again
}

func main() {
	one := 1
	fmt.Println(global, generic(flag(false), flag(true)), generic(true, false), deep(3), mixed(true, 1))
	fmt.Println(caller(true) && caller(false), panics(nil), panics(&one))
	fmt.Println(nested(true, false), nested(true, true), nested(false, false))
}
`

// The vectors are those that one finds by reading the program.
var vectors = map[string]map[string]int64{
	"yes(2) && !yes(4)":                              {"TT=F": 1},
	"a && n > 1 || fixed":                            {"TFT=T": 1},
	"a || !b && T(fixed)":                            {"FT-=F": 1, "T--=T": 1},
	"n > 0 && (deep(n-1) || n == 2)":                 {"F--=F": 1, "TFF=F": 1, "TFT=T": 1, "TT-=T": 1},
	"caller(true) && caller(false)":                  {"TF=F": 1},
	"recover() != nil && p == nil":                   {"TT=T": 1, "F-=F": 1},
	"yes(2) && *p > 1":                               {"TF=F": 1}, // and one that the panic left
	"i < 3 && (a ||\n\t\t// a comment\n\t\tb)":       {"TT-=T": 6, "F--=F": 2, "TFF=F": 1},
	"c && yes(n) || b":                               {"F-F=F": 2, "TFT=T": 1},
	"a && b":                                         {"TF=F": 1, "TT=T": 1, "F-=F": 1},
	"(yes(3) || f(a && b)) == true && !(a && n > 1)": {"F--=F": 2, "TTT=F": 1},
	"(yes(3) || f(a && b))":                          {"FF=F": 2, "FT=T": 1},
	"n > 20 || a && n > 12":                          {"FTF=F": 4, "FTT=T": 2, "FF-=F": 5, "T--=T": 1},
}

func TestRewrite(t *testing.T) {
	dir, records := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func() string {
		cmd := exec.Command("go", "run", ".")
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "RECORDS="+records)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	want := run()
	decisions, err := Rewrite(dir, "example.com/m", []string{"main.go"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, run()); diff != "" {
		t.Errorf("the program prints (-plain +recording)\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil ||
		!strings.HasPrefix(string(text), program[:len("//go:build !never\n\n// A program.\npackage main")]) {
		t.Errorf("%v: the first lines are others:\n%s", err, text)
	}
	counts, err := Read(records, decisions)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]map[string]int64)
	for _, d := range decisions {
		got[d.Text] = counts[d]
		if at := d.Conditions[0]; d.Line != at.Line && !strings.HasPrefix(d.Text, "(") {
			t.Errorf("%s: at %d:%d, its first condition at %v", d.Text, d.Line, d.Col, at)
		}
	}
	if diff := cmp.Diff(vectors, got); diff != "" {
		t.Errorf("vectors (-read +recorded)\n%s", diff)
	}
}

func TestReadRefusesNothing(t *testing.T) {
	if _, err := Read(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "no process has recorded anything") {
		t.Errorf("got %v", err)
	}
}

func TestMCDC(t *testing.T) {
	leaf := func(i int) *Expr { return &Expr{Kind: Leaf, Index: i} }
	// a && (b || !c)
	or := &Expr{Kind: And, X: leaf(0), Y: &Expr{Kind: Or, X: leaf(1), Y: &Expr{Kind: Not, X: leaf(2)}}}
	// a && (!b && c)
	mixed := &Expr{Kind: And, X: leaf(0), Y: &Expr{Kind: And, X: &Expr{Kind: Not, X: leaf(1)}, Y: leaf(2)}}
	both := &Expr{Kind: Or, X: &Expr{Kind: And, X: leaf(0), Y: leaf(1)}, Y: &Expr{Kind: And, X: leaf(2), Y: leaf(3)}}
	for _, x := range []struct {
		e               *Expr
		vectors         string
		masking, unique string
	}{
		{or, "TT-=T F--=F", "T--", "T--"},
		{or, "TT-=T F--=F TFT=F", "TT-", "TT-"},
		{or, "TFF=T F--=F TFT=F", "T-T", "T-T"},
		{or, "TT-=T TFF=T TFT=F F--=F", "TTT", "TTT"},
		{or, "TFT=F F--=F", "---", "---"},
		{mixed, "F--=F TFT=T", "T--", "T--"},
		// a && b || c && d: in the third and the fourth pair a differs, too, which masking allows.
		{both, "TT--=T TFF-=F", "-T--", "-T--"},
		{both, "TT--=T F-TF=F", "T---", "T---"},
		{both, "F-TT=T TFTF=F", "---T", "----"},
		{both, "F-TT=T TFF-=F", "--T-", "----"},
		{both, "TT--=T TFTT=T F-F-=F TFTF=F", "TTTT", "TT-T"},
	} {
		set := make(map[string]int64)
		for v := range strings.FieldsSeq(x.vectors) {
			set[v] = 1
		}
		n := strings.Index(x.vectors, "=")
		s, impossible := MCDC(x.e, n, set)
		if impossible != "" {
			t.Errorf("%s: %s is impossible", x.vectors, impossible)
		}
		if m, u := marks(s.Masking), marks(s.Unique); m != x.masking || u != x.unique {
			t.Errorf("%s: masking %s, unique cause %s; want %s, %s", x.vectors, m, u, x.masking, x.unique)
		}
	}
	for _, v := range []string{"TT-=F", "T--=T", "F-T=F"} {
		if _, impossible := MCDC(or, 3, map[string]int64{v: 1}); impossible != v {
			t.Errorf("%s: got %q", v, impossible)
		}
	}
	long := leaf(0)
	for i := range 63 {
		long = &Expr{Kind: Or, X: long, Y: leaf(i + 1)}
	}
	s, _ := MCDC(long, 64, map[string]int64{"T" + strings.Repeat("-", 63) + "=T": 1, strings.Repeat("F", 64) + "=F": 1})
	if want := "T" + strings.Repeat("-", 63); marks(s.Masking) != want || marks(s.Unique) != want {
		t.Errorf("64 conditions: masking %s, unique cause %s", marks(s.Masking), marks(s.Unique))
	}
}

func marks(list []bool) string {
	b := slices.Repeat([]byte("-"), len(list))
	for i, m := range list {
		if m {
			b[i] = 'T'
		}
	}
	return string(b)
}
