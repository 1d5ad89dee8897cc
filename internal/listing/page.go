package listing

// This file lays out text.

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/internal/terminal"
)

// A Page is text that is being written, for a screen. All of it goes through the methods below, which escape control
// characters for terminals. Lines of a page do not wrap: what is too long is cut, and "…" stands in its place.
type Page struct {
	b      *bufio.Writer
	screen terminal.Screen
	begun  bool
	gap    bool // an empty line comes before the next line
}

// Line writes one line. Of several empty ones in a row only one is written, and none at the begin and the end.
func (p *Page) Line(format string, args ...any) {
	if format == "" {
		p.gap = p.begun
		return
	}
	p.Styled(Plain, format, args...)
}

// Styled writes one line in a style.
func (p *Page) Styled(s Style, format string, args ...any) {
	p.write([]span{{terminal.Escape(fmt.Sprintf(format, args...)), s}})
}

// Whole writes one line of data for other programs, which is never cut.
func (p *Page) Whole(format string, args ...any) {
	p.begin()
	p.b.WriteString(terminal.Escape(fmt.Sprintf(format, args...)) + "\n")
}

// Say writes a paragraph in a style. It goes on in further lines, indented, if it is longer than one.
func (p *Page) Say(s Style, format string, args ...any) {
	const indent = "  "
	text := terminal.Escape(fmt.Sprintf(format, args...))
	if p.screen.Width == 0 || measure(0, text) <= p.screen.Width {
		p.write([]span{{text, s}})
		return
	}
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case measure(0, line)+1+measure(0, word) > p.screen.Width:
			p.write([]span{{line, s}})
			line = indent + word
		default:
			line += " " + word
		}
	}
	p.write([]span{{line, s}})
}

// Flush passes on the lines so far, so that a reader sees them while the listing is
// still being made. Text reports its error.
func (p *Page) Flush() { p.b.Flush() }

// Table writes the rows of a table, each behind indent.
func (p *Page) Table(indent string, t *Table) {
	for row := range t.Rows {
		p.TableRow(indent, t, row)
	}
}

// TableRow writes a row of a table behind indent. All other rows must be there, too.
func (p *Page) TableRow(indent string, t *Table, row int) {
	p.write(append([]span{{indent, Plain}}, t.spans(row, len(indent), p.screen.Width)...))
}

// begin begins a line.
func (p *Page) begin() {
	if p.gap {
		p.b.WriteByte('\n')
	}
	p.begun, p.gap = true, false
}

// write writes a line of escaped text, cut at the screen's width.
func (p *Page) write(line []span) {
	for len(line) > 0 { // no blanks at the end
		last := &line[len(line)-1]
		if last.text = strings.TrimRight(last.text, " \t"); last.text != "" {
			break
		}
		line = line[:len(line)-1]
	}
	p.begin()
	column := 0
	for _, s := range line {
		text := s.text
		end := measure(column, text)
		if p.screen.Width > 0 && end > p.screen.Width {
			text = cutEnd(text, column, p.screen.Width)
		}
		if p.screen.Colour && s.style != Plain && text != "" {
			text = s.style.begin() + text + endStyle
		}
		p.b.WriteString(text)
		if p.screen.Width > 0 && end > p.screen.Width {
			break
		}
		column = end
	}
	p.b.WriteByte('\n')
}

// A Style says what a text is; on a terminal with colours one sees it.
type Style uint8

// Styles.
const (
	Plain Style = iota
	Heading
	Hot     // what the user looks for
	True    // a branch was taken
	False   // it was not
	Warning // what the listing lacks, and what to do about it
)

const endStyle = "\x1b[0m"

func (s Style) begin() string {
	return [...]string{Heading: "\x1b[2m", Hot: "\x1b[1m", True: "\x1b[32m", False: "\x1b[35m", Warning: "\x1b[33m"}[s]
}

// A span is escaped text in a style.
type span struct {
	text  string
	style Style
}

// A Table aligns cells in columns. Columns are as wide as their widest cell, and
// two spaces apart. The first columns are numbers, aligned to the right. If rows are too long for the screen, the
// widest of the others are cut.
type Table struct {
	Numbers int   // columns of numbers, which are never cut
	Names   []int // columns of names and files, which are cut in front, because their ends differ
	Rows    [][]string

	styles map[[2]int]Style // by row and column
	widths []int            // of the columns, and what they were computed for
	of     [3]int
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Heading adds a row of headings.
func (t *Table) Heading(cells ...string) {
	t.Row(cells...)
	for i := range cells {
		t.Style(i, Heading)
	}
}

// Style gives a cell of the row that was added last a style.
func (t *Table) Style(column int, s Style) {
	if t.styles == nil {
		t.styles = make(map[[2]int]Style)
	}
	t.styles[[2]int{len(t.Rows) - 1, column}] = s
}

// Lines returns the rows, aligned, without trailing space.
func (t *Table) Lines() (lines []string) {
	for row := range t.Rows {
		var b strings.Builder
		for _, s := range t.spans(row, 0, 0) {
			b.WriteString(s.text)
		}
		lines = append(lines, strings.TrimRight(b.String(), " \t"))
	}
	return lines
}

// spans returns the cells of a row, aligned, for a line of a width behind an indent.
func (t *Table) spans(row, indent, width int) (list []span) {
	if of := [3]int{len(t.Rows), indent, width}; t.widths == nil || t.of != of {
		t.widths, t.of = t.layOut(indent, width), of
	}
	column := indent
	for i, cell := range t.Rows[row] {
		cell = terminal.Escape(cell)
		size := measure(0, cell)
		if w := t.widths[i]; width > 0 && size > w && i >= t.Numbers {
			if slices.Contains(t.Names, i) {
				cell = cutFront(cell, w)
			} else {
				cell = cutEnd(cell, column, column+w)
			}
			size = measure(0, cell)
		}
		text, pad := span{cell, t.styles[[2]int{row, i}]}, span{text: strings.Repeat(" ", max(t.widths[i]-size, 0))}
		if i > 0 {
			list = append(list, span{text: gap})
		}
		if i < t.Numbers {
			list = append(list, pad, text)
		} else {
			list = append(list, text, pad)
		}
		column += t.widths[i] + len(gap)
	}
	return list
}

const gap = "  "

// layOut returns the widths of all columns.
func (t *Table) layOut(indent, width int) (widths []int) {
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], measure(0, terminal.Escape(cell)))
		}
	}
	if width == 0 {
		return widths
	}
	over := indent - len(gap) - width
	for _, w := range widths {
		over += w + len(gap)
	}
	const least = 12 // characters of a column that is cut
	for ; over > 0; over-- {
		widest := -1
		for i := t.Numbers; i < len(widths); i++ {
			if widths[i] > least && (widest < 0 || widths[i] >= widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // the line is cut
		}
		widths[widest]--
	}
	return widths
}

// measure returns the column behind a text that begins in a column.
func measure(column int, text string) int {
	for _, r := range text {
		column = terminal.End(column, r)
	}
	return column
}

// cutEnd cuts a text that begins in a column so that it ends before the column width, and not within a number.
func cutEnd(text string, column, width int) string {
	const mark = 1 // columns of "…"
	end := -1
	for i, r := range text {
		if end < 0 && column > width-mark {
			return "" // no space at all
		}
		after := terminal.End(column, r)
		if after > width-mark && end < 0 {
			end = i
		}
		if column = after; column > width {
			break
		}
	}
	if column <= width {
		return text
	}
	kept, rest := text[:end], text[end:]
	if number := "0123456789.%"; rest != "" && strings.IndexByte(number, rest[0]) >= 0 {
		kept = strings.TrimRight(kept, number)
	}
	return strings.TrimRight(kept, " \t") + "…"
}

// cutFront cuts a name or file in front so that it has a number of columns: "…/parser.(*T).f·p12" rather than
// "….com/a/b/parser.(*T).f·p12".
func cutFront(text string, width int) string {
	size := measure(0, text)
	begin := 0
	for i, r := range text {
		if size <= width-1 {
			begin = i
			break
		}
		size -= terminal.End(0, r)
	}
	rest := text[begin:]
	if i := strings.IndexByte(rest, '/'); i >= 0 && i < len(rest)/2 {
		rest = rest[i:]
	} else if begin > 0 && isDigit(text[begin-1]) {
		rest = strings.TrimLeft(rest, "0123456789")
	}
	return "…" + rest
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Short returns the name of a file as a reader would write it: relative to the working directory, and what is
// in no such place relative to its module or to std: "go/types/check.go", "example.com/m@v1.2.3/pkg/file.go".
func (p *Page) Short(name string) string {
	slashed := filepath.ToSlash(name)
	below := func(dir string) (string, bool) {
		if dir == "" {
			return "", false
		}
		return strings.CutPrefix(slashed, strings.TrimSuffix(filepath.ToSlash(dir), "/")+"/")
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, ok := below(wd); ok {
			return rel
		}
	}
	if root := os.Getenv("GOROOT"); root != "" {
		if rel, ok := below(root + "/src"); ok {
			return rel
		}
	}
	if m := inStd.FindStringIndex(slashed); m != nil {
		return slashed[m[1]:]
	}
	rel, ok := below(os.Getenv("GOMODCACHE"))
	if i := strings.LastIndex(slashed, "/pkg/mod/"); !ok && i >= 0 {
		rel, ok = slashed[i+len("/pkg/mod/"):], true
	}
	if ok {
		// The module cache has an exclamation mark before a letter in place of a capital letter.
		return capital.ReplaceAllStringFunc(rel, func(s string) string { return strings.ToUpper(s[1:]) })
	}
	return name
}

var (
	inStd   = regexp.MustCompile(`^.*/(go|golang|goroot|libexec|go-?[0-9][^/]*|toolchain@[^/]*)/src/`)
	capital = regexp.MustCompile(`![a-z]`)
)

// Percent formats a ratio with two decimals: 0.5 is "50.00%".
func Percent(ratio float64) string {
	if math.IsNaN(ratio) {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*ratio)
}

// Number formats a number with a number of decimals. NaN and infinite numbers are "-".
func Number(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Ratio returns part divided by whole, or NaN if whole is 0.
func Ratio(part, whole int64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// Count formats a number of things: "1 path", "2 paths".
func Count[N int | int64 | uint64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "ch"):
		return fmt.Sprintf("%d %ses", n, thing)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
