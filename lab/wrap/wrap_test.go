package wrap

import (
	"strings"
	"testing"
)

// Lines have at most 100 columns, all words are there in their order, and no line would have room for the first word of
// the next one.
func TestText(t *testing.T) {
	words := strings.Fields(strings.Repeat("a bb ccc – dddddddddd ", 40))
	got := Text("* ", strings.Join(words, "  "))
	if back := strings.Fields(got); strings.Join(back[1:], " ") != strings.Join(words, " ") || back[0] != "*" {
		t.Errorf("words got lost:\n%s", got)
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	for i, line := range lines {
		if n := len([]rune(line)); n > 100 || i > 0 && !strings.HasPrefix(line, "  ") {
			t.Errorf("%d columns, or no indent: %q", n, line)
		}
		if i > 0 && len([]rune(lines[i-1]+" "+strings.Fields(line)[0])) <= 100 {
			t.Errorf("line %d has room for more: %q", i, lines[i-1])
		}
	}
	if got := Text("", "one"); got != "one\n" {
		t.Errorf("got %q", got)
	}
}

// Text is broken and joined, and what must stay as it is stays.
func TestPage(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	first, second := strings.TrimSpace(strings.Repeat("word ", 20)), strings.TrimSpace(strings.Repeat("word ", 10))
	kept := "# " + long + "\n\n| " + long + " |\n\n    " + long + "\n\n"
	got := Page(kept + long + "\n\n* one\n  two\n* " + long + "\nthree\n")
	want := kept + first + "\n" + second + "\n\n* one two\n* " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n  " +
		second + " word three\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
