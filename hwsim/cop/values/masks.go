package values

// This file decides which loads are profiled no more, and masks them (section 5.5).

import (
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// decide masks those of the loads whose slots have just been copied that are known well
// enough: one value is nearly always loaded, no value is frequent, or the load was profiled
// often. Loads between the two extremes are profiled several times, because a slot has only
// one value.
//
// The share of the most frequent value is a lower bound: its hits, divided by all samples
// of the load. Samples of it that were misses, or that the slot forgot when it selected
// another active value, do not count. So a load with a frequent value looks variant as
// long as no slot has found this value. Therefore a variant load needs more samples:
// if a share of lo means least hits, it needs least/lo samples.
func (v *Profile) decide(w *host.Window) {
	o := v.o
	for _, i := range v.touched {
		l := &v.loads[i]
		l.times++
		w.Cycles += o.decide
		top, samples := v.top(l)
		switch {
		case samples >= o.least && 100*top >= o.hi*samples:
		case samples*o.lo >= o.least*100 && 100*top <= o.lo*samples:
		case l.times >= o.times:
		default:
			continue
		}
		l.masked, l.until = true, v.visit.end
		v.mask(w, l.pc)
	}
}

// mask makes the filter with a bit for each PC reject a PC.
func (v *Profile) mask(w *host.Window, pc uint64) {
	n := w.Machine.Filters.Bit(pc)
	register := machine.FilterWindow + int(n>>6)
	word := w.Load(register)
	if word>>(n&63)&1 == 1 {
		return // another load has the same bit
	}
	w.Store(register, word|1<<(n&63))
	v.counts.masked++
}

// clearMasks makes software profile all loads again, in one partition. The filter changes
// to its next hash function, so a load that had the same bit as a masked one probably has
// another bit now. The current visit ends, because its filters do.
func (v *Profile) clearMasks(w *host.Window) {
	if v.o.weigh > 0 && processed(w.Machine) > v.seen {
		if uint64(len(v.list)) <= v.o.records {
			v.copySlots(w)
		} else {
			v.clearedSlots(w, 0) // there is no space for the slots
		}
		v.restart(w)
	}
	w.Store(machine.CommandWindow+machine.ClearFilter, 0)
	if n := uint64(len(w.Machine.Config().Hashes)); n > 1 {
		w.Store(machine.SampleWindow+machine.FilterHash, uint64(w.Machine.Filters.BitHash)%(n-1)+1)
	}
	v.endEras(w)
	for i := range v.loads {
		v.loads[i].times, v.loads[i].masked = 0, false
	}
	v.partitions.clear()
	v.selectPartition(w)
	v.quiet, v.empty, v.turns, v.complete = 0, 0, 0, false
	v.unmasked = w.Now
	v.counts.cleared++
}

// endEras notes for each load when its era began, because its partition ends. Real software would keep
// the old partitions, and look a load up there when it finds the load again. This takes few cycles
// for each partition, and the model does not count them.
func (v *Profile) endEras(w *host.Window) {
	if v.o.weigh == 0 {
		return
	}
	for i := range v.loads {
		if l := &v.loads[i]; !l.masked {
			l.until = v.eraOf(v.of(l.pc), l.until)
		}
	}
	first := v.eraOf(&v.leaves[0], v.first)
	for i := range v.leaves {
		first = min(first, v.eraOf(&v.leaves[i], v.first))
	}
	now, _ := retired(w)
	v.first, v.clearedAt = first, now
}
