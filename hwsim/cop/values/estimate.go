package values

// This file estimates how often each value was loaded (section 5.6 and the appendix), and
// hands out the results.

import (
	"math/bits"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// CountBits is how many bits of an estimated count are behind the point.
const CountBits = 16

// A slot is clean if it has at least phasedHits hits, and cleanHits hits for each miss.
const (
	phasedHits = 32
	cleanHits  = 64
)

// estimate estimates how many of the samples of a load have each of its values, and returns
// the number of its records and samples. Hits divided by hits and misses would be too much:
// a value becomes the active value where it is frequent. A value v gets
//
//  1. its hits;
//  2. a share of the misses of each other value w: they are divided among all values but
//     w in proportion to the hits of those;
//  3. a share of the samples that slots forgot when they selected another active value. All
//     values get equal shares. But the active value had less than 1/(1+RF) of these samples,
//     otherwise it would have been kept. So no value gets more than that part of them.
//
// For example, slots of a load had 60 hits and 20 misses with the value 1, 20 hits and 40
// misses with the value 2, and forgot 60 samples; RF is 3. The misses of each value go to
// the other. The 60 samples would be 30 for each value, but the limit is 15.
//
//	value 1:  60 + 40 + 15 = 115 of 200 samples
//	value 2:  20 + 20 + 15 =  55
//
// These are the paper's rules. They take the values that slots have found for all values of the
// load. A load with ten values, 10 % each, of which slots found two, would get half of all samples
// for either. Therefore the bound: while v was the active value, it had a share q of the samples
// that did not select another value, q = hits / (hits + misses). Rules 2 and 3 give v at most the share q of
// the samples that they divide: of the hits and misses of w, and of the forgotten samples. In the
// example the value 2 has q = 1/3, and rule 2 gives it 20 samples, which is less than 80/3. Value
// 1 has q = 3/4, and the bound is 3/4 of 60 = 45 samples.
//
// All counts are weighted: see visit. The estimates are in samples without weights. All divisions
// round down, so the counts together are never more than the samples. A
// count has CountBits bits behind the point. The calculation takes 128 bits where it must; it
// is exact up to 2^40 events.
//
// With bound=2 the estimate is the mean of this one and of another: see refine.
//
// twiceRF is 2·RF. steps is how many values the passes of the calculation went over.
func (r *records) estimate(l *profiled, twiceRF uint64) (n, samples, steps uint64) {
	var sum counts
	for i := l.first; i >= 0; i = r.list[i].next {
		x := &r.list[i]
		n++
		samples += x.total
		sum.total += x.weighted.total
		sum.hits += x.weighted.hits
		sum.misses += x.weighted.misses
	}
	if n == 0 {
		return 0, 0, 0
	}
	forgotten := sum.total - sum.hits - sum.misses
	equal := min(forgotten<<CountBits/n, forgotten<<(CountBits+1)/(2+twiceRF))
	for i := l.first; i >= 0; i = r.list[i].next {
		x := &r.list[i]
		count := x.weighted.hits<<CountBits + r.atMost(x, equal, forgotten)
		for k := l.first; k >= 0; k = r.list[k].next {
			if w := &r.list[k].weighted; k != i && w.misses > 0 {
				count += r.atMost(x, part(w.misses<<CountBits, x.weighted.hits, sum.hits-w.hits), w.hits+w.misses)
			}
		}
		x.count = count
	}
	steps = n
	if r.bound == 2 && sum.total >= r.all/refinePart && sum.misses > 0 {
		steps += r.refine(l, sum, twiceRF)
	}
	for i := l.first; i >= 0; i = r.list[i].next {
		x := &r.list[i]
		x.count = part(x.count, samples, sum.total)
	}
	return n, samples, steps
}

// atMost returns a share of some samples, bounded by the share that the value of a record had
// while it was the active value.
func (r *records) atMost(x *record, share, samples uint64) uint64 {
	if r.bound == 0 {
		return share
	}
	return min(share, part(samples<<CountBits, x.weighted.hits, x.weighted.hits+x.weighted.misses))
}

// part returns n·a/of, for a up to of. It is 0 if of is 0.
func part(n, a, of uint64) uint64 {
	if of == 0 {
		return 0
	}
	hi, lo := bits.Mul64(n, a)
	q, _ := bits.Div64(hi, lo, of)
	return q
}

// twiceRF returns the constant RF of a program, times 2.
func twiceRF(m *machine.Machine) (n uint64) {
	for bit, k := range valuesRF {
		n |= m.Read(machine.SourceK+machine.Source(k)) & 1 << bit
	}
	return n
}

// send sends messages for each load and value, and forgets all records. Counts of messages
// are whole numbers; those of a load together are the sum of its estimates, rounded down.
// Samples that the estimate gives to no value are in a message about all words: the load had
// some value in these. Without this message a load that never has the same value twice
// would look as if it had the few values that became active values by chance.
//
// A value has as many messages as it had slots, with equal counts. So the number of messages
// says how often software has updated records. Also, readers of profiles take each message
// for one observation when they compute how far a count may be off; and a slot is about that:
// its samples are neighbours in time, so they are not independent of one another.
func (v *Profile) send(w *host.Window, out *hwsim.Out) {
	rf := twiceRF(w.Machine)
	for i := range v.loads {
		l := &v.loads[i]
		_, samples, steps := v.estimate(l, rf)
		w.Cycles += steps * v.o.estimate
		sum := uint64(0)
		for k := l.first; k >= 0; k = v.list[k].next {
			x := &v.list[k]
			before := sum >> CountBits
			sum += x.count
			t := view(tuple.Tuple{PC: l.pc, W: uint64(x.value)})
			sendParts(w, t, sum>>CountBits-before, x.slots, out)
		}
		if n := samples - sum>>CountBits; n > 0 {
			w.Events += n
			v.counts.unattributed += n
			out.Send(hwsim.Message{Tuple: tuple.Tuple{PC: l.pc}, Count: n, Free: 64})
		}
	}
	v.records.clear()
}

// sendParts sends a count in equal parts, as far as it can be divided.
func sendParts(w *host.Window, t tuple.Tuple, count, parts uint64, out *hwsim.Out) {
	w.Events += count
	for parts = min(parts, count); parts > 0; parts-- {
		part := count / parts
		count -= part
		out.Send(hwsim.Message{Tuple: t, Count: part})
	}
}

// A Load is a load with its values.
type Load struct {
	PC      uint64 // of its tuples
	Samples uint64 // how many samples the values are estimated from
	Times   uint64 // interrupts since masks were cleared that have copied slots of the load
	Steps   uint64 // values that the passes of the estimate went over
	Masked  bool   // it is profiled no more

	// Phased means that the load keeps a value for a long time and then changes it: two or more values had slots with at
	// least 32 hits, and at most one miss for 64 hits. The fractions of the values are unreliable then, because it is
	// chance which phases were sampled (section 5.5).
	Phased bool

	Values []Estimate // in the order in which they were first copied
}

// An Estimate is a value of a load.
type Estimate struct {
	Value               uint64 // as in messages: 32 bits, extended by their sign
	Hits, Misses, Total uint64 // sums over the slots that had it as their active value
	Count               uint64 // samples with this value, as estimated; CountBits bits are behind the point
}

// Invariance returns the estimated share of a value in all samples of the load, from 0
// to 1.
func (l *Load) Invariance(i int) float64 {
	return float64(l.Values[i].Count) / (1 << CountBits) / float64(l.Samples)
}

// Loads returns what software knows when it has copied the slots once more. It is for a copy of
// the machine, which has done all events.
func (v *Profile) Loads(w *host.Window) []Load {
	v.copySlots(w)
	return v.results(twiceRF(w.Machine))
}

// Complete reports whether no partition of the program led to an interrupt when it last had its turn.
func (v *Profile) Complete() bool { return v.complete }

func (v *Profile) results(rf uint64) (list []Load) {
	for i := range v.loads {
		l := &v.loads[i]
		_, samples, steps := v.estimate(l, rf)
		load := Load{PC: l.pc, Samples: samples, Times: l.times, Steps: steps, Masked: l.masked, Phased: v.phased(l)}
		for k := l.first; k >= 0; k = v.list[k].next {
			x := &v.list[k]
			load.Values = append(load.Values, Estimate{view(tuple.Tuple{W: uint64(x.value)}).W, x.hits, x.misses, x.total,
				x.count})
		}
		list = append(list, load)
	}
	return list
}

// phased reports whether the values of a load come in phases.
func (r *records) phased(l *profiled) bool {
	clean := 0
	for i := l.first; i >= 0; i = r.list[i].next {
		if r.list[i].clean > 0 {
			clean++
		}
	}
	return clean >= 2
}
