package figure

// This file writes the results of the co-processor's figures as a page of the documentation. All
// of the page is output: the sentences are fixed or computed from the results.

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/listing"
)

// A CopPage is a page about figures of the co-processor, in Markdown: what they are, what they show in short, and
// each figure in a block of its own, which begins with the command line.
type CopPage struct {
	Command string // the command line
	Figures []*Result
}

// CheckPage returns an error if some of the figures cannot be on a page. Without the name of a file there
// is no page.
func CheckPage(file string, list []Figure) error {
	for _, f := range list {
		if file != "" && !strings.HasPrefix(f.ID, "cop-") {
			return fmt.Errorf("a page has figures of the co-processor (cop-…) alone, or of range adaptive profiling (rap-…) alone: not %s with the others", f.ID)
		}
	}
	return nil
}

// Collect returns the same results, and puts them on the page as they come.
func (p *CopPage) Collect(results iter.Seq[*Result]) iter.Seq[*Result] {
	return func(yield func(*Result) bool) {
		for r := range results {
			p.Figures = append(p.Figures, r)
			if !yield(r) {
				return
			}
		}
	}
}

// Save writes the page into a file. Figures that the file has, and that have not run, stay there as they are. If
// the name is empty, or if figures have had an error, Save writes nothing and returns the error.
func (p *CopPage) Save(file string, failed error) error {
	if file == "" || failed != nil {
		return failed
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text, err := p.text(string(old))
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// text returns the page. Figures of an old page that have not run are taken from there.
func (p *CopPage) text(old string) (string, error) {
	var short, blocks strings.Builder
	for _, about := range copSummaries {
		s := sectionOf(old, about.id)
		for _, r := range p.Figures {
			if r.ID != about.id {
				continue
			}
			s = section{short: about.text(r)}
			var b strings.Builder
			if err := listing.Text(&b, &Listing{Command: p.Command, Figures: slices.Values([]*Result{r})}); err != nil {
				return "", err
			}
			s.block = b.String()
		}
		if s.short != "" {
			fmt.Fprintf(&short, "* [%s](#%[1]s): %s\n", about.id, s.short)
		}
		if s.block != "" {
			fmt.Fprintf(&blocks, "\n## %s\n\n```\n%s```\n", about.id, s.block)
		}
	}
	text := "# Figures of the co-processor\n\n" + copIntroduction
	if short.Len() > 0 {
		text += "\n## In short\n\n" + short.String()
	}
	return text + blocks.String(), nil
}

// A section is what a page has about a figure.
type section struct{ short, block string }

func sectionOf(page, id string) (s section) {
	if _, rest, ok := strings.Cut(page, fmt.Sprintf("\n* [%s](#%[1]s): ", id)); ok {
		s.short, _, _ = strings.Cut(rest, "\n")
	}
	if _, rest, ok := strings.Cut(page, "\n## "+id+"\n\n```\n$ "); ok {
		rest, _, _ = strings.Cut(rest, "\n```\n")
		s.block = "$ " + rest + "\n"
	}
	return s
}

const copIntroduction = `All of this page is output of ` + "`pepsim figure -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-cop`" + ` records the traces and runs all figures.
Estimates and cycles do not depend on the speed of the machine: with the same traces each run has the same results. The plots are in [docs/figures](../figures).

These are the experiments of Zilles and Sohi, *A Programmable Co-Processor for Profiling*, HPCA 2001, on twelve test programs.
Our text of the paper has lost all numbers, so the column "paper" has its statements. A line "differs:" marks each result of ours that does not agree, with
numbers of the same run. Cycles and drops are results of models: of
[package clock](../../hwsim/clock/clock.go) for the main processor, of the machine, and of the handlers' parameters ([decision 18](../decisions/0018-coprocessor.md),
[19](../decisions/0019-value-profiling.md)). They are no measurements.

What is compared:

* **Error** is the root of the mean square error of the estimated shares, weighted with executions, over the pairs of a load and a value that have at
  least 10 % of a load with at least 1000 executions. The complete profile of the same loads is the truth. The least share and the least number are ours.
* **The simple sampler** takes one of N loads, and interrupts when 128 samples are full. The co-processor keeps 32 bits of a value, so the sampler's
  values are cut to 32 bits, too.
* **The co-processor** runs ` + "`program=values`" + ` with the defaults of decision 19, and memory for all records.
* **A factor** is the error of the co-processor divided by that of the simple sampler with the same overhead. Below 1 the co-processor is better.
* **Random order** means the same loads, shuffled. This removes the phases of a program and leaves everything else.
`
