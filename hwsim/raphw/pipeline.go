package raphw

// This file holds stages 3 and 4, and moves events through the stages.

import "math/bits"

// A pipeline has the stages and their memories.
type pipeline struct {
	spec
	queue   buffer
	ranges  tcam
	latches [stages]latch // latches[s] holds the event that stage s works on; stage 0 has the queue
	write   write
	wait    uint64 // cycles until the next event may leave stage 0
	stall   uint64 // cycles until the stages go on

	n         uint64 // events that have been counted
	threshold uint64 // the threshold register: eps·max(n,start)/log(R), rounded down
	fraction  uint64 // the remainder of the rounding, in parts of the denominator
	due       uint64 // number of events at the next merge
	limit     uint64 // the greatest count that a counter holds

	order []int // the order in which a merge visits the entries
	meter
}

// A latch holds an event and what the stage before has computed for it.
type latch struct {
	full     bool
	position uint64 // position of the event in the queue
	entry    int    // from stage 2 on: the entry with the longest prefix, or none
	count    uint64 // from stage 4 on: the count of that entry
}

// A write is a count on its way to the write port. The memory has it from the next
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

// run lets the engine work for at most so many cycles. It returns the number of cycles
// that the engine has worked. This is fewer than most if something may have changed for
// the caller.
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

// cycle is one cycle. In the hardware the stages work at the same time. The model
// computes them from the last to the first, so each stage takes the result that the
// stage before it had in the previous cycle.
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

// commit completes the write that began in the previous cycle.
func (p *pipeline) commit() {
	if p.write.full {
		p.ranges.count[p.write.entry] = p.write.count
		p.write.full = false
	}
}

// read is stage 3. If stage 4 has given a count to the write port in the same cycle,
// the memory does not have this count yet, so the count is forwarded.
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

// retire is stage 4. It adds the count of the event, compares the sum with the
// threshold, and writes it. It reports whether the pipeline was flushed.
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

// add returns the sum of two counts, or the greatest count if the sum is larger. The
// excess is lost.
func (p *pipeline) add(count, more uint64) (sum uint64) {
	if more > p.limit-count {
		p.saturated += more - (p.limit - count)
		return p.limit
	}
	return count + more
}

// advance updates the number of events and the threshold register. The hardware adds
// eps/log(R) for each event, beside the stages, so it needs no division.
func (p *pipeline) advance(times uint64) {
	before := p.n
	p.n += times
	if p.n <= p.start {
		return
	}
	p.fraction += p.billionths * (p.n - max(before, p.start)) // the sum grows by at most 2^30·2^8
	p.threshold += p.fraction / p.denominator
	p.fraction %= p.denominator
}

// newPlace is the work of stage 4 for an event that no entry matches. The place of the
// event gets the range of all points, and the event is replayed. If there is no space,
// the event is lost.
func (p *pipeline) newPlace(position uint64) (flushed bool) {
	w := p.queue.at(position)
	if !p.ranges.fits(1) {
		p.noEntry += w.times
		p.queue.retire()
		return false
	}
	p.commit()
	p.wrote(1, p.ranges.insert(w.pc, 0, 0, 0), 0)
	p.flush(false)
	return true
}

// split writes an entry with the count 0 for each part of a range that has none.
// Entries further inside get the new entries as their parents. split reports whether
// there was space.
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
	if !t.fits(missing) {
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

// wrote spends the cycles that changes of entries need: one for each new entry, those
// for the moves, and one for each new parent. TCAM and counters are written at the same
// time.
func (p *pipeline) wrote(written, moved, adopted int) {
	cycles := uint64(written) + p.move*uint64(moved) + uint64(adopted)
	p.stall += cycles
	p.splitCycles += cycles
	p.moved += uint64(moved)
	p.adopted += uint64(adopted)
	p.most = max(p.most, uint64(p.ranges.len()))
}

// flush empties stages 1 to 4. Their events are replayed. Without further stalls the
// next result comes stages cycles later, because the pipeline must fill again, or
// refill cycles later if that is more.
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
