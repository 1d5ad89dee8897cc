package replay

// This file prints results.

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/terminal"
	"github.com/pepgo/pep/runtime/tuple"
)

// limit is the error in percent that the paper says when engines reach.
const limit = 5

// columns are those of the table: the title and the value.
var columns = []struct {
	title string
	value func(r *Result) string
}{
	{"engine", func(r *Result) string { return r.Spec.String() }},
	{"messages", func(r *Result) string { return strconv.FormatUint(r.Messages, 10) }},
	{"events/message", func(r *Result) string { return number(r.Compression(), 1) }},
	{"overhead %", func(r *Result) string { return number(r.Percent(), 2) }},
	{"bytes", func(r *Result) string { return number(cost.Of(r.Spec, cost.Word32).Bytes(), 0) }},
	{"error %", func(r *Result) string { return number(100*r.Error.Mean, 2) }},
	{"RMS %", func(r *Result) string { return number(100*r.Error.RMS, 2) }},
	{"first <5 %", func(r *Result) string { return Events(r.Errors.FirstBelow(limit)) }},
	{"stays <5 %", func(r *Result) string { return Events(r.Errors.StaysBelow(limit)) }},
}

// number prints what may not be there.
func number(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// Events prints what a curve says of a limit: "never" if it is not kept.
func Events(n uint64, ok bool) string {
	if !ok {
		return "never"
	}
	return strconv.FormatUint(n, 10)
}

// Table prints results as text.
func Table(out io.Writer, results []*Result) error {
	if len(results) == 0 {
		return nil
	}
	r := results[0]
	fmt.Fprintf(out, "%d events; the error is that of %d tuples at %d places; overhead: %v cycles a message, %v cycles an event\n\n",
		r.Events, r.Error.Tuples, r.Error.Places, r.Config.Overhead.PerMessage, r.Config.Overhead.PerEvent)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows(results, func(cells []string) {
		for _, cell := range cells {
			fmt.Fprintf(w, "%s\t", cell)
		}
		fmt.Fprintln(w)
	})
	return w.Flush()
}

// CSV prints results as comma-separated values.
func CSV(out io.Writer, results []*Result) error {
	w := csv.NewWriter(out)
	rows(results, func(cells []string) { w.Write(cells) })
	w.Flush()
	return w.Error()
}

func rows(results []*Result, do func(cells []string)) {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.title
	}
	do(cells)
	for _, r := range results {
		for i, c := range columns {
			cells[i] = c.value(r)
		}
		do(cells)
	}
}

// cell makes names fit for a terminal and for a column.
func cell(s string) string { return terminal.Escape(strings.ReplaceAll(s, "\t", " ")) }

// Top prints the n tuples that an engine has seen most of, with what is known of
// their sites and words. Events are those that messages stand for.
func Top(out io.Writer, r *Result, n int, sites *trace.Sites, names trace.Names) error {
	p := r.Profile
	all := metric.Selection{}.Of(p)
	slices.SortStableFunc(all, func(a, b tuple.Tuple) int { return cmp.Compare(p.Tuple(b), p.Tuple(a)) })
	fmt.Fprintf(out, "%s, top %d of %d tuples:\n", r.Spec, min(n, len(all)), len(all))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "share\tof place\ttag\tsite\tword")
	for _, t := range all[:min(n, len(all))] {
		word := trace.WordName(t.Tag(), t.W)
		if name, ok := names[trace.Word{Tag: t.Tag(), W: t.W}]; ok {
			word = name
		}
		site := sites.Name(t.Site())
		if where := sites.Describe(t); where != "" {
			site = where
		}
		fmt.Fprintf(w, "%.2f%%\t%.2f%%\t%s\t%s\t%s\n", 100*float64(p.Tuple(t))/float64(p.Total()),
			100*p.Invariance(t), trace.TagName(t.Tag()), cell(site), cell(word))
	}
	return w.Flush()
}
