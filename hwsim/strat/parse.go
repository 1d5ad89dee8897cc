package strat

// This file parses descriptions of compressors:
//
//	spec    = [ filter "+" ] stages { "@" option }
//	filter  = "F" number [ "-" number [ "-" ( number | "never" ) ] ] [ "/" number ]
//	stages  = stage { "+" stage }
//	stage   = [ "C" ] sampler | "C" | "H[" stages "]" number | "A" number | tagged
//	sampler = ( "R" | "RC" | "P" ) number
//	tagged  = "tag" number "-" number "-" number [ "/" ( number "w" | "full" ) ]
//	option  = "table" | "mul" | "xor" | "seed=" number | "phase"
//
// CR256 is a C beside an R256, and CRC256 is a C beside an RC256.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/hwsim"
)

// The bounds of the numbers in a description.
const (
	maxRate    = 1 << 28
	maxCells   = 1 << 22 // strata and entries in all
	maxTagBits = 32
	maxFilter  = 1 << 20 // bits of a mask; software keeps 100 bytes for each bit
	maxDepth   = 8       // splitters within each other
	maxNumber  = 1<<63 - 1
)

// A parser parses a description. After its first error it accepts nothing more.
type parser struct {
	spec  string
	pos   int
	depth int // of the splitters around pos
	// the component at pos gets messages of another component or engine, not tuples, or tuples that stand for several
	later bool
	err   *hwsim.SyntaxError
}

// ParseSpec parses the description of a compressor. Its errors are of type
// *hwsim.SyntaxError.
func ParseSpec(spec string) (Spec, error) {
	s, err := parse(spec, false)
	if err != nil {
		return Spec{}, err
	}
	return s, nil
}

// parse parses a description. If later is true, another engine stands before the
// compressor.
func parse(spec string, later bool) (Spec, *hwsim.SyntaxError) {
	p := &parser{spec: spec, later: later}
	s := Spec{Seed: defaultSeed, Weighted: later}
	if !later {
		s.Filter = p.filter()
	}
	s.Stages, _ = p.stages()
	for p.accept("@") {
		p.option(&s)
	}
	if p.pos < len(spec) {
		p.want("+, @ or the end")
	}
	return s, p.err
}

func (p *parser) filter() (f Filter) {
	if !p.accept("F") {
		return f
	}
	f = Filter{N: p.number("the bits of the mask", maxFilter), Percent: defaultPercent, Period: defaultPeriod}
	if p.accept("-") {
		f.Percent = p.number("a standard error in percent", 50)
		switch {
		case p.accept("-never"):
			f.Period = 0
		case p.accept("-"):
			f.Period = p.number64("a number of events, or never", maxNumber)
		}
	}
	if p.accept("/") {
		f.One = p.number("of how many events of a masked place one passes", maxRate)
		p.later = true
	}
	p.expect("+")
	return f
}

// stages parses a chain. It returns the chain and the sum of its strata and entries.
func (p *parser) stages() (stages []Stage, cells int) {
	later := p.later
	for first := true; first || p.accept("+"); first = false {
		s, n := p.stage()
		stages = append(stages, s)
		if cells += n; cells > maxCells {
			p.want("fewer strata and entries before here, 4194304 in all")
		}
		p.later = true
	}
	p.later = later
	return stages, cells
}

// stage parses a component. A word that is the beginning of other words comes after
// them in the switch: C after CR, CR after CRC.
func (p *parser) stage() (s Stage, cells int) {
	switch {
	case p.accept("H["):
		return p.split()
	case p.later && p.accept("tag"):
		p.pos -= len("tag")
		p.want("tag as the first component only: it counts tuples, not messages")
	case p.accept("tag"):
		s = p.tagged()
		return s, s.N
	case p.accept("A"):
		s = Stage{Op: Associative, N: p.number("the entries of the table", maxCells)}
		return s, s.N
	case p.accept("CRC"):
		return p.sampler(Countdown, true), 1
	case p.accept("CR"):
		return p.sampler(Random, true), 1
	case p.accept("CP"):
		return p.sampler(Periodic, true), 1
	case p.accept("C"):
		return Stage{Op: Counter}, 1
	case p.accept("RC"):
		return p.sampler(Countdown, false), 1
	case p.accept("R"):
		return p.sampler(Random, false), 1
	case p.accept("P"):
		return p.sampler(Periodic, false), 1
	case p.accept("F"):
		p.pos--
		p.want("F at the beginning only")
	default:
		p.want("one of R, RC, P, C, CR, H[, A, tag")
	}
	return s, 0
}

func (p *parser) sampler(op Op, counted bool) Stage {
	return Stage{Op: op, Counted: counted, Rate: p.number("a rate", maxRate)}
}

func (p *parser) split() (s Stage, cells int) {
	if p.depth++; p.depth > maxDepth {
		p.want("at most 8 splitters one in the other")
		return s, 0
	}
	s = Stage{Op: Split}
	s.Each, cells = p.stages()
	p.expect("]")
	s.N = p.number("the number of strata", maxCells/max(cells, 1))
	p.depth--
	return s, cells * s.N
}

func (p *parser) tagged() Stage {
	s := Stage{Op: Tagged, TagBits: p.number("the bits of a tag", maxTagBits)}
	p.expect("-")
	s.Rate = p.number("the hits at which an entry is sent", maxRate)
	p.expect("-")
	s.N = p.number("the entries of the table", maxCells)
	s.Ways = min(defaultWays, s.N)
	start := p.pos
	switch {
	case p.accept("/full"):
		s.Ways = s.N
	case p.accept("/"):
		start = p.pos
		s.Ways = p.number("a number of ways, or full", s.N)
		p.expect("w")
	}
	if p.err == nil && s.N%s.Ways != 0 {
		p.pos = start
		p.want("ways that divide the entries")
	}
	return s
}

func (p *parser) option(s *Spec) {
	switch {
	case p.accept("table"):
		s.Hash = Table
	case p.accept("mul"):
		s.Hash = Mul
	case p.accept("xor"):
		s.Hash = XOR
	case p.accept("phase"):
		s.Phase = true
	case p.accept("seed="):
		s.Seed = p.number64("a seed", maxNumber)
	default:
		p.want("one of table, mul, xor, seed=, phase")
	}
}

// accept skips word and returns true if the text at pos begins with word.
func (p *parser) accept(word string) bool {
	rest := p.spec[p.pos:]
	if p.err != nil || len(rest) < len(word) || rest[:len(word)] != word {
		return false
	}
	p.pos += len(word)
	return true
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.want(word)
	}
}

// number parses a decimal number from 1 to most.
func (p *parser) number(what string, most int) int {
	return int(p.number64(what, uint64(most)))
}

func (p *parser) number64(what string, most uint64) (n uint64) {
	start := p.pos
	for p.err == nil && p.pos < len(p.spec) && '0' <= p.spec[p.pos] && p.spec[p.pos] <= '9' {
		d := uint64(p.spec[p.pos] - '0')
		if d > most || n > (most-d)/10 {
			n = 0
			break
		}
		n = 10*n + d
		p.pos++
	}
	if n == 0 {
		p.pos = start
		p.want(what + ", from 1 to " + digits.Uint(most))
	}
	return n
}

// want records the error that the parser expected something else at the current
// column, unless there is an earlier error.
func (p *parser) want(what string) {
	if p.err == nil {
		p.err = &hwsim.SyntaxError{Spec: p.spec, Column: p.pos + 1, Want: what}
	}
}
