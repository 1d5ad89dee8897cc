package report

import (
	"regexp"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
)

// around returns a range without a sample around ranges with the given samples.
func around(words ...profile.Word) *ranges.Node {
	n := &ranges.Node{Range: profile.Range{First: 0x40, Last: 0x7f}}
	for i := range words {
		n.Kids = append(n.Kids, &ranges.Node{Word: &words[i]})
	}
	return n
}

// The texts of the values do not matter.
func TestTextOfRangesBetween(t *testing.T) {
	ends := func(low, high string) profile.Word { return profile.Word{Value: "[x, y]", Low: low, High: high} }
	for _, x := range []struct {
		want string
		in   []profile.Word
	}{
		{"[64, 75]", []profile.Word{ends("64", "67"), ends("72", "75")}},
		{"[-16, -1]", []profile.Word{ends("-16", "-13"), ends("-1", "-1")}},
		{"[nil, 0x7f]", []profile.Word{ends("nil", "nil"), ends("0x40", "0x7f")}},
		{"[nil, 0x5]", []profile.Word{ends("nil", "0x3"), ends("0x5", "0x5")}},
		{"[0, 18446744073709551615]", []profile.Word{ends("0", "0"), ends("18446744073709551615", "18446744073709551615")}},
		{"[0x40, 0x7f]", []profile.Word{{Value: "'a'"}, {Value: "'b'"}}},
		{"[0x40, 0x7f]", []profile.Word{ends("1", "1"), {Value: "[5, 7]"}}},
		{"[0x40, 0x7f]", []profile.Word{ends("3", "4"), ends("-2", "-1")}}, // all words: the negative ones come last
	} {
		if got := "[" + hull(around(x.in...)) + "]"; got != x.want {
			t.Errorf("%+v: got %q, want %q", x.in, got, x.want)
		}
	}
}

func TestTextOfCodeBetween(t *testing.T) {
	in := func(first, last string, low, high int64) profile.Word {
		return profile.Word{Value: "somewhere",
			Code: &profile.Code{FirstFunc: first, LastFunc: last, FirstFile: "x.go", LastFile: "x.go", OneFile: true, Low: low,
				High: high}}
	}
	of := func(file, last string, w profile.Word) profile.Word {
		w.Code.FirstFile, w.Code.LastFile, w.Code.OneFile = file, last, file == last
		return w
	}
	for _, x := range []struct {
		want string
		in   []profile.Word
	}{
		{"main.f x.go:5-20", []profile.Word{in("main.f", "main.f", 12, 20), in("main.f", "main.f", 5, 5)}},
		{"main.f x.go:5", []profile.Word{in("main.f", "main.f", 5, 5), in("main.f", "main.f", 5, 5)}},
		{"[main.f, main.g] x.go:5-20", []profile.Word{in("main.f", "main.f", 12, 20), in("main.g", "main.g", 5, 5)}},
		{"main.f x.go:5-20", []profile.Word{in("main.f", "main.f", 12, 20),
			of("y.go", "y.go", in("lib.Inlined", "lib.Inlined", 99, 99)), in("main.f", "main.f", 5, 5)}},
		{"[a.F, c.H] a.go:3 to c.go:9", []profile.Word{of("a.go", "b.go", in("a.F", "b.G", 3, 7)),
			of("c.go", "c.go", in("c.H", "c.H", 9, 9))}},
		{"[a.F, c.H] a.go:3 to a.go:9", []profile.Word{of("a.go", "a.go", in("a.F", "a.F", 3, 4)),
			of("b.go", "b.go", in("b.G", "b.G", 1, 1)), of("a.go", "a.go", in("c.H", "c.H", 2, 9))}},
		{"main.(*T[...]).f x.go:5-7", []profile.Word{in("main.(*T[...]).f", "main.(*T[...]).f", 5, 5),
			in("main.(*T[...]).f", "main.(*T[...]).f", 7, 7)}},
		{"[0x40, 0x7f]", []profile.Word{{Value: "(other)"}, {Value: "?"}}},
	} {
		if got := codeBetween(around(x.in...)); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}

// With -func a range of code is listed if it is in one function, and that one matches.
func TestRangesOfAFunction(t *testing.T) {
	re := regexp.MustCompile(`^main\.f$`)
	code, tap := profile.Site{Pool: "sites"}, profile.Site{}
	for _, x := range []struct {
		site profile.Site
		in   *profile.Code
		want bool
	}{
		{code, &profile.Code{FirstFunc: "main.f", LastFunc: "main.f"}, true},
		{code, &profile.Code{FirstFunc: "main.g", LastFunc: "main.g"}, false},
		{code, &profile.Code{FirstFunc: "main.f", LastFunc: "main.g"}, false}, {code, nil, false}, {tap, nil, true},
	} {
		if got := ofFunc(x.site, x.in, re); got != x.want {
			t.Errorf("%+v: got %t", x.in, got)
		}
		if !ofFunc(x.site, x.in, nil) {
			t.Errorf("%+v is not listed without -func", x.in)
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
