// Package hardware computes area, delay and energy of the hardware for range adaptive profiling.
//
//	h := hardware.Of(4096)
//	h.Area // 24.73 mm²
//
// Source: Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over
// Adaptive Ranges", CGO 2006, section 3.4.
package hardware

import "math"

// A Cost is what a pipelined engine with a TCAM and counters costs, in the
// process of the paper, 0.18 µm, with all signals switching.
type Cost struct {
	Entries int     // words of the TCAM, and counters
	Area    float64 // mm²
	Match   float64 // ns: the critical path of a lookup in the TCAM
	Count   float64 // ns: that of an access to the counters
	Energy  float64 // nJ for an event
}

// The paper has numbers for one size: 4096 words of 36 bits and 4096 counters of 32
// bits. These are the calibration.
const (
	calibratedEntries = 4096
	calibratedKey     = 36    // bits
	calibratedCounter = 32    // bits
	calibratedArea    = 24.73 // mm²
	calibratedMatch   = 7     // ns
	calibratedCount   = 1.26  // ns
	calibratedEnergy  = 1.272 // nJ
)

// CyclesPerEvent is what the paper's pipeline takes for an event: 2 cycles for the TCAM
// and 2 for the counters.
const CyclesPerEvent = 4

// Transistors of a bit, from general knowledge: a ternary cell has two static cells of
// 6 and a comparison of 4; a cell with a read and a write port has 8.
const (
	ternaryTransistors = 16
	counterTransistors = 8
)

// Of returns what an engine costs that has the paper's widths and so many entries. With
// 4096 it returns the paper's numbers; all other sizes are predictions:
//
//   - Area and energy are in proportion to the entries. The paper says of 400 entries that
//     they are more than 10 times less: 4096/400 is 10.24. So what does not depend on the
//     entries can be no more than the area of 11 entries, and is 0 here.
//   - Both delays are in proportion to the logarithm of the entries, as trees of gates are:
//     decoders, arbiters, and the drivers of lines. The paper has nothing to compare that
//     with.
func Of(entries int) Cost { return OfWidths(entries, calibratedKey, calibratedCounter) }

// OfWidths is Of for other widths, in bits. Area and energy are in proportion to the
// transistors of all cells. That is a prediction for all widths but the paper's.
func OfWidths(entries, key, counter int) Cost {
	cells := func(entries, key, counter int) float64 {
		return float64(entries) * float64(key*ternaryTransistors+counter*counterTransistors)
	}
	size := cells(entries, key, counter) / cells(calibratedEntries, calibratedKey, calibratedCounter)
	depth := math.Log2(float64(entries)) / math.Log2(calibratedEntries)
	return Cost{
		Entries: entries, Area: size * calibratedArea, Energy: size * calibratedEnergy,
		Match: depth * calibratedMatch, Count: depth * calibratedCount,
	}
}

// Clock returns the frequency in MHz. Sub-pipelined means that the TCAM compares a nibble
// or a byte in a stage, so that the counters limit the frequency.
func (h Cost) Clock(subPipelined bool) float64 {
	if subPipelined {
		return 1000 / h.Count
	}
	return 1000 / h.Match
}

// Rate returns million events a second, if an event takes so many cycles.
func (h Cost) Rate(cycles float64, subPipelined bool) float64 {
	return h.Clock(subPipelined) / cycles
}
