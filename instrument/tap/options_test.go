package tap_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/tap"
)

func TestParseKinds(t *testing.T) {
	k, err := tap.ParseKinds("loads,consts,marked")
	if err != nil {
		t.Fatal(err)
	}
	for tag := tuple.Arg; tag <= tuple.Const; tag++ {
		if want := tag == tuple.Load || tag == tuple.Const; k.Has(tag) != want {
			t.Errorf("%s: got %t, want %t", tag, k.Has(tag), want)
		}
	}
	all, err := tap.ParseKinds("all")
	if err != nil {
		t.Fatal(err)
	}
	for tag := tuple.Arg; tag <= tuple.Const; tag++ {
		if !all.Has(tag) {
			t.Errorf("%s is not among all", tag)
		}
	}
	for _, bad := range []string{"", "load", "loads,", "Loads", "loads stores"} {
		if _, err := tap.ParseKinds(bad); err == nil {
			t.Errorf("%q is a list of kinds", bad)
		}
	}
}

func TestParseRanges(t *testing.T) {
	got, err := tap.ParseRanges("x.go:10-20,a/y.go:7,z.go,yaccpar:3,expr.y")
	want := []tap.Range{{"x.go", 10, 20}, {"a/y.go", 7, 7}, {"z.go", 1, int(^uint(0) >> 1)}, {"yaccpar", 3, 3},
		{"expr.y", 1, int(^uint(0) >> 1)}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "x.go:", "x.go:a", "x.go:3-", "x.go:5-4", "x.go:0", "x", ":3", "x.go,"} {
		if r, err := tap.ParseRanges(bad); err == nil {
			t.Errorf("%q is the ranges %v", bad, r)
		}
	}
	for _, test := range []struct {
		file string
		line int
		in   bool
	}{
		{"/src/x.go", 10, true},
		{"/src/x.go", 20, true},
		{"/src/x.go", 21, false},
		{"/src/max.go", 15, false},
		{"/src/a/y.go", 7, true},
		{"/src/b/y.go", 7, false},
		{"/src/z.go", 1000, true},
	} {
		in := false
		for _, r := range want {
			in = in || r.Has(test.file, test.line)
		}
		if in != test.in {
			t.Errorf("%s:%d: got %t, want %t", test.file, test.line, in, test.in)
		}
	}
}

// FuzzParse checks that kinds and ranges that parse are not empty, and that their lines
// are at least 1.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"loads,consts,marked", "all", "x.go:10-20,a/x.go:7", "x.go", ".go:1-", "x.go:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if k, err := tap.ParseKinds(s); (k == 0) != (err != nil) {
			t.Errorf("%q: kinds %b, %v", s, k, err)
		}
		ranges, err := tap.ParseRanges(s)
		if (len(ranges) == 0) != (err != nil) {
			t.Errorf("%q: ranges %v, %v", s, ranges, err)
		}
		for _, r := range ranges {
			if r.From < 1 || r.To < r.From || !r.Has("dir/"+r.File, r.From) {
				t.Errorf("%q: range %+v", s, r)
			}
		}
	})
}
