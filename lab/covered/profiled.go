package covered

// This file reads what pepbuild test -pepmode=cover has left.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/wire"
)

// A run is a run of the tests.
type run struct {
	statements map[position]int64
	functions  map[position]string // of statements
	outcomes   map[outcome]int64
	vectors    map[vector]int64
	unended    map[string]int64
	decisions  map[position]*decision // by the first condition
}

// profiled is what several runs say.
type profiled struct {
	statements map[position][]int64
	functions  map[position]string
	outcomes   map[outcome][]int64
	vectors    map[vector][]int64
	unended    map[string][]int64
	runs       []*run
}

// A decision is one of package cover.
type decision struct {
	conditions []position
	masking    []bool
	unique     []bool
	functions  int // that list it
}

// A vector is one of a decision, as package recorder writes it.
type vector struct {
	decision position // its first condition
	text     string
}

// An outcome is one of a condition.
type outcome struct {
	position
	value bool
}

func readRun(profiles, dir string) (*run, error) {
	paths, tables, err := cover.Open(new(profile.Reader), profiles)
	if err != nil {
		return nil, err
	}
	c, err := cover.New(paths, tables, source.NewTree(""), cover.Options{Generated: true})
	if err != nil {
		return nil, err
	}
	if len(c.NoSource) > 0 {
		return nil, fmt.Errorf("no source of %s", strings.Join(c.NoSource, ", "))
	}
	unended, err := paths.Unended()
	if err != nil {
		return nil, err
	}
	r := &run{make(map[position]int64), make(map[position]string), make(map[outcome]int64), make(map[vector]int64),
		make(map[string]int64), make(map[position]*decision)}
	at := func(file string, line, col int) (position, error) {
		below, err := filepath.Rel(dir, file)
		return position{filepath.ToSlash(below), line, col}, err
	}
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			function := fmt.Sprintf("%s %s:%d", f.Name, f.File, f.Line)
			for _, s := range f.Statements {
				p, err := at(s.File, s.Line, s.Col)
				if err != nil {
					return nil, err
				}
				r.statements[p] += s.Count
				r.functions[p] = function
			}
			for _, b := range f.Branches {
				p, err := at(b.File, b.Line, b.Col)
				if err != nil {
					return nil, err
				}
				if !isCondition(b.Kind) {
					continue
				}
				for _, o := range b.Outcomes { // those of a case of a switch with a tag are values
					if slices.Contains([]string{wire.OutTrue, wire.OutFalse, wire.OutBody, wire.OutDone}, o.Name) {
						r.outcomes[outcome{p, o.Name == wire.OutTrue || o.Name == wire.OutBody}] += o.Count
					}
				}
			}
			for _, d := range f.Decisions {
				if err := r.decision(f, d, at); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, u := range unended {
		r.unended[fmt.Sprintf("%s %s:%d", u.Func.Name, u.Func.File, u.Func.StartLine)] += u.Count
	}
	return r, nil
}

// isCondition reports whether a branch of a kind has a condition with two outcomes.
func isCondition(kind string) bool {
	return slices.Contains([]string{"if", "for", "&&", "||", "case", "value"}, kind)
}

func (r *run) decision(f *cover.Function, d *cover.Decision,
	at func(file string, line, col int) (position, error)) error {
	x := &decision{functions: 1}
	for _, c := range d.Conditions {
		p, err := at(f.File, c.Line, c.Col)
		if err != nil {
			return err
		}
		x.conditions = append(x.conditions, p)
	}
	for _, s := range d.Masking() {
		x.masking = append(x.masking, s.Done())
	}
	for _, s := range d.Unique() {
		x.unique = append(x.unique, s.Done())
	}
	for _, v := range d.Vectors {
		text := ""
		for _, t := range v.Conditions {
			text += map[cover.Truth]string{cover.Skipped: "-", cover.False: "F", cover.True: "T"}[t]
		}
		text += map[bool]string{false: "=F", true: "=T"}[v.Outcome]
		r.vectors[vector{x.conditions[0], text}] += v.Count
	}
	if old := r.decisions[x.conditions[0]]; old != nil {
		x.functions += old.functions
	}
	r.decisions[x.conditions[0]] = x
	return nil
}

func joinRuns(runs []*run) *profiled {
	p := &profiled{functions: make(map[position]string), runs: runs}
	var statements []map[position]int64
	var outcomes []map[outcome]int64
	var vectors []map[vector]int64
	var unended []map[string]int64
	for _, r := range runs {
		statements, outcomes, vectors, unended = append(statements, r.statements), append(outcomes, r.outcomes),
			append(vectors, r.vectors), append(unended, r.unended)
		for at, f := range r.functions {
			p.functions[at] = f
		}
	}
	p.statements, p.outcomes, p.vectors, p.unended = series(statements), series(outcomes), series(vectors), series(unended)
	return p
}

func compareVectorKeys(v, w vector) int {
	return cmp.Or(comparePositions(v.decision, w.decision), cmp.Compare(v.text, w.text))
}
