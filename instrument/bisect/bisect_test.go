package bisect

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern string
		id      uint64
		want    bool
	}{
		{"y", 5, true},
		{"01", 5, true},
		{"01", 6, false},
		{"01+10", 6, true},
		{"+01+10", 6, true},
		{"01+10-110", 6, false},
		{"01+10-110", 2, true},
		{"-01", 5, false},
		{"-01", 6, true},
		{"xa3", 0x1a3, true},
		{"xa3-x1a3", 0x1a3, false},
		{"xA3", 0xa4, false},
		{strings.Repeat("1", 64), 1<<64 - 1, true},
		{strings.Repeat("1", 64), 1<<63 - 1, false},
		{"v!!01", 5, true},
		{"n", 5, true},
	} {
		p, err := Parse(test.pattern)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.pattern, err)
			continue
		}
		if got := p.matches(test.id); got != test.want {
			t.Errorf("%q matches %#x: %t, want %t", test.pattern, test.id, got, test.want)
		}
	}
	for _, bad := range []string{"v", "!", "2", "0+", "0-1+1", "x", "xg", "0_1", strings.Repeat("1", 65), "y0", "q"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q): want an error", bad)
		}
	}
}

func TestWhatIsSelectedAndPrinted(t *testing.T) {
	for _, test := range []struct {
		pattern  string
		selected bool
		line     string
	}{
		{"", true, ""},
		{"y", true, "[bisect-match 0x"},
		{"n", false, "[bisect-match 0x"},
		{"!y", false, "[bisect-match 0x"},
		{"y-y", false, ""},
		{"!y-y", true, ""},
		{"vy", true, "] main.f x.go:3"},
	} {
		p, err := Parse(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		selected, line := p.Selects("main.f", "x.go:3")
		if selected != test.selected || !strings.Contains(line, test.line) || (line == "") != (test.line == "") {
			t.Errorf("%q: got %t, %q, want %t, …%q…", test.pattern, selected, line, test.selected, test.line)
		}
	}
}
