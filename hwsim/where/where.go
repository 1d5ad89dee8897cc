// Package where is a filter engine. It passes on the samples whose words are in given
// ranges, to engines behind it:
//
//	where(first=0):rap                            zero loads, by site
//	where(first=0,pass=second):rap(over=words)    the addresses of zero loads (-peptaps=pairs)
//	where(second=-32768..65535,third=-32768..65535,pass=first):rap(over=sites)
//	                                              sites of operations whose operands have 16 bits (-peptaps=ops)
//
// Without arguments it passes on everything. A range is a number, or two numbers with
// .. between them; both ends belong to the range. Numbers are decimal, or hexadecimal
// after 0x. Negative numbers are those of signed types: a word of -1 has all 64 bits
// set, so it is not in 0..65535. The words that go on are not changed, so profiles of
// programs can show them. The filter drops and counts the other words.
//
// Package hwsim/trace cuts traces by tag, function and position.
//
// Source of the examples: Mysore et al., "Profiling over Adaptive Ranges", CGO 2006,
// section 4.4.
package where

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/sample"
)

// Kind is the filter.
//
//	first, second, third   ranges for words of the sample
//	site                   a range for the number of the site
//	pass                   which words go on: all, first, second or third
//
// A sample goes on if each word that has a range is in this range. A sample is dropped if
// it lacks such a word, or the word that pass names.
var Kind = &hwsim.Kind{
	Name:     "where",
	Params:   []string{"first", "second", "third", "site", "pass"},
	Parse:    parse,
	Weighted: true,
	Examples: []string{"where", "where(0)", "where(first=1..0xff)", "where(first=-128..127,pass=first)",
		"where(first=0xc000000000..0xc0ffffffff,second=0)", "where(pass=third)"},
}

// A spec has a range for each field.
type spec struct {
	ranges [sample.NumFields]span
	pass   int // index into passNames
}

// passNames begins with all; the words follow in the order of their fields.
var passNames = [...]string{"all", "first", "second", "third"}

// A span is the words from lo to hi, modulo 2^64: -1..1 is 2^64-1, 0 and 1.
type span struct{ lo, hi uint64 }

var everything = span{0, 1<<64 - 1}

func (r span) has(w uint64) bool { return w-r.lo <= r.hi-r.lo }

func parse(a *hwsim.Args) hwsim.Spec {
	var s spec
	for f, name := range sample.Names {
		text := a.String(name, "")
		s.ranges[f] = everything
		if text == "" {
			continue
		}
		r, ok := parseSpan(text)
		if !ok {
			a.WantFor(name, "a number, or a range such as 0..65535, -128..127 or 0xc000000000..0xc0ffffffff")
		}
		s.ranges[f] = r
	}
	pass := a.String("pass", passNames[0])
	for s.pass < len(passNames) && passNames[s.pass] != pass {
		s.pass++
	}
	if s.pass == len(passNames) {
		a.WantFor("pass", "one of all, first, second, third")
	}
	return s
}

// parseSpan parses a number, or two numbers with .. between them.
func parseSpan(text string) (r span, ok bool) {
	low, high := text, text
	for i := range len(text) - 1 {
		if text[i:i+2] == ".." {
			low, high = text[:i], text[i+2:]
			break
		}
	}
	lo, below, ok1 := parseNumber(low)
	hi, belowHi, ok2 := parseNumber(high)
	if !ok1 || !ok2 {
		return r, false
	}
	switch {
	case below == belowHi:
		ok = lo <= hi // the words of two negative numbers are in the same order as the numbers
	case below:
		ok = hi < 1<<63 // otherwise some words would be both negative and positive
	}
	return span{lo, hi}, ok
}

// parseNumber parses a number, and reports whether it is negative.
func parseNumber(text string) (n uint64, negative, ok bool) {
	if text != "" && text[0] == '-' {
		negative, text = true, text[1:]
	}
	base := uint64(10)
	if len(text) > 2 && text[:2] == "0x" {
		base, text = 16, text[2:]
	}
	for i := range len(text) {
		d := base // not a digit
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			d = uint64(c - '0')
		case 'a' <= c && c <= 'f':
			d = uint64(c-'a') + 10
		}
		if d >= base || n > (1<<64-1-d)/base {
			return 0, false, false
		}
		n = n*base + d
	}
	if negative {
		return -n, n > 0, text != "" && n <= 1<<63
	}
	return n, false, text != ""
}

// String returns the description. It omits parameters that have their defaults.
func (s spec) String() string {
	text := ""
	for f := sample.First; f < sample.First+sample.NumFields; f++ {
		f := f % sample.NumFields // the site comes last
		if r := s.ranges[f]; r != everything {
			text += "," + sample.Names[f] + "=" + r.String()
		}
	}
	if s.pass > 0 {
		text += ",pass=" + passNames[s.pass]
	}
	if text == "" {
		return "where"
	}
	return "where(" + text[1:] + ")"
}

func (r span) String() string {
	below := r.lo >= 1<<63 && (r.hi >= r.lo || r.hi < 1<<63)
	text := number(r.lo, below)
	if r.hi != r.lo {
		text += ".." + number(r.hi, below && r.hi >= 1<<63)
	}
	return text
}

func number(n uint64, negative bool) string {
	if negative {
		return digits.Int(int64(n))
	}
	return digits.Uint(n)
}

// WithSeed returns s, because the filter uses no random numbers.
func (s spec) WithSeed(uint64) hwsim.Spec { return s }

// ForTraces implements hwsim.Rewriter: the words that go on are those that taps have
// seen.
func (s spec) ForTraces() bool { return false }

// New returns a new filter.
func (s spec) New(hwsim.Instance) hwsim.Engine { return sample.New(s.take, nil) }

func (s *spec) take(x *sample.Sample, out *hwsim.Out) (sent uint64) {
	for f, r := range s.ranges {
		if r == everything {
			continue
		}
		if w, ok := x.Word(sample.Field(f)); !ok || !r.has(w) {
			return 0
		}
	}
	if s.pass == 0 {
		return x.Send(out, x.Count)
	}
	if _, ok := x.Word(sample.First + sample.Field(s.pass-1)); !ok {
		return 0
	}
	out.Send(hwsim.Message{Tuple: x.Tuples[s.pass-1], Count: x.Count})
	return x.Count
}
