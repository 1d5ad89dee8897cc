package toolexec

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/bisect"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

// A Tag says how a package is instrumented. It travels in the package's
// -gcflags, so that a change of any of it compiles the package anew:
//
//	-pep=mode=polls,truncate=header,tool=5d0c…[,taps=loads%2Cstores][,funcs=…][,range=…][,sites=1000]
//	    [,bisect=01][,guide=89ab…][,dump=dir]
//
// Values of users are URL-encoded, and dump is always last. With windows there are other tags: -pep=branches=…,
// of main packages -pep=windows=…, and of packages that -peppkg leaves out -pep=notable=….
type Tag struct {
	Mode     rewrite.Mode
	Without  rewrite.Without
	Truncate string // "header", "backedge" or "join"
	Order    string // "coldest"; "hottest" or empty for the usual order
	Tool     string // hash of the instrumenter and the linked runtime
	Compiler string // key of the compiler that package gocompiler has built
	Taps     Taps
	Bisect   string // which functions are instrumented, as package bisect reads it; empty for all
	Guide    string // hash of what a profile says of the package; empty for nothing
	Dump     string // directory to write the instrumented source to; empty for none
}

// Taps say what is tapped, as the user wrote it. With empty Kinds nothing is tapped.
type Taps struct {
	Kinds  string // as tap.ParseKinds reads them
	Funcs  string // regular expression
	Ranges string // as tap.ParseRanges reads them
	Sites  int    // of a package at most; 0 for no bound
	Burst  bool   // taps are to report in bursts
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

// fields returns t as fields of a tag. The user's text may contain any characters.
func (t Taps) fields() string {
	s := ""
	for _, f := range []struct{ key, value string }{{"taps", t.Kinds}, {"funcs", t.Funcs}, {"range", t.Ranges}} {
		if f.value != "" {
			s += "," + f.key + "=" + url.QueryEscape(f.value)
		}
	}
	if t.Sites != 0 {
		s += fmt.Sprintf(",sites=%d", t.Sites)
	}
	if t.Burst {
		s += ",burst=1"
	}
	return s
}

// TagFlag is the flag of the compile command that carries the tag. The compiler
// does not know it; it is taken out again.
const TagFlag = "-pep"

// Arg returns the tag as a command-line argument.
func (t Tag) Arg() string {
	s := fmt.Sprintf("%s=mode=%s,truncate=%s,tool=%s,compiler=%s", TagFlag, url.QueryEscape(string(t.Mode)), url.QueryEscape(t.Truncate), url.QueryEscape(t.Tool), url.QueryEscape(t.Compiler)) + t.Taps.fields()
	if t.Without != "" {
		s += ",without=" + url.QueryEscape(string(t.Without))
	}
	if t.Order != "" {
		s += ",order=" + url.QueryEscape(t.Order)
	}
	if t.Bisect != "" {
		s += ",bisect=" + url.QueryEscape(t.Bisect)
	}
	if t.Guide != "" {
		s += ",guide=" + t.Guide
	}
	if t.Dump != "" {
		s += ",dump=" + t.Dump
	}
	return s
}

// polls returns the tag of a package that is not instrumented but imports one with the tag t, as ParseTag reads it. It has
// the hash of the instrumenter, so that a package that imports one of another instrumenter is compiled anew.
func (t Tag) polls() string {
	return strings.TrimPrefix(Tag{Mode: t.Mode, Tool: t.Tool, Compiler: t.Compiler}.Arg(), TagFlag+"=")
}

// ParseTag is the inverse of Arg, without the flag's name.
func ParseTag(s string) (Tag, error) {
	var t Tag
	// The dump directory comes last and may contain anything.
	s, t.Dump, _ = strings.Cut(s, ",dump=")
	for field := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(field, "=")
		value, err := url.QueryUnescape(value)
		switch {
		case err != nil:
			return Tag{}, fmt.Errorf("tag %q: %w", s, err)
		case ok && key == "mode":
			t.Mode = rewrite.Mode(value)
		case ok && key == "without":
			t.Without = rewrite.Without(value)
		case ok && key == "truncate":
			t.Truncate = value
		case ok && key == "order":
			t.Order = value
		case ok && key == "tool":
			t.Tool = value
		case ok && key == "compiler":
			t.Compiler = value
		case ok && key == "taps":
			t.Taps.Kinds = value
		case ok && key == "funcs":
			t.Taps.Funcs = value
		case ok && key == "range":
			t.Taps.Ranges = value
		case ok && key == "bisect":
			t.Bisect = value
		case ok && key == "guide":
			t.Guide = value
		case ok && key == "burst":
			t.Taps.Burst = true
		case ok && key == "sites":
			if t.Taps.Sites, err = strconv.Atoi(value); err != nil {
				return Tag{}, fmt.Errorf("tag %q: %w", s, err)
			}
		default:
			return Tag{}, fmt.Errorf("tag %q: unknown field %q", s, field)
		}
	}
	return t, nil
}

// Pattern returns the functions that are instrumented. The error begins with the
// name of the pepbuild flag that is wrong.
func (t Tag) Pattern() (*bisect.Pattern, error) {
	p, err := bisect.Parse(t.Bisect)
	if err != nil {
		return nil, fmt.Errorf("-pepbisect: %w", err)
	}
	return p, nil
}

// numbering returns the options of the path numbering.
func (t Tag) numbering() pathnum.Options {
	var o pathnum.Options
	if t.Mode == rewrite.Cover {
		o.Truncate = pathnum.Rest
	}
	switch t.Truncate {
	case "backedge":
		o.Truncate = pathnum.BackEdge
	case "join":
		o.Truncate = pathnum.Join
	}
	if t.Order == "coldest" {
		o.Order = pathnum.Coldest
	}
	return o
}
