// Package values compares the values that windows note with those that taps report.
//
//	all, err := values.Measure(cfg, values.Options{Kinds: []string{"loads", "calls"}, Runs: 3, Truth: 100, Engine: "R1021",
//		Dir: "build/values"})
//	fmt.Print(values.Page(all))
//
// prints how far the share of the most frequent value at a site is off, and how often bounds have the true share.
package values

// This file compares what windows note of values with what taps report: it makes the executables and runs them.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/lab/bench/programs"
)

// Options say what Values measures.
type Options struct {
	Kinds   []string // of taps, as for -peptaps: of tapKinds
	Runs    int      // by windows with notes, and by windows with those of calls and types alone
	Truth   int      // percent of the workload that the runs with full taps have
	Engine  string   // that thins the loads, arguments and results of full taps
	Threads []string // programs that also run with 1 and with 8 threads
	Dir     string   // where executables and profiles stay: what is there is not made again
}

// tapKinds has the name of the kind of a tap by its word of -peptaps.
var tapKinds = map[string]string{"loads": "load", "args": "arg", "results": "result", "calls": "call", "types": "type"}

// IsTapKind reports whether a word of -peptaps is a kind that windows note.
func IsTapKind(word string) bool { return tapKinds[word] != "" }

// private returns the kinds that windows note only if the run asks for them, and the others.
func (o *Options) private() (asked, always []string) {
	for _, k := range o.Kinds {
		if k == "calls" || k == "types" {
			always = append(always, k)
		} else {
			asked = append(asked, k)
		}
	}
	return asked, always
}

// Builds of a program whose values are compared.
const (
	exactTapsBuild   = "exact-taps"   // of calls and types
	thinnedTapsBuild = "thinned-taps" // of loads, arguments and results
)

// Measure compares the values of test programs.
func Measure(cfg *programs.Config, opts Options) (all []Fit, err error) {
	if err := os.MkdirAll(opts.Dir, 0o777); err != nil {
		return nil, err
	}
	dirs, err := cfg.Dirs()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		p := cfg.Program(dir, filepath.Join(opts.Dir, filepath.Base(dir)))
		fit, err := compareValues(p, &opts)
		if err != nil {
			return all, fmt.Errorf("%s: %w", p.Name, err)
		}
		all = append(all, *fit)
	}
	return all, nil
}

// buildValues builds what is not there yet.
func buildValues(p *programs.Program, opts *Options) error {
	if err := os.MkdirAll(p.Work, 0o777); err != nil {
		return err
	}
	asked, always := opts.private()
	taps := func(kinds []string) func(string) error {
		if len(kinds) == 0 {
			return nil
		}
		return func(build string) error {
			return p.BuildInstrumented(build, "-pepmode=taps", "-peptaps="+strings.Join(kinds, ","))
		}
	}
	var rows []string
	if len(asked) > 0 {
		rows = []string{"-pepvalues=all"}
	}
	for _, b := range []struct {
		name string
		make func(build string) error
	}{
		{programs.Plain, func(build string) error { return p.BuildPlain(build) }},
		{programs.Windows, func(build string) error { return p.BuildWindows(build, rows...) }},
		{exactTapsBuild, taps(always)},
		{thinnedTapsBuild, taps(asked)},
	} {
		if _, err := os.Stat(p.Exe(b.name)); err == nil || b.make == nil {
			continue
		}
		p.Logf("%s: building, %s", p.Name, b.name)
		if err := b.make(b.name); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the directory with the profiles of a run, and runs the build if they are not there yet.
func kept(p *programs.Program, name, build string, percent int, env ...string) (dir string, err error) {
	dir = filepath.Join(p.Work, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	p.Logf("%s: run, %s", p.Name, name)
	out, err := os.MkdirTemp(p.Work, "run-")
	if err != nil {
		return "", err
	}
	if _, err := p.Scaled(percent).Run(out, build, env...); err != nil {
		return "", errors.Join(err, os.RemoveAll(out))
	}
	return dir, os.Rename(out, dir)
}

// A valuesRun is what the profiles of a run say.
type valuesRun struct {
	words   []profile.Word
	periods map[string]int64 // of the profiles, by the kind of taps
	windows float64          // how many there were
	cpu     float64          // seconds
	size    int64            // bytes of all profiles
}

// readValuesRun reads the profiles in a directory, those of all its runs if several ran there.
func readValuesRun(dir string) (*valuesRun, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.pb.gz"))
	if err != nil {
		return nil, err
	}
	r := &valuesRun{periods: make(map[string]int64)}
	for _, name := range names {
		f, err := profile.Open(name)
		if err != nil {
			return nil, err
		}
		n, err := programs.Size(name)
		if err != nil {
			return nil, err
		}
		r.size += n
		switch f.Kind {
		case schema.Paths:
			r.windows, r.cpu = float64(f.Fact(facts.Windows)), float64(f.Fact(facts.CPUTime))/1e9
		case schema.Values, schema.Types, schema.CallTargets:
			words, err := f.Words()
			if err != nil {
				return nil, err
			}
			for i := range words {
				r.periods[words[i].Site.Kind] = f.Period.Value
			}
			r.words = append(r.words, words...)
		}
	}
	return r, nil
}

// keptValues is like kept, and reads the profiles.
func keptValues(p *programs.Program, name, build string, percent int, env ...string) (*valuesRun, error) {
	dir, err := kept(p, name, build, percent, env...)
	if err != nil {
		return nil, err
	}
	return readValuesRun(dir)
}

// valueTruth runs the program with full taps.
func valueTruth(p *programs.Program, opts *Options) (words []profile.Word, err error) {
	asked, always := opts.private()
	for _, b := range []struct {
		build, env string
		kinds      []string
	}{{exactTapsBuild, "PEPOPTS=", always}, {thinnedTapsBuild, "PEPOPTS=engine=" + opts.Engine, asked}} {
		if len(b.kinds) == 0 {
			continue
		}
		r, err := keptValues(p, b.build, b.build, opts.Truth, b.env)
		if err != nil {
			return nil, err
		}
		words = append(words, r.words...)
	}
	return words, nil
}

// noteEnv is the environment variable that makes windows note values of some kinds, beside calls and types.
func noteEnv(kinds []string) string {
	if len(kinds) == 0 {
		return "PEPOPTS="
	}
	return "PEPOPTS=values=" + strings.Join(kinds, ",")
}

// rowsOf returns the sites that the table of values of an executable has, and how long the table is.
func rowsOf(exe string) (rows map[valueSite]bool, length int, err error) {
	data, err := os.ReadFile(exe)
	if err != nil {
		return nil, 0, err
	}
	var t *valuetable.Table
	for at := 0; t == nil; at++ { // the text that tables begin with is also a constant of the program
		i := bytes.Index(data[at:], []byte(valuetable.Magic))
		if i < 0 {
			return nil, 0, fmt.Errorf("%s has no table of values: pepbuild build -pepmode=windows makes one", exe)
		}
		at += i
		if t, err = valuetable.Check(data[at:]); err != nil {
			t = nil
		}
	}
	rows = make(map[valueSite]bool)
	memory, number := make([]valuetable.Row, t.Most), uint32(0)
	for fn := range t.Len() {
		n, ok := t.Decode(fn, memory)
		if !ok {
			return nil, 0, fmt.Errorf("%s: rows of function %d of the table of values cannot be read", exe, fn)
		}
		for _, row := range memory[:n] {
			s, ok := t.Site(number)
			if !ok {
				return nil, 0, fmt.Errorf("%s: site %d of the table of values cannot be read", exe, number)
			}
			number++
			kind := row.Kind
			if kind == valuetable.Itab {
				kind = valuetable.Type
			}
			rows[valueSite{kind.String(), s.File, int64(s.Line), s.Expr}] = true
		}
	}
	return rows, t.Bytes(), nil
}
