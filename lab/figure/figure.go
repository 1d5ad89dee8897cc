// Package figure is what experiments of papers have in common: what they work with, their results, the rule that
// decides whether a result agrees with the paper, and the page of a paper. The experiments of each paper have a package
// below this one.
//
//	env := &figure.Env{Source: figure.Files("build/traces")}
//	f, _ := rapfigures.Paper().Find("rap-6")
//	res, err := f.Run(env)
//	err = res.Save("results/figures") // rap-6.svg
//	l := &figure.Listing{Figures: slices.Values([]*figure.Result{res})}
//	listing.Text(os.Stdout, l) // tables, and rows with ours beside the paper's
//	listing.JSON(os.Stdout, l) // the same numbers, and the points of the plots
//
// A [Beside] is the other kind of page: the claims of a paper, each with what would refute it, judged by numbers that
// experiments have [Measured]. All of its tolerances are in Tolerances.
//
// Test programs stand in for the benchmarks of the papers; Programs says which for which. If a
// paper only draws a number, and its text does not state it, there is nothing to compare
// with, and no number is made up.
package figure

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// A Figure is one experiment.
type Figure struct {
	ID         string // "rap-6"
	Title      string
	Experiment func(env *Env, res *Result) error
}

// A Paper has figures about one paper.
type Paper struct{ Figures []Figure }

// Find returns the figure of a paper with an ID.
func (p Paper) Find(id string) (Figure, bool) {
	for _, f := range p.Figures {
		if f.ID == id {
			return f, true
		}
	}
	return Figure{}, false
}

// An Env is what experiments have to work with.
type Env struct {
	// Source returns the recorded events of a program, with taps on "loads", on "calls", edges among them,
	// on "pairs", on "ops", or on "blocks". "loads-2" is the second recording of loads, and so on.
	// Its error is, or wraps, ErrNoTrace if there is no such trace.
	Source func(program, taps string) (replay.Source, error)

	// Sites returns what the sites of such events are; nil if that is not known.
	Sites func(program, taps string) (*trace.Sites, error)

	// Layout returns the name of the file that says where the sites of such events stand in memory;
	// nil if the words of blocks are their addresses.
	Layout func(program, taps string) string

	Lines   string // the directory of the lines that pepbench has written
	Results string // the directory of pages

	Overhead cost.Overhead // of messages; cost.Default if zero
	// how many events of a recording are run, 16M if 0; a load with its address is two, an operation three
	Loads    uint64
	Branches uint64 // the same of recordings of calls, 4M if 0
	Seed     uint64 // of all that is random, 1 if 0
	// with how many seeds, from Seed on, recordings are replayed and random points are made, 10 if 0
	Seeds int
}

// Run runs the experiment.
func (f Figure) Run(env *Env) (*Result, error) {
	e := *env
	if e.Overhead == (cost.Overhead{}) {
		e.Overhead = cost.Default
	}
	e.Loads = cmp.Or(e.Loads, 16_000_000)
	e.Branches = cmp.Or(e.Branches, 4_000_000)
	e.Seed = cmp.Or(e.Seed, 1)
	e.Seeds = cmp.Or(e.Seeds, 10)
	res := &Result{ID: f.ID, Title: f.Title}
	if err := f.Experiment(&e, res); err != nil {
		return nil, fmt.Errorf("%s: %w", f.ID, err)
	}
	return res, nil
}

// Describe adds a line to the setup, if it is not there yet.
func (r *Result) Describe(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.Setup, line) {
		r.Setup = append(r.Setup, line)
	}
}

// Row returns the row with a key. If there is none, it returns a row without values that differs.
func (r *Result) Row(key string) Row {
	for _, row := range r.Rows {
		if row.Key == key {
			return row
		}
	}
	return Row{Key: key, Ours: "-", Differs: true}
}

// Save writes the plots as SVG files into a directory, and the points of those that are to
// be had as a table as CSV files, and notes their names.
func (r *Result) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range r.Plots {
		p := &r.Plots[i]
		name := filepath.Join(dir, p.Name+".svg")
		if err := save(name, p.drawing); err != nil {
			return err
		}
		p.File = name
		if p.data {
			p.Data = filepath.Join(dir, p.Name+".csv")
			if err := os.WriteFile(p.Data, p.csv(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func save(name string, d drawing) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Write(f), f.Close())
}
