package values_test

// This file has the slot algorithm of value profiling in plain Go, and compares the microcode with it.
// The algorithm knows nothing of the machine.

import (
	"math/rand/v2"
	"testing"
)

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

// The microcode does what the reference does: a million samples of each distribution, with other
// constants each.
func TestCOP14_ValuesIsTheReference(t *testing.T) {
	program := valuesProgram(t, "", "")
	type load func(r *rand.Rand, i int) (pc, value uint64)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(9, 9)), 1.1, 1, 2999)
	for _, x := range []struct {
		name string
		constants
		load
	}{
		{"uniform", standard, func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(100), r.Uint64N(3) }},
		{"skewed", constants{256, 31, 16, 4, 2, 6, false},
			func(r *rand.Rand, i int) (uint64, uint64) { pc := zipf.Uint64(); return pc, min(r.Uint64N(8), pc%8) }},
		{"flat", constants{64, 15, 8, 2, 3, 13, true},
			func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(640), r.Uint64() }},
		{"phases", constants{8, 63, 200, 1, 9, 1, false},
			func(r *rand.Rand, i int) (uint64, uint64) { return uint64(i / 5000 % 30), uint64(i / 700 % 5) }},
		{"variant", constants{16, 7, 0, 3, 50, 7, true},
			func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(12), r.Uint64() }},
		{"two values", constants{32, 0, 255, 200, 1, 2, false},
			func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(40) << 24, r.Uint64N(10) / 7 << 31 }},
		{"few", constants{8, 65535, 3, 4, 4, 3, false},
			func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(9), r.Uint64N(2) << 32 }},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := newProfiler(t, program, x.constants, 77)
			r := rand.New(rand.NewPCG(1, 2))
			interrupts := map[string]int{}
			for i := range 1_000_000 {
				site, value := x.load(r, i)
				which, err := p.both(t, loadPC(site), value)
				if err == nil && i%10_000 == 0 {
					err = p.same(t)
				}
				if err != nil {
					t.Fatalf("sample %d: %v", i, err)
				}
				interrupts[which]++
			}
			if err := p.same(t); err != nil {
				t.Error(err)
			}
			t.Logf("%d FULL, %d THRASH", interrupts["FULL"], interrupts["THRASH"])
		})
	}
}

// The same with samples and constants that the fuzzer makes up.
func FuzzCOP14_Values(f *testing.F) {
	program := valuesProgram(f, "", "")
	f.Add([]byte{5, 16, 1, 1, 6, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 12, 12})
	f.Add([]byte{0, 0, 0, 0, 1, 1, 200, 200, 201, 202, 200, 7, 7, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 6 {
			return
		}
		c := constants{slots: 8, r: 1<<(data[0]%9) - 1, keep: int(data[1] % 40), fth: 1 + int(data[2]%4),
			dth: 1 + int(data[3]%4), twiceRF: 1 + int(data[4]%15), advance: data[5]%2 == 1}
		p := newProfiler(t, program, c, 5)
		for i, b := range data[6:] {
			// A byte is 16 loads with 16 values; short inputs reach high counters by repetition.
			for range 1 + i%3*40 {
				if _, err := p.both(t, loadPC(uint64(b>>4)), uint64(b&15)); err != nil {
					t.Fatalf("%+v, byte %d: %v", c, i, err)
				}
			}
		}
		if err := p.same(t); err != nil {
			t.Fatal(err)
		}
	})
}
