//go:build linux && amd64

package sampling

// This file finds hidden invariants (section 3.1 of the paper).

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/report"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// HiddenPrograms are the programs of testdata/hidden with an invariant.
var HiddenPrograms = []string{"interp", "matrix", "format"}

// Top is how far up an invariant must be in the list of the finder.
const Top = 3

// A Found is an invariant in a list of the finder.
type Found struct {
	Program string
	Rank    int            // of its first row; 0 if it has none
	Row     report.FindRow // of that rank
	First   []string       // the first rows of the list, of the function, line and value
	Times   [2][]float64   // seconds of CPU time of the program as it is, and specialised, by round
}

// marker stands in the source at lines where the invariant can be seen. Its value follows, or
// several values: the separator "," has the length 1 and the byte 0x2c.
const marker = "// hidden: "

// Find samples a program for some CPU time, without any hint of what to look for, and looks where the
// finder has ranked its invariant.
func (e *Experiment) Find(name string, last time.Duration) (*Found, error) {
	exe, err := e.hidden(name)
	if err != nil {
		return nil, err
	}
	// These are the defaults of peptrace values, at a higher rate so that it takes less time.
	r, err := sampled(exe, []string{"forever"}, &way{sampler.Options{Interval: time.Second / 1994, Skip: sampler.DefaultSkip}, "operands"}, last)
	if err != nil {
		return nil, err
	}
	names := programs.New("")
	defer names.Close()
	f := &Found{Program: name}
	for _, row := range report.Find(r.db, names, report.FindOptions{N: 10, Source: source.NewTree("")}).Rows {
		if row.Rank <= Top {
			f.First = append(f.First, fmt.Sprintf("%d. %s, %s:%d: %s %s", row.Rank, row.Func, path.Base(row.File), row.Line, row.Kind, row.Value))
		}
		is, err := e.invariant(name, row)
		if err != nil {
			return nil, err
		}
		if is && f.Rank == 0 {
			f.Rank, f.Row = row.Rank, row
		}
	}
	return f, nil
}

// invariant reports whether a row is the hidden invariant. It reads the source itself.
func (e *Experiment) invariant(name string, row report.FindRow) (bool, error) {
	if path.Base(row.File) != "general.go" {
		return false, nil
	}
	text, err := os.ReadFile(filepath.Join(e.Root, "internal/project/sampling/testdata/hidden", name, "general.go"))
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(text), "\n")
	if row.Line < 1 || row.Line > len(lines) {
		return false, fmt.Errorf("%s has no line %d", row.File, row.Line)
	}
	_, values, _ := strings.Cut(lines[row.Line-1], marker)
	return slices.Contains(strings.Fields(values), row.Value), nil
}

// Hidden finds the invariants of all programs and measures what specialisation gains.
func (e *Experiment) Hidden() (all []*Found, err error) {
	for _, name := range HiddenPrograms {
		fmt.Fprintf(e.Log, "hidden invariant: %s\n", name)
		f, err := e.Find(name, 3*time.Second)
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
