package figure

// This file writes the figures of range adaptive profiling as a page of the documentation. All of the page is
// output, and what it says of results is computed from them.

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/listing"
)

// OfTrees reports whether all figures are of range adaptive profiling, so that SaveTrees can write them.
func OfTrees(list []Figure) bool {
	return !slices.ContainsFunc(list, func(f Figure) bool { return !strings.HasPrefix(f.ID, "rap-") })
}

// SaveTrees writes the results of figures of range adaptive profiling into a file, as a page in Markdown. The command line and the
// date, such as "2026-11-22", are those of the run. If the name is empty, or if figures have had an error, SaveTrees writes
// nothing and returns the error.
func SaveTrees(file, command, date string, figures []*Result, failed error) error {
	if file == "" || failed != nil {
		return failed
	}
	text, err := treePage(command, date, figures)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func treePage(command, date string, figures []*Result) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Figures of range adaptive profiling\n\n%s, %s/%s, %d cores, %s.\n\n    %s\n\n%s\n## In short\n\n", date, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), command, treeIntroduction)
	for _, line := range rowsInShort(figures) {
		fmt.Fprintf(&b, "* %s\n", line)
	}
	for _, r := range figures {
		var block strings.Builder
		if err := listing.Text(&block, &Listing{Figures: slices.Values([]*Result{r})}); err != nil {
			return "", err
		}
		_, text, _ := strings.Cut(block.String(), "\n\n") // without the command line
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", r.ID, text)
	}
	return b.String(), nil
}

const treeIntroduction = `The command above has written this page, and all of it is output; ` + "`make figures-rap`" + ` runs it, after it has recorded the traces. Trees, cycles and counts do not depend on the speed of the machine: with the
same traces each run has the same results. The plots are in [docs/figures](../figures).

These are the experiments of Mysore, Agrawal, Sherwood, Shrivastava and Suri, *Profiling over Adaptive Ranges*, CGO 2006, on the test programs that the figures name: values that they load, and basic blocks as
addresses in the order of their code. Each recording is from a run of its own; a second one has the next part of a program. Rows are medians of all recordings with the least and the greatest. One rule, in the first line
below each figure, says which rows agree with the paper; a line "differs:" names those that do not. The figures give no reasons: tables show what could be one.
[Decision 16](../decisions/0016-rap.md) gives the reasons for the defaults.
`

// rowsInShort says of each figure how many rows agree with the paper, and which do not.
func rowsInShort(figures []*Result) (list []string) {
	for _, r := range figures {
		var differ []string
		for _, row := range r.Rows {
			if row.Differs {
				differ = append(differ, fmt.Sprintf("%s: %s, paper: %s", row.What, row.Ours, row.Paper))
			}
		}
		line := fmt.Sprintf("%s, %s: %d of %d rows agree.", r.ID, r.Title, len(r.Rows)-len(differ), len(r.Rows))
		if differ != nil {
			line += " Others: " + strings.Join(differ, "; ") + "."
		}
		list = append(list, line)
	}
	return list
}
