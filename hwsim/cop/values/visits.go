package values

// This file measures visits of partitions, and weighs what they find.

import (
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A visit is the time in which the machine profiles one partition. It ends when the machine
// interrupts, or when the timer does. Its samples say what the loads of the partition did
// during the visit, and the visit stands for a longer time, its era: from the end of the
// previous visit of the partition to the end of this one.
//
// Without weights each sample would count the same. But a visit has about as many samples of a
// load as fit into its slot, however often the load is executed. So eras in which the load is
// rare would count too much. For example, a load has the value 1 in 1000 executions of one
// era and the value 2 in 100,000 executions of the next era. The visits are full after 200 and
// after 300 executions. The samples say that 2 has a share of 60 %, and it has 99 %. Therefore a
// sample counts
//
//	length of the era / length of the visit · events that came / events that were processed
//
// The second factor is for events of the partition that the sample buffer has dropped. The
// weighted samples of a load estimate its executions. Lengths are in retired events, which the
// machine counts.
//
// A load that is masked has no samples until the masks are cleared. Its era begins with its
// mask.
type visit struct {
	begin   uint64 // events that were retired when the visit began
	dropped uint64 // events that the sample buffer had dropped then

	// At the end of the visit.
	end     uint64 // events that are retired
	length  uint64 // events that retired during the visit
	arrived uint64 // of these, those that the filters accepted
	samples uint64 // of these, those that were processed
}

// weightBits is how many bits of a weight are behind the point. The weight 1 is 1<<weightBits.
const weightBits = 6

// retired returns how many events are retired, and how many of them the buffer has dropped.
func retired(w *host.Window) (n, dropped uint64) {
	dropped = w.Load(machine.SampleWindow + machine.DroppedEvents)
	return w.Load(machine.SampleWindow+machine.AcceptedEvents) + w.Load(machine.SampleWindow+machine.FilteredEvents) +
		dropped, dropped
}

// start begins a visit.
func (x *visit) start(w *host.Window) { x.begin, x.dropped = retired(w) }

// stop ends a visit with a number of samples. now and dropped are what retired returns.
func (x *visit) stop(now, dropped, samples uint64) {
	x.end, x.samples, x.arrived = now, samples, samples+dropped-x.dropped
	// Samples that were in the buffer when the visit began make arrived a little too large.
	x.length = max(now-x.begin, x.arrived)
}

// weight returns the weight of the samples of a load whose era began when so many events were
// retired. A visit has at most x.samples samples of a load, so together they have at most the
// weight of the era. The era contains the visit, so no weight is below 1.
func (x *visit) weight(from uint64) uint64 {
	if x.samples == 0 {
		return 1 << weightBits
	}
	era := max(x.end-from, x.length)
	return part(era<<weightBits, x.arrived, x.length) / x.samples
}

// wait returns how many cycles the visit that begins now lasts, if the machine does not interrupt.
// At first, visits are short, so that each partition has its turn soon: a visit is not longer than
// 1/early of the time so far. The handlers then take the same share of the time again and again,
// until visits are as long as the parameter timer says.
//
// The length is random within a quarter. If a program repeats itself in the time of a turn of all partitions,
// each partition would otherwise see the same part of the program in each turn.
func (v *Profile) wait(now uint64) uint64 {
	n := v.o.firstWait()
	if v.o.early > 0 {
		n = min(v.o.timer, max(n, now/v.o.early))
	}
	v.random = v.random*6364136223846793005 + 1442695040888963407
	return n - n/4 + (v.random>>32)%(n/2+1)
}

// firstWait is the length of the first visit.
func (o *options) firstWait() uint64 {
	if o.early == 0 {
		return o.timer
	}
	return o.timer / shortest
}

// shortest is the part of the parameter timer that the first visits last.
const shortest = 16

// eraOf returns when the era of a load began whose partition is given: when the last visit of this partition
// ended. If there was none since masks were cleared, it is until, which was noted then.
func (v *Profile) eraOf(l *leaf, until uint64) uint64 {
	if l.seen > v.clearedAt {
		return l.seen
	}
	return until
}
