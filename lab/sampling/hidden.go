//go:build linux && amd64

package sampling

// This file finds hidden invariants (section 3.1 of the paper).

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/tracer"
)

// A Hidden is the invariant that a program of testdata/hidden was written to have. It is stated here,
// before anything is sampled: the expressions of its source, and the value that they nearly always
// have. Built with -tags=count, the program counts the values of these expressions itself; a test compares.
type Hidden struct {
	Program, Func string
	Expressions   []string // in the file general.go; len(x) as x
	Value         uint64
}

// HiddenPrograms are the programs with an invariant.
var HiddenPrograms = []Hidden{
	{"interp", "main.(*machine).run", []string{"m.breaks"}, 0},
	{"matrix", "main.multiply", []string{"a.n", "b.n", "to.n"}, 4},
	{"format", "main.(*writer).number", []string{"w.base"}, 10},
}

// Top is how far up an invariant must be in the list of the finder.
const Top = 3

// A Found is an invariant in a list of the finder.
type Found struct {
	Program string
	Rank    int            // of its first row; 0 if it has none
	Row     tracer.FindRow // of that rank
	First   []string       // the first rows of the list, of the function, line and value
	Times   [2][]float64   // seconds of CPU time of the program as it is, and specialised, by round
}

// Find samples a program for some CPU time, without any hint of what to look for, and looks where the
// finder has ranked its invariant.
func (e *Experiment) Find(h Hidden, last time.Duration) (*Found, error) {
	exe, err := e.hidden(h.Program)
	if err != nil {
		return nil, err
	}
	// These are the defaults of peptrace values, at a higher rate so that it takes less time.
	w := values(tracer.SampleRequest{Interval: time.Second / 1994, Skip: tracer.DefaultSkip})
	var table *tracer.FindTable
	w.use = func(s *tracer.Sampled) { table = s.Find(tracer.Selection{N: 10, Source: source.NewTree("")}) }
	if _, err := sampled(exe, []string{"forever"}, &w, last); err != nil {
		return nil, err
	}
	f := &Found{Program: h.Program}
	for _, row := range table.Rows {
		if row.Rank <= Top {
			f.First = append(f.First, fmt.Sprintf("%d. %s, %s:%d: %s %s", row.Rank, row.Func, path.Base(row.File), row.Line,
				row.Kind, row.Value))
		}
		is, err := e.invariant(h, row)
		if err != nil {
			return nil, err
		}
		if is && f.Rank == 0 {
			f.Rank, f.Row = row.Rank, row
		}
	}
	return f, nil
}

// invariant reports whether a row is the hidden invariant: its value, at a line of its function that
// has one of its expressions. It reads the source itself.
func (e *Experiment) invariant(h Hidden, row tracer.FindRow) (bool, error) {
	if path.Base(row.File) != "general.go" || row.Func != h.Func {
		return false, nil
	}
	text, err := os.ReadFile(filepath.Join(e.Root, "lab/sampling/testdata/hidden", h.Program, "general.go"))
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(text), "\n")
	if row.Line < 1 || row.Line > len(lines) {
		return false, fmt.Errorf("%s has no line %d", row.File, row.Line)
	}
	value, err := strconv.ParseUint(row.Value, 0, 64)
	if err != nil || value != h.Value {
		return false, nil // not a number
	}
	return slices.ContainsFunc(h.Expressions, func(x string) bool {
		return regexp.MustCompile(`\b` + regexp.QuoteMeta(x) + `\b`).MatchString(lines[row.Line-1])
	}), nil
}

// Hidden finds the invariants of all programs and measures what specialisation gains.
func (e *Experiment) Hidden() (all []*Found, err error) {
	for _, h := range HiddenPrograms {
		name := h.Program
		fmt.Fprintf(e.Log, "hidden invariant: %s\n", name)
		f, err := e.Find(h, 3*time.Second)
		if err != nil {
			return nil, err
		}
		var exes [2]string
		if exes[0], err = e.hidden(name); err != nil {
			return nil, err
		}
		if exes[1], err = e.hidden(name, "-tags=special"); err != nil {
			return nil, err
		}
		for range e.Rounds {
			var out [2]string
			for i, exe := range exes {
				r, err := sampled(exe, nil, nil, 0)
				if err != nil {
					return nil, err
				}
				f.Times[i], out[i] = append(f.Times[i], r.cpu.Seconds()), r.stdout
			}
			if out[0] != out[1] {
				return nil, fmt.Errorf("%s prints %q, and specialised %q", name, out[0], out[1])
			}
		}
		all = append(all, f)
	}
	return all, nil
}
