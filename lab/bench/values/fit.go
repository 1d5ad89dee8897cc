package values

// This file says how well values of windows agree with those of full taps.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pepgo/pep/lab/bench/bounds"
	"github.com/pepgo/pep/lab/bench/programs"
)

// A Fit has what was measured of a program.
type Fit struct {
	Program string
	Kinds   []KindFit
	Noted   []RunSize        // of windows with notes of all kinds
	Plain   []RunSize        // of windows with notes of calls and types alone
	Size    map[string]int64 // of executables, by build
	Table   int              // bytes of the table of values
	Few     *Threads         // nil if the program is none of those that run with 1 and 8 threads
}

// Threads has runs by windows with 1 and with 8 threads.
type Threads struct{ One, Eight []KindFit }

// A RunSize says how large a run was.
type RunSize struct {
	Windows float64
	CPU     float64 // seconds
	Bytes   int64   // of profiles
}

// A KindFit has the values of a kind.
type KindFit struct {
	Kind    string  // as for -peptaps
	Events  float64 // of full taps
	Sites   int
	WithRow float64 // share of the events that are at sites with a row
	Windows []Match
	Bounds  bounds.Hits // of shares, by windows
	Unseen  int         // values in all runs that have no bounds there, because windows have seen other values alone
}

// compareValues measures a program.
func compareValues(p *programs.Program, opts *Options) (*Fit, error) {
	if err := buildValues(p, opts); err != nil {
		return nil, err
	}
	words, err := valueTruth(p, opts)
	if err != nil {
		return nil, err
	}
	rows, table, err := rowsOf(p.Exe(programs.Windows))
	if err != nil {
		return nil, err
	}
	fit := &Fit{Program: p.Name, Table: table, Size: make(map[string]int64)}
	for _, build := range []string{programs.Plain, programs.Windows} {
		if fit.Size[build], err = programs.Size(p.Exe(build)); err != nil {
			return nil, err
		}
	}
	for site := range rows {
		if t, ok := typeSite(site); ok {
			rows[t] = true
		}
	}
	truth := countValues(words)
	fit.Kinds = newKinds(truth, rows, opts.Kinds)
	logMissing(p, truth, rows, opts.Kinds)
	if err := valueRuns(p, fit, truth, opts); err != nil {
		return nil, err
	}
	if slices.Contains(opts.Threads, p.Name) {
		err = threadRuns(p, fit, truth, opts)
	}
	return fit, err
}

func newKinds(truth valueCounts, rows map[valueSite]bool, words []string) (kinds []KindFit) {
	for _, word := range words {
		k := KindFit{Kind: word, Events: truth.of(tapKinds[word])}
		k.WithRow, k.Sites = truth.withRow(rows, tapKinds[word])
		kinds = append(kinds, k)
	}
	return kinds
}

// valueRuns runs the program by turns: windows with notes of all kinds, windows with notes of calls and types alone.
func valueRuns(p *programs.Program, fit *Fit, truth valueCounts, opts *Options) error {
	asked, _ := opts.private()
	for i := range opts.Runs {
		turns := []func() error{
			func() error {
				return windowRun(p, fit.Kinds, &fit.Noted, truth, fmt.Sprint("noted-", i), noteEnv(asked))
			},
			func() error {
				r, err := keptValues(p, fmt.Sprint("windows-", i), programs.Windows, p.Scale, noteEnv(nil))
				if err == nil {
					fit.Plain = append(fit.Plain, r.runSize())
				}
				return err
			},
		}
		for j := range turns {
			if err := turns[(i+j)%len(turns)](); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *valuesRun) runSize() RunSize { return RunSize{r.windows, r.cpu, r.size} }

// windowRun compares a run by windows.
func windowRun(p *programs.Program, kinds []KindFit, sizes *[]RunSize, truth valueCounts, name string,
	env ...string) error {
	r, err := keptValues(p, name, programs.Windows, p.Scale, env...)
	if err != nil {
		return err
	}
	if r.windows == 0 {
		return fmt.Errorf("run %s has no windows: raise -scale", name)
	}
	seen := countValues(r.words)
	seen.addTypesOfCalls(r.words)
	for i := range kinds {
		k := &kinds[i]
		kind := tapKinds[k.Kind]
		k.Windows = append(k.Windows, matchValues(truth, seen, kind))
		k.Unseen += addShares(&k.Bounds, truth.hotShares(kind, kind == "call" || kind == "type"), r)
	}
	if sizes != nil {
		*sizes = append(*sizes, r.runSize())
	}
	return nil
}

// threadRuns runs the program with 1 and with 8 threads of Go code.
func threadRuns(p *programs.Program, fit *Fit, truth valueCounts, opts *Options) error {
	asked, _ := opts.private()
	fit.Few = &Threads{newKinds(truth, nil, opts.Kinds), newKinds(truth, nil, opts.Kinds)}
	for i := range opts.Runs {
		for threads, kinds := range map[int][]KindFit{1: fit.Few.One, 8: fit.Few.Eight} {
			name := fmt.Sprintf("threads-%d-%d", threads, i)
			if err := windowRun(p, kinds, nil, truth, name, noteEnv(asked), fmt.Sprint("GOMAXPROCS=", threads)); err != nil {
				return err
			}
		}
	}
	return nil
}

// logMissing logs the sites of each kind without a row that have most events, and what rows their lines have.
func logMissing(p *programs.Program, truth valueCounts, rows map[valueSite]bool, words []string) {
	type line struct {
		kind, file string
		line       int64
	}
	there := make(map[line][]string)
	for r := range rows {
		at := line{r.kind, r.file, r.line}
		there[at] = append(there[at], r.expr)
	}
	for _, word := range words {
		kind := tapKinds[word]
		all := truth.of(kind)
		var missing []valueSite
		for site := range truth {
			if site.kind == kind && !rows[site] {
				missing = append(missing, site)
			}
		}
		slices.SortFunc(missing, func(a, b valueSite) int {
			most := cmp.Compare(truth[b].count, truth[a].count)
			return cmp.Or(most, cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
		})
		for _, s := range missing[:min(len(missing), 8)] {
			p.Logf("%s: no row of %s %s:%d %s, %.2f%% of the events; rows there: %q", p.Name, s.kind, s.file, s.line, s.expr,
				100*truth[s].count/all, there[line{s.kind, s.file, s.line}])
		}
	}
}
