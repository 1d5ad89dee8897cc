package listing

// This file lays out text.

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/internal/terminal"
)

// A Page is text that is being written. All of it goes through the method Line, which
// escapes control characters for terminals.
type Page struct{ b *bufio.Writer }

// Line writes one line.
func (p *Page) Line(format string, args ...any) {
	p.b.WriteString(terminal.Escape(fmt.Sprintf(format, args...)) + "\n")
}

// Flush passes on the lines so far, so that a reader sees them while the listing is
// still being made. Text reports its error.
func (p *Page) Flush() { p.b.Flush() }

// Table writes the rows of a table, each behind indent.
func (p *Page) Table(indent string, t *Table) {
	for _, line := range t.Lines() {
		p.Line("%s%s", indent, line)
	}
}

// A Table aligns cells in columns. Columns are as wide as their widest cell, and
// two spaces apart. The first columns are numbers, aligned to the right.
type Table struct {
	Numbers int // columns of numbers
	Rows    [][]string
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Lines returns the rows, aligned, without trailing space.
func (t *Table) Lines() []string {
	var widths []int
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, row := range t.Rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < t.Numbers {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " \t"))
	}
	return lines
}

// Short returns the name of a file as a reader in the working directory would
// write it.
func (p *Page) Short(name string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, ok := strings.CutPrefix(name, wd+string(filepath.Separator)); ok {
			return rel
		}
	}
	return name
}

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
