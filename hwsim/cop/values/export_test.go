package values

// This file opens back doors for tests.

// A RecordedSlot is a word of the data array that software has copied.
type RecordedSlot struct {
	PC     uint64
	Word   uint64
	Weight uint64 // 0 is 1
}

// Estimated returns the loads of slots, as software estimates them with a parameter bound.
func Estimated(slots []RecordedSlot, twiceRF, bound uint64) []Load {
	return EstimatedIn(slots, twiceRF, bound, refinePasses, refineClose)
}

// EstimatedIn does the same with other limits for passes of the self-consistent estimate.
func EstimatedIn(slots []RecordedSlot, twiceRF, bound, passes uint64, close uint) []Load {
	v := Profile{records: newRecords(len(slots))}
	v.records.bound, v.records.most, v.records.close = bound, passes, close
	for _, s := range slots {
		l := &v.loads[v.find(s.PC)]
		l.weight = max(s.Weight, 1)
		v.add(l, slotOf(s.Word))
	}
	return v.results(twiceRF)
}

// SplitPartitions splits and advances partitions as text says: 1 and 2 are the bits of a split, and n is the next
// partition. It returns mask and match of each.
func SplitPartitions(text string) (list [][2]uint32, current int) {
	p := newPartitions()
	for _, c := range text {
		if c == 'n' {
			p.advance()
		} else if !p.split(int(c - '0')) {
			break
		}
	}
	for _, l := range p.leaves {
		list = append(list, [2]uint32{1<<l.bits - 1, uint32(l.match)})
	}
	return list, p.current
}

// Weight is the weight of samples of a visit that began and ended when so many events were retired, with
// a number of dropped events and of samples, and whose era began at from.
func Weight(begin, end, dropped, samples, from uint64) uint64 {
	x := visit{begin: begin, dropped: 1000}
	x.stop(end, 1000+dropped, samples)
	return x.weight(from)
}
