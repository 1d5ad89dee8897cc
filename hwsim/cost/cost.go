// Package cost has the analytical models of compressors: how many bits of
// storage they need, and how many cycles their messages take.
//
//	spec, err := strat.ParseSpec("H[P256]2048+A16")
//	size := cost.Of(spec, cost.Word32)
//	size[0]      // {H[P256]2048 2048 8}: 2048 counters of 8 bits, 2 KB
//	size.Bytes() // 2048 + 16·9 = 2192
//
//	cost.Default.Percent(62500, 16e6) // 3.498: messages of 16M events at a rate of 256
//
// Only storage is counted, as in the paper: no comparators, no hash tables, no
// queues. Measured time is another thing and never mixed with these cycles.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, sections 3.4, 3.5, 4.2 and 5.3.2.
package cost

import "github.com/pepgo/pep/hwsim/strat"

// A Word is the width of a machine word in bits. A tuple has two.
type Word int

const (
	Word32 Word = 32 // of the paper's size estimates
	Word64 Word = 64
)

// A Part is the storage of one component: Entries of Bits each.
type Part struct {
	Name    string // as in a compressor's description
	Entries int
	Bits    int
}

// A Size is the storage of a compressor's components, in order.
type Size []Part

// Bits returns the sum of all storage in bits.
func (s Size) Bits() (n int) {
	for _, p := range s {
		n += p.Entries * p.Bits
	}
	return n
}

// Bytes returns the sum of all storage in bytes.
func (s Size) Bytes() float64 { return float64(s.Bits()) / 8 }

const (
	missBits  = 3 // of a tagged entry (section 4.2)
	stateBits = 1 // Empty or not: Evict is told by the misses (section 4.2)
	mergeBits = 8 // the counter of an associative entry (section 3.4)

	// The paper gives no width for C. With 4 bits more than the rate needs, a
	// gap of a random sampler is too long for it once in e^16 messages.
	countedBits = 4
	lengthBits  = 32 // C alone counts the whole stream
)

// Of returns the storage of a compressor. Samplers in strata are counted once
// for each stratum. Where the paper has no figure, the sum is ours: a random
// sampler holds as many random bits as it compares, and all strata can share
// them; C has 4 bits more than the rate; an associative table behind messages
// with different counts has a 32-bit sum beside its counter.
func Of(spec strat.Spec, w Word) Size {
	var size Size
	if n := spec.Filter.N; n > 0 {
		size = append(size, Part{"F", n, 1})
	}
	return append(size, chain(spec.Stages, w, false)...)
}

// chain returns the storage of stages. Before them, counts differ or not.
func chain(stages []strat.Stage, w Word, differ bool) (size Size) {
	for _, x := range stages {
		size = append(size, stage(x, w, differ)...)
		differ = differ || sendsDiffering(x)
	}
	return size
}

func stage(x strat.Stage, w Word, differ bool) Size {
	name := strat.Spec{Stages: []strat.Stage{x}, Seed: 1}.String()
	bits := 0
	switch x.Op {
	case strat.Split:
		inner := chain(x.Each, w, differ)
		if len(inner) == 1 {
			return Size{{name, inner[0].Entries * x.N, inner[0].Bits}}
		}
		for i := range inner {
			inner[i].Entries *= x.N
		}
		return inner
	case strat.Associative:
		bits = 2*int(w) + mergeBits
		if differ {
			bits += lengthBits
		}
		return Size{{name, x.N, bits}}
	case strat.Tagged:
		return Size{{name, x.N, strat.CounterBits(x.Rate) + TaggedExtra(x.TagBits)}}
	case strat.Periodic, strat.Random:
		bits = strat.CounterBits(x.Rate)
	case strat.Countdown:
		bits = strat.CounterBits(2 * x.Rate)
	case strat.Counter:
		bits = lengthBits
	}
	if x.Counted {
		bits += strat.CounterBits(x.Rate) + countedBits
	}
	return Size{{name, 1, bits}}
}

// sendsDiffering reports whether the messages of x differ in their counts.
func sendsDiffering(x strat.Stage) bool {
	switch x.Op {
	case strat.Split:
		for _, y := range x.Each {
			if sendsDiffering(y) {
				return true
			}
		}
		return false
	case strat.Random, strat.Countdown, strat.Periodic:
		return x.Counted
	}
	return true
}

// TaggedExtra returns how many bits an entry of a tagged table has more than a
// counter: its tag, the misses and the state (section 4.2).
func TaggedExtra(tagBits int) int { return tagBits + missBits + stateBits }
