package values

// This file holds the parameters of value profiling.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// options are the parameters of engines whose program has the host values. The first
// group changes constants of the program, instead of what the program says; see
// asm/programs/values.s. Except for the ways of a partition, our text of the paper has lost
// all numbers, so the defaults are ours.
//
//	r          slots with more samples cannot be replaced: 0, 1, 3, 7 and so on up to 65535
//	rf         misses for each hit at which the active value is given up: 0.5, 1, 1.5, … 7.5
//	keep       with more hits than this a slot keeps its active value
//	fth, dth   failed replacements, and replaced loads, for each slot, at which the machine
//	           interrupts
//	advance    1: the next slot becomes the victim also if a replacement fails; 0: only if it
//	           succeeds, as in the paper. values.s has 1
//
// The second group is about software.
//
//	hi, lo     a load is masked if its most frequent value has at least hi percent of its
//	           samples, or at most lo percent; 98 and 5
//	times      and also if it was profiled that many times; 4
//	least      samples that a load needs for hi; for lo it needs 100/lo times as many; 16
//	fast       if the slots thrash before they have had this many samples each, the
//	           partition is split 4 ways, otherwise 2 ways; 8
//	timer      cycles of the main processor after which the timer ends the visit of a
//	           partition, within a quarter, which is random; 1000000
//	early      at first a visit is shorter: a part of 1/early of the time so far, but at least
//	           1/16 of timer; 0: all visits are as long as timer says; 8
//	clear      cycles of the main processor after which all masks are cleared, rounded up to
//	           the end of a visit when each partition has had its turn; 0 for never; 5000000
//	weigh      1: samples count as much as the visit stands for, see visit; 0: all samples
//	           count the same
//	bound      0: the paper's estimate; 1: with a bound of ours, see estimate; 2: the mean of this and
//	           of a self-consistent estimate, see refine
//	records    pairs of a load and a value that software keeps; when an interrupt makes them
//	           more, software sends all of them and begins anew; 4096
//	decide     cycles to decide whether a load is masked; 10
//	estimate   cycles for each pass over a pair when its share is estimated; 20
//
// The algorithm of the paper, as far as our text says, is advance=0,weigh=0,bound=0,early=0. The
// defaults of rf, times and clear suit the weights and bounds (docs/decisions/0019-value-profiling.md).
type options struct {
	constants [numConstants]uint64 // unset, or the value
	hi, lo    uint64               // percent
	times     uint64
	least     uint64
	fast      uint64
	timer     uint64
	clear     uint64
	records   uint64
	decide    uint64
	estimate  uint64
	weigh     uint64
	bound     uint64
	early     uint64
}

// The parameters that change constants of the program.
const (
	constantR = iota
	constantRF
	constantKeep
	constantFTH
	constantDTH
	constantAdvance
	numConstants
)

const unset = 1<<64 - 1

var constantNames = [numConstants]string{"r", "rf", "keep", "fth", "dth", "advance"}

// softwareOption describes a parameter of the second group.
type softwareOption struct {
	name                   string
	value                  *uint64
	otherwise, least, most uint64
}

func (o *options) software() [13]softwareOption {
	return [13]softwareOption{
		{"hi", &o.hi, 98, 1, 100},
		{"lo", &o.lo, 5, 0, 99},
		{"times", &o.times, 4, 1, 1 << 20},
		{"least", &o.least, 16, 1, 1 << 20},
		{"fast", &o.fast, 8, 0, 1 << 20},
		{"timer", &o.timer, 1_000_000, 100, 1 << 40},
		{"clear", &o.clear, 5_000_000, 0, 1 << 50},
		{"records", &o.records, 4096, 8, 1 << 20},
		{"decide", &o.decide, 10, 0, 1 << 20},
		{"estimate", &o.estimate, 20, 0, 1 << 20},
		{"weigh", &o.weigh, 1, 0, 1},
		{"bound", &o.bound, 2, 0, 2},
		{"early", &o.early, 8, 0, 1 << 20},
	}
}

// paramNames returns the names of all parameters.
func paramNames() []string {
	names := constantNames[:]
	for _, p := range new(options).software() {
		names = append(names, p.name)
	}
	return names
}

func parse(a *hwsim.Args) host.Params {
	o := &options{}
	for i, name := range constantNames {
		o.constants[i] = unset
		if a.String(name, "") == "" {
			continue
		}
		if i == constantRF {
			o.constants[i] = halves(a)
			continue
		}
		most := [numConstants]uint64{1<<16 - 1, 0, 255, 1 << 12, 1 << 12, 1}[i]
		o.constants[i] = a.Uint(name, 0, 0, most)
	}
	if r := o.constants[constantR]; r != unset && r&(r+1) != 0 {
		a.WantFor("r", "0, 1, 3, 7 or another number that is all ones in binary")
	}
	for _, p := range o.software() {
		*p.value = a.Uint(p.name, p.otherwise, p.least, p.most)
	}
	if o.hi <= o.lo && o.hi > 0 {
		a.WantFor("lo", "less than hi, which is "+digits.Uint(o.hi))
	}
	return o
}

// halves returns twice the value of rf.
func halves(a *hwsim.Args) uint64 {
	text := a.String("rf", "")
	for n := uint64(1); n < 1<<len(valuesRF); n++ {
		if text == halvesText(n) {
			return n
		}
	}
	a.WantFor("rf", "one of 0.5, 1, 1.5 and so on up to 7.5")
	return 0
}

func halvesText(n uint64) string {
	if n%2 == 0 {
		return digits.Uint(n / 2)
	}
	return digits.Uint(n/2) + ".5"
}

// Write adds the parameters that do not have their defaults.
func (o *options) Write(add func(name, value string)) {
	for i, n := range o.constants {
		switch {
		case n == unset:
		case i == constantRF:
			add("rf", halvesText(n))
		default:
			add(constantNames[i], digits.Uint(n))
		}
	}
	for _, p := range o.software() {
		if *p.value != p.otherwise {
			add(p.name, digits.Uint(*p.value))
		}
	}
}

// Setup sets the constants of a program for the number of slots.
func (o *options) Setup(m *machine.Machine) error {
	set := func(k int, n uint64) error { return m.Set(machine.ConstWindow+k, n) }
	for i, k := range [numConstants]int{constantR: valuesR, constantRF: -1, constantKeep: valuesKeep,
		constantFTH: valuesFTH, constantDTH: valuesDTH, constantAdvance: valuesAdvance} {
		if n := o.constants[i]; n != unset && k >= 0 {
			if err := set(k, n); err != nil {
				return err
			}
		}
	}
	if n := o.constants[constantRF]; n != unset {
		for bit, k := range valuesRF {
			if err := set(k, 0xffffffff*(n>>bit&1)); err != nil {
				return err
			}
		}
	}
	slots := uint64(m.Config().Slots)
	for _, x := range [...][2]int{{valuesFailed, valuesFTH}, {valuesDropped, valuesDTH}} {
		if err := set(x[0], m.Read(machine.SourceK+machine.Source(x[1]))*slots); err != nil {
			return err
		}
	}
	return nil
}
