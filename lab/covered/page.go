package covered

// This file prints comparisons.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// examples is how many differences of a cause are printed.
const examples = 2

// Write writes the table of some modules, and their differences by cause.
func Write(w io.Writer, reports []*Report) error {
	var b strings.Builder
	b.WriteString("| module | statements | blocks | decisions | vectors | conditions | MC/DC, unique cause | outcomes |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range reports {
		outcomes := "-"
		if r.Outcomes.All() > 0 {
			outcomes = r.Outcomes.text()
		}
		fmt.Fprintf(&b, "| %s %s | %d | %s | %d | %s | %s | %d, %d | %s |\n", r.Path, r.Version, r.Statements,
			r.Blocks.text(), r.Decisions, r.Vectors.text(), r.Conditions.text(), r.Masking, r.Unique, outcomes)
	}
	for _, r := range reports {
		if r.Skip != "" {
			fmt.Fprintf(&b, "\n%s: tests that match `%s` do not run: they %s.\n", r.Path, r.Skip, r.Why)
		}
	}
	var all Tally
	for _, r := range reports {
		for _, t := range []Tally{r.Blocks, r.Vectors, r.Outcomes} {
			all.Varies, all.TheirsAlone, all.OursAlone = all.Varies+t.Varies, all.TheirsAlone+t.TheirsAlone,
				all.OursAlone+t.OursAlone
		}
	}
	fmt.Fprintf(&b, "\n%d counts of blocks, vectors and outcomes vary: %d with both tools, %d with the other alone and %d with pep alone.\n",
		all.Varies, all.Varies-all.TheirsAlone-all.OursAlone, all.TheirsAlone, all.OursAlone)
	b.WriteString("\n## Differences\n")
	lines := make(map[string][]string)
	for _, r := range reports {
		for _, d := range r.Differences {
			key := cmp.Or(d.Cause, "The cause is not known.")
			lines[key] = append(lines[key], fmt.Sprintf("%s %s %s: %s", r.Path, d.What, d.Where, d.Text))
		}
	}
	if len(lines) == 0 {
		b.WriteString("\nNone.\n")
	}
	for _, cause := range slices.SortedFunc(maps.Keys(lines), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(lines[y]), len(lines[x])), cmp.Compare(x, y))
	}) {
		list := lines[cause]
		fmt.Fprintf(&b, "\n%s (%d)\n\n", cause, len(list))
		for _, line := range list[:min(len(list), examples)] {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		if len(list) > examples {
			fmt.Fprintf(&b, "    and %d more\n", len(list)-examples)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text says how many were compared, and how many of these vary and differ.
func (t Tally) text() string {
	text := fmt.Sprint(t.All())
	if t.Varies > 0 {
		text += fmt.Sprintf(", %d vary", t.Varies)
	}
	if t.Differ > 0 {
		text += fmt.Sprintf(", %d **differ**", t.Differ)
	}
	return text
}
