package machine_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

func newMachine(t testing.TB, c machine.Config) *machine.Machine {
	t.Helper()
	m, err := machine.New(c)
	must(t, err)
	return m
}

// load returns a machine with a program.
func load(t testing.TB, c machine.Config, source string) *machine.Machine {
	t.Helper()
	m := newMachine(t, c)
	must(t, m.Load(coptest.Assemble(t, source).Image))
	return m
}

func get(t testing.TB, m *machine.Machine, register int) uint64 {
	t.Helper()
	v, err := m.Get(register)
	must(t, err)
	return v
}

// An event is profiled if and only if all three filters accept it.
func TestCOP01_FiltersAreAConjunction(t *testing.T) {
	for n := range 8 {
		class, match, bit := n&1 == 0, n&2 == 0, n&4 == 0
		m := newMachine(t, machine.Config{FilterPCs: 64})
		if class {
			must(t, m.Set(machine.SampleWindow+machine.FilterClasses, 1<<3))
		}
		must(t, m.Set(machine.SampleWindow+machine.FilterMask, 3))
		if match {
			must(t, m.Set(machine.SampleWindow+machine.FilterMatch, 2))
		}
		if !bit {
			must(t, m.Set(machine.FilterWindow, 1<<6))
		}
		want := machine.Filtered
		if class && match && bit {
			want = machine.Accepted
		}
		if got := m.Offer(0, machine.Sample{PC: 6, Class: 3}); got != want {
			t.Errorf("class %v, match %v, bit %v: outcome %d, want %d", class, match, bit, got, want)
		}
	}
}

// Partitions by mask and match are disjoint and cover all PCs, whatever the hash; hashes can
// be given.
func TestCOP01_PartitionsAreDisjointAndCover(t *testing.T) {
	hashes := append(machine.DefaultHashes[:len(machine.DefaultHashes):len(machine.DefaultHashes)],
		func(pc uint64) uint32 { return uint32(pc >> 40) })
	m := newMachine(t, machine.Config{Hashes: hashes})
	must(t, m.Set(machine.SampleWindow+machine.FilterClasses, 1))
	r := rand.New(rand.NewPCG(1, 1))
	const mask = 0x15
	for hash := range uint64(len(hashes)) {
		must(t, m.Set(machine.SampleWindow+machine.FilterMask, mask|hash<<32))
		used := map[uint64]int{}
		for range 2000 {
			pc, accepted := r.Uint64(), 0
			for _, match := range []uint64{0, 1, 4, 5, 16, 17, 20, 21} {
				must(t, m.Set(machine.SampleWindow+machine.FilterMatch, match))
				if m.Filters.Accepts(&machine.Sample{PC: pc}) {
					accepted++
					used[match]++
				}
			}
			if accepted != 1 {
				t.Fatalf("hash %d: PC %#x is in %d partitions", hash, pc, accepted)
			}
		}
		if len(used) != 8 {
			t.Errorf("hash %d: %d partitions have PCs, want 8", hash, len(used))
		}
	}
}

// The filter with a bit for each PC rejects the PCs with the same number, and no others.
func TestCOP01_BitsRejectPCs(t *testing.T) {
	m := newMachine(t, machine.Config{FilterPCs: 128})
	must(t, m.Set(machine.SampleWindow+machine.FilterClasses, 1))
	must(t, m.Set(machine.FilterWindow+1, 1<<3)) // bit 67
	for pc := range uint64(1000) {
		if got, want := m.Filters.Accepts(&machine.Sample{PC: pc}), pc%128 != 67; got != want {
			t.Errorf("PC %d: %v", pc, got)
		}
	}
	must(t, m.Set(machine.SampleWindow+machine.FilterHash, 3)) // pc ^ pc>>13 ^ pc>>29
	if m.Filters.Accepts(&machine.Sample{PC: 66 ^ 1<<13}) || !m.Filters.Accepts(&machine.Sample{PC: 67 ^ 1<<13}) {
		t.Error("the hash that is selected does not select the bit")
	}
	must(t, m.Set(machine.CommandWindow+machine.ClearFilter, 0))
	if !m.Filters.Accepts(&machine.Sample{PC: 67}) {
		t.Error("ClearFilter leaves a bit")
	}
}

// In a burst, drops are arrivals minus capacity minus what was drained; what was accepted comes out
// in order, with the selected fields only.
func TestCOP02_SampleBuffer(t *testing.T) {
	const source = `
		.sample value target
		.entry all x
		.width I0 8
	x:	wr B0|I0, value ; inc I0
		or V0, pc, target
		done`
	m := load(t, machine.Config{Buffer: 200, Penalty: 5}, strings.Replace(source, ".width", ".base B0 0 256\n.width", 1))
	_, capacity := m.Queued()
	if want := 200 / (1 + 8 + 8); capacity != want {
		t.Fatalf("space for %d samples, want %d", capacity, want)
	}
	var accepted []uint64
	arrivals := 0
	for burst := range 5 {
		m.Run(uint64(50 * burst))
		done := m.Stats().Done
		for range 14 {
			arrivals++
			if m.Offer(uint64(50*burst), machine.Sample{PC: 77, Value: uint64(arrivals), Target: 5}) == machine.Accepted {
				accepted = append(accepted, uint64(arrivals))
			}
		}
		n, _ := m.Queued()
		if want := uint64(arrivals - n - int(done)); m.Stats().Dropped != want || n > capacity {
			t.Errorf("burst %d: %d dropped, %d in the buffer, %d done of %d", burst, m.Stats().Dropped, n, done, arrivals)
		}
	}
	if len(accepted) == 5*14 {
		t.Error("nothing was dropped")
	}
	m.Run(1 << 40)
	for i, want := range accepted {
		if got := get(t, m, machine.DataWindow+i); got != want {
			t.Errorf("sample %d is %d, want %d", i, got, want)
		}
	}
	if got := get(t, m, machine.ValueWindow); got != 5 {
		t.Errorf("pc or target is %d, want 5: pc is not selected", got)
	}
}

// The associative array is compared with a plain search of its slots.
func TestCOP03_AssociativeArray(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := machine.NewCam(64, 32)
	keys, valid := make([]uint64, 64), make([]bool, 64)
	for range 200_000 {
		slot, key := r.IntN(64), r.Uint64N(40)<<(8*r.IntN(5))
		switch r.IntN(100) {
		case 0:
			c.Clear()
			valid = make([]bool, 64)
		case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10:
			c.Invalidate(slot)
			valid[slot] = false
		default:
			c.Write(slot, key)
			keys[slot], valid[slot] = key%(1<<32), true
		}
		key = r.Uint64N(40) << (8 * r.IntN(5))
		want := -1
		for i := 63; i >= 0; i-- {
			if valid[i] && keys[i] == key%(1<<32) {
				want = i
			}
		}
		if got := c.Match(key); got != want {
			t.Fatalf("key %#x is in slot %d, want %d", key, got, want)
		}
	}
}

// Counters in fields wrap or saturate at the width of the field, and leave the others alone.
func TestCOP04_DataArray(t *testing.T) {
	const rest = uint64(0x5a5a_5a5a_5a5a_5a5a)
	for _, f := range []struct {
		name      string
		at, width int
	}{{"", 0, 64}, {".value", 0, 32}, {".hits", 32, 8}, {".misses", 40, 8}, {".total", 48, 16}} {
		top := pow(f.width)
		for _, x := range []struct {
			op        string
			old, want uint64
			flag      bool
		}{
			{"dinc", 0, 1, false}, {"dinc", top - 1, top, false}, {"dinc", top, 0, true},
			{"dsinc", 0, 1, false}, {"dsinc", top - 1, top, true}, {"dsinc", top, top, true},
			{"dclr", top, 0, false}, {"wr", 0, lowBits(0x1234_5678_9abc_def0, f.width), false}, {"rd", top, top, false},
		} {
			operand := ""
			if x.op == "wr" {
				operand = ", value"
			}
			m := load(t, machine.Config{}, ".sample value\n.base B0 16 16\n.entry all x\nx: "+x.op+" B0|I0"+f.name+operand+
				"\n done")
			mask := top << f.at
			must(t, m.Set(machine.DataWindow+19, rest&^mask|x.old<<f.at))
			must(t, m.Set(machine.IndexWindow, 3))
			m.Offer(0, machine.Sample{Value: 0x1234_5678_9abc_def0})
			m.Run(100)
			if got, want := get(t, m, machine.DataWindow+19), rest&^mask|x.want<<f.at; got != want ||
				m.Flag(machine.PredDSat) != x.flag {
				t.Errorf("%s%s of %#x: %#x, want %#x; DSAT is %v", x.op, f.name, x.old, got, want, m.Flag(machine.PredDSat))
			}
			if x.op != "wr" && x.op != "dclr" && m.Read(machine.SourceM) != x.want {
				t.Errorf("%s%s of %#x: M is %#x", x.op, f.name, x.old, m.Read(machine.SourceM))
			}
			must(t, m.Set(machine.CommandWindow+machine.ClearData, 0))
			if got := get(t, m, machine.DataWindow+19); got != 0 {
				t.Errorf("ClearData leaves %#x", got)
			}
		}
	}
}

// A register of width 5 is a circular buffer of 32; one of width 8 saturates at 255.
func TestCOP06_IndexWidths(t *testing.T) {
	m := load(t, machine.Config{Buffer: 1 << 12}, `
		.sample pc
		.entry all x
		.width I0 5
		.width I1 8
	x:	inc I0
		sinc I1
		done`)
	for n := range 300 {
		m.Offer(uint64(10*n), machine.Sample{})
		m.Run(uint64(10*n + 9))
		if got, want := get(t, m, machine.IndexWindow), uint64(n+1)%32; got != want {
			t.Fatalf("%d times inc: %d", n+1, got)
		}
		if got, want := get(t, m, machine.IndexWindow+1), uint64(min(n+1, 255)); got != want {
			t.Fatalf("%d times sinc: %d", n+1, got)
		}
	}
	must(t, m.Set(machine.WidthWindow+1, 3)) // a narrower register keeps its low bits
	if got := get(t, m, machine.IndexWindow+1); got != 7 {
		t.Errorf("255 in a register of 3 bits is %d", got)
	}
}

// Stores that make no sense are refused, say why, change nothing, and are counted.
func TestCOP07_WindowRefuses(t *testing.T) {
	m := newMachine(t, machine.Config{Slots: 64, Microcode: 64, Width: 32})
	must(t, m.Set(machine.BaseWindow, 16|16<<16))
	for i, test := range []struct {
		register int
		value    uint64
		want     string
	}{
		{machine.BaseWindow, 8 | 16<<16, "base 0: 0x100008: want an address that is a multiple of the size, 16"},
		{machine.BaseWindow, 0 | 12<<16, "base 0: 0xc0000: want a size that is a power of two"},
		{machine.BaseWindow, 3, "base 0: 0x3: want a size that is a power of two"},
		{machine.BaseWindow, 64 | 16<<16, "base 0: 0x100040: want a sub-array in the data array, which has 64 words"},
		{machine.BaseWindow + 4, 0, "base 4: the machine has 4"},
		{machine.MicrocodeWindow + 64, 0, "microcode 64: the machine has 64"},
		{machine.MicrocodeWindow, 1 << 60, "microinstruction 0x1000000000000000: the four highest bits are not 0"},
		{machine.MicrocodeWindow, 31, "microinstruction 0x1f: the main ALU has no such operation"},
		{machine.WidthWindow, 17, "width 0: 0x11: want a width from 1 to 16"},
		{machine.IndexWindow, 1 << 6, "index 0: 0x40: want an index of at most 6 bits"},
		{machine.ConstWindow, 1 << 32, "constant 0: 0x100000000: want a value of at most 32 bits"},
		{machine.KeyWindow, 1 << 32, "key 0: 0x100000000: want a key of at most 32 bits"},
		{machine.ValidWindow, 1, "valid 0: 0x1: want 0: a store of the key makes a slot valid"},
		{machine.TargetWindow, 64, "target 0: 0x40: want an address below 64"},
		{machine.SampleWindow + machine.FilterHash, 4, "sample 4: 0x4: want a hash function below 4"},
		{machine.SampleWindow + machine.FilterMask, 4 << 32, "sample 2: 0x400000000: want a hash function below 4"},
		{machine.SampleWindow + machine.ShiftRegister, 0,
			"sample 5: 0x0: want a state other than 0, which the shift register never leaves"},
		{machine.SampleWindow + machine.DroppedEvents, 0, "sample 6: 0x0: want no store: the register can only be read"},
		{machine.CommandWindow + 3, 0, "command 3: the machine has 3"},
		{machine.SampleWindow + machine.KeyHash, 4, "sample 11: 0x4: want a hash function below 4"},
		{machine.OriginWindow, 0, "origin 0: 0x0: want no store: the register can only be read"},
		{15 << 16, 0, "register 983040: the machine has 15 windows of 65536 registers"},
		{-1, 0, "register -1: the machine has 15 windows of 65536 registers"},
	} {
		if err := m.Set(test.register, test.value); err == nil || err.Error() != test.want {
			t.Errorf("%#x = %#x: %v, want %s", test.register, test.value, err, test.want)
		}
		if got := m.Stats().BadStores; got != uint64(i+1) {
			t.Errorf("%d bad stores counted, want %d", got, i+1)
		}
	}
	if got := get(t, m, machine.BaseWindow); got != 16|16<<16 {
		t.Errorf("B0 is %#x", got)
	}
}

func TestCOP08_Machines(t *testing.T) {
	for _, test := range []struct {
		c    machine.Config
		want string
	}{
		{machine.Config{Slots: 100}, "100 slots of the associative array: want a power of two from 8 to 4096"},
		{machine.Config{Data: 4}, "4 words of the data array: want a power of two from 8 to 4096"},
		{machine.Config{Buffer: 15}, "15 bytes of the sample buffer: want from 16 to 1048576"},
		{machine.Config{Width: 16}, "values of 16 bits: want 32 or 64"},
		{machine.Config{Width: 32, KeyBits: 40}, "keys of 40 bits, but values have 32: want keys of at most that many"},
		{machine.Config{Penalty: 65}, "a penalty of 65 cycles: want at most 64"},
		{machine.Config{Penalty: 1, NoPenalty: true}, "a machine with NoPenalty has a penalty of 1 cycles"},
		{machine.Config{Watchdog: 3}, "a watchdog of 3 microinstructions: want at least 16"},
	} {
		if _, err := machine.New(test.c); err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", test.c, err, test.want)
		}
	}
	if c := newMachine(t, machine.Config{Slots: 64}).Config(); c.Data != 64 || c.KeyBits != 32 ||
		64*c.Data != 2*c.KeyBits*c.Slots {
		t.Errorf("%+v: the data array should have twice the capacity of the associative one", c)
	}
}

// The shift register has the period 2^32-1. One step multiplies by x modulo the polynomial
// of the taps, in the order of the bits that the register has, so the step is a linear map: its
// power 2^32-1 is the identity, and its powers (2^32-1)/p for the prime divisors p are not.
func TestCOP08_ShiftRegisterHasTheLongestPeriod(t *testing.T) {
	type matrix [32]uint32 // column i is what bit i becomes
	apply := func(m *matrix, x uint32) (y uint32) {
		for i := range 32 {
			if x>>i&1 == 1 {
				y ^= m[i]
			}
		}
		return y
	}
	var step, identity matrix
	for i := range 32 {
		step[i], identity[i] = machine.Shift(1<<i, 1), 1<<i
	}
	multiply := func(a, b *matrix) (c matrix) {
		for i := range 32 {
			c[i] = apply(a, b[i])
		}
		return c
	}
	power := func(n uint64) matrix {
		result, square := identity, step
		for ; n > 0; n >>= 1 {
			if n&1 == 1 {
				result = multiply(&square, &result)
			}
			square = multiply(&square, &square)
		}
		return result
	}
	const period = 1<<32 - 1 // 3 · 5 · 17 · 257 · 65537
	if power(period) != identity {
		t.Error("after 2^32-1 steps the shift register is not where it was")
	}
	for _, p := range []uint64{3, 5, 17, 257, 65537} {
		if power(period/p) == identity {
			t.Errorf("the period divides (2^32-1)/%d", p)
		}
	}
	if got, want := machine.Shift(12345, 32), apply(func() *matrix { m := power(32); return &m }(), 12345); got != want {
		t.Errorf("32 steps: %#x, want %#x", got, want)
	}
}
