package cop_test

// This file has the slot algorithm of value profiling in plain Go. It knows nothing of the machine.

type referenceSlot struct {
	pc                  uint64
	valid               bool
	value               uint32
	hits, misses, total int
}

type reference struct {
	r, keep, mostFailed, mostDropped int
	twiceRF                          int
	advance                          bool
	slots                            []referenceSlot
	victim, failed, dropped          int
	lfsr                             uint32
}

// random makes 32 steps of the shift register x^32 + x^22 + x^2 + x + 1.
func (x *reference) random() int {
	for range 32 {
		out := x.lfsr & 1
		x.lfsr >>= 1
		if out == 1 {
			x.lfsr ^= 0x80200003
		}
	}
	return int(x.lfsr) % (x.r + 1)
}

// sample takes a sample and returns the interrupt, "" for none.
func (x *reference) sample(pc uint64, value uint32) string {
	for i := range x.slots {
		if s := &x.slots[i]; s.valid && s.pc == pc {
			s.take(value, x)
			return ""
		}
	}
	s := &x.slots[x.victim]
	if s.total > x.random() {
		x.failed = min(x.failed+1, 65535)
		if x.advance {
			x.victim = (x.victim + 1) % len(x.slots)
		}
		if x.failed >= x.mostFailed {
			return "FULL"
		}
		return ""
	}
	used := s.total > 0
	*s = referenceSlot{pc, true, value, 1, 0, 1}
	x.victim = (x.victim + 1) % len(x.slots)
	x.failed = max(x.failed-1, 0)
	if used {
		x.dropped++
		if x.dropped >= x.mostDropped {
			return "THRASH"
		}
	}
	return ""
}

func (s *referenceSlot) take(value uint32, x *reference) {
	s.total++
	if s.total == 65535 {
		s.valid = false
		return
	}
	if value == s.value {
		s.hits++
		s.valid = s.hits < 255
		return
	}
	s.misses++
	switch {
	case s.misses == 255:
		s.valid = false
	case 2*s.misses <= x.twiceRF*s.hits:
	case s.hits > x.keep:
		s.valid = false
	default:
		s.value, s.hits, s.misses = value, 1, 0
	}
}

// restart is what software does after an interrupt.
func (x *reference) restart() {
	clear(x.slots)
	x.failed, x.dropped = 0, 0
}

func (s *referenceSlot) word() uint64 {
	return uint64(s.value) + uint64(s.hits)<<32 + uint64(s.misses)<<40 + uint64(s.total)<<48
}
