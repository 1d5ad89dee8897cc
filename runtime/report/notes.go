package report

// This file makes profiles of what windows have noted: the functions that calls went to, the dynamic types of
// interfaces, and values if the run asked for them. A sample is one of a tap (taps.go). What differs is
//
//   - the first value: what the sample stands for, in 1/Unit of what was noted, as in other profiles by windows
//   - the second value: how often it was noted
//   - the labels of goroutines, which it does not have
//   - bounds, which it has (sitesums.go)
//
// In a program without a table of values there are calls only. Then the column of the call is 0, and the expression is
// the address of the instruction. The target of an interface call has the type that the interface had in its name: of a
// method that this type has by embedding, it is the wrapper that the compiler makes.

import (
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/weigh"
)

// Notes has the data for profiles of what windows have noted.
type Notes struct {
	Windows []NoteWindow
	Site    func(number uint32) (s NoteSite, ok bool)
	Names   NoteNames
}

// A NoteSite says what is noted at a site. Sites of the same code that is in several places of the program are the
// same.
type NoteSite struct {
	Tag   tuple.Tag // Call, Type, Load, Addr, Arg or Result
	Itab  bool      // of Type: the value is the address of an itab
	Width uint8     // of a value, in bytes
	Form  wire.Kind // of a value

	Func       Frame // the innermost function, at the line of the site
	Col        int
	Expr, Type string
}

// NoteNames tells what addresses stand for.
type NoteNames interface {
	Names
	Callee(pc uint64) Frame                // the function whose code begins at pc; of a wrapper where the method is
	Dynamic(word uint64, itab bool) string // the type whose descriptor, or whose itab, is at an address
}

// A NoteWindow is a window with its notes.
type NoteWindow struct {
	Weight  float64 // how many windows of the program it stands for
	Notes   []Noted
	Unnoted uint32 // values that found no space
}

// A Noted says how often a window had a value at a site.
type Noted struct {
	Site, Count uint32
	Value       uint64
}

// A noteValue is a value as the profile has it: of a call the function, else a text.
type noteValue struct {
	target Frame
	text   string
}

// A notePlace is a site with its values.
type notePlace struct {
	siteSums
	NoteSite
	texts []noteValue // by value
	index map[noteValue]int
}

// value returns a value of a site.
func (x *notePlace) value(v noteValue) *seen {
	i, ok := x.index[v]
	if !ok {
		i = len(x.values)
		x.index[v] = i
		x.texts = append(x.texts, v)
		x.values = append(x.values, new(seen))
	}
	return x.values[i]
}

// Write returns a profile for each kind of which something was noted. What is the same in all profiles, p has.
func (n *Notes) Write(p *Profile) (files []File) {
	places, unnoted, unknown := n.places()
	for _, kind := range [...]schema.Kind{schema.CallTargets, schema.Types, schema.Values} {
		o := p.ofWindows(kind)
		o.DefaultType = kind.Types()[0]
		noted := int64(0)
		for _, x := range places {
			if kindOf(x.Tag) == kind {
				noted += x.write(o)
			}
		}
		if noted == 0 {
			continue
		}
		about := p.factsOf(noted)
		about.Set(facts.Unnoted, unnoted)
		about.Set(facts.UnknownTaps, unknown)
		o.Comments = []string{about.Encode()}
		files = append(files, File{string(kind), pprofenc.Gzip(o.Encode())})
	}
	return files
}

// write adds the samples of a site, and returns how often it was noted.
func (x *notePlace) write(o *pprofenc.Profile) (noted int64) {
	location := func(f Frame) uint64 {
		return o.Location(o.Function(pprofenc.Function{Name: f.Func, SystemName: f.Symbol, Filename: f.File,
			StartLine: int64(f.StartLine)}), int64(f.Line))
	}
	at := location(x.Func)
	expr := x.Expr
	if expr == "" {
		expr = schema.NoText
	}
	for i, v := range x.values {
		text := x.texts[i]
		labels := []pprofenc.Label{
			{Key: schema.Site, Value: base(x.Func.File) + ":" + position(x.Func.Line, x.Col)},
			{Key: schema.TapKind, Value: x.Tag.String()},
			{Key: schema.Expr, Value: expr},
		}
		stack := []uint64{at}
		switch x.Tag {
		case tuple.Call:
			stack = []uint64{location(text.target), at}
			labels = append(labels, pprofenc.Label{Key: schema.Type, Value: x.Type})
		case tuple.Type:
			labels = append(labels, pprofenc.Label{Key: schema.Type, Value: text.text},
				pprofenc.Label{Key: schema.Static, Value: x.Type})
		default:
			labels = append(labels, pprofenc.Label{Key: schema.Value, Value: schema.ValueText(expr, text.text)},
				pprofenc.Label{Key: schema.Type, Value: x.Type})
			if t := x.tap(); isAddress(t) || isCode(t) && hasPrefix(text.text, "0x") {
				labels = append(labels, pprofenc.Label{Key: schema.Form, Value: schema.Address})
			}
		}
		noted += v.samples
		o.Sample(stack, []int64{max(whole(v.Sum), 1), v.samples}, x.bounds(o, o.Labels(labels...), v))
	}
	return noted
}

// tap returns the tap that would report the values of a site.
func (s *NoteSite) tap() *wire.Tap {
	return &wire.Tap{Tag: uint8(s.Tag), Expr: s.Expr, Type: s.Type, Bits: 8 * s.Width, Kind: s.Form}
}

// read returns a word of a site as the profile has it.
func (n *Notes) read(s *NoteSite, word uint64) (v noteValue) {
	switch s.Tag {
	case tuple.Call:
		if word == 0 {
			v.target.Func = schema.Nil
			break
		}
		v.target = n.Names.Callee(word)
	case tuple.Type:
		if v.text = schema.Nil; word != 0 {
			v.text = n.Names.Dynamic(word, s.Itab)
		}
	default:
		if s.Form == wire.Signed || s.Form == wire.Rune { // notes have nothing above the width
			if unused := 64 - 8*s.Width; unused < 64 {
				word = uint64(int64(word) << unused >> unused)
			}
		}
		v.text = valueText(s.tap(), word, n.Names)
	}
	return v
}

// places returns the sites with the sums of their values, how many values have no note, and how many are of sites that
// are not known.
func (n *Notes) places() (list []*notePlace, unnoted, unknown uint64) {
	type key struct {
		place *notePlace
		word  uint64
	}
	numbers, sites, values := map[uint32]*notePlace{}, map[NoteSite]*notePlace{}, map[key]*seen{}
	placeOf := func(number uint32) *notePlace {
		x, ok := numbers[number]
		if ok {
			return x
		}
		if s, known := n.Site(number); known {
			if x = sites[s]; x == nil {
				x = &notePlace{NoteSite: s, index: map[noteValue]int{}}
				sites[s] = x
				list = append(list, x)
			}
		}
		numbers[number] = x
		return x
	}
	var scale scale
	for i := range n.Windows {
		w := &n.Windows[i]
		for _, x := range w.Notes {
			if placeOf(x.Site) == nil {
				unknown += uint64(x.Count)
				continue
			}
			scale.add(w.Weight, float64(x.Count))
		}
		unnoted += uint64(w.Unnoted)
	}
	for i := range n.Windows {
		w := &n.Windows[i]
		var here []*notePlace
		for _, x := range w.Notes {
			place := placeOf(x.Site)
			if place == nil {
				continue
			}
			k := key{place, x.Value}
			v := values[k]
			if v == nil {
				v = place.value(n.read(&place.NoteSite, x.Value))
				values[k] = v
			}
			if place.see(v, x.Count) {
				here = append(here, place)
			}
		}
		for _, place := range here {
			place.add(scale.of(w.Weight))
		}
	}
	// What is alike in windows differs between calls, types and values.
	var alike [3]weigh.Alike
	group := func(x *notePlace) *weigh.Alike {
		switch kindOf(x.Tag) {
		case schema.CallTargets:
			return &alike[0]
		case schema.Types:
			return &alike[1]
		}
		return &alike[2]
	}
	for _, x := range list {
		x.end(len(n.Windows), group(x))
	}
	for _, x := range list {
		x.all.Alike = group(x).Correlation()
	}
	return list, unnoted, unknown
}
