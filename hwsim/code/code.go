// Package code replaces the words of events by addresses of code, for engines behind it:
//
//	pep sites -layout app > app.layout
//	pepsim run -engine 'code(app.layout):cells(bits=8)' app.trace
//
// A program on linux/amd64 knows its own layout, and needs no file:
//
//	PEPOPTS='engine=code:rap(over=words)' app
//
// Sites are numbered while packages are compiled, so the numbers do not tell where the
// code of a site is. An event at a site becomes an event whose word is the address of
// the site, with the same tag and the site tuple.PoolCode. An engine that finds hot
// ranges of words then sees one stream per tag, and its ranges are ranges of code:
//
//	load main+3 42    →    load PoolCode 0x47a1c0
//
// A layout has a line for each address that has the code of a tap, in the order of addresses:
//
//	pep layout 1 build 27a9630f5c4e04e8
//	0x47a1c0 0x3ea90e208000003 # load p.next main.go:5:9 main.f
//
// The address is that of the instruction that loads the PC of the tap's tuples, as in the symbol table of the
// executable; the PC is the tag and the site. What stands behind # is for people. A tap in a function that is inlined
// has a line for each copy; one in code that is never reached may have none.
//
// With to=site the address takes the place of the site, and all words of the sample stay:
//
//	load main+3 42    →    load 0x47a1c0 42
//
// That is for engines that look at code and words together: hwsim/morton.
//
// A site that is inlined in several functions has several addresses, and an event does
// not tell at which of them it happened. It counts for the lowest. Events of sites that
// the file does not have are dropped, and counted.
package code

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// Kind is the mapper.
var Kind = &hwsim.Kind{
	Name:     "code",
	Params:   []string{"layout", "to"},
	Parse:    parse,
	Weighted: true,
	Examples: []string{"code", "code(to=site)"},
}

// A spec has the addresses of sites by PC, that is by tag and site.
type spec struct {
	file   string
	toSite bool    // the address takes the place of the site, not of the word
	places []place // in order of PC
}

type place struct{ pc, addr uint64 }

func parse(a *hwsim.Args) hwsim.Spec {
	s := spec{file: a.String("layout", "")}
	switch a.String("to", "word") {
	case "word":
	case "site":
		s.toSite = true
	default:
		a.WantFor("to", "word or site")
	}
	text := a.File("layout")
	if s.file == "" {
		text = a.Own("a file that pep sites -layout has written: only the program itself knows its layout without one")
	}
	for first := true; len(text) > 0; first = false {
		var line []byte
		line, text = cutLine(text)
		p, ok := parsePlace(line)
		if first {
			ok = len(line) > len(magic) && string(line[:len(magic)]) == magic
		} else if ok {
			s.places = append(s.places, p)
		}
		if !ok {
			a.WantFor("layout", "a file that pep sites -layout has written")
			return s
		}
	}
	s.sort()
	return s
}

// magic begins the first line of a layout.
const magic = "pep layout 1 "

// cutLine returns the first line of text, and what follows.
func cutLine(text []byte) (line, rest []byte) {
	for i, c := range text {
		if c == '\n' {
			return text[:i], text[i+1:]
		}
	}
	return text, nil
}

// parsePlace parses "0x47a1c0 0x3ea90e208000003 # …".
func parsePlace(line []byte) (p place, ok bool) {
	addr, line, ok1 := cutHex(line)
	if !ok1 || len(line) == 0 || line[0] != ' ' {
		return p, false
	}
	pc, _, ok2 := cutHex(line[1:])
	return place{pc, addr}, ok2
}

// cutHex parses a hexadecimal number at the start of text.
func cutHex(text []byte) (n uint64, rest []byte, ok bool) {
	if len(text) < 3 || text[0] != '0' || text[1] != 'x' {
		return 0, text, false
	}
	i := 2
	for ; i < len(text) && i < 18; i++ {
		c := text[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return n, text[i:], i > 2
		}
		n = n<<4 | uint64(c)
	}
	return n, text[i:], true
}

// sort orders the places by PC, and keeps only the lowest address of each PC. It is a heap
// sort of our own, because linked packages cannot import package sort or slices.
func (s *spec) sort() {
	p := s.places
	less := func(i, j int) bool { return p[i].pc < p[j].pc || p[i].pc == p[j].pc && p[i].addr < p[j].addr }
	sift := func(root, n int) {
		for {
			child := 2*root + 1
			if child >= n {
				return
			}
			if child+1 < n && less(child, child+1) {
				child++
			}
			if !less(root, child) {
				return
			}
			p[root], p[child] = p[child], p[root]
			root = child
		}
	}
	for i := len(p)/2 - 1; i >= 0; i-- {
		sift(i, len(p))
	}
	for n := len(p) - 1; n > 0; n-- {
		p[0], p[n] = p[n], p[0]
		sift(0, n)
	}
	kept := p[:0]
	for _, x := range p {
		if len(kept) == 0 || kept[len(kept)-1].pc != x.pc {
			kept = append(kept, x)
		}
	}
	s.places = kept
}

func (s spec) String() string {
	text := ""
	if s.file != "" {
		text += `,"` + s.file + `"`
	}
	if s.toSite {
		text += ",to=site"
	}
	if text == "" {
		return "code"
	}
	return "code(" + text[1:] + ")"
}

func (s spec) WithSeed(uint64) hwsim.Spec { return s }

func (s spec) New(hwsim.Instance) hwsim.Engine { return &mapper{spec: s} }

// View implements hwsim.Viewer: messages are about addresses. It does not change events at
// unknown sites, because no message is about them.
func (s spec) View(t tuple.Tuple) tuple.Tuple {
	if addr, ok := s.addr(t.PC); ok {
		return s.at(t, addr)
	}
	return t
}

// Views reports that View changes events.
func (s spec) Views() bool { return true }

// ForTraces implements hwsim.Rewriter: the sites that to=site puts in are no taps.
func (s spec) ForTraces() bool { return s.toSite }

// at returns the event that stands for t at an address.
func (s spec) at(t tuple.Tuple, addr uint64) tuple.Tuple {
	if s.toSite {
		return tuple.New(t.Tag(), addr, t.W)
	}
	return tuple.New(t.Tag(), tuple.PoolCode, addr)
}

type mapper struct {
	spec
	site    uint64 // of the last first word of a sample, for its further words
	addrOf  uint64 // the address of that site
	known   bool   // the file has it
	dropped uint64
}

// addr returns the address of a site.
func (s spec) addr(pc uint64) (addr uint64, ok bool) {
	low, high := 0, len(s.places)
	for low < high {
		mid := int(uint(low+high) / 2)
		if s.places[mid].pc < pc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(s.places) || s.places[low].pc != pc {
		return 0, false
	}
	return s.places[low].addr, true
}

func (m *mapper) Push(in []tuple.Tuple, out *hwsim.Out) {
	for _, t := range in {
		m.take(t, 1, out)
	}
}

// PushWeighted implements hwsim.Weighted.
func (m *mapper) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, x := range in {
		m.take(x.Tuple, x.Count, out)
	}
}

func (m *mapper) take(t tuple.Tuple, count uint64, out *hwsim.Out) {
	further := t.Tag().Further() > 0
	if !further {
		m.site = t.Site()
		m.addrOf, m.known = m.addr(t.PC)
	}
	switch {
	case !m.known || t.Site() != m.site || further && !m.toSite:
		m.dropped += count
	default:
		out.Send(hwsim.Message{Tuple: m.at(t, m.addrOf), Count: count})
	}
}

func (m *mapper) Flush(*hwsim.Out) { m.dropped, m.known = 0, false }

func (m *mapper) Balance() hwsim.Balance { return hwsim.Balance{Dropped: m.dropped} }
