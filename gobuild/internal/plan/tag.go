package plan

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/instrument/bisect"
	"github.com/pepgo/pep/instrument/pathnum"
)

// A Work says what pepbuild's tools do when the go command compiles a package.
type Work string

const (
	Rewrite  Work = "rewrite"  // it is rewritten
	Branches Work = "branches" // the compiler writes its table of branches, and the package stays as it is
	// likewise, and as a main package it imports the runtime; its program gets the tables of all packages
	Main     Work = "main"
	Untabled Work = "untabled" // it stays as it is, has no table, and imports the runtime if it is a main package
	Counts   Work = "counts"   // the compiler lays its functions out by counts
	Runtime  Work = "runtime"  // package runtime gets space for taps
)

// A Tag says what becomes of a package. It travels in the package's -gcflags, so that a change of any of it
// compiles the package anew:
//
//	-pep=rewrite,mode=polls,tool=5d0c…,compiler=a3f1…[,truncate=join][,taps=loads%2Cstores][,funcs=…][,range=…][,sites=1000]
//	    [,bisect=01][,guide=89ab…][,dump=dir]
//	-pep=branches,tool=5d0c…,compiler=a3f1…
//
// Values are URL-encoded, so a comma always ends one.
type Tag struct {
	Work     Work
	Mode     Mode
	Without  string
	Truncate string
	Order    string
	Tool     string // hash of the instrumenter and the linked runtime
	Compiler string // key of the compiler that package gocompiler has built
	Taps     Taps
	Bisect   string // which functions are instrumented, as package bisect reads it; empty for all
	Guide    string // hash of what a profile says of the package; empty for nothing
	Values   string // which rows of values the table of the package has: "all"; "" for those of calls and types
	Counts   string // hash of the counts by which the package is laid out
	Dump     string // directory to write the instrumented source to; empty for none
}

// Tag returns the tag of a package that is rewritten, or whose mode leaves it as it is. Keys of the instrumenter
// and of the compiler stand for these.
func (p *Plan) Tag(tool, compiler string) Tag {
	t := Tag{Work: Branches, Tool: tool, Compiler: compiler}
	if !p.Mode.Kind().Rewrites {
		t.Values = p.Values
	} else {
		t.Work, t.Mode, t.Without, t.Truncate, t.Order = Rewrite, p.Mode, p.Without, p.Truncate, p.Order
		t.Taps, t.Bisect, t.Dump = p.Taps, p.Bisect, p.Dump
	}
	return t
}

// TagFlag is the flag of the compile command that carries the tag. The compiler
// does not know it; it is taken out again.
const TagFlag = "-pep"

// A field is a part of a tag.
type field struct {
	key   string
	value *string
}

// fields are the parts of a tag that are texts, in their order.
func (t *Tag) fields() []field {
	return []field{
		{"mode", (*string)(&t.Mode)}, {"tool", &t.Tool}, {"compiler", &t.Compiler}, {"without", &t.Without},
		{"truncate", &t.Truncate},
		{"order", &t.Order}, {"taps", &t.Taps.Kinds}, {"funcs", &t.Taps.Funcs}, {"range", &t.Taps.Ranges},
		{"bisect", &t.Bisect},
		{"guide", &t.Guide}, {"values", &t.Values}, {"counts", &t.Counts}, {"dump", &t.Dump},
	}
}

// Arg returns the tag as a command-line argument.
func (t Tag) Arg() string { return TagFlag + "=" + t.String() }

// String returns the tag as ParseTag reads it.
func (t Tag) String() string {
	s := url.QueryEscape(string(t.Work))
	for _, f := range t.fields() {
		if *f.value != "" {
			s += "," + f.key + "=" + url.QueryEscape(*f.value)
		}
	}
	if t.Taps.Sites != 0 {
		s += fmt.Sprintf(",sites=%d", t.Taps.Sites)
	}
	return s
}

// ParseTag is the inverse of String.
func ParseTag(s string) (Tag, error) {
	work, rest, more := strings.Cut(s, ",")
	t := Tag{Work: Work(work)}
	if !slices.Contains([]Work{Rewrite, Branches, Main, Untabled, Counts, Runtime}, t.Work) {
		return Tag{}, fmt.Errorf("tag %q: unknown work %q", s, work)
	}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		if err := t.set(part); err != nil {
			return Tag{}, fmt.Errorf("tag %q: %w", s, err)
		}
	}
	return t, nil
}

// set takes a part of a tag: key=value.
func (t *Tag) set(part string) error {
	key, value, ok := strings.Cut(part, "=")
	value, err := url.QueryUnescape(value)
	if err != nil {
		return err
	}
	for _, f := range t.fields() {
		if ok && f.key == key {
			*f.value = value
			return nil
		}
	}
	switch {
	case ok && key == "sites":
		t.Taps.Sites, err = strconv.Atoi(value)
	default:
		return fmt.Errorf("unknown field %q", part)
	}
	return err
}

// Importers returns the tag of packages that are not instrumented but import one with the tag t. It has
// the hash of the instrumenter, so that a package that imports one of another instrumenter is compiled anew.
func (t Tag) Importers() Tag {
	return Tag{Work: Rewrite, Mode: t.Mode, Tool: t.Tool, Compiler: t.Compiler}
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

// Numbering returns the options of the path numbering.
func (t Tag) Numbering() pathnum.Options {
	var o pathnum.Options
	if t.Mode.Kind().Decisions {
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
