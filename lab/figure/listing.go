package figure

// This file has the results of experiments as data, and their layout as text.

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/lab/plot"
)

// A Listing lists the results of experiments. An experiment that fails is not in it.
type Listing struct {
	Command string            `json:"command"` // the command line
	Figures iter.Seq[*Result] `json:"figures"` // it may run the experiments one by one
}

// A Result is what an experiment found.
type Result struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Setup  []string `json:"setup"` // what was run, a line each
	Tables []Table  `json:"tables"`
	Rows   []Row    `json:"rows"`
	Plots  []Plot   `json:"plots"`
}

// A Table has a title, column heads, and rows with a cell for each of them. A row may
// end early.
type Table struct {
	Key     string    `json:"key"` // of a table that a sentence is made of; "" for others
	Title   string    `json:"title"`
	Columns []string  `json:"columns"`
	Rows    [][]Value `json:"rows"`
}

// A Value is a number, and its text, rounded for people to read. If the value is a name,
// it has only the text: the number is NaN (null in JSON), and the unit is empty.
// Others are in percent, factor (how many times as much), ratio, or what was counted: events, bytes, nodes.
type Value struct {
	Text   string  `json:"text"`
	Number float64 `json:"number" unit:"unit"`
	Unit   string  `json:"unit"`
}

// A Row is a number or statement of the paper, with our result beside it.
type Row struct {
	Key    string  `json:"key"` // what rows are found by; it stays if What gets other words
	What   string  `json:"what"`
	Ours   string  `json:"ours"`
	Values []Value `json:"values"` // that Ours is made of
	Paper  string  `json:"paper"`
	// what the paper says, as a relation that a run has or has not; "" of a single run
	Asked   string `json:"asked"`
	Runs    int    `json:"runs" unit:"runs"`  // whose median and range are ours; 0 of a single run
	Agree   int    `json:"agree" unit:"runs"` // that have the relation
	Differs bool   `json:"differs"`           // ours is not what the paper says
	Note    string `json:"note"`              // why ours differs, or in how many runs; "" if Differs is false
}

// A Plot is a drawing. A drawing of bars has groups, a drawing of curves has none.
type Plot struct {
	Name   string   `json:"name"` // of its file, without directory and .svg
	File   string   `json:"file"` // "" if it is not saved
	Data   string   `json:"data"` // the CSV file of its points, "" if there is none
	Title  string   `json:"title"`
	X      string   `json:"x_axis"` // what the axes show
	Y      string   `json:"y_axis"`
	Limit  float64  `json:"limit" unit:"y_axis"` // a horizontal line; NaN for none
	Marks  []uint64 `json:"marks" unit:"x_axis"` // vertical lines, such as those of merges
	Series []Series `json:"series"`

	drawing drawing
	data    bool // Save writes Data
}

type drawing interface{ Write(out io.Writer) error }

// A Series is a curve, or one bar of each group.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// A Point is a point of a curve or a bar.
type Point struct {
	Group string  `json:"group"`           // of a bar
	X     float64 `json:"x" unit:"x_axis"` // of a point of a curve, NaN for bars
	Y     float64 `json:"y" unit:"y_axis"`
}

// AddLines adds a plot of curves.
func (r *Result) AddLines(name string, d plot.Lines) {
	p := Plot{Name: name, Title: d.Title, X: d.X, Y: d.Y, Limit: limitOf(d.Limit), Marks: d.Marks, drawing: d}
	for _, c := range d.Curves {
		s := Series{Name: c.Name}
		for _, x := range c.Points {
			s.Points = append(s.Points, Point{X: float64(x.Events), Y: x.Error})
		}
		p.Series = append(p.Series, s)
	}
	r.Plots = append(r.Plots, p)
}

// AddBars adds a plot of bars.
func (r *Result) AddBars(name string, d plot.Bars) {
	p := Plot{Name: name, Title: d.Title, Y: d.Y, Limit: limitOf(d.Limit), drawing: d}
	for _, b := range d.Series {
		s := Series{Name: b.Name}
		for i, y := range b.Values {
			s.Points = append(s.Points, Point{d.Groups[i], math.NaN(), y})
		}
		p.Series = append(p.Series, s)
	}
	r.Plots = append(r.Plots, p)
}

// AddScatter adds a plot of points.
func (r *Result) AddScatter(name string, d plot.Scatter) {
	p := Plot{Name: name, Title: d.Title, X: d.X, Y: d.Y, Limit: math.NaN(), drawing: d}
	for _, c := range d.Clouds {
		s := Series{Name: c.Name}
		for _, at := range c.Points {
			s.Points = append(s.Points, Point{X: at.X, Y: at.Y})
		}
		p.Series = append(p.Series, s)
	}
	r.Plots = append(r.Plots, p)
}

// SavePoints makes Save write the points of the last plot, too.
func (r *Result) SavePoints() { r.Plots[len(r.Plots)-1].data = true }

// csv returns the points of curves, a line each.
func (p *Plot) csv() []byte {
	b := fmt.Appendf(nil, "curve,%s,%s\n", p.X, p.Y)
	for _, s := range p.Series {
		for _, at := range s.Points {
			b = fmt.Appendf(b, "%s,%.0f,%v\n", s.Name, at.X, at.Y)
		}
	}
	for _, x := range p.Marks {
		b = fmt.Appendf(b, "merge,%d,\n", x)
	}
	return b
}

// limitOf returns the limit of a drawing, NaN if it has none.
func limitOf(limit float64) float64 {
	if limit == 0 {
		return math.NaN()
	}
	return limit
}

// Name returns the verb that prints the listing.
func (l *Listing) Name() string { return "run" }

// Print lays out all but the points of the plots.
func (l *Listing) Print(p *listing.Page) {
	p.Line("$ %s", l.Command)
	p.Flush() // an experiment can take minutes
	for r := range l.Figures {
		p.Line("")
		r.print(p)
		p.Flush()
	}
}

func (r *Result) print(p *listing.Page) {
	p.Line("%s: %s", r.ID, r.Title)
	for _, line := range r.Setup {
		p.Line("  %s", line)
	}
	for _, t := range r.Tables {
		p.Line("")
		p.Line("%s", t.Title)
		rows := [][]string{t.Columns}
		for _, row := range t.Rows {
			var cells []string
			for _, v := range row {
				cells = append(cells, v.Text)
			}
			rows = append(rows, cells)
		}
		aligned(p, 2, tabwriter.AlignRight, rows, "\t")
	}
	if len(r.Rows) > 0 {
		p.Line("")
	}
	rows := [][]string{{"", "ours", "| paper"}}
	if slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Runs > 0 }) {
		rows[0] = append(rows[0], "| agrees if", "| runs that agree")
	}
	for _, row := range r.Rows {
		line := []string{row.What, row.Ours, "| " + row.Paper}
		if row.Runs > 0 {
			line = append(line, "| "+row.Asked, fmt.Sprintf("| %d of %d", row.Agree, row.Runs))
		}
		rows = append(rows, line)
	}
	if len(r.Rows) > 0 {
		aligned(p, 1, 0, rows, "")
	}
	for _, row := range r.Rows {
		if row.Differs {
			p.Line("differs: %s: %s", row.What, row.Note)
		}
	}
	var files []string
	for _, x := range r.Plots {
		for _, file := range []string{x.File, x.Data} {
			if file != "" {
				files = append(files, file)
			}
		}
	}
	p.Line("plots: %s", strings.Join(files, " "))
}

// aligned prints rows in columns. With a tab as end, tabwriter aligns the last column,
// too.
func aligned(p *listing.Page, padding int, flags uint, rows [][]string, end string) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, padding, ' ', flags)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t")+end)
	}
	w.Flush() // a strings.Builder has no errors
	for line := range strings.Lines(b.String()) {
		p.Line("%s", strings.TrimSuffix(line, "\n"))
	}
}
