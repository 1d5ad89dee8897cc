package raphw

// This file holds stages 3 and 4, and how events go through the stages.

import "math/bits"

// A pipeline is the stages with their memories.
type pipeline struct {
	spec
	queue   buffer
	ranges  tcam
	latches [stages]latch // latches[s] is what stage s works on; stage 0 has the queue
	write   write
	wait    uint64 // cycles until the next event may leave stage 0
	stall   uint64 // cycles until the stages go on

	n         uint64 // events that have been counted
	threshold uint64 // the register: eps·max(n,start)/log(R), rounded down
	fraction  uint64 // what was rounded off, in parts of the denominator
	due       uint64 // events at the next merge
	limit     uint64 // the greatest count

	order []int // of a merge
	meter
}

// A latch is what a stage gets from the one before it.
type latch struct {
	full     bool
	position uint64 // of the event in the queue
	entry    int    // from stage 2 on: the entry with the longest prefix, or none
	count    uint64 // from stage 4 on: of that entry
}

// A write is a count on its way to the write port. It is in the memory from the next
// cycle on.
type write struct {
	full  bool
	entry int
	count uint64
}

func newPipeline(s spec) pipeline {
	p := pipeline{
		spec: s, queue: newBuffer(s.buffer), ranges: newTCAM(s.entries, s.bits),
		limit: ^uint64(0) >> (64 - s.width), order: make([]int, s.entries),
	}
	p.reset()
	return p
}

func (p *pipeline) reset() {
	p.queue.reset()
	p.ranges.reset()
	p.latches, p.write, p.wait, p.stall = [stages]latch{}, write{}, 0, 0
	p.meter = meter{}
	p.n, p.due = 0, p.first
	hi, lo := bits.Mul64(p.billionths, p.start)
	p.threshold, p.fraction = bits.Div64(hi, lo, p.denominator)
}

// run lets the engine work for a while, at most for so many cycles. It returns for how
// many: fewer than most if something may have changed.
func (p *pipeline) run(most, keep uint64) (cycles uint64) {
	switch {
	case p.stall > 0:
		cycles = min(most, p.stall)
		p.stall -= cycles
	case p.wait == 0 && p.queue.next == p.queue.head && !p.queue.ready(keep):
		return most // idle
	default:
		cycles = 1
		p.cycle(keep)
	}
	p.busy += cycles
	return cycles
}

// cycle is one cycle. The stages work at the same time. They are computed from the last
// to the first, so that each takes what the one before had made in the cycle before.
func (p *pipeline) cycle(keep uint64) {
	p.commit()
	if p.wait > 0 {
		p.wait--
	}
	s := &p.latches
	if s[4].full {
		s[4].full = false
		if p.retire(s[4]) {
			return
		}
	}
	if s[3].full {
		s[3].count = p.read(s[3].entry)
		s[4], s[3].full = s[3], false
	}
	if s[2].full {
		s[3], s[2].full = s[2], false
	}
	if s[1].full {
		w := p.queue.at(s[1].position)
		s[1].entry = p.ranges.longest(w.pc, w.x)
		s[2], s[1].full = s[1], false
	}
	if p.wait == 0 && p.queue.ready(keep) {
		s[1] = latch{full: true, position: p.queue.issue()}
		p.wait = p.cycles
	}
}

// commit ends the write that the cycle before began.
func (p *pipeline) commit() {
	if p.write.full {
		p.ranges.count[p.write.entry] = p.write.count
		p.write.full = false
	}
}

// read is stage 3. A count that stage 4 has given to the write port in the same cycle
// is not in the memory yet: it is forwarded.
func (p *pipeline) read(entry int) (count uint64) {
	switch {
	case entry == none:
		return 0
	case p.write.full && p.write.entry == entry:
		p.forwarded++
		return p.write.count
	}
	return p.ranges.count[entry]
}

// retire is stage 4. The event's count is added, and the sum is compared and written.
// It reports whether the pipeline was flushed.
func (p *pipeline) retire(s latch) (flushed bool) {
	if s.entry == none {
		return p.newPlace(s.position)
	}
	w := p.queue.at(s.position)
	single := int(p.ranges.length[s.entry]) == p.spec.bits
	times := w.times
	if p.parts {
		times = min(times, p.due-p.n)
		if s.count <= p.threshold && !single {
			times = min(times, p.threshold+1-s.count)
		}
	}
	p.write = write{true, s.entry, p.add(s.count, times)}
	p.advance(times)
	p.events += times
	if w.times -= times; w.times == 0 {
		p.counts++
		p.queue.retire()
	}
	split := p.write.count > p.threshold && !single && p.split(s.entry)
	merge := p.n >= p.due
	if merge {
		p.merge()
	}
	if split || merge || w.times > 0 {
		p.flush(merge && !split)
		return true
	}
	return false
}

// add returns the sum of two counts, or the greatest count. What exceeds that is lost.
func (p *pipeline) add(count, more uint64) (sum uint64) {
	if more > p.limit-count {
		p.saturated += more - (p.limit - count)
		return p.limit
	}
	return count + more
}

// advance brings the number of events and the threshold register up to date. The
// hardware adds eps/log(R) for each event, beside the stages, and so needs no division.
func (p *pipeline) advance(times uint64) {
	before := p.n
	p.n += times
	if p.n <= p.start {
		return
	}
	p.fraction += p.billionths * (p.n - max(before, p.start)) // at most 2^30·2^8 more
	p.threshold += p.fraction / p.denominator
	p.fraction %= p.denominator
}

// newPlace is what stage 4 does if no entry matches: the place of the event gets the
// range of all points, and the event is replayed. If there is no room, the event is
// lost.
func (p *pipeline) newPlace(position uint64) (flushed bool) {
	w := p.queue.at(position)
	if !p.ranges.room(1) {
		p.noRoom += w.times
		p.queue.retire()
		return false
	}
	p.commit()
	p.wrote(1, p.ranges.insert(w.pc, 0, 0, 0), 0)
	p.flush(false)
	return true
}

// split writes the parts of a range that have no entry, with the count 0. Entries
// further inside get the new ones as their parents. split reports whether there was room.
func (p *pipeline) split(entry int) bool {
	t := &p.ranges
	p.commit()
	pc, value, length := t.pc[entry], t.value[entry], int(t.length[entry])
	to := min(length+p.step, p.spec.bits)
	missing := 0
	for c := range uint64(1) << (to - length) {
		if t.find(pc, value|c<<(p.spec.bits-to), to) == none {
			missing++
		}
	}
	if !t.room(missing) {
		p.denied++
		return false
	}
	moved, adopted := 0, 0
	for c := range uint64(1) << (to - length) {
		part := value | c<<(p.spec.bits-to)
		if t.find(pc, part, to) == none {
			moved += t.insert(pc, part, to, length)
			adopted += t.adopt(pc, part, to, length, to)
		}
	}
	p.splits++
	p.wrote(missing, moved, adopted)
	return true
}

// wrote takes the cycles that changes of entries need: one for each that is new, those
// of the moves, and one for each new parent. TCAM and counters are written at once.
func (p *pipeline) wrote(written, moved, adopted int) {
	cycles := uint64(written) + p.move*uint64(moved) + uint64(adopted)
	p.stall += cycles
	p.splitCycles += cycles
	p.moved += uint64(moved)
	p.adopted += uint64(adopted)
	p.most = max(p.most, uint64(p.ranges.len()))
}

// flush empties stages 1 to 4. What they had is replayed. Without further stalls the
// next result comes stages cycles later, as the pipeline must be filled again, or
// after refill cycles if that is more.
func (p *pipeline) flush(forMerge bool) {
	p.commit()
	p.replayed += p.queue.flush(p.queue.head)
	p.latches = [stages]latch{}
	p.wait = 0
	p.stall += p.refill - stages
	if forMerge {
		p.mergeCycles += p.refill
	} else {
		p.splitCycles += p.refill
	}
}
