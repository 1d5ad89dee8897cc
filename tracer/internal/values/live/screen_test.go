package live_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/live"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

// A screen is a terminal of a few lines, which knows the sequences that a Screen writes.
type screen struct {
	lines [][]rune
	row   int
	col   int
}

func newScreen(rows, columns int) *screen {
	s := &screen{lines: make([][]rune, rows)}
	for i := range s.lines {
		s.lines[i] = []rune(strings.Repeat("#", columns)) // what was there before
	}
	return s
}

func (s *screen) Write(b []byte) (int, error) {
	text := string(b)
	for text != "" {
		switch {
		case strings.HasPrefix(text, "\x1b[H"):
			s.row, s.col, text = 0, 0, text[3:]
		case strings.HasPrefix(text, "\x1b[K"):
			for i := s.col; i < len(s.lines[s.row]); i++ {
				s.lines[s.row][i] = ' '
			}
			text = text[3:]
		case strings.HasPrefix(text, "\x1b[J"):
			for i := s.col; i < len(s.lines[s.row]); i++ {
				s.lines[s.row][i] = ' '
			}
			for _, line := range s.lines[s.row+1:] {
				copy(line, []rune(strings.Repeat(" ", len(line))))
			}
			text = text[3:]
		case text[0] == '\r':
			s.col, text = 0, text[1:]
		case text[0] == '\n':
			s.row, text = s.row+1, text[1:]
		default:
			r := []rune(text)[0]
			if r < ' ' || s.row >= len(s.lines) || s.col >= len(s.lines[s.row]) {
				return 0, fmt.Errorf("%q in line %d, column %d of the terminal", r, s.row, s.col)
			}
			s.lines[s.row][s.col] = r
			s.col++
			text = text[len(string(r)):]
		}
	}
	return len(b), nil
}

func (s *screen) String() string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

// some is a listing of lines.
type some []string

func (some) Name() string { return "some" }
func (s some) Print(p *listing.Page) {
	for _, line := range s {
		p.Line("%s", line)
	}
}

func TestScreen(t *testing.T) {
	s := newScreen(4, 12)
	rows, columns := 4, 12
	view := &live.Screen{W: s, Size: func() (int, int) { return rows, columns }}
	for _, c := range []struct {
		name string
		show some
		want string
	}{
		{"some lines", some{"one", "two"}, "one\ntwo\n\n\n"},
		{"more and longer ones", some{"first", "second", "third"}, "first\nsecond\nthird\n\n"},
		{"shorter ones", some{"a", "b"}, "a\nb\n\n\n"},
		{"as many as there is space for", some{"1", "2", "3", "4"}, "1\n2\n3\n4\n"},
		{"too many", some{"1", "2", "3", "4", "5", "6"}, "1\n2\n3\n… 3 more li…\n"},
		{"too long ones", some{"0123456789ab", "0123456789abc", "a\tb"}, "0123456789ab\n0123456789a…\na b\n\n"},
		{"text that would move the cursor", some{"a\x1b[Hb\nc"}, "a\\x1b[Hb\\nc\n\n\n\n"},
		{"nothing", nil, "\n\n\n\n"},
	} {
		if err := view.Show(c.show); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, s.String()); d != "" {
			t.Errorf("%s: screen (-want +got):\n%s", c.name, d)
		}
	}
	rows, columns = 2, 10
	if err := view.Show(some{"resized", "2", "3"}); err != nil || !strings.HasPrefix(s.String(), "resized\n… 2 more …") {
		t.Errorf("after resizing: %v\n%s", err, s)
	}
}

// A listing that grows while runs are collected is shown at each step.
func TestScreenOfFindings(t *testing.T) {
	p := program()
	s := newScreen(30, 100)
	view := &live.Screen{W: s, Size: func() (int, int) { return 30, 100 }}
	for runs := 500; runs <= 2000; runs += 500 {
		var b bytes.Buffer
		if err := p.Record(&b, 1, runs, 8); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "app.recording")
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := database.Load([]string{name}, "operands", p)
		if err != nil {
			t.Fatal(err)
		}
		table := report.Find(db, p, report.FindOptions{N: 3})
		if err := view.Show(table); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.String(), fmt.Sprintf("%d interrupts", runs)) ||
			!strings.Contains(s.String(), table.Rows[0].Func) {
			t.Errorf("after %d runs:\n%s", runs, s)
		}
	}
}
