package mutants

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const source = `package p

import "os"

func Big(n, limit int, closed bool) bool {
	if n >= limit && !closed {
		return true
	}
	for range 3 {
		if n == 0 {
			continue
		}
		n /= 2
	}
	var list [4]int
	list[0]++
	os.Getpid()
	return list[0] > 1
}
`

func TestOf(t *testing.T) {
	list, err := Of("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		before, after := m.Diff()
		got = append(got, m.String()+": "+before+" | "+after)
	}
	want := []string{
		"p.go:6: negated: if n >= limit && !closed { | if !(n >= limit && !closed) {",
		"p.go:6: || for &&: if n >= limit && !closed { | if n >= limit || !closed {",
		"p.go:6: > for >=: if n >= limit && !closed { | if n > limit && !closed {",
		"p.go:9: 4 for 3: for range 3 { | for range 4 {",
		"p.go:10: negated: if n == 0 { | if !(n == 0) {",
		"p.go:10: != for ==: if n == 0 { | if n != 0 {",
		"p.go:10: 1 for 0: if n == 0 { | if n == 1 {",
		"p.go:11: break for continue: continue | break",
		"p.go:13: removed: n /= 2 | ",
		"p.go:13: 3 for 2: n /= 2 | n /= 3",
		"p.go:16: removed: list[0]++ | ",
		"p.go:16: 1 for 0: list[0]++ | list[1]++",
		"p.go:17: removed: os.Getpid() | ",
		"p.go:18: >= for >: return list[0] > 1 | return list[0] >= 1",
		"p.go:18: 1 for 0: return list[0] > 1 | return list[1] > 1",
		"p.go:18: 2 for 1: return list[0] > 1 | return list[0] > 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
	chosen, again := Choose(list, 3), Choose(list, 3)
	lines := map[int]bool{}
	for i, m := range chosen {
		lines[m.Line] = true
		if m != again[i] {
			t.Errorf("the same seed chooses %v and %v", m, again[i])
		}
	}
	if len(chosen) != 8 || len(lines) != 8 {
		t.Errorf("of 8 lines %v are chosen", chosen)
	}
}

// A mutant's fate is what the tests of a module say.
func TestTry(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.26\n",
		"p/p.go":      source,
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestBig(t *testing.T) {\n\tif !Big(5, 5, false) {\n\t\tt.Fatal()\n\t}\n}\n",
		"q/q.go":      "package q\n\nimport \"example.com/m/p\"\n\nfunc Closed() bool { return p.Big(5, 5, true) }\n",
		"q/q_test.go": "package q\n\nimport \"testing\"\n\nfunc TestClosed(t *testing.T) {\n\tif Closed() {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Of("p/p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Fate{
		"p/p.go:6: > for >=":            Killed,
		"p/p.go:6: || for &&":           Abroad,
		"p/p.go:10: 1 for 0":            Survived,
		"p/p.go:17: removed":            Invalid, // os is not used any more
		"p/p.go:11: break for continue": Survived,
	}
	tests := NewTests(root)
	for _, m := range list {
		if want[m.String()] == "" {
			continue
		}
		fate, err := tests.Own(context.Background(), m)
		if fate == Survived {
			fate, err = tests.Users(context.Background(), m)
		}
		if err != nil || fate != want[m.String()] {
			t.Errorf("%v: %s, %v, want %s", m, fate, err, want[m.String()])
		}
		delete(want, m.String())
	}
	if len(want) > 0 {
		t.Errorf("no mutant %v", want)
	}
}

// Explanations are of changes that can be chosen.
func TestExplainedMutantsAreThere(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	missing := Explained()
	if n := strings.Count(explained, "\n- "); n != len(missing) {
		t.Errorf("%d of %d entries of explained.txt are read", len(missing), n)
	}
	for _, m := range list {
		delete(missing, m.Change())
	}
	for c := range missing {
		t.Errorf("explained.txt: no mutant of %s changes\n- %s\n+ %s", c.File, c.Before, c.After)
	}
}

// A fate is tried once, and again if the file or, for survivors, the tests have changed.
func TestJournal(t *testing.T) {
	root := t.TempDir()
	file, test := filepath.Join(root, "journal"), filepath.Join(root, "p_test.go")
	if err := os.WriteFile(test, []byte("package p"), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := Of("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Of("p.go", []byte(source+"\n// changed"))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct {
		m     Mutant
		tests string
		fate  Fate
		tried bool
	}{
		{list[0], "own", Killed, true}, {list[0], "own", Killed, false}, {list[1], "own", Survived, true},
		{list[1], "own", Survived, false},
		{list[1], "users", Abroad, true}, {list[1], "users", Abroad, false}, {other[0], "own", Killed, true},
	} {
		j, err := Open(root, file)
		if err != nil {
			t.Fatal(err)
		}
		tried := false
		fate, err := j.Fate(x.m, x.tests, func() (Fate, error) { tried = true; return x.fate, nil })
		if fate != x.fate || tried != x.tried || err != nil {
			t.Errorf("%d: %s, tried %t, %v; want %s, %t", i, fate, tried, err, x.fate, x.tried)
		}
	}
	if err := os.WriteFile(test, []byte("package p // a new test"), 0o666); err != nil {
		t.Fatal(err)
	}
	j, err := Open(root, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Fate{Killed, Invalid} { // the first is what it was, the second is tried again
		m := list[0]
		if want == Invalid {
			m = list[1]
		}
		if fate, err := j.Fate(m, "own", func() (Fate, error) { return Invalid, nil }); fate != want || err != nil {
			t.Errorf("with a new test: %s, %v, want %s", fate, err, want)
		}
	}
}
