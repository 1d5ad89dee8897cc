package tap

// This file reads what the user selects: kinds, functions, ranges, a number.

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/tuple"
)

// Options select taps. The zero value selects none.
type Options struct {
	Kinds  Kinds
	Funcs  *regexp.Regexp // match the linker symbols of functions; nil for all
	Ranges []Range        // nil for everywhere
	Max    int            // sites of a package at most; 0 for as many as there are
}

func (o Options) none() bool { return o.Kinds == 0 }

// Kinds is a set of kinds of taps.
type Kinds uint32

// Requested is the kind of taps that the source requests, with a comment //pep:tap at
// the end of a statement or on the line above it. A statement with this comment also
// has the taps of every other kind. Its name on the command line is "marked".
const Requested Kinds = 1

// all is the kinds that profiles are made of. The others are for engines and traces.
const all Kinds = 1<<(tuple.Const+1) - 1

var kindNames = []struct {
	name string
	set  Kinds
}{
	{"args", 1 << tuple.Arg},
	{"results", 1 << tuple.Result},
	{"loads", 1 << tuple.Load},
	{"stores", 1 << tuple.Store},
	{"calls", 1 << tuple.Call},
	{"types", 1 << tuple.Type},
	{"edges", 1 << tuple.Edge},
	{"addrs", 1 << tuple.Addr},
	{"consts", 1 << tuple.Const},
	{"marked", Requested},
	{"pairs", 1<<tuple.Load | 1<<tuple.More},
	{"ops", 1 << tuple.Op},
	{"directcalls", 1 << tuple.Direct},
	{"entries", 1 << tuple.Enter},
	{"returns", 1 << tuple.Return},
	{"goroutines", 1 << tuple.Goroutine},
	{"all", all},
}

// Has reports whether taps with the tag are in k.
func (k Kinds) Has(tag tuple.Tag) bool { return k>>tag&1 != 0 }

// ParseKinds reads names of kinds, separated by commas.
func ParseKinds(s string) (Kinds, error) {
	var k Kinds
	for name := range strings.SplitSeq(s, ",") {
		i := slices.IndexFunc(kindNames, func(n struct {
			name string
			set  Kinds
		}) bool {
			return n.name == name
		})
		if i < 0 {
			return 0, fmt.Errorf("no kind %q: there are %s", name, names())
		}
		k |= kindNames[i].set
	}
	return k, nil
}

func names() string {
	var b []string
	for _, n := range kindNames {
		b = append(b, n.name)
	}
	return strings.Join(b[:len(b)-1], ", ") + " and " + b[len(b)-1]
}

// A Range is some lines of the files of a name.
type Range struct {
	File     string // base name, or the last elements of a path
	From, To int    // To is inclusive
}

// Has reports whether a line is in r.
func (r Range) Has(file string, line int) bool {
	file = filepath.ToSlash(file)
	return (file == r.File || strings.HasSuffix(file, "/"+r.File)) && r.From <= line && line <= r.To
}

// ParseRanges reads ranges, separated by commas: "x.go:10-20", "a/x.go:7",
// "x.go" for the whole file. A //line directive may name any file, such as a grammar.
func ParseRanges(s string) ([]Range, error) {
	var ranges []Range
	for item := range strings.SplitSeq(s, ",") {
		r, ok := parseRange(item)
		if !ok {
			return nil, fmt.Errorf("%q is not of the form file.go:10-20, file.go:10 or file.go; a file without an extension needs lines", item)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

func parseRange(s string) (r Range, ok bool) {
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 {
		return Range{s, 1, int(^uint(0) >> 1)}, filepath.Ext(s) != ""
	}
	lines := s[colon+1:]
	r.File = s[:colon]
	from, to, several := strings.Cut(lines, "-")
	if !several {
		to = from
	}
	var err1, err2 error
	r.From, err1 = strconv.Atoi(from)
	r.To, err2 = strconv.Atoi(to)
	return r, err1 == nil && err2 == nil && 1 <= r.From && r.From <= r.To && r.File != ""
}

// directive is the comment that asks for taps of a statement.
const directive = "//pep:tap"

// A line is a line of a file.
type line struct {
	file string
	n    int
}

// directives notes the lines with a directive in a file, and whether there is
// code on them.
func (f *source) directives(file *ast.File) {
	some := false
	for _, g := range file.Comments {
		for _, x := range g.List {
			if x.Text == directive || strings.HasPrefix(x.Text, directive+" ") {
				f.lines[f.line(x.Pos())] = true
				some = true
			}
		}
	}
	if !some {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		f.code[f.line(n.Pos())] = true
		f.code[f.line(n.End())] = true
		return true
	})
}

// line returns the line of pos, whatever line directives say.
func (c *Config) line(pos token.Pos) line {
	if !pos.IsValid() {
		return line{} // of a marker
	}
	p := c.Fset.PositionFor(pos, false)
	return line{p.Filename, p.Line}
}
