package report

// This file makes profiles of the words that taps reported: of values, of the dynamic
// types of interfaces, and of the functions that calls went to.
//
// If a tap reported a word 7 times, the profile of values has a sample with the value 7,
// on the line of the tap,
//
//	m.f       x.go:12
//
// with the labels
//
//	value  n=42           the expression, and the value as its type has it
//	site   x.go:12:5
//	kind   load
//	expr   n
//	type   int
//
// If the goroutine had labels of runtime/pprof, the sample has them, too. A word that goroutines with
// different labels have reported has a sample for each set of labels.
//
// In the profile of types there is no label value; the label type is the concrete type,
// and static is the type of the expression. In the profile of call targets the leaf is
// the function that was called, and its caller is the line of the tap.
// Samples of engines that do not tell taps apart are in pool.go, those of events that
// engines derive from others in derived.go. If the program counts no paths, the outcomes
// of branches are also in a profile of edges, which is otherwise made of paths.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// A Word is a word that a tap reported.
type Word struct {
	Tuple    tuple.Tuple
	Free     uint8 // so many low bits of Tuple.W may be anything: see range.go
	Other    bool  // it stands for several that were not told apart
	Count    int64 // events
	Messages int64 // in which they were reported

	// Labels is 1 + the index into Taps.Labels of the labels of the goroutines that reported it, 0
	// for none.
	Labels uint32
}

// Names tells what addresses stand for.
type Names interface {
	Func(pc uint64) Frame
	Method(addr uint64, name string) Frame // of the type at addr
	Type(addr uint64) string
	Float(x float64, bits int) string
}

// A File is a profile. The caller gives it a name that ends in Kind.pb.gz.
type File struct {
	Kind string
	Data []byte
}

// Taps has the data for the profiles of taps.
type Taps struct {
	Packages []*wire.Package
	Words    []Word
	Labels   [][]pprofenc.Label // sets of labels of goroutines
	Names    Names
	Code     []Place // where taps stand, by address; needed for words of the pool tuple.PoolCode alone

	Mapping    pprofenc.Mapping
	Facts      facts.List // Write adds what it finds
	PeriodType pprofenc.ValueType
	Period     int64
	Start      int64 // ns since 1970
	Duration   int64 // ns
}

// Tapped reports whether a package has taps.
func Tapped(pkgs []*wire.Package) bool {
	for _, p := range pkgs {
		if len(p.Taps) > 0 {
			return true
		}
	}
	return false
}

// kindOf returns the kind of profile that a tag belongs to.
func kindOf(tag tuple.Tag) schema.Kind {
	switch tag {
	case tuple.Type:
		return schema.Types
	case tuple.Call, tuple.Direct:
		return schema.CallTargets
	case tuple.Dep, tuple.Follow:
		return schema.Deps
	case tuple.Context, tuple.Within:
		return schema.Contexts
	case tuple.Enter, tuple.Return, tuple.Goroutine:
		return "" // they say when something happens: only a stream has that
	}
	return schema.Values
}

// Write returns a profile for each kind of which packages have taps.
func (t *Taps) Write() (files []File) {
	w := tapWriter{Taps: t, sites: map[uint64]*site{}, profiles: map[schema.Kind]*pprofenc.Profile{}, ranges: t.ranges(),
		pools: map[string][]placed{}, edges: !counted(wire.Whole(t.Packages...))}
	for _, p := range t.Packages {
		w.index(p)
	}
	var lost int64
	for i := range t.Words {
		if !w.word(&t.Words[i]) {
			lost = plus(lost, t.Words[i].Count)
		}
	}
	about := append(facts.List(nil), t.Facts...)
	about.Set(facts.UnknownTaps, uint64(lost))
	comments := []string{about.Encode()}
	for _, kind := range schema.Kinds {
		p := w.profiles[kind]
		if p == nil {
			continue
		}
		p.Mapping = t.Mapping
		p.PeriodType, p.Period = t.PeriodType, t.Period
		p.Time, p.Duration = t.Start, t.Duration
		p.Comments = comments
		p.DefaultType = kind.Types()[0]
		files = append(files, File{string(kind), pprofenc.Gzip(p.Encode())})
	}
	return files
}

// A tapWriter is the state of Write.
type tapWriter struct {
	*Taps
	sites    map[uint64]*site
	profiles map[schema.Kind]*pprofenc.Profile
	ranges   bool                   // some words are ranges: all samples say which words they are about
	pools    map[string][]placed    // by pool and tag: see within
	edges    bool                   // outcomes of branches are also in a profile of edges
	contexts map[uint64]tuple.Tuple // the entries of calling contexts by their numbers; nil until it is needed
}

// A site is a tap with its location in the profile that it belongs to.
type site struct {
	*wire.Tap
	file  string
	start int    // line of the function, 0 if not known
	home  string // file of the function, empty if not known
}

func (w *tapWriter) index(p *wire.Package) {
	if len(p.Taps) == 0 {
		return
	}
	starts, homes := map[string]int{}, map[string]string{}
	for i := range p.Funcs {
		starts[p.Funcs[i].Name], homes[p.Funcs[i].Name] = p.Funcs[i].Line, p.Files[p.Funcs[i].File]
	}
	for i := range p.Skipped {
		starts[p.Skipped[i].Name], homes[p.Skipped[i].Name] = p.Skipped[i].Line, p.Files[p.Skipped[i].File]
	}
	first := tuple.SiteBase(p.Path)
	for i := range p.Taps {
		tap := &p.Taps[i]
		w.sites[first+uint64(i)] = &site{tap, p.Files[tap.File], starts[tap.Func], homes[tap.Func]}
		if k := kindOf(tuple.Tag(tap.Tag)); k != "" && w.profiles[k] == nil {
			w.profiles[k] = newProfile(k.Types())
		}
		if w.edges && tuple.Tag(tap.Tag) == tuple.Edge {
			w.profile(schema.Edges)
		}
	}
}

// location returns the location of a tap in a profile.
func (w *tapWriter) location(p *pprofenc.Profile, s *site) uint64 {
	return p.Location(p.Function(pprofenc.Function{Name: s.Func, Filename: s.file, StartLine: int64(s.start)}),
		int64(s.Line))
}

// labels returns the labels that samples of all taps have.
func (s *site) labels(kind string) []pprofenc.Label {
	return []pprofenc.Label{
		{Key: schema.Site, Value: base(s.file) + ":" + position(s.Line, s.Col)},
		{Key: schema.TapKind, Value: kind},
		{Key: schema.Expr, Value: s.Expr},
	}
}

// siteOf returns the site of a word, nil if the site tables do not have it. Further
// words of a sample have sites with their own expression.
func (w *tapWriter) siteOf(t tuple.Tuple) *site {
	s := w.sites[t.Site()]
	if s == nil {
		return nil
	}
	tap := tapOf(s.Tap, t.Tag())
	switch tap {
	case s.Tap:
		return s
	case nil:
		return nil
	}
	return &site{tap, s.file, s.start, s.home}
}

// tapOf returns what describes the words with a tag at the site of a tap: the tap itself, or a
// description of the further words of its samples. It is nil if the tap has no such words.
func tapOf(t *wire.Tap, tag tuple.Tag) *wire.Tap {
	n := tag.Further()
	switch {
	case n == 0 && tuple.Tag(t.Tag) == tag:
		return t
	case n == 0 || n > len(t.More):
		return nil
	}
	more := t.More[n-1]
	tap := *t
	tap.Tag, tap.Expr, tap.Type, tap.Bits, tap.Kind = uint8(tag), more.Expr, more.Type, more.Bits, more.Kind
	return &tap
}

// word adds a sample. It reports false if the site tables do not have the tap of x.
func (w *tapWriter) word(x *Word) (ok bool) {
	if pool := x.Tuple.Pool(); pool != "" {
		return w.pooled(x, pool)
	}
	kind := kindOf(x.Tuple.Tag())
	switch {
	case kind == "":
		return true
	case x.Tuple.Tag().Derived():
		return w.derived(x, kind)
	}
	s := w.siteOf(x.Tuple)
	if s == nil {
		return false
	}
	p := w.profiles[kind]
	at := w.location(p, s)
	stack := []uint64{at}
	labels := s.labels(x.Tuple.Tag().String())
	if w.edges && x.Tuple.Tag() == tuple.Edge {
		w.outcomeSample(s, x)
	}
	switch kind {
	case schema.Values:
		value := w.value(s, x)
		labels = append(labels, pprofenc.Label{Key: schema.Value, Value: schema.ValueText(s.Expr, value)},
			pprofenc.Label{Key: schema.Type, Value: s.Type})
		if !x.Other && (isAddress(s.Tap) || isCode(s.Tap) && hasPrefix(value, "0x")) { // a function without a name
			labels = append(labels, pprofenc.Label{Key: schema.Form, Value: schema.Address})
		}
	case schema.Types:
		labels = append(labels, pprofenc.Label{Key: schema.Type, Value: w.typeOf(x)},
			pprofenc.Label{Key: schema.Static, Value: s.Type})
	case schema.CallTargets:
		f := w.target(s, x)
		id := p.Function(pprofenc.Function{Name: f.Func, Filename: f.File, StartLine: int64(f.StartLine)})
		stack = []uint64{p.Location(id, int64(f.Line)), at}
		labels = append(labels, pprofenc.Label{Key: schema.Type, Value: s.Type})
	}
	labels = w.withEnds(labels, s, x)
	p.Sample(stack, []int64{x.Count, x.Messages}, p.Labels(w.with(labels, x)...))
	return true
}

// with returns labels with those of the goroutines that reported a word behind them.
func (w *tapWriter) with(labels []pprofenc.Label, x *Word) []pprofenc.Label {
	if x.Labels == 0 {
		return labels
	}
	return append(labels, ofGoroutine(w.Labels[x.Labels-1])...)
}

func (w *tapWriter) typeOf(x *Word) string {
	switch {
	case x.Other:
		return schema.Other
	case x.Free > 0:
		return hexRange(x)
	case x.Tuple.W == 0:
		return schema.Nil
	}
	return w.Names.Type(x.Tuple.W)
}

func (w *tapWriter) target(s *site, x *Word) Frame {
	switch {
	case x.Other:
		return Frame{Func: schema.Other}
	case x.Free > 0 && s.Bits == 0:
		return Frame{Func: hexRange(x)}
	case x.Free > 0:
		return w.targets(x)
	case x.Tuple.W == 0:
		return Frame{Func: schema.Nil}
	case s.Bits == 0: // a method of an interface
		return w.Names.Method(x.Tuple.W, afterLast(s.Expr, '.'))
	}
	return w.Names.Func(x.Tuple.W)
}

// value writes a word as a value of the tap's type.
func (w *tapWriter) value(s *site, x *Word) string {
	switch {
	case x.Other:
		return schema.Other
	case x.Free > 0 && isCode(s.Tap):
		return w.targets(x).Func
	case x.Free > 0:
		return w.rangeOf(s, x)
	}
	return valueText(s.Tap, x.Tuple.W, w.Names)
}

// isAddress reports whether the words of a tap of values are addresses of data.
func isAddress(tap *wire.Tap) bool {
	return tap.Kind == wire.Address || tuple.Tag(tap.Tag) == tuple.Addr
}

// isCode reports whether the words of a tap of values are the program counters of functions.
func isCode(tap *wire.Tap) bool {
	return tap.Kind == wire.None && tuple.Tag(tap.Tag) != tuple.Edge
}

// ValueText writes a word as a value of the tap at its site: 0x7ff8000000000001 as NaN, if that
// reports floating-point numbers, and the outcome 1 of an if as false. It reports false if
// the word is no value: a type, a function that is called, or a word that the tap does not report.
func ValueText(tap *wire.Tap, t tuple.Tuple, names Names) (text string, ok bool) {
	if kindOf(t.Tag()) != schema.Values {
		return "", false
	}
	if tap = tapOf(tap, t.Tag()); tap == nil {
		return "", false
	}
	return valueText(tap, t.W, names), true
}

func valueText(tap *wire.Tap, word uint64, names Names) string {
	switch tuple.Tag(tap.Tag) {
	case tuple.Addr:
		return digits.Hex(word)
	case tuple.Edge:
		return outcome(tap.Type, word)
	}
	switch tap.Kind {
	case wire.Bool:
		return [...]string{"false", "true"}[word&1]
	case wire.Float:
		if tap.Bits == 32 {
			bits := uint32(word)
			return names.Float(float64(*(*float32)(unsafe.Pointer(&bits))), 32)
		}
		return names.Float(*(*float64)(unsafe.Pointer(&word)), 64)
	case wire.Unsigned, wire.Length:
		return digits.Uint(word)
	case wire.Address, wire.None:
		switch {
		case word == 0:
			return schema.Nil
		case isCode(tap):
			return names.Func(word).Func
		}
		return digits.Hex(word)
	case wire.Rune:
		if text, ok := quote(int64(word)); ok {
			return text
		}
	}
	if int64(word) < 0 {
		return "-" + digits.Uint(-word)
	}
	return digits.Uint(word)
}

// quote writes a code point as Go does, as far as possible without a
// table of what can be printed: 'a', '\n', '\u2028'. It reports false if c is not a
// code point.
func quote(c int64) (text string, ok bool) {
	const surrogates, behind = 0xd800, 0xe000
	switch {
	case c < 0 || c > 0x10ffff || surrogates <= c && c < behind:
		return "", false
	case c == '\n':
		return `'\n'`, true
	case c == '\t':
		return `'\t'`, true
	case c == '\r':
		return `'\r'`, true
	case c == '\'' || c == '\\':
		return `'\` + string(rune(c)) + "'", true
	case ' ' <= c && c <= '~' || 0xa1 <= c && c < 0x2000 && c != 0xad || 0x3001 <= c && c < surrogates:
		return "'" + string(rune(c)) + "'", true
	case c < 0x80:
		return `'\x` + padded(c, 2) + "'", true
	case c < 0x10000:
		return `'\u` + padded(c, 4) + "'", true
	}
	return `'\U` + padded(c, 8) + "'", true
}

// padded returns n hexadecimal digits.
func padded(c int64, n int) string {
	h := digits.Hex(uint64(c))[len("0x"):]
	return "0000000"[:n-len(h)] + h
}

// outcome returns outcome i of a list such as "true; false".
func outcome(list string, i uint64) string {
	for n := uint64(0); ; n++ {
		end := 0
		for end < len(list) && !hasPrefix(list[end:], "; ") {
			end++
		}
		switch {
		case n == i:
			return list[:end]
		case end == len(list):
			return digits.Uint(i)
		}
		list = list[end+len("; "):]
	}
}

// afterLast returns what follows the last sep in s.
func afterLast(s string, sep byte) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == sep {
			return s[i+1:]
		}
	}
	return s
}
