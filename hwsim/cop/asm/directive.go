package asm

// This file holds the directives.

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// store records the store of a directive.
func (s *scanner) store(p position, register int, value uint64) {
	if at, ok := s.a.at[register]; ok {
		s.a.fail(p, "this is there already, in line %d", at.line)
	}
	s.a.stores[register], s.a.at[register] = value, p
}

func (s *scanner) directive() {
	s.next() // the point
	p := s.here()
	p.column--
	switch d := s.name("the name of a directive").text; d {
	case "host":
		s.a.host = s.name("the name of a host").text
	case "equ":
		name := s.name("a name").text
		if _, ok := s.a.equ[name]; ok {
			s.a.fail(p, "%s is defined already", name)
		}
		s.a.equ[name] = s.number("a number", 0, math.MaxUint64)
	case "const":
		s.store(p, machine.ConstWindow+s.register("K", 16), s.number("a number", 0, math.MaxUint64))
	case "value":
		s.store(p, machine.ValueWindow+s.register("V", 8), s.number("a number", 0, math.MaxUint64))
	case "index":
		s.store(p, machine.IndexWindow+s.register("I", 8), s.number("a number", 0, 1<<16-1))
	case "width":
		s.store(p, machine.WidthWindow+s.register("I", 8), s.number("a width", 1, 16))
	case "base":
		s.base(p)
	case "target":
		register := machine.TargetWindow + s.register("T", 4)
		s.store(p, register, 0)
		s.use(register)
	case "entry":
		s.entry(p)
	case "filter":
		s.store(p, machine.SampleWindow+machine.FilterClasses, uint64(s.classes()))
	case "sample":
		s.sample(p)
	case "match":
		hash := s.number("the number of a hash", 0, 255)
		mask := s.number("a mask", 0, math.MaxUint32)
		s.store(p, machine.SampleWindow+machine.FilterMask, hash<<32|mask)
		at := s.here()
		match := s.number("what to match", 0, math.MaxUint32)
		if match&^mask != 0 {
			s.a.fail(at, "no hash has these bits: some are not in the mask")
		}
		s.store(p, machine.SampleWindow+machine.FilterMatch, match)
	case "mask":
		s.store(p, machine.SampleWindow+machine.FilterHash, s.number("the number of a hash", 0, 255))
	case "seed":
		s.store(p, machine.SampleWindow+machine.ShiftRegister, s.number("a seed", 1, math.MaxUint32))
	case "store":
		register := s.number("a register of the window", 0, math.MaxInt32)
		s.a.extra = append(s.a.extra, machine.Store{Register: int(register), Value: s.number("a number", 0, math.MaxUint64)})
	default:
		s.a.fail(p, "there is no directive .%s", d)
	}
	if len(s.tokens) > 0 {
		s.want("the end of the line")
	}
}

// base parses the position of a sub-array. The machine checks the same conditions.
func (s *scanner) base(p position) {
	register := machine.BaseWindow + s.register("B", 4)
	at := s.here()
	address := s.number("an address", 0, 1<<16-1)
	size := s.number("a size", 1, 1<<15)
	if size&(size-1) != 0 || address%size != 0 {
		s.a.fail(at, "a sub-array of %d words at %d: want a size that is a power of two and an address that is a multiple of it", size, address)
	}
	s.store(p, register, size<<16|address)
}

func (s *scanner) entry(p position) {
	classes := s.classes()
	if both := classes & s.a.classes; both != 0 {
		s.a.fail(p, "class %s has an entry already", classNames(both)[0])
	}
	s.a.classes |= classes
	t := s.name("a label")
	for c := range machine.NumClasses {
		if classes>>c&1 == 1 {
			s.a.uses = append(s.a.uses, use{s.at(t), t.text, -1, machine.EntryWindow + c})
		}
	}
}

// use records that a register gets the address of a label.
func (s *scanner) use(register int) {
	t := s.name("a label")
	s.a.uses = append(s.a.uses, use{s.at(t), t.text, -1, register})
}

// classes parses names of classes and returns a set with a bit for each. In .entry a
// label follows.
func (s *scanner) classes() (set uint32) {
	for {
		switch text := s.peek(); {
		case text == "all":
			s.next()
			set = math.MaxUint32
		case text != "" && '0' <= text[0] && text[0] <= '9':
			set |= 1 << s.number("the number of a class", 0, machine.NumClasses-1)
		default:
			c, ok := classNumber(text)
			if !ok {
				if set == 0 {
					s.want("a class: the name of a tag, a number below 32, or all")
				}
				return set
			}
			s.next()
			set |= 1 << c
		}
	}
}

// classNumber returns the class for the name of a tag.
func classNumber(name string) (int, bool) {
	for t := tuple.Tag(1); t.Known() && t < machine.NumClasses; t++ {
		if t.String() == name {
			return int(t), true
		}
	}
	return 0, false
}

// classNames returns the names of classes; for a class without a name, its number.
func classNames(set uint32) (names []string) {
	if set == math.MaxUint32 {
		return []string{"all"}
	}
	for c := range machine.NumClasses {
		if set>>c&1 == 0 {
			continue
		}
		name := fmt.Sprint(c)
		if t := tuple.Tag(c); t.Known() {
			name = t.String()
		}
		names = append(names, name)
	}
	return names
}

var fieldNames = []string{"pc", "value", "addr", "insn", "target", "event"}

func (s *scanner) sample(p position) {
	var fields uint64
	for first := true; first || len(s.tokens) > 0; first = false {
		i := indexOf(fieldNames, s.peek())
		if i < 0 {
			s.want("one of pc, value, addr, insn, target and event")
		}
		s.next()
		fields |= 1 << i
	}
	s.store(p, machine.SampleWindow+machine.SelectFields, fields)
}

// indexOf returns the position of a name in a list, or -1. A name that is "" marks a
// gap.
func indexOf(list []string, name string) int {
	for i, x := range list {
		if x == name && x != "" {
			return i
		}
	}
	return -1
}
