package bench

// This file has the list of the paper's experiments, and prints them.

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/plot"
)

// A Figure is an experiment of the PEP paper.
type Figure struct {
	ID    string // "pep-32"
	Title string
	Timed bool // it needs a quiet machine; the others count
	run   func(l *lab) (*FigureResult, error)
}

// Figures has the experiments, but not those of overhead and accuracy, which have commands of
// their own.
var Figures = []Figure{
	{"pep-32", "one-time edge profiles beside those of whole runs (PEP-32)", false, (*lab).oneTime},
	{"pep-36", "a program whose behaviour flips: one-time against continuous profiles (PEP-36)", false, (*lab).phased},
	{"pep-30", "additions on cold and on hot edges, counted (PEP-30)", false, (*lab).ablation},
	{"pep-33", "flipped profiles, counted (PEP-33)", false, (*lab).flipped},
	{"truncate", "paths that end at loop headers and at back edges (§3.2)", false, (*lab).truncation},
	{"pep-25", "overhead of all settings (PEP-25)", true, (*lab).settings},
	{"pep-26", "building and running (PEP-26)", true, (*lab).compileAndRun},
	{"pep-31", "overhead of exact profiles (PEP-31)", true, (*lab).exactCosts},
	{"pep-30-cost", "overhead with additions on hot edges, and with paths that end at back edges (PEP-30, §3.2)", true, (*lab).orders},
	{"pep-33-cost", "a compiler that gets one-time, continuous and flipped profiles (PEP-33)", true, (*lab).driven},
}

// FindFigures returns the figures with the IDs. "counts" stands for all that count, and "times" for all
// that need a quiet machine.
func FindFigures(ids []string) ([]Figure, error) {
	var list []Figure
	for _, id := range ids {
		n := len(list)
		for _, f := range Figures {
			if f.ID == id || id == "counts" && !f.Timed || id == "times" && f.Timed {
				list = append(list, f)
			}
		}
		if n == len(list) {
			var all []string
			for _, f := range Figures {
				all = append(all, f.ID)
			}
			return nil, fmt.Errorf("no figure %s: there are %s; counts and times stand for several", id, strings.Join(all, ", "))
		}
	}
	return list, nil
}

// FigureOptions say how figures are made. Runs and Rounds must be at least 1, and Sampled must be
// set.
type FigureOptions struct {
	Runs    int     // sampled runs of each program, for figures that count
	Sampled Setting // of these
	Rounds  int     // runs of each variant, for those that measure time
	Plots   string  // directory for the plots
}

// A FigureResult is what an experiment has shown.
type FigureResult struct {
	text   []string // sentences
	rows   [][]string
	tables []*table
	plots  []picture
}

type picture struct {
	name string // "pep-32"
	draw interface{ Write(io.Writer) error }
}

func (r *FigureResult) say(format string, args ...any) {
	r.text = append(r.text, fmt.Sprintf(format, args...))
}

// row adds a result beside that of the paper.
func (r *FigureResult) row(what, ours, paper, verdict string) {
	r.rows = append(r.rows, []string{what, ours, or(paper), or(verdict)})
}

func (r *FigureResult) plot(name string, draw interface{ Write(io.Writer) error }) {
	r.plots = append(r.plots, picture{name, draw})
}

// A lab has what figures share: the profiles of programs are made once.
type lab struct {
	*Config
	opts     FigureOptions
	observed []observation
}

// criterion says how verdicts come about.
const criterion = `"As the paper" says that the paper's mean is between the least and the greatest value of our programs; otherwise ours is "better" or "worse". An effect "is there" if the mean has it
and three quarters of the programs, or of the runs of one program, have it; otherwise it is "absent". In brackets are the least and the greatest value.`

// RunFigures makes figures. The result is Markdown. Plots go to files, in a directory that RunFigures makes
// before it measures for minutes.
func RunFigures(cfg *Config, figures []Figure, opts FigureOptions) (string, error) {
	if err := os.MkdirAll(opts.Plots, 0o777); err != nil {
		return "", err
	}
	l := &lab{Config: cfg, opts: opts}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.ReplaceAll(criterion, "\n", " "))
	for _, f := range figures {
		cfg.logf("%s: %s", f.ID, f.Title)
		r, err := f.run(l)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.ID, err)
		}
		text, err := r.markdown(f, opts.Plots)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// markdown prints a result and saves its plots.
func (r *FigureResult) markdown(f Figure, dir string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n", f.ID, f.Title)
	for _, s := range r.text {
		fmt.Fprintf(&b, "%s\n\n", s)
	}
	t := newTable("", "ours", "paper", "verdict")
	for _, row := range r.rows {
		t.row(row...)
	}
	if len(r.rows) > 0 {
		fmt.Fprintf(&b, "%s\n", t)
	}
	for _, t := range r.tables {
		fmt.Fprintf(&b, "%s\n", t)
	}
	for _, p := range r.plots {
		name := p.name + ".svg"
		out, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		err = p.draw.Write(out)
		if e := out.Close(); err == nil {
			err = e
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&b, "![%s](figures/%s)\n\n", f.Title, name)
	}
	return b.String(), nil
}

// compared is the verdict on values of ours beside the paper's mean.
func compared(xs []float64, paper float64, moreIsBetter bool) string {
	switch {
	case slices.Min(xs) <= paper && paper <= slices.Max(xs):
		return "as the paper"
	case mean(xs) > paper == moreIsBetter:
		return "better"
	}
	return "worse"
}

// effect is the verdict on an effect whose values are to be above a limit.
func effect(xs []float64, limit float64) string {
	n := 0
	for _, x := range xs {
		if x > limit {
			n++
		}
	}
	if mean(xs) > limit && 4*n >= 3*len(xs) {
		return "is there"
	}
	return "absent"
}

// ranged formats a mean with the least and the greatest value.
func ranged(xs []float64, format func(float64) string) string {
	return fmt.Sprintf("%s (%s)", format(mean(xs)), between(format(slices.Min(xs)), format(slices.Max(xs))))
}

// points formats differences of shares as ranged does: 0.1 and 0.12 are "11.0 points (10.0–12.0)".
func points(xs []float64) string {
	bare := func(x float64) string { return fmt.Sprintf("%.1f", 100*x) }
	return fmt.Sprintf("%s points (%s)", bare(mean(xs)), between(bare(slices.Min(xs)), bare(slices.Max(xs))))
}

func twoDigits(x float64) string { return fmt.Sprintf("%.2f", x) }

// series makes the bars of a plot, in percent.
func series(name string, shares []float64) plot.Series {
	var values []float64
	for _, x := range shares {
		values = append(values, math.Round(1e4*x)/100)
	}
	return plot.Series{Name: name, Values: values}
}
