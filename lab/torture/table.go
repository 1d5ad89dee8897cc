package torture

// This file prints the results.

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/check"
)

// A Report has the results of all cases, in the order in which they were run.
type Report struct{ Results []*Result }

// Count adds up the results.
func (r *Report) Count() (c check.Count) {
	for _, x := range r.Results {
		c.Add(check.Count{Passed: x.Passed, Failed: x.Failed, Skipped: x.Skipped})
	}
	return c
}

// Table prints the results as Markdown: a table, the parts that were not run, the failures, the
// cases that were skipped, and a last line with the sum.
func (r *Report) Table(w io.Writer) {
	fmt.Fprint(w, "| part | case | passed | failed | skipped | time | |\n|---|---|---|---|---|---|---|\n")
	for _, x := range r.rows() {
		took := time.Duration(x.Seconds * float64(time.Second)).Round(time.Second)
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %s | %s |\n", x.Part, x.Case, x.Passed, x.Failed, x.Skipped, took,
			cell(x.Note))
	}
	if missing := r.missing(); len(missing) > 0 {
		fmt.Fprintf(w, "\nNot run: %s.\n", strings.Join(missing, ", "))
	}
	r.list(w, "Failures", func(x *Result) []string { return x.Failures })
	r.list(w, "Left out", func(x *Result) (heads []string) {
		for _, s := range x.Skips {
			head, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
			heads = append(heads, strings.TrimSuffix(head, ":"))
		}
		return heads
	})
	fmt.Fprintf(w, "\n%s\n", r.Count())
}

// rows are the results, with one for all test suites of a part that passed.
func (r *Report) rows() (rows []*Result) {
	suites := make(map[string]*Result)
	for _, x := range r.Results {
		if x.Part != "modules" && x.Part != "std" || x.Failed > 0 {
			rows = append(rows, x)
			continue
		}
		sum := suites[x.Part]
		if sum == nil {
			sum = &Result{Part: x.Part}
			suites[x.Part] = sum
			rows = append(rows, sum)
		}
		sum.Passed, sum.Skipped, sum.Seconds = sum.Passed+x.Passed, sum.Skipped+x.Skipped, sum.Seconds+x.Seconds
		sum.Note = strings.TrimPrefix(sum.Note+", "+x.Case, ", ")
		sum.Case = fmt.Sprintf("%d suites", strings.Count(sum.Note, ",")+1)
	}
	return rows
}

// missing returns the names of the parts without a result.
func (r *Report) missing() (names []string) {
	for _, p := range Parts {
		if !slices.ContainsFunc(r.Results, func(x *Result) bool { return x.Part == p.Name }) {
			names = append(names, p.Name)
		}
	}
	return names
}

// cell makes text fit a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// list prints a list with a title: the texts that get returns for each result. It prints
// nothing if there are none.
func (r *Report) list(w io.Writer, title string, lines func(*Result) []string) {
	first := true
	for _, x := range r.Results {
		for _, line := range lines(x) {
			if first {
				fmt.Fprintf(w, "\n%s:\n\n", title)
				first = false
			}
			fmt.Fprintf(w, "* %s %s: %s\n", x.Part, x.Case, indent(line))
		}
	}
}

// indent makes text of several lines an item of a list.
func indent(s string) string {
	head, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	if !more {
		return head
	}
	return head + "\n\n      " + strings.ReplaceAll(rest, "\n", "\n      ")
}
