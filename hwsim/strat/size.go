package strat

// This file computes how much storage compressors need in hardware. As in the
// paper, the sums do not include comparators, hash tables and queues.
//
// Source: Sastry, Bodik and Smith, ISCA 2001, sections 3.4, 3.5 and 4.2.

import (
	"math/bits"

	"github.com/pepgo/pep/hwsim"
)

const (
	missBits  = 3 // the miss counter of a tagged entry (section 4.2)
	stateBits = 1 // Empty or not; the misses tell the state Evict (section 4.2)
	mergeBits = 8 // the counter of an associative entry (section 3.4)

	// The paper gives no width for C. If C has 4 bits more than the rate needs,
	// a gap of a random sampler overflows it once in e^16 messages.
	countedBits = 4
	lengthBits  = 32 // of a C without a sampler before it, which counts the whole stream
)

// Size returns the storage of the components, in order, for words of the given
// number of bits. It counts the samplers of a splitter once for each stratum. The
// paper gives no figures for some components. For these, Size assumes that
//
//   - a random sampler holds as many random bits as it compares, and that all
//     strata can share them;
//   - C has 4 bits more than the rate needs;
//   - an associative table that gets messages with different counts has a sum of
//     32 bits beside the counter of each entry.
func (s Spec) Size(word int) (size []hwsim.Part) {
	if n := s.Filter.N; n > 0 {
		size = append(size, hwsim.Part{Name: "F", Entries: n, Bits: 1})
	}
	return append(size, sizeOf(s.Stages, word, s.Weighted)...)
}

// sizeOf returns the storage of stages. If differ is true, the messages that the
// first stage gets have different counts.
func sizeOf(stages []Stage, word int, differ bool) (size []hwsim.Part) {
	for _, x := range stages {
		size = append(size, x.size(word, differ)...)
		differ = differ || x.sendsDiffering()
	}
	return size
}

func (x Stage) size(word int, differ bool) []hwsim.Part {
	part := hwsim.Part{Name: string(appendStages(nil, []Stage{x})), Entries: 1}
	switch x.Op {
	case Split:
		inner := sizeOf(x.Each, word, differ)
		for i := range inner {
			inner[i].Entries *= x.N
		}
		if len(inner) == 1 {
			inner[0].Name = part.Name
		}
		return inner
	case Associative:
		part.Entries, part.Bits = x.N, 2*word+mergeBits
		if differ {
			part.Bits += lengthBits
		}
	case Tagged:
		part.Entries, part.Bits = x.N, counterBits(x.Rate)+x.TagBits+missBits+stateBits
	case Periodic, Random:
		part.Bits = counterBits(x.Rate)
	case Countdown:
		part.Bits = counterBits(2 * x.Rate)
	case Counter:
		part.Bits = lengthBits
	}
	if x.Counted {
		part.Bits += counterBits(x.Rate) + countedBits
	}
	return []hwsim.Part{part}
}

// counterBits returns how many bits a counter needs that is sent and reset when it
// reaches n: the binary logarithm of n, rounded up (section 3.5).
func counterBits(n int) int { return bits.Len(uint(n - 1)) }

// sendsDiffering reports whether the messages of x differ in their counts.
func (x Stage) sendsDiffering() bool {
	switch x.Op {
	case Split:
		for _, y := range x.Each {
			if y.sendsDiffering() {
				return true
			}
		}
		return false
	case Random, Countdown, Periodic:
		return x.Counted
	}
	return true
}

// sampled reports whether stages lose or invent events. Random samplers without a
// counter do so. Periodic samplers do so if the messages that they get have
// different counts.
func sampled(stages []Stage, differ bool) bool {
	for _, x := range stages {
		switch x.Op {
		case Random, Countdown:
			if !x.Counted {
				return true
			}
		case Periodic:
			if !x.Counted && differ {
				return true
			}
		case Split:
			if sampled(x.Each, differ) {
				return true
			}
		}
		differ = differ || x.sendsDiffering()
	}
	return false
}
