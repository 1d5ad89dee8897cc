package figure

// This file writes the results of figures as a page of the documentation. There is a page for each paper. All of it
// is output: the introduction is the paper's, and all other sentences are computed from the results.

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/listing"
)

// A Page is a page about figures of one paper, in Markdown: what they are, what they show in short, and each figure in
// a block of its own, which begins with the command line.
type Page struct {
	Paper   Paper
	Command string // the command line
	Date    string // of the run, such as "2026-11-22"
	Figures []*Result
}

// PaperOf returns the paper that all figures of a list belong to. Figures of two papers cannot be on one page.
func PaperOf(papers []Paper, list []Figure) (Paper, error) {
	own := papers[slices.IndexFunc(papers, func(p Paper) bool { _, ok := p.Find(list[0].ID); return ok })]
	for _, f := range list {
		if _, ok := own.Find(f.ID); !ok {
			return own, fmt.Errorf("a page has figures of one paper: not %s with those of %s (%s…)", f.ID, own.Subject, own.Prefix)
		}
	}
	return own, nil
}

// Collect returns the same results, and puts them on the page as they come.
func (p *Page) Collect(results iter.Seq[*Result]) iter.Seq[*Result] {
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
func (p *Page) Save(file string, failed error) error {
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
func (p *Page) text(old string) (string, error) {
	var sentences, blocks strings.Builder
	for _, f := range p.Paper.Figures {
		s := sectionOf(old, f.ID)
		for _, r := range p.Figures {
			if r.ID != f.ID {
				continue
			}
			sentence := f.Sentence
			if sentence == nil {
				sentence = AgreeingRows
			}
			s = section{sentence: sentence(r)}
			if p.Paper.Dated {
				s.stamp = fmt.Sprintf("%s, %s/%s, %d cores, %s.\n\n", p.Date, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
			}
			var b strings.Builder
			if err := listing.Text(&b, &Listing{Command: p.Command, Figures: slices.Values([]*Result{r})}); err != nil {
				return "", err
			}
			s.block = b.String()
		}
		if s.sentence != "" {
			fmt.Fprintf(&sentences, "* [%s](#%[1]s): %s\n", f.ID, s.sentence)
		}
		if s.block != "" {
			fmt.Fprintf(&blocks, "\n## %s\n\n%s```\n%s```\n", f.ID, s.stamp, s.block)
		}
	}
	text := "# " + p.Paper.Title + "\n\n" + p.Paper.Introduction
	if sentences.Len() > 0 {
		text += "\n## In short\n\n" + sentences.String()
	}
	return text + blocks.String(), nil
}

// A section is what a page has about a figure.
type section struct{ sentence, stamp, block string }

func sectionOf(page, id string) (s section) {
	if _, rest, ok := strings.Cut(page, fmt.Sprintf("\n* [%s](#%[1]s): ", id)); ok {
		s.sentence, _, _ = strings.Cut(rest, "\n")
	}
	if _, rest, ok := strings.Cut(page, "\n## "+id+"\n\n"); ok {
		stamp, rest, _ := strings.Cut(rest, "```\n")
		if strings.HasPrefix(rest, "$ ") {
			rest, _, _ := strings.Cut(rest, "\n```\n")
			s.stamp, s.block = stamp, rest+"\n"
		}
	}
	return s
}

// AgreeingRows says how many rows agree with the paper, and which do not; "" without rows.
func AgreeingRows(r *Result) string {
	if len(r.Rows) == 0 {
		return ""
	}
	var differ []string
	for _, row := range r.Rows {
		if row.Differs {
			differ = append(differ, fmt.Sprintf("%s: %s, paper: %s", row.What, row.Ours, row.Paper))
		}
	}
	line := fmt.Sprintf("%s: %d of %d rows agree.", r.Title, len(r.Rows)-len(differ), len(r.Rows))
	if differ != nil {
		line += " Others: " + strings.Join(differ, "; ") + "."
	}
	return line
}
