package plan

import (
	"fmt"
	"regexp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/tap"
)

// Taps say what is tapped, as the user wrote it. With empty Kinds nothing is tapped.
type Taps struct {
	Kinds  string // as tap.ParseKinds reads them
	Funcs  string // regular expression
	Ranges string // as tap.ParseRanges reads them
	Sites  int    // of a package at most; 0 for no bound
}

// Options returns what t stands for. The error begins with the name of the
// pepbuild flag that is wrong.
func (t Taps) Options() (o tap.Options, err error) {
	if t.Kinds == "" {
		return o, nil
	}
	if o.Kinds, err = tap.ParseKinds(t.Kinds); err != nil {
		return o, fmt.Errorf("-peptaps=%s: %w", t.Kinds, err)
	}
	if t.Funcs != "" {
		if o.Funcs, err = regexp.Compile(t.Funcs); err != nil {
			return o, fmt.Errorf("-pepfuncs=%s: %w", t.Funcs, err)
		}
	}
	if t.Ranges != "" {
		if o.Ranges, err = tap.ParseRanges(t.Ranges); err != nil {
			return o, fmt.Errorf("-peprange=%s: %w", t.Ranges, err)
		}
	}
	o.Max = t.Sites
	return o, nil
}

// Goroutines reports whether streams are to tell goroutines apart.
func (t Taps) Goroutines() bool {
	o, err := t.Options()
	return err == nil && o.Kinds.Has(tuple.Goroutine)
}

// Selective reports whether t selects among the taps of the kinds.
func (t Taps) Selective() bool { return t.Funcs != "" || t.Ranges != "" }

// String returns kinds and selection as the user wrote them, as flags of pepbuild.
func (t Taps) String() string {
	s := "-peptaps=" + t.Kinds
	if t.Funcs != "" {
		s += " -pepfuncs=" + t.Funcs
	}
	if t.Ranges != "" {
		s += " -peprange=" + t.Ranges
	}
	return s
}
