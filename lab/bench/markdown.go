package bench

// This file writes Markdown.

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/lab/wrap"
)

// A table is a Markdown table. Its text is aligned, so that it is easy to read as text, too.
// The first column is aligned to the left, the others to the right.
type table struct {
	rows [][]string // the first is the header
}

func newTable(header ...string) *table { return &table{[][]string{header}} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	for n, row := range t.rows {
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

// none is the text of a cell without a measurement.
const none = "-"

func ratio(x float64) string { return fmt.Sprintf("%.3f", x) }

// overhead formats a ratio as the part above 1: 1.012 is "+1.2%".
func overhead(ratio float64) string { return fmt.Sprintf("%+.1f%%", 100*(ratio-1)) }

// percent formats a share: 0.94 is "94.0%".
func percent(share float64) string {
	if math.IsNaN(share) {
		return none
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// between joins two formatted numbers to a range. If the two are the same, it returns one.
func between(low, high string) string {
	if low == high {
		return low
	}
	return strings.TrimSuffix(low, "%") + "–" + high
}

// section is a table with a heading and a text.
func section(title, text string, t *table) string {
	return fmt.Sprintf("## %s\n\n%s%s\n", title, paragraph(text), t)
}

// paragraph is a text in lines of at most 100 columns, with an empty line behind it.
func paragraph(text string) string { return wrap.Text("", text) + "\n" }
