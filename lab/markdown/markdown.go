// Package markdown writes tables and numbers of pages.
//
//	t := markdown.NewTable("program", "overhead")
//	t.Row("lua", markdown.Overhead(1.012))
//	fmt.Print(markdown.Section("Overhead", "Of one program.", t))
//
// prints
//
//	## Overhead
//
//	Of one program.
//
//	| program | overhead |
//	|---------|---------:|
//	| lua     |    +1.2% |
package markdown

// This file writes Markdown.

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/lab/wrap"
)

// A Table is a Markdown table. Its text is aligned, so that it is easy to read as text, too.
// The first column is aligned to the left, the others to the right.
type Table struct {
	Rows [][]string // the first is the header
}

func NewTable(header ...string) *Table { return &Table{[][]string{header}} }

func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) String() string {
	widths := make([]int, len(t.Rows[0]))
	for _, row := range t.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	for n, row := range t.Rows {
		b.WriteString("|")
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				b.WriteString(" " + pad + cell + " |")
			} else {
				b.WriteString(" " + cell + pad + " |")
			}
		}
		b.WriteString("\n")
		if n == 0 {
			b.WriteString(rule(widths))
		}
	}
	return b.String()
}

// rule is the line beneath the header.
func rule(widths []int) string {
	b := "|"
	for i, w := range widths {
		if i > 0 {
			b += strings.Repeat("-", w+1) + ":|"
		} else {
			b += strings.Repeat("-", w+2) + "|"
		}
	}
	return b + "\n"
}

// None is the text of a cell without a measurement.
const None = "-"

func Ratio(x float64) string { return fmt.Sprintf("%.3f", x) }

// Overhead formats a ratio as the part above 1: 1.012 is "+1.2%".
func Overhead(ratio float64) string { return fmt.Sprintf("%+.1f%%", 100*(ratio-1)) }

// Percent formats a share: 0.94 is "94.0%".
func Percent(share float64) string {
	if math.IsNaN(share) {
		return None
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// Between joins two formatted numbers to a range. If the two are the same, it returns one.
func Between(low, high string) string {
	if low == high {
		return low
	}
	return strings.TrimSuffix(low, "%") + "–" + high
}

// Section is a table with a heading and a text.
func Section(title, text string, t *Table) string {
	return fmt.Sprintf("## %s\n\n%s%s\n", title, Paragraph(text), t)
}

// Paragraph is a text in lines of at most 100 columns, with an empty line behind it.
func Paragraph(text string) string { return wrap.Text("", text) + "\n" }

// Whole formats a ratio as a percentage without decimals.
func Whole(ratio float64) string { return fmt.Sprintf("%.0f%%", 100*ratio) }

func Or(s string) string {
	if s == "" {
		return None
	}
	return s
}
