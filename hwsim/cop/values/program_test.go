package values_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// constants are those of the program.
type constants struct {
	slots, r, keep, fth, dth, twiceRF int
	advance                           bool
}

var standard = constants{slots: 256, r: 31, keep: 16, fth: 4, dth: 2, twiceRF: 6}

// valuesProgram assembles the program, after a replacement, which may break it.
func valuesProgram(t testing.TB, old, new string) *asm.Program {
	t.Helper()
	return coptest.Assemble(t, coptest.Change(t, "values", old, new))
}

// A profiler is a machine with the program, beside the reference.
type profiler struct {
	m   *machine.Machine
	ref *reference
	now uint64
}

func get(t testing.TB, m *machine.Machine, register int) uint64 {
	t.Helper()
	v, err := m.Get(register)
	must(t, err)
	return v
}

func newProfiler(t testing.TB, p *asm.Program, c constants, seed uint32) *profiler {
	t.Helper()
	m, err := machine.New(machine.Config{Slots: c.slots, Data: c.slots})
	must(t, err)
	must(t, m.Load(p.Image))
	set := func(k int, n int) { must(t, m.Set(machine.ConstWindow+k, uint64(n))) }
	set(0, c.r)
	set(2, c.fth*c.slots)
	set(3, c.dth*c.slots)
	set(6, c.keep)
	for bit, k := range []int{7, 8, 9, 14} {
		set(k, 0xffffffff*(c.twiceRF>>bit&1))
	}
	set(11, 0)
	if c.advance {
		set(11, 1)
	}
	must(t, m.Set(machine.SampleWindow+machine.ShiftRegister, uint64(seed)))
	ref := &reference{r: c.r, keep: c.keep, mostFailed: c.fth * c.slots, mostDropped: c.dth * c.slots, twiceRF: c.twiceRF,
		advance: c.advance, slots: make([]referenceSlot, c.slots), lfsr: seed}
	return &profiler{m: m, ref: ref}
}

// sample gives a sample to the machine, and reports whether it interrupts.
func (p *profiler) sample(pc, value uint64) bool {
	p.now += 100
	p.m.Offer(p.now, machine.Sample{PC: pc, Value: value, Class: 3})
	return p.m.Run(p.now+100) == machine.Interrupted
}

// restart is what software does after an interrupt.
func (p *profiler) restart(t testing.TB) {
	for _, register := range []int{machine.CommandWindow + machine.InvalidateAll,
		machine.CommandWindow + machine.ClearData, machine.IndexWindow + 2, machine.IndexWindow + 3} {
		must(t, p.m.Set(register, 0))
	}
	p.m.Resume(p.now)
}

// same compares all slots and counters. Keys of the machine are compared where it has the PC.
func (p *profiler) same(t testing.TB) error {
	for i := range p.ref.slots {
		s := &p.ref.slots[i]
		if got := get(t, p.m, machine.DataWindow+i); got != s.word() {
			return fmt.Errorf("slot %d is %#x, want %#x", i, got, s.word())
		}
		if valid := get(t, p.m, machine.ValidWindow+i) == 1; valid != s.valid {
			return fmt.Errorf("slot %d: valid is %v", i, valid)
		}
		if s.total > 0 && get(t, p.m, machine.OriginWindow+i) != s.pc {
			return fmt.Errorf("slot %d is of %#x, want %#x", i, get(t, p.m, machine.OriginWindow+i), s.pc)
		}
	}
	for i, want := range map[int]int{1: p.ref.victim, 2: p.ref.failed, 3: p.ref.dropped} {
		if got := get(t, p.m, machine.IndexWindow+i); got != uint64(want) {
			return fmt.Errorf("I%d is %d, want %d", i, got, want)
		}
	}
	return nil
}

// both gives a sample to the machine and to the reference.
func (p *profiler) both(t testing.TB, pc, value uint64) (interrupt string, err error) {
	want := p.ref.sample(pc, uint32(value))
	if got := p.sample(pc, value); got != (want != "") {
		return "", fmt.Errorf("the machine interrupts: %v, the reference: %q", got, want)
	}
	if want == "" {
		return "", nil
	}
	if err := p.same(t); err != nil {
		return "", err
	}
	p.restart(t)
	p.ref.restart()
	return want, nil
}

// tag makes a PC of a tuple of a site.
func loadPC(site uint64) uint64 { return 3<<56 | site }

// A slot is 32 bits of a PC in the associative array, and 64 bits of the data array. Values wrap at 32
// bits, counters do not wrap.
func TestCOP15_Slots(t *testing.T) {
	s, err := coptest.Parse("program=values", nil)
	must(t, err)
	bits := map[string]int{}
	for _, part := range s.(hwsim.Sized).Size(64) {
		bits[part.Name] = part.Entries * part.Bits
	}
	if bits["cop associative array"] != 256*(32+1) || bits["cop data array"] != 256*(32+8+8+16) {
		t.Errorf("%v", bits)
	}
	p := newProfiler(t, valuesProgram(t, "", ""), standard, 1)
	p.sample(loadPC(1), 0x1_0000_0005)
	p.sample(loadPC(1), 0x7_0000_0005)
	if got, want := get(t, p.m, machine.DataWindow), uint64(5|2<<32|2<<48); got != want {
		t.Errorf("slot %#x, want %#x", got, want)
	}
	if key := get(t, p.m, machine.KeyWindow); key>>32 != 0 || get(t, p.m, machine.OriginWindow) != loadPC(1) {
		t.Errorf("key %#x", key)
	}
	for _, full := range []struct{ before, after uint64 }{
		{5 | 255<<32 | 2<<40 | 300<<48, 5 | 255<<32 | 2<<40 | 301<<48},
		{5 | 3<<32 | 2<<40 | 65535<<48, 5 | 3<<32 | 2<<40 | 65535<<48},
	} {
		must(t, p.m.Set(machine.DataWindow, full.before))
		must(t, p.m.Set(machine.KeyWindow, get(t, p.m, machine.KeyWindow))) // valid again
		p.sample(loadPC(1), 5)
		if got := get(t, p.m, machine.DataWindow); got != full.after || get(t, p.m, machine.ValidWindow) != 0 {
			t.Errorf("%#x becomes %#x, want %#x", full.before, got, full.after)
		}
	}
}

// Each state of the chart, with the slot before and after. Load 1 has slot 0, which is also the
// victim; sample is of load 1, or of load 2, which has no slot.
func TestCOP16_States(t *testing.T) {
	c := constants{slots: 8, r: 0, keep: 16, fth: 2, dth: 2, twiceRF: 6}
	word := func(value, hits, misses, total uint64) uint64 { return value | hits<<32 | misses<<40 | total<<48 }
	program := valuesProgram(t, "", "")
	for _, x := range []struct {
		name            string
		slot            uint64
		failed, dropped uint64
		load, value     uint64
		want            uint64
		valid           bool
		wantFailed      uint64
		wantDropped     uint64
		victim          uint64
		interrupts      bool
	}{
		{"S0 S1 S2 S3", word(5, 3, 1, 9), 0, 0, 1, 5, word(5, 4, 1, 10), true, 0, 0, 0, false},
		{"S1 total saturates", word(5, 3, 1, 65534), 0, 0, 1, 5, word(5, 3, 1, 65535), false, 0, 0, 0, false},
		{"S3 hits saturate", word(5, 254, 1, 300), 0, 0, 1, 5, word(5, 255, 1, 301), false, 0, 0, 0, false},
		{"S4 S5 S6", word(5, 3, 8, 20), 0, 0, 1, 6, word(5, 3, 9, 21), true, 0, 0, 0, false},
		{"S4 misses saturate", word(5, 200, 254, 500), 0, 0, 1, 6, word(5, 200, 255, 501), false, 0, 0, 0, false},
		{"S7", word(5, 17, 51, 100), 0, 0, 1, 6, word(5, 17, 52, 101), false, 0, 0, 0, false},
		{"S8", word(5, 16, 48, 100), 0, 0, 1, 6, word(6, 1, 0, 101), true, 0, 0, 0, false},
		{"S9 S10 S11 S12", word(5, 1, 0, 1), 3, 0, 2, 6, word(5, 1, 0, 1), true, 4, 0, 0, false},
		{"S12 FULL", word(5, 1, 0, 1), 15, 0, 2, 6, word(5, 1, 0, 1), true, 16, 0, 0, true},
		{"S13 unused", word(0, 0, 0, 0), 3, 7, 2, 6, word(6, 1, 0, 1), true, 2, 7, 1, false},
		{"S13 no failures", word(0, 0, 0, 0), 0, 0, 2, 6, word(6, 1, 0, 1), true, 0, 0, 1, false},
	} {
		p := newProfiler(t, program, c, 1)
		must(t, p.m.Set(machine.SampleWindow+machine.KeyHash, 0))
		must(t, p.m.Set(machine.DataWindow, x.slot))
		must(t, p.m.Set(machine.KeyWindow, 1))
		must(t, p.m.Set(machine.IndexWindow+2, x.failed))
		must(t, p.m.Set(machine.IndexWindow+3, x.dropped))
		interrupts := p.sample(x.load, x.value)
		slot, valid := get(t, p.m, machine.DataWindow), get(t, p.m, machine.ValidWindow) == 1
		if slot != x.want || valid != x.valid || interrupts != x.interrupts {
			t.Errorf("%s: slot %#x, valid %v, interrupts %v; want %#x, %v, %v", x.name, slot, valid, interrupts, x.want, x.valid,
				x.interrupts)
		}
		victim, failed, dropped := get(t, p.m, machine.IndexWindow+1), get(t, p.m, machine.IndexWindow+2),
			get(t, p.m, machine.IndexWindow+3)
		if victim != x.victim || failed != x.wantFailed || dropped != x.wantDropped {
			t.Errorf("%s: victim %d, failed %d, dropped %d; want %d, %d, %d", x.name, victim, failed, dropped, x.victim,
				x.wantFailed, x.wantDropped)
		}
	}
	// S14: with R = 1 a slot with one sample is replaced if the random number is 1.
	for _, before := range []uint64{3, 15} {
		c.r = 1
		p := newProfiler(t, program, c, 1)
		must(t, p.m.Set(machine.SampleWindow+machine.KeyHash, 0))
		must(t, p.m.Set(machine.IndexWindow+3, before))
		must(t, p.m.Set(machine.DataWindow, word(5, 1, 0, 1)))
		interrupts := false
		for n := 0; get(t, p.m, machine.DataWindow) == word(5, 1, 0, 1); n++ {
			if n == 20 { // chance 2^-20
				t.Fatal("the slot is never replaced")
			}
			interrupts = p.sample(2, 6)
		}
		if got := get(t, p.m, machine.IndexWindow+3); got != before+1 || interrupts != (before == 15) {
			t.Errorf("S14: dropped %d, interrupts %v", got, interrupts)
		}
	}
}

// Streams that together execute each microinstruction, and take each branch in each direction in which
// it can go.
func TestCOP16_CoversAllMicrocode(t *testing.T) {
	program := valuesProgram(t, "", "")
	type edge struct {
		address int
		taken   bool
	}
	seen := map[edge]bool{}
	run := func(c constants, n int, upper bool, load func(r *rand.Rand, i int) (pc, value uint64)) {
		p := newProfiler(t, program, c, 3)
		if upper {
			must(t, p.m.Set(machine.EntryWindow+3, get(t, p.m, machine.TargetWindow+2)))
		}
		r := rand.New(rand.NewPCG(3, 4))
		for i := range n {
			pc, value := load(r, i)
			p.now += 100
			p.m.Offer(p.now, machine.Sample{PC: loadPC(pc), Value: value, Class: 3})
			for state, _ := p.m.State(); state == machine.Running; state, _ = p.m.State() {
				at, before := p.m.PC(), p.m.Stats().Taken
				p.m.Step()
				seen[edge{at, p.m.Stats().Taken > before}] = true
			}
			if state, _ := p.m.State(); state == machine.Interrupted {
				p.restart(t)
			}
		}
	}
	run(standard, 100_000, false, func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(100), r.Uint64N(3) })
	run(constants{16, 7, 0, 3, 2, 6, true}, 10_000, false,
		func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(20), r.Uint64() })
	run(constants{8, 7, 16, 2, 2, 6, false}, 10_000, true,
		func(r *rand.Rand, i int) (uint64, uint64) { return r.Uint64N(90), r.Uint64() })
	run(standard, 1000, false, func(r *rand.Rand, i int) (uint64, uint64) { return 1, 5 })           // hits saturate
	run(standard, 70_000, false, func(r *rand.Rand, i int) (uint64, uint64) { return 1, uint64(i) }) // total saturates
	var missing []string
	branches := 0
	for address, code := range program.Code {
		in := code.Instr
		want := []bool{false}
		if in.Always() {
			want = []bool{true}
		} else if in.Branches() {
			want = []bool{false, true}
			branches++
		}
		for _, taken := range want {
			if !seen[edge{address, taken}] {
				missing = append(missing, fmt.Sprintf("line %d, taken %v: %s", code.Line, taken, code.Text))
			}
		}
	}
	if missing != nil || branches != 12 {
		t.Errorf("%d conditional branches; not covered:\n%s", branches, strings.Join(missing, "\n"))
	}
}

// recorded runs 400,000 samples of one load, 70 % of which have the value 1, and returns the share of
// hits among hits and misses of all slots that had the value 1.
func recorded(t *testing.T, program *asm.Program) float64 {
	p := newProfiler(t, program, standard, 1)
	r := rand.New(rand.NewPCG(5, 6))
	var hits, misses float64
	read := func() {
		for i := range 256 {
			if word := get(t, p.m, machine.DataWindow+i); uint32(word) == 1 {
				hits += float64(word >> 32 & 255)
				misses += float64(word >> 40 & 255)
			}
		}
	}
	for range 400_000 {
		value := uint64(1)
		if r.IntN(10) >= 7 {
			value = 2
		}
		if p.sample(loadPC(1), value) {
			read()
			p.restart(t)
		}
	}
	read()
	return hits / (hits + misses)
}

// Slots that are turned off when their hits saturate keep the ratio of hits and misses. About 200,000
// samples are recorded, so the ratio has a standard deviation of 0.001, and slots end at a hit,
// which makes 0.002; a false alarm is 25 standard deviations away. Hits that saturate without turning the
// slot off would make the ratio smaller.
func TestCOP17_SaturationKeepsTheRatio(t *testing.T) {
	if got := recorded(t, valuesProgram(t, "", "")); math.Abs(got-0.7) > 0.03 {
		t.Errorf("ratio %.4f, want 0.7", got)
	}
	broken := valuesProgram(t, "if !dsat goto done likely", "done")
	if got := recorded(t, broken); math.Abs(got-0.7) <= 0.03 {
		t.Errorf("without turning slots off the ratio is %.4f, so this test cannot fail", got)
	}
}

// A rare first value gives way to the dominant one.
func TestCOP18_Reselection(t *testing.T) {
	p := newProfiler(t, valuesProgram(t, "", ""), standard, 1)
	p.sample(loadPC(1), 9)
	for range 100 {
		p.sample(loadPC(1), 5)
	}
	// 9 has one hit; the fourth miss selects 5, with one hit; 96 more follow.
	if got, want := get(t, p.m, machine.DataWindow), uint64(5|97<<32|101<<48); got != want {
		t.Errorf("slot %#x, want %#x", got, want)
	}
}

// replaced returns how often, of n times, a new load replaces a slot with a total.
func replaced(t *testing.T, program *asm.Program, total uint64, n int) (count int) {
	c := standard
	c.slots, c.fth, c.dth = 8, 8000, 8000
	p := newProfiler(t, program, c, 12345)
	for range n {
		must(t, p.m.Set(machine.IndexWindow+1, 0))
		must(t, p.m.Set(machine.IndexWindow+2, 0))
		must(t, p.m.Set(machine.IndexWindow+3, 0))
		must(t, p.m.Set(machine.DataWindow, 5|1<<32|total<<48))
		must(t, p.m.Set(machine.CommandWindow+machine.InvalidateAll, 0))
		p.sample(loadPC(1), 7)
		if uint32(get(t, p.m, machine.DataWindow)) == 7 {
			count++
		}
	}
	return count
}

// A slot with a total is replaced with the probability (R+1-total)/(R+1): if a random number from 0 to R is at
// least the total. With 33 totals and a limit of 5.5 standard deviations, a false alarm has
// a chance of 33 * 3.8e-8 = 1.3e-6. With > instead of >= the curve is lower by 1/32, at least 6
// standard deviations.
func TestCOP19_ReplacementCurve(t *testing.T) {
	const n = 10_000
	farthest := func(program *asm.Program) (worst float64) {
		for total := range 33 {
			p := float64(32-total) / 32
			deviation := math.Sqrt(n * p * (1 - p))
			d := math.Abs(float64(replaced(t, program, uint64(total), n)) - n*p)
			worst = max(worst, d/max(deviation, 1e-9))
		}
		return worst
	}
	if got := farthest(valuesProgram(t, "", "")); got > 5.5 {
		t.Errorf("%.1f standard deviations from the curve", got)
	}
	if got := farthest(valuesProgram(t, "if gt goto T0", "if !lt goto T0")); got <= 5.5 {
		t.Errorf("with another comparison %.1f standard deviations from the curve: this test cannot fail", got)
	}
}

// With more than R samples a slot stays.
func TestCOP20_FrequentLoadsStay(t *testing.T) {
	for _, total := range []uint64{32, 33, 255, 65535} {
		if got := replaced(t, valuesProgram(t, "", ""), total, 5000); got != 0 {
			t.Errorf("%d samples: replaced %d times", total, got)
		}
	}
}
