package report

// This file writes samples of pools. A pool comes from an engine that tells tags apart,
// but not taps. The words of a pool are words, sites or addresses of code. A range of
// words
//
//	(all load taps)
//	pool   words
//	value  word=[64, 79]
//
// is written in the form of the taps' type if all taps of the tag have the same type.
// Otherwise words that fit into 32 bits are decimal, with a sign if they are negative,
// and others are hexadecimal. A range of code is a range of sites or of addresses. Its
// frame is the function that its taps are in, or the first and the last such function;
// its value has their lines.
//
//	main.work  work.go:12                    [main.parse, main.work]  work.go:3
//	pool   sites                             pool   code
//	value  tap=work.go:12-20                 value  address=work.go:3-20
//
// All samples of pools are in the profile of values, whatever their tag is.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// A Place is an address where the code of a tap is.
type Place struct {
	Addr uint64
	PC   uint64 // tag and site, as in tuples
}

// A placed is a tap with its number in the order of a pool: its site or its address.
type placed struct {
	at   uint64
	site *site
}

// pooled adds a sample of a pool. It returns false if no tap is in the range of x.
func (w *tapWriter) pooled(x *Word, pool string) (ok bool) {
	tag := x.Tuple.Tag()
	if tag == tuple.Goroutine {
		return true
	}
	expr, value := "word", ""
	frame := pprofenc.Function{Name: "(all " + tag.String() + " taps)"}
	line := int64(0)
	typ := ""
	var about []pprofenc.Label
	var lines [2]int
	switch {
	case x.Other:
		value = schema.Other
	case pool == schema.PoolWords:
		var like *site
		value, typ, like = w.poolWord(x)
		about = w.withEnds(nil, like, x)
	default:
		expr = "tap"
		if pool == schema.PoolCode {
			expr = schema.Address
		}
		in := w.within(x, pool)
		if len(in) == 0 {
			return false
		}
		first, last := in[0].site, in[len(in)-1].site
		frame = pprofenc.Function{Name: first.Func, Filename: first.file, StartLine: int64(first.start)}
		about = w.withWords(nil, x)
		if first.Func != last.Func {
			frame.Name = "[" + first.Func + ", " + last.Func + "]"
			about = append(about, pprofenc.Label{Key: schema.LowFunc, Value: first.Func},
				pprofenc.Label{Key: schema.HighFunc, Value: last.Func})
		}
		line = int64(first.Line)
		var file string
		if value, file, lines = span(in); file != "" {
			about = append(about, pprofenc.Label{Key: schema.HighFile, Value: file})
		}
	}
	p := w.profile(schema.Values)
	labels := []pprofenc.Label{
		{Key: schema.Pool, Value: pool},
		{Key: schema.TapKind, Value: tag.String()},
		{Key: schema.Expr, Value: expr},
		{Key: schema.Value, Value: schema.ValueText(expr, value)},
		{Key: schema.Type, Value: typ},
	}
	all := p.Labels(append(labels, about...)...)
	if lines[0] > 0 {
		all = p.Number(all, schema.LowLine, int64(lines[0]), schema.Line)
		all = p.Number(all, schema.HighLine, int64(lines[1]), schema.Line)
	}
	p.Sample([]uint64{p.Location(p.Function(frame), line)}, []int64{x.Count, x.Messages}, all)
	return true
}

// profile returns the profile of a kind. If there is none, profile makes it.
func (w *tapWriter) profile(k schema.Kind) *pprofenc.Profile {
	if w.profiles[k] == nil {
		w.profiles[k] = newProfile(k.Types())
	}
	return w.profiles[k]
}

// poolWord writes a range of words of all taps of a tag. It also returns their type if
// all of them have the same, and one of the taps if the words of all of them are read in the same way.
func (w *tapWriter) poolWord(x *Word) (value, typ string, like *site) {
	tag := x.Tuple.Tag()
	like, oneType := w.likeAll(tag)
	switch {
	case like == nil:
		return plainWords(x.ends()), "", nil
	case oneType:
		typ = like.Type
	}
	switch kindOf(tag) {
	case schema.Types:
		return w.typeOf(x), typ, like
	case schema.CallTargets:
		return w.target(like, x).Func, typ, like
	}
	return w.value(like, x), typ, like
}

// likeAll returns one of the taps of a tag if the words of all these taps are read in
// the same way. It also reports whether their types have the same name.
func (w *tapWriter) likeAll(tag tuple.Tag) (like *site, oneType bool) {
	oneType = true
	for _, p := range w.Packages {
		first := tuple.SiteBase(p.Path)
		for i := range p.Taps {
			s := w.siteOf(tuple.New(tag, first+uint64(i), 0))
			switch {
			case s == nil:
			case like == nil:
				like = s
			case tag == tuple.Edge && s.Type != like.Type, s.Kind != like.Kind, s.Bits != like.Bits:
				return nil, false
			case s.Type != like.Type:
				oneType = false
			}
		}
	}
	return like, oneType && like != nil
}

// plain returns how words are written that have no common type: those of a range.
func plain(first, last uint64) (write func(uint64) string) {
	const small = 1 << 32
	switch {
	case last < small:
		return digits.Uint
	case -first <= small && first > last>>1: // the upper end of all words: below 0 with a sign
		return func(x uint64) string { return "-" + digits.Uint(-x) }
	}
	return digits.Hex
}

// plainWords writes a range of words that have no common type.
func plainWords(first, last uint64) string {
	write := plain(first, last)
	if first == last {
		return write(first)
	}
	return "[" + write(first) + ", " + write(last) + "]"
}

// within returns the taps in the range of x, which is a word of a pool of code.
func (w *tapWriter) within(x *Word, pool string) []placed {
	key := pool + " " + x.Tuple.Tag().String()
	list, ok := w.pools[key]
	if !ok {
		list = w.placesOf(x.Tuple.Tag(), pool)
		w.pools[key] = list
	}
	first, last := x.ends()
	return list[below(list, first) : below(list, last)+at(list, last)]
}

// below returns the number of places before number n.
func below(list []placed, n uint64) int {
	low, high := 0, len(list)
	for low < high {
		if mid := int(uint(low+high) / 2); list[mid].at < n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// at returns the number of places at number n.
func at(list []placed, n uint64) (count int) {
	for i := below(list, n); i < len(list) && list[i].at == n; i++ {
		count++
	}
	return count
}

// placesOf returns the taps of a tag in the order of a pool.
func (w *tapWriter) placesOf(tag tuple.Tag, pool string) (list []placed) {
	if pool == schema.PoolCode {
		for _, p := range w.Code {
			t := tuple.Tuple{PC: p.PC}
			if s := w.siteOf(tuple.New(tag, t.Site(), 0)); s != nil {
				list = append(list, placed{p.Addr, s})
			}
		}
		return list
	}
	for _, p := range inOrder(w.Packages) {
		first := tuple.SiteBase(p.Path)
		for i := range p.Taps {
			if s := w.siteOf(tuple.New(tag, first+uint64(i), 0)); s != nil {
				list = append(list, placed{first + uint64(i), s})
			}
		}
	}
	return list
}

// inOrder returns packages in the order of their sites.
func inOrder(pkgs []*wire.Package) []*wire.Package {
	list := append([]*wire.Package(nil), pkgs...)
	for i := range list {
		for k := i; k > 0 && tuple.SiteBase(list[k].Path) < tuple.SiteBase(list[k-1].Path); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	return list
}

// span writes the lines of taps: "x.go:12:5" for one tap, "x.go:12-20" for several taps
// in a file, and otherwise the first and the last line: "a.go:3 to z.go:9". It returns these lines, and the
// second file if there is one.
func span(in []placed) (text, file string, lines [2]int) {
	first, last := in[0].site, in[len(in)-1].site
	low, high := first.Line, first.Line
	for _, p := range in {
		if first.Func == last.Func && p.site.Func != first.Func {
			continue // a tap of another function that the compiler has inlined
		}
		if p.site.file != first.file {
			file = base(last.file)
			return base(first.file) + ":" + digits.Int(int64(first.Line)) + " to " + file + ":" + digits.Int(int64(last.Line)),
				file, [2]int{first.Line, last.Line}
		}
		low, high = min(low, p.site.Line), max(high, p.site.Line)
	}
	text = base(first.file) + ":"
	switch {
	case len(in) == 1:
		text += position(first.Line, first.Col)
	case low == high:
		text += digits.Int(int64(low))
	default:
		text += digits.Int(int64(low)) + "-" + digits.Int(int64(high))
	}
	return text, "", [2]int{low, high}
}
