package items

import (
	"slices"
	"testing"
)

func TestSeparatorsInsideParenthesesAndQuotesDoNotCount(t *testing.T) {
	for s, want := range map[string][]string{
		"":                         {""},
		"a":                        {"a"},
		"a,b":                      {"a", "b"},
		"a,":                       {"a", ""},
		",,":                       {"", "", ""},
		"f(a,b),c":                 {"f(a,b)", "c"},
		"f(g(a,b),c),d":            {"f(g(a,b),c)", "d"},
		`"a,b",c`:                  {`"a,b"`, "c"},
		`f("),",x),c`:              {`f("),",x)`, "c"},
		"engine=H[P4]8:a(b,c),d=1": {"engine=H[P4]8:a(b,c)", "d=1"},
	} {
		var got []string
		for rest, more := s, true; more; {
			var item string
			item, rest, more = Cut(rest, ',')
			got = append(got, item)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", s, got, want)
		}
	}
}

func TestUnclosed(t *testing.T) {
	for s, want := range map[string]int{
		"":          -1,
		"f(a)(b)":   -1,
		`f("(")`:    -1,
		"f(a":       1,
		"f((a)":     1,
		"f(a(b":     3,
		"f)":        1,
		"(a))(":     3,
		`f(")`:      2,
		`a"b`:       1,
		`f("a",")"`: 1,
	} {
		if at, found := Unclosed(s); found != (want >= 0) || found && at != want {
			t.Errorf("%s: %d %t, want %d", s, at, found, want)
		}
	}
}

func TestUnquote(t *testing.T) {
	for s, want := range map[string]string{`"a,b"`: "a,b", `""`: "", `a`: "a", `"`: `"`, `"a`: `"a`, ``: ``} {
		if got := Unquote(s); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
}

func TestPlainCut(t *testing.T) {
	before, after, found := CutPlain(`f("a=b)=c`, '=')
	if before != `f("a` || after != `b)=c` || !found {
		t.Errorf("got %q, %q, %t", before, after, found)
	}
	if before, after, found := CutPlain("abc", '='); before != "abc" || after != "" || found {
		t.Errorf("without a separator: %q, %q, %t", before, after, found)
	}
	if s := Unquote(Quote("a,b")); s != "a,b" {
		t.Errorf("quoted and unquoted: %q", s)
	}
}
