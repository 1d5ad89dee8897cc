package counted_test

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument/counted"
	"github.com/pepgo/pep/instrument/guide"
)

// FuzzText: whatever the source is and the profile says, the compiler can read the text, as ssagen/pepcounts.go does,
// and no name in it becomes a line.
func FuzzText(f *testing.F) {
	for _, b := range (&guide.Package{Funcs: []*guide.Func{{Branches: []guide.Branch{
		branch(4, 5, "&&", counts{"true": 10}), branch(7, 6, "for", counts{"body": 50}),
		branch(16, 2, "switch", counts{"no case": 2.2}),
	}}}}).Funcs[0].Branches {
		for outcome, n := range b.Outcomes {
			f.Add(source, "(*T[...]).f", "x.go", b.Line, b.Col, b.Kind, outcome, n)
		}
	}
	f.Add("package p\n/*line a b\n1 2 T 3\n.y:5:3*/func f() { if true {} }", "f", "a b\n1 2 T 3\n.y", 5, 17, "if", "true",
		1e300)
	f.Fuzz(func(t *testing.T, source, fn, file string, line, col int, kind, outcome string, n float64) {
		if !(n >= 0) || math.IsInf(n, 0) {
			t.Skip("profiles have no such counts")
		}
		name := filepath.Join(t.TempDir(), "x.go")
		if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		p := &guide.Package{Funcs: []*guide.Func{{Name: fn, File: file,
			Branches: []guide.Branch{branch(line, col, kind, counts{outcome: n})}}}}
		text, m, err := counted.Text("p", []*guide.Package{p, p}, []string{name})
		if err != nil || len(text) == 0 {
			return
		}
		if m.Funcs != 2 || m.Branches != 2 || m.Counts != 2*n {
			t.Errorf("match %+v", m)
		}
		lines := strings.Split(string(text), "\n")
		if lines[0] != "package p" || lines[len(lines)-1] != "" {
			t.Fatalf("it begins with %q and ends with %q", lines[0], lines[len(lines)-1])
		}
		for _, line := range lines[1 : len(lines)-1] {
			if rest, ok := strings.CutPrefix(line, "file "); ok {
				if rest != file {
					t.Errorf("counts of %q, and the profile is of %q", rest, file)
				}
				continue
			}
			f := strings.Fields(line)
			if len(f) != 4 || len(f[2]) != 1 || !strings.Contains("TFCN", f[2]) {
				t.Fatalf("line %q", line)
			}
			_, err1 := strconv.ParseUint(f[0], 10, 32)
			_, err2 := strconv.ParseUint(f[1], 10, 8)
			count, err3 := strconv.ParseInt(f[3], 10, 64)
			if err1 != nil || err2 != nil || err3 != nil || count < 0 || count > 1<<53 {
				t.Errorf("line %q: %v, %v, %v", line, err1, err2, err3)
			}
		}
	})
}
