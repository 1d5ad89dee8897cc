// Package morton is an engine that joins several numbers of a sample into one word, for
// trees of boxes behind it:
//
//	code(app.layout,to=site):morton(site=0..31,first=0..31):rap(over=words)
//	                                     calls, from address to address (-peptaps=calls,directcalls)
//	code(app.layout,to=site):morton(site=0..23,second=8..47):rap(over=words)
//	                                     code and the data that it loads (-peptaps=pairs)
//	morton(first=0..15,second=0..47):rap(over=words)
//	                                     values and addresses of loads (-peptaps=pairs)
//
// A number consists of the given bits of the site or of a word. The lowest bit is bit
// 0. For example, 8..47 takes bits 8 to 47 of an address: the number counts in steps of
// 256 bytes, and the address must be below 2^48. A sample with a 1 above these bits
// does not fit, so it is dropped and counted. A sample that lacks a word is dropped and
// counted, too. All numbers together have at most 64 bits.
//
// Package hwsim/box explains the order of the bits, and that a range of words stands
// for one range of each number. With n numbers, rap(b=2^n,universe=2^BITS), where BITS
// is the sum of all bits, splits a box once in every direction.
package morton

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
	"github.com/pepgo/pep/hwsim/sample"
)

// Kind is the mapper. Its parameters are the numbers, in order, each with its bits. If
// the site is one of the numbers, the events get the site 0.
var Kind = &hwsim.Kind{
	Name:     "morton",
	Params:   sample.Names[:],
	Parse:    parse,
	Weighted: true,
	Examples: []string{"morton(site=0..55,first=0..7)", "morton(site=0..3,first=4..47)",
		"morton(first=0..15,second=0..47)", "morton(site=24..55,first=0..15,second=0..7,third=0..7)"},
}

// A spec has the bits of each field.
type spec struct {
	bits  [sample.NumFields]bitRange
	shape *box.Shape
}

// A bitRange is the n bits from low on; if n is 0, the field is not used.
type bitRange struct{ low, n int }

func parse(a *hwsim.Args) hwsim.Spec {
	var s spec
	var shape []int
	total, last := 0, sample.Names[0]
	for f, name := range sample.Names {
		text := a.String(name, "")
		if text == "" {
			continue
		}
		r, ok := parseBits(text)
		if !ok || f == int(sample.Site) && r.low+r.n > siteBits {
			a.WantFor(name, "the lowest and the highest bit, such as 0..31, in words up to 63 and in sites up to 55")
			return s
		}
		if total += r.n; total > 64 {
			a.WantFor(name, "at most "+digits.Int(int64(64-total+r.n))+
				" bits, for 64 together; 4..47 takes an address in steps of 16 bytes")
			return s
		}
		s.bits[f], shape, last = r, append(shape, r.n), name
	}
	if len(shape) < 2 {
		if len(shape) == 1 {
			a.WantFor(last, "the bits of a second number beside, such as "+other(last)+"=0..31")
		} else {
			a.Want(0, "the bits of two numbers or more, such as site=0..23,first=0..31")
		}
		return s
	}
	s.shape = box.New(shape...)
	return s
}

// siteBits is the number of bits of a site: see tuple.New.
const siteBits = 56

func other(name string) string {
	if name == sample.Names[sample.First] {
		return sample.Names[sample.Site]
	}
	return sample.Names[sample.First]
}

// parseBits parses "4..47".
func parseBits(text string) (r bitRange, ok bool) {
	for i := range len(text) - 1 {
		if text[i:i+2] != ".." {
			continue
		}
		low, ok1 := digits.Parse(text[:i])
		high, ok2 := digits.Parse(text[i+2:])
		ok = ok1 && ok2 && low <= high && high < 64
		return bitRange{int(low), int(high) - int(low) + 1}, ok
	}
	return r, false
}

// String returns the description.
func (s spec) String() string {
	text := ""
	for f, r := range s.bits {
		if r.n > 0 {
			text += "," + sample.Names[f] + "=" + digits.Int(int64(r.low)) + ".." + digits.Int(int64(r.low+r.n-1))
		}
	}
	return "morton(" + text[1:] + ")"
}

// WithSeed returns s, because the mapper uses no random numbers.
func (s spec) WithSeed(uint64) hwsim.Spec { return s }

// ForTraces implements hwsim.Rewriter: profiles do not know the joined words.
func (s spec) ForTraces() bool { return true }

// New returns a new mapper.
func (s spec) New(hwsim.Instance) hwsim.Engine { return sample.New(s.take, nil) }

func (s *spec) take(x *sample.Sample, out *hwsim.Out) (sent uint64) {
	var numbers [sample.NumFields]uint64
	n := 0
	for f, r := range s.bits {
		if r.n == 0 {
			continue
		}
		w, ok := x.Word(sample.Field(f))
		if w >>= r.low; !ok || w>>r.n != 0 {
			return 0
		}
		numbers[n] = w
		n++
	}
	t := x.Tuples[0]
	site := t.Site()
	if s.bits[sample.Site].n > 0 {
		site = 0
	}
	out.Send(hwsim.Message{Tuple: tuple.New(t.Tag(), site, s.shape.Join(numbers[:n])), Count: x.Count})
	return x.Count
}
