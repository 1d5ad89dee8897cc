package values

// This file holds the records of value profiling: what software knows of each load and
// each of its values. The memory for all of them is allocated when an engine is made.

import "github.com/pepgo/pep/hwsim/cop/machine"

// A slot is a word of the data array, taken apart.
type slot struct {
	value               uint32
	hits, misses, total uint64
}

func slotOf(word uint64) slot {
	return slot{uint32(machine.FieldValue.Of(word)), machine.FieldHits.Of(word), machine.FieldMisses.Of(word),
		machine.FieldTotal.Of(word)}
}

// A record has the sums over all slots that had the same load and active value. The
// estimate needs no more than these sums: see estimate.
type record struct {
	hits, misses, total uint64
	weighted            counts // the same with the weights of visits
	count               uint64 // the estimate, in 1/65536 samples
	consistent          uint64 // the self-consistent estimate, in weighted samples
	slots               uint64
	value               uint32
	clean               uint32 // slots with many hits and nearly no misses: see Load.Phased
	next                int32  // record of the same load, -1 for none
}

// counts are numbers of samples, each with its weight; see visit.
type counts struct{ hits, misses, total uint64 }

// A profiled is a load.
type profiled struct {
	pc          uint64
	stamp       uint64 // values.copies when a slot of it was last copied
	first, last int32  // its records
	times       uint64 // interrupts since masks were cleared that have copied slots of it
	masked      bool
	weight      uint64 // of its samples in the visit with this stamp
	// events that were retired when its era began, if its partition was not visited since masks were cleared
	until uint64
}

// records are tables of loads and of their records.
type records struct {
	loads []profiled
	list  []record
	all   uint64  // weighted samples of all loads
	index []int32 // a hash table: the number of a load plus 1, or 0
	// 0: estimates follow the paper's rules; 1: they have the bound, see estimate; 2: and they are means, see refine
	bound uint64
	most  uint64 // passes over the values of a load that refine makes at most
	close uint   // refine ends if a pass changes less than 1/2^close of the samples
}

// newRecords returns tables with space for n records.
func newRecords(n int) records {
	size := 1
	for size < 2*n {
		size *= 2
	}
	return records{loads: make([]profiled, 0, n), list: make([]record, 0, n), index: make([]int32, size)}
}

func (r *records) clear() {
	r.loads, r.list, r.all = r.loads[:0], r.list[:0], 0
	clear(r.index)
}

func (r *records) copy(from *records) {
	r.loads, r.list = append(r.loads[:0], from.loads...), append(r.list[:0], from.list...)
	copy(r.index, from.index)
	r.all = from.all
}

// add adds a slot to the record of its load and value.
func (r *records) add(l *profiled, s slot) {
	i := l.first
	for i >= 0 && r.list[i].value != s.value {
		i = r.list[i].next
	}
	if i < 0 {
		i = int32(len(r.list))
		r.list = append(r.list, record{value: s.value, next: -1})
		if l.last >= 0 {
			r.list[l.last].next = i
		} else {
			l.first = i
		}
		l.last = i
	}
	x := &r.list[i]
	x.hits += s.hits
	x.misses += s.misses
	x.total += s.total
	x.weighted.hits += s.hits * l.weight
	x.weighted.misses += s.misses * l.weight
	x.weighted.total += s.total * l.weight
	x.slots++
	r.all += s.total * l.weight
	if s.hits >= phasedHits && s.misses*cleanHits <= s.hits {
		x.clean++
	}
}

// find returns the number of a load, which it adds if it is new.
func (r *records) find(pc uint64) int32 {
	mask := len(r.index) - 1
	for h := int(pc * 0x9e3779b97f4a7c15 >> 33); ; h++ {
		p := &r.index[h&mask]
		if *p == 0 {
			r.loads = append(r.loads, profiled{pc: pc, first: -1, last: -1})
			*p = int32(len(r.loads))
		}
		if r.loads[*p-1].pc == pc {
			return *p - 1
		}
	}
}

// top returns the hits of the most frequent value of a load, and the samples of the load.
func (r *records) top(l *profiled) (hits, samples uint64) {
	for i := l.first; i >= 0; i = r.list[i].next {
		hits = max(hits, r.list[i].hits)
		samples += r.list[i].total
	}
	return hits, samples
}
