// Package report writes profiles as text for people: the hot paths, the
// source of functions with edge counts beside it, the accuracy of a sampled
// profile, and every sample as a line.
//
// Top, for the profile of package profile's worked example:
//
//	pep: exact, every path counted
//	/bin/app: 1 path in 1 function, count 7, flow 7
//
//	#    flow%     cum%  flow  count  path
//	1  100.00%  100.00%     7      7  main.sign·p0
//	   /src/app/sign.go:10-12 from entry
//	   11:2  if true  if n < 0 {
//
// The texts are for reading and may change; what is to be processed further
// is in the profiles themselves, or in the lines of Dump.
package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/internal/terminal"
)

// percent formats a ratio with two decimals: 0.5 is "50.00%".
func percent(part, whole float64) string {
	if whole == 0 || math.IsNaN(part) {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*part/whole)
}

func share(part, whole int64) string { return percent(float64(part), float64(whole)) }

// count formats a number of things: "1 path", "2 paths".
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "ch"):
		return fmt.Sprintf("%d %ses", n, thing)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// A page is a report being written. All that reports say goes through its method
// line, which makes it fit for a terminal.
type page struct{ b *bufio.Writer }

func newPage(w io.Writer) page { return page{bufio.NewWriter(w)} }

// line writes one line.
func (p page) line(format string, args ...any) {
	p.b.WriteString(terminal.Escape(fmt.Sprintf(format, args...)) + "\n")
}

// comments writes in what way a profile was taken.
func (p page) comments(f *profile.File) {
	for _, c := range f.Comments {
		p.line("%s", c)
	}
}

func (p page) table(t table) {
	for _, line := range t.lines() {
		p.line("%s", line)
	}
}

// flush returns the first error of writing.
func (p page) flush() error { return p.b.Flush() }

// A table aligns cells in columns. Columns are as wide as their widest cell,
// and two spaces apart. The first columns are numbers, aligned to the right.
type table struct {
	numbers int // columns of numbers
	rows    [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// lines returns the rows, aligned, without trailing space.
func (t *table) lines() []string {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < t.numbers {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " \t"))
	}
	return lines
}
