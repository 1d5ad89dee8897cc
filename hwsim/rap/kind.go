package rap

// This file parses and writes descriptions of trees as engines.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// Kind makes trees available as engines:
//
//	rap(eps=1%,b=4,over=values)
//
// Over says what the points are:
//
//	values  the words of each place by themselves: a message is about a place and a range of its words
//	words   the words of all places together, those of each tag apart
//	sites   the sites, in the order of their numbers, those of each tag apart
//
// All trees of an engine share memory, events and thresholds, so eps is a share of all
// events. Messages over words and sites have a pool as their site (tuple.PoolWords,
// tuple.PoolSites). If an engine in front pools taps itself, as package hwsim/code
// does, over=words keeps the pool of that engine.
//
// The other parameters are the fields of Options, and
//
//	buffer  entries of a Buffer in front, a power of two up to 2^20; 0 for none
//	places  how many places there are trees for, with values; events of further ones are dropped
var Kind = &hwsim.Kind{
	Name: "rap",
	Params: []string{"eps", "b", "over", "universe", "nodes", "policy", "merge", "first", "q", "height", "start",
		"buffer", "places"},
	Parse:    parseArgs,
	Weighted: true,
	Ranges:   true,
	Examples: []string{
		"rap", "rap(10%)", "rap(eps=0.05,b=2,over=words)", "rap(eps=5%,over=sites,universe=2^56,buffer=64)",
		"rap(eps=1%,nodes=200,buffer=16)",
		"rap(20%,b=16,policy=leaf,merge=periodic,first=500,height=logb,start=1)", "rap(20%,policy=subtree,q=4,places=500)",
		"rap(50%,over=words,universe=256,merge=continuous)",
	},
}

// over says which part of a tuple is the point.
type over uint8

const (
	overValues over = iota
	overWords
	overSites
)

var overNames = [...]string{"values", "words", "sites"}

const (
	defaultPlaces = 4096
	maxPlaces     = 1 << 20
	maxBuffer     = 1 << 20
	numTags       = 256 // a tag has 8 bits
)

// spec describes an engine.
type spec struct {
	Options // Nodes is 0 for the default
	over    over
	buffer  uint64 // entries; 0 for none
	places  uint64
}

func parseArgs(a *hwsim.Args) hwsim.Spec {
	s := spec{
		over:   over(choice(a, "over", overNames[:])),
		buffer: power(a, "buffer", 0, maxBuffer),
		places: a.Uint("places", defaultPlaces, 1, maxPlaces),
	}
	s.Eps = eps(a)
	s.B = int(power(a, "b", defaultB, maxB))
	s.Universe = universe(a)
	s.Policy = Policy(choice(a, "policy", policyNames[:]))
	s.Height = Height(choice(a, "height", heightNames[:]))
	s.Schedule = Schedule{
		Kind:  ScheduleKind(choice(a, "merge", scheduleNames[:])),
		First: a.Uint("first", defaultFirst, 1, 1<<40),
		Q:     a.Uint("q", defaultQ, 2, 1<<20),
	}
	s.Start = a.Uint("start", defaultStart, 1, 1<<40)
	s.Nodes = int(a.Uint("nodes", 0, uint64(max(s.B, 0))+1, uint64(maxSlots/max(s.B, defaultB))))
	return s
}

// eps parses a share, such as 1% or 0.01.
func eps(a *hwsim.Args) float64 {
	text := a.String("eps", "1%")
	n, ok := billionths(text)
	if !ok || n < 1 || n >= billion {
		a.WantFor("eps", "an error above 0 and below 1, such as 1% or 0.01, with at most 9 digits after the point")
	}
	return float64(n) / billion
}

// billionths parses a decimal number or a percentage.
func billionths(text string) (n uint64, ok bool) {
	places := 9
	if last := len(text) - 1; last >= 0 && text[last] == '%' {
		text, places = text[:last], 7
	}
	point, seen := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9' || point && places == 0 || n > 1<<40:
			return 0, false
		default:
			n = 10*n + uint64(c-'0')
			seen = true
		}
		if point {
			places--
		}
	}
	for range places {
		n *= 10
	}
	return n, seen
}

// universe parses the number of points, such as 2^40 or 256.
func universe(a *hwsim.Args) uint64 {
	text := a.String("universe", "2^64")
	if len(text) > 2 && text[:2] == "2^" {
		k, ok := number(text[2:])
		if ok && 1 <= k && k <= 64 {
			return 1 << k // 0 for 2^64
		}
	} else if n, ok := number(text); ok && n >= 2 && n&(n-1) == 0 {
		return n
	}
	a.WantFor("universe", "a power of two from 2 to 2^64, such as 2^40 or 256")
	return 0
}

// number parses a number below 10^19.
func number(text string) (n uint64, ok bool) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = 10*n + uint64(text[i]-'0')
	}
	return n, 0 < len(text) && len(text) <= 19
}

// power parses a power of two. It accepts powers from 2 on, and the default.
func power(a *hwsim.Args, name string, otherwise, most uint64) uint64 {
	n := a.Uint(name, otherwise, min(otherwise, 2), most)
	if n&(n-1) != 0 || n == 1 {
		a.WantFor(name, "a power of two from 2 to "+digits.Uint(most))
	}
	return n
}

// choice parses one of several names. The first name is the default.
func choice(a *hwsim.Args, name string, names []string) int {
	text := a.String(name, names[0])
	want := ""
	for i, n := range names {
		if n == text {
			return i
		}
		if i > 0 {
			want += ", "
		}
		want += n
	}
	a.WantFor(name, "one of "+want)
	return 0
}

// String returns the description. It omits parameters that have their defaults.
func (s spec) String() string {
	text := ""
	add := func(name, value, otherwise string) {
		if value != otherwise {
			text += "," + name + "=" + value
		}
	}
	number := func(name string, n, otherwise uint64) { add(name, digits.Uint(n), digits.Uint(otherwise)) }
	add("eps", percent(s.billionths()), "1%")
	number("b", uint64(s.B), defaultB)
	add("over", overNames[s.over], overNames[0])
	add("universe", "2^"+digits.Int(int64(s.bits())), "2^64")
	number("nodes", uint64(s.Nodes), 0)
	add("policy", s.Policy.String(), policyNames[0])
	add("merge", s.Schedule.Kind.String(), scheduleNames[0])
	number("first", s.Schedule.First, defaultFirst)
	number("q", s.Schedule.Q, defaultQ)
	add("height", s.Height.String(), heightNames[0])
	number("start", s.Start, defaultStart)
	number("buffer", s.buffer, 0)
	number("places", s.places, defaultPlaces)
	if text == "" {
		return "rap"
	}
	return "rap(" + text[1:] + ")"
}

// percent writes billionths as a percentage.
func percent(n uint64) string {
	text := digits.Uint(n / (billion / 100))
	if n %= billion / 100; n > 0 {
		part := digits.Uint(billion/100 + n)[1:] // with zeros in front
		for part[len(part)-1] == '0' {
			part = part[:len(part)-1]
		}
		text += "." + part
	}
	return text + "%"
}

// WithSeed returns s, because a tree uses no random numbers.
func (s spec) WithSeed(uint64) hwsim.Spec { return s }

// View returns an event as the engine sees it: the place that the messages of the
// engine are about, and the point.
func (s spec) View(t tuple.Tuple) tuple.Tuple { return s.over.view(t) }

// view is View. It is inlined where events are counted, which takes 3 ns an event.
func (o over) view(t tuple.Tuple) tuple.Tuple {
	const site = tuple.PoolSites // has all bits of a site
	switch o {
	case overWords:
		if t.PC&site < tuple.PoolCode { // else an engine in front has pooled the taps already
			t.PC = t.PC&^site | tuple.PoolWords
		}
	case overSites:
		t.PC, t.W = t.PC|tuple.PoolSites, t.PC&site
	}
	return t
}

// Views reports whether View changes anything.
func (s spec) Views() bool { return s.over != overValues }

// Size returns the storage of the hardware of section 3.4. Each node needs a word of
// ternary memory, which includes the place if trees are of places, and a counter of 32
// bits. Each entry of the buffer needs a counter of 8 bits.
func (s spec) Size(word int) (parts []hwsim.Part) {
	key := word
	if s.over == overValues {
		key += word
	}
	if s.buffer > 0 {
		parts = append(parts, hwsim.Part{Name: "rap buffer", Entries: int(s.buffer), Bits: key + 8})
	}
	n := s.nodes()
	return append(parts, hwsim.Part{Name: "rap TCAM", Entries: n, Bits: key},
		hwsim.Part{Name: "rap counters", Entries: n, Bits: 32})
}

// nodes returns how many nodes there may be, without the roots.
func (s spec) nodes() int {
	if s.Nodes == 0 {
		return ArenaNodes(s.Options)
	}
	return s.Nodes
}
