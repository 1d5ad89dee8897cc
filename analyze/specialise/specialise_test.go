package specialise_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/specialise"
)

// Rows are worked out by hand.
func TestFind(t *testing.T) {
	type site = specialise.Site[string]
	for _, x := range []struct {
		name  string
		sites []site
		want  string
	}{
		{"enough events, of which enough are alike",
			[]site{{Row: "few", Events: 9, Least: 1}, {Row: "both", Events: 10, Least: .5}, {Row: "other", Events: 99, Least: .49}},
			"both"},
		{"the highest score first",
			[]site{{Row: "b", Events: 10, Least: .9, Score: .18}, {Row: "a", Events: 10, Least: .6, Score: .24},
				{Row: "c", Events: 99, Least: 1, Score: .1}}, "a b c"},
		{"0.509 and 0.501 are equal, and 0.511 is more",
			[]site{{Row: "c", Events: 10, Least: .9, Score: .509}, {Row: "b", Events: 11, Least: .9, Score: .501},
				{Row: "a", Events: 10, Least: .9, Score: .511}}, "a b c"},
		{"what is preferred before what has more events, then the order of the sites",
			[]site{{Row: "c", Events: 10, Least: 1}, {Row: "d", Events: 10, Least: 1}, {Row: "b", Events: 11, Least: 1},
				{Row: "a", Events: 10, Least: 1, Prefer: 1}}, "a b c d"},
		{"the first of those about the same, in one thing or another; what is left out hides nothing",
			[]site{{Row: "a", Events: 14, Least: 1, Same: []any{"line", 1}}, {Row: "no", Events: 13, Least: 1, Same: []any{"v", 1}},
				{Row: "b", Events: 12, Least: 1, Same: []any{"v"}}, {Row: "c", Events: 11, Least: 1}}, "a b c"},
	} {
		if got := strings.Join(specialise.Find(x.sites, 10, .5), " "); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
	many := make([]specialise.Site[int], 60)
	for i := range many {
		many[i] = specialise.Site[int]{Row: i, Prefer: i % 3}
	}
	got := specialise.Find(many, 0, 0)
	if want := func(i, k int) int { return cmp.Or(k%3-i%3, i-k) }; len(got) != 60 || !slices.IsSortedFunc(got, want) {
		t.Errorf("equal sites are not in their order: %d", got)
	}
}
