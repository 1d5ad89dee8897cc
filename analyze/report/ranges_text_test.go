package report

import (
	"regexp"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
)

// around returns a range without a sample around ranges with the given values.
func around(values ...string) *ranges.Node {
	n := &ranges.Node{Range: profile.Range{First: 0x40, Last: 0x7f}}
	for _, v := range values {
		n.Kids = append(n.Kids, &ranges.Node{Word: &profile.Word{Value: v}})
	}
	return n
}

func TestTextOfRangesBetween(t *testing.T) {
	for _, x := range []struct {
		want   string
		values []string
	}{
		{"[64, 75]", []string{"[64, 67]", "[72, 75]"}},
		{"[-16, -1]", []string{"[-16, -13]", "-1"}},
		{"[nil, 0x7f]", []string{"nil", "[0x40, 0x7f]"}},
		{"[nil, 0x5]", []string{"[nil, 0x3]", "0x5"}},
		{"[0, 18446744073709551615]", []string{"0", "18446744073709551615"}},
		{"[0x40, 0x7f]", []string{"'a'", "'b'"}},
		{"[0x40, 0x7f]", []string{"[1, 1.5]", "[2, 3]"}}, // floating-point numbers
		{"[0x40, 0x7f]", []string{"-1", "-2"}},           // of which negative ones have the other order
		{"[0x40, 0x7f]", []string{"case 1, 2", "default"}},
	} {
		if got := "[" + hull(around(x.values...)) + "]"; got != x.want {
			t.Errorf("%q: got %q, want %q", x.values, got, x.want)
		}
	}
}

func TestTextOfCodeBetween(t *testing.T) {
	for _, x := range []struct {
		want   string
		values []string
	}{
		{"main.f x.go:5-20", []string{"main.f x.go:12-20", "main.f x.go:5:7"}},
		{"main.f x.go:5", []string{"main.f x.go:5:9", "main.f x.go:5"}},
		{"[main.f, main.g] x.go:5-20", []string{"main.f x.go:12-20", "main.g x.go:5:7"}},
		{"main.f x.go:5-20", []string{"main.f x.go:12-20", "lib.Inlined y.go:99", "main.f x.go:5:7"}},
		{"[a.F, c.H] a.go:3 to c.go:9", []string{"[a.F, b.G] a.go:3 to b.go:7", "c.H c.go:9:2"}},
		{"main.(*T[...]).f x.go:5-7", []string{"main.(*T[...]).f x.go:5:1", "main.(*T[...]).f x.go:7:1"}},
		{"[0x40, 0x7f]", []string{"(other)", "?"}},
	} {
		if got := codeBetween(around(x.values...)); got != x.want {
			t.Errorf("%q: got %q, want %q", x.values, got, x.want)
		}
	}
}

// With -func a range of code is listed if it is in one function, and that one matches.
func TestRangesOfAFunction(t *testing.T) {
	re := regexp.MustCompile(`^main\.f$`)
	code, tap := profile.Site{Pool: "sites"}, profile.Site{}
	for _, x := range []struct {
		site profile.Site
		text string
		want bool
	}{
		{code, "main.f x.go:5:2", true}, {code, "main.g x.go:5:2", false}, {code, "[main.f, main.g] x.go:5-9", false}, {code, "?", false}, {tap, "[0, 255]", true},
	} {
		if got := ofFunc(x.site, x.text, re); got != x.want {
			t.Errorf("%q: got %t", x.text, got)
		}
		if !ofFunc(x.site, x.text, nil) {
			t.Errorf("%q is not listed without -func", x.text)
		}
	}
}

func TestShortNames(t *testing.T) {
	for text, want := range map[string]string{
		"github.com/BurntSushi/toml.(*lexer).next lex.go:150:5":                  "toml.(*lexer).next lex.go:150:5",
		"[math/rand/v2.(*Rand).uint64n, example.com/a/b.F] rand.go:8 to b.go:9":  "[rand/v2.(*Rand).uint64n, b.F] rand.go:8 to b.go:9",
		"main.f  x.go:4:5  load m map[example.com/k.Key]example.com/v/v3.T, '/'": "main.f  x.go:4:5  load m map[k.Key]v/v3.T, '/'",
		"[0, 255]": "[0, 255]",
		"main.f":   "main.f",
	} {
		if got := shortNames(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
