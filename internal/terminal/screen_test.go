package terminal

import (
	"strings"
	"testing"
)

func TestScreenOfAFile(t *testing.T) {
	for columns, want := range map[string]Screen{"": {}, "100": {Width: 100}, "x": {}, "-1": {}, "0": {}} {
		getenv := func(name string) string {
			if name == "COLUMNS" {
				return columns
			}
			return ""
		}
		if got := ScreenOf(new(strings.Builder), getenv); got != want {
			t.Errorf("COLUMNS=%s: got %+v, want %+v", columns, got, want)
		}
	}
}

// Tabs go to the next stop, wide characters take two columns, and accents none.
func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"abc": 3, "a\tb": 9, "\t\t": 16, "世界": 4, "e\u0301": 1, "größe": 5, "…·": 2,
		"12345678\tx": 17} {
		column := 0
		for _, r := range text {
			column = End(column, r)
		}
		if column != want {
			t.Errorf("%q takes %d columns, want %d", text, column, want)
		}
	}
}
