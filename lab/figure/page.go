package figure

// This file writes the results of figures as a page of the documentation. There is a page for the figures of each
// paper. All of a page is output: pagetexts.go has its fixed sentences, and all others are computed from the results.

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
	Command string // the command line
	Date    string // of the run, such as "2026-11-22"
	Figures []*Result
}

// A subject is what the page of a paper has beside the figures.
type subject struct {
	prefix       string // of the IDs of its figures
	what         string // the figures, in error messages
	title        string
	introduction string
	dated        bool // the date and the version of Go stand above each block
}

// subjectOf returns the subject of a figure.
func subjectOf(id string) subject {
	for _, s := range subjects {
		if strings.HasPrefix(id, s.prefix) {
			return s
		}
	}
	panic("no page for " + id) // a test has all figures
}

// CheckPage returns an error if some of the figures cannot be on one page. Without the name of a file there
// is no page.
func CheckPage(file string, list []Figure) error {
	for _, f := range list {
		if first := subjectOf(list[0].ID); file != "" && !strings.HasPrefix(f.ID, first.prefix) {
			return fmt.Errorf("a page has figures of one paper: not %s with those of %s (%s…)", f.ID, first.what, first.prefix)
		}
	}
	return nil
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
	about := subjectOf(p.Figures[0].ID)
	var short, blocks strings.Builder
	for _, f := range All {
		if !strings.HasPrefix(f.ID, about.prefix) {
			continue
		}
		s := sectionOf(old, f.ID)
		for _, r := range p.Figures {
			if r.ID != f.ID {
				continue
			}
			s = section{short: f.short(r)}
			if about.dated {
				s.stamp = fmt.Sprintf("%s, %s/%s, %d cores, %s.\n\n", p.Date, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
			}
			var b strings.Builder
			if err := listing.Text(&b, &Listing{Command: p.Command, Figures: slices.Values([]*Result{r})}); err != nil {
				return "", err
			}
			s.block = b.String()
		}
		if s.short != "" {
			fmt.Fprintf(&short, "* [%s](#%[1]s): %s\n", f.ID, s.short)
		}
		if s.block != "" {
			fmt.Fprintf(&blocks, "\n## %s\n\n%s```\n%s```\n", f.ID, s.stamp, s.block)
		}
	}
	text := "# " + about.title + "\n\n" + about.introduction
	if short.Len() > 0 {
		text += "\n## In short\n\n" + short.String()
	}
	return text + blocks.String(), nil
}

// A section is what a page has about a figure.
type section struct{ short, stamp, block string }

func sectionOf(page, id string) (s section) {
	if _, rest, ok := strings.Cut(page, fmt.Sprintf("\n* [%s](#%[1]s): ", id)); ok {
		s.short, _, _ = strings.Cut(rest, "\n")
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

// shortRows says how many rows agree with the paper, and which do not.
func shortRows(r *Result) string {
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
