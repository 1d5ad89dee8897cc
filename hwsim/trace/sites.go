package trace

// This file has the names of sites and words.

import (
	"fmt"
	"strconv"
	"strings"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// Sites maps sites to taps. A nil Sites knows no taps.
type Sites struct {
	packages []*wire.Package
	byBase   map[uint64]*wire.Package
}

// NewSites reads the site tables of a trace. If the tables are damaged, or if the trace has
// another build than they, it returns nil and an error.
func NewSites(h *format.Header) (*Sites, error) {
	if len(h.Tables) == 0 {
		return nil, nil
	}
	var packages []*wire.Package
	for rest := h.Tables; len(rest) > 0; {
		p, after, err := wire.ReadPackage(rest)
		if err != nil {
			return nil, fmt.Errorf("%w: words and sites were read without names", err)
		}
		packages = append(packages, p)
		rest = after
	}
	if build := wire.BuildHash(h.Tables); build != h.Build {
		return nil, fmt.Errorf("the site tables are of build %x, the trace is of build %x: words and sites were read without names", build, h.Build)
	}
	return sitesOf(packages), nil
}

func sitesOf(packages []*wire.Package) *Sites {
	s := &Sites{packages: packages, byBase: map[uint64]*wire.Package{}}
	for _, p := range packages {
		s.byBase[tuple.SiteBase(p.Path)] = p
	}
	return s
}

// Packages returns the tables.
func (s *Sites) Packages() []*wire.Package {
	if s == nil {
		return nil
	}
	return s.packages
}

// Tap returns the tap at a site, and the tap's package. Each of the two is nil if s does
// not know it.
func (s *Sites) Tap(site uint64) (*wire.Package, *wire.Tap) {
	if s == nil {
		return nil, nil
	}
	const index = tuple.MaxSites - 1
	p := s.byBase[site&^index]
	if p == nil || site&index >= uint64(len(p.Taps)) {
		return p, nil
	}
	return p, &p.Taps[site&index]
}

// Func returns the name of the function that has the site, or "" if s does not know the
// site.
func (s *Sites) Func(site uint64) string {
	if _, tap := s.Tap(site); tap != nil {
		return tap.Func
	}
	return ""
}

// Name returns the form of a site that parseSite reads: "main+3" for the fourth tap of
// package main, or a number if s does not know the site.
func (s *Sites) Name(site uint64) string {
	if p, tap := s.Tap(site); tap != nil {
		return p.Path + "+" + strconv.FormatUint(site-tuple.SiteBase(p.Path), 10)
	}
	return "0x" + strconv.FormatUint(site, 16)
}

// Describe returns the expression of a tuple and its position in the source:
// "p.next main.go:5:3 main.f". A further word of a sample has its own expression:
// "&p.next main.go:5:3 main.f". If s does not know the site, Describe returns "".
func (s *Sites) Describe(t tuple.Tuple) string {
	p, tap := s.Tap(t.Site())
	if tap == nil {
		return ""
	}
	expr := tap.Expr
	if n := t.Tag().Further(); n > 0 && n <= len(tap.More) {
		expr = tap.More[n-1].Expr
	}
	return fmt.Sprintf("%s %s:%d:%d %s", expr, file(p, tap), tap.Line, tap.Col, tap.Func)
}

// file returns the name, without directories, of the file that has the tap.
func file(p *wire.Package, tap *wire.Tap) string {
	if tap.File >= len(p.Files) {
		return "?"
	}
	name := p.Files[tap.File]
	return name[strings.LastIndexByte(name, '/')+1:]
}

func parseSite(s string) (uint64, error) {
	if i := strings.LastIndexByte(s, '+'); i > 0 {
		n, err := strconv.ParseUint(s[i+1:], 10, 24)
		if err != nil {
			return 0, fmt.Errorf("site %q: want package+number with a number below %d", s, tuple.MaxSites)
		}
		return tuple.SiteBase(s[:i]) + n, nil
	}
	n, err := strconv.ParseUint(s, 0, 56)
	if err != nil {
		return 0, fmt.Errorf("site %q: want package+number, or a number below 1<<56", s)
	}
	return n, nil
}

// A Word is a word with its tag. The tag says what the word means.
type Word struct {
	Tag tuple.Tag
	W   uint64
}

// Names maps words of tuples that denote types and functions to their names.
type Names map[Word]string

// TagName returns the name of a tag: "load", or "tag77" if it has none.
func TagName(t tuple.Tag) string {
	if t.Known() {
		return t.String()
	}
	return "tag" + strconv.Itoa(int(t))
}

// ParseTag is the inverse of TagName.
func ParseTag(s string) (tuple.Tag, error) {
	var names []string
	for t := tuple.Tag(1); t.Known(); t++ {
		if t.String() == s {
			return t, nil
		}
		names = append(names, t.String())
	}
	if n, ok := strings.CutPrefix(s, "tag"); ok {
		if t, err := strconv.ParseUint(n, 10, 8); err == nil {
			return tuple.Tag(t), nil
		}
	}
	return 0, fmt.Errorf("tag %q: want one of %s", s, strings.Join(names, ", "))
}

// WordName returns the text of a word. Addresses, and words of 1<<32 and more, which look
// like addresses, are hexadecimal. All others are decimal.
func WordName(t tuple.Tag, w uint64) string {
	if t == tuple.Call || t == tuple.Direct || t == tuple.Type || t == tuple.Addr || w >= 1<<32 {
		return "0x" + strconv.FormatUint(w, 16)
	}
	return strconv.FormatUint(w, 10)
}
