package capture_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

func TestCutString(t *testing.T) {
	for _, c := range []struct {
		read string
		n    uint64
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 4, "abc…"}, {"", 4, "…"},
		{"aé", 4, "aé…"}, {"aé"[:2], 4, "a…"}, {"€"[:1], 4, "…"}, {"😀"[:3], 4, "…"}, // a rune was cut
		{"a\xff", 3, "a\xff…"}, {"\x80\x80\x80\x80\x80", 6, "\x80\x80\x80\x80\x80…"}, // these are none
	} {
		if got := capture.CutString(c.read, c.n); got != c.want {
			t.Errorf("%q of %d bytes: got %q, want %q", c.read, c.n, got, c.want)
		}
	}
}

func TestCutLabels(t *testing.T) {
	two := []capture.Label{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}
	for n, want := range map[uint64]capture.Labels{2: `"a"="1" "b"="2"`, 5: `"a"="1" "b"="2" "…"="3 more"`} {
		if got := capture.CutLabels(two, n); got != want {
			t.Errorf("%d labels: got %s, want %s", n, got, want)
		}
	}
}

// What List accepts it gives back, and two lists of labels never have the same text.
func FuzzLabels(f *testing.F) {
	f.Add(`"a"="1" "b"="2"`, "key", "value")
	f.Add(`"\x00"=""`, "\xff", `" "=`)
	f.Fuzz(func(t *testing.T, text, key, value string) {
		if list, err := capture.Labels(text).List(); err == nil && capture.MakeLabels(list) != capture.Labels(text) {
			t.Errorf("%q: got %q", text, list)
		}
		want := []capture.Label{{Key: key, Value: value}, {Key: value, Value: key}}
		l := capture.MakeLabels(want)
		if got, err := l.List(); err != nil || !slices.Equal(got, want) || !utf8.ValidString(string(l)) {
			t.Errorf("%s: got %q, %v, want %q", l, got, err, want)
		}
	})
}
