package interp

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// noted is code with an instruction for each kind of note. SI points to eight words, DX to a function that returns.
var noted = []byte{
	0x48, 0x03, 0x06, // 0: ADDQ (SI), AX
	0x0f, 0xb6, 0x4e, 0x08, // 3: MOVBLZX 8(SI), CX
	0x48, 0x0f, 0xbe, 0x4e, 0x09, // 7: MOVBQSX 9(SI), CX
	0x48, 0x63, 0x4e, 0x10, // 12: MOVLQSX 16(SI), CX
	0xf2, 0x0f, 0x10, 0x46, 0x18, // 16: MOVSD 24(SI), X0
	0xf2, 0x0f, 0x58, 0x46, 0x20, // 21: ADDSD 32(SI), X0
	0x48, 0x81, 0x7e, 0x28, 5, 0, 0, 0, // 26: CMPQ 40(SI), $5
	0x75, 0x00, // 34: JNE to the next instruction
	0x48, 0xff, 0x46, 0x30, // 36: INCQ 48(SI)
	0x48, 0x8b, 0x4e, 0x30, // 40: MOVQ 48(SI), CX
	0xff, 0xd2, // 44: CALL DX
	0xff, 0x56, 0x38, // 46: CALL 56(SI)
	0x48, 0x89, 0xd0, // 49: MOVQ DX, AX
	0x50,       // 52: PUSHQ AX
	0x58,       // 53: POPQ AX
	0x90,       // 54: NOP
	0xcc,       // 55
	0x90, 0xc3, // 56: the function
	0xc3, // 58: another one
}

// Each value is noted as the instruction has it: what is loaded before it is changed, registers before the instruction,
// and so many bytes as count. Notes change nothing of what the window does, whether pieces have one instruction or all
// of them, and whether loads are timed or not.
func TestNotes(t *testing.T) {
	pc := address(&noted[0])
	memory := [8]uint64{11, 0xee_fe_07, 0xffff_0000_9000_0000, 0x3ff0_0000_0000_0000, 0x4000_0000_0000_0000, 5, 41,
		pc + 58}
	values := map[uint64][]Value{
		0:  {{What: Register, Reg: rAX}, {What: Loaded}, {What: Register, Reg: rAX, Width: 1}},
		3:  {{What: Loaded, Width: 1}},
		7:  {{What: Loaded, Width: 1}, {What: Register, Reg: rCX}},
		12: {{What: Loaded}, {What: Loaded, Width: 4}},
		16: {{What: Loaded}},
		21: {{What: Loaded}, {What: Register, Reg: VectorRegister}},
		26: {{What: Loaded, Width: 8}},
		36: {{What: Loaded}},
		40: {{What: Loaded}, {What: Target}}, // no call
		44: {{What: Target}, {What: Loaded}}, // no load
		46: {{What: Target}, {What: Loaded}},
		49: {{What: Loaded}},
		53: {{What: Loaded}},
		54: {{What: Register, Reg: VectorRegister, Width: 2}, {What: Register, Reg: rDX, Width: 8}},
	}
	want := []string{
		"0 0x1ff", "0 0xff", "0 0xb", "3 0x7", "7 0x7", "7 0xfe", "12 0xffffffff90000000", "12 0x90000000",
		"16 0x3ff0000000000000",
		"21 0x3ff0000000000000", "21 0x4000000000000000", "26 0x5", "36 0x29", "40 0x2a", "44 target 56", "46 target 58",
		"46 target 58",
		"54 0x0", fmt.Sprintf("54 %#x", pc+56),
	}
	for _, exact := range []bool{false, true} {
		for _, timed := range []bool{false, true} {
			c, m := newMachine()
			other, plain := newMachine()
			stack := make([]uint64, 16)
			c.Exact, other.Exact = exact, exact
			c.Actions = func(at uint64, a *Actions) bool {
				for _, v := range values[at-pc] {
					v.Site = uint32(at - pc)
					a.Add(v)
				}
				return true
			}
			m.Act = func(m *Machine, event uint64) { m.TimeLoad() }
			m.Notes = make([]Note, len(want)-2)
			if timed {
				m.Time = func(uint64) uint64 { return 50 }
			}
			for round := range 3 { // the second one has all code
				for _, m := range []*Machine{m, plain} {
					m.choice.until = 3 // the fourth load
					m.R = [256]uint64{rAX: 0x1ff, rSI: uint64(uintptr(unsafe.Pointer(&memory[0]))), rDX: pc + 56,
						rSP: uint64(uintptr(unsafe.Pointer(&stack[8])))}
					m.Vectors[0], m.MXCSR = [8]uint64{7}, 0x1f80
					m.Reset(pc, 0)
					if why := m.Run(100); why != Breakpoint || m.PC != pc+55 {
						t.Fatalf("%v at %d", why, m.PC-pc)
					}
				}
				var got []string
				for _, n := range m.Notes {
					s := fmt.Sprintf("%d %#x", n.Site, n.Value)
					if n.Site == 44 || n.Site == 46 {
						s = fmt.Sprintf("%d target %d", n.Site, n.Value-pc)
					}
					got = append(got, s)
				}
				if !slices.Equal(got, want[:len(want)-2]) || m.Noted != len(want) {
					t.Errorf("exact %v, timed %v, round %d: %d notes\n%q, want %d\n%q", exact, timed, round, m.Noted, got, len(want),
						want)
				}
				for i := range 16 {
					if m.R[i] != plain.R[i] {
						t.Errorf("register %d is %#x, without notes %#x", i, m.R[i], plain.R[i])
					}
				}
				if m.Steps != plain.Steps || m.Vectors[0] != plain.Vectors[0] || m.Flags() != plain.Flags() {
					t.Errorf("%d steps, flags %#x, X0 %#x, without notes %d, %#x, %#x", m.Steps, m.Flags(), m.Vectors[0], plain.Steps,
						plain.Flags(), plain.Vectors[0])
				}
			}
		}
	}
}

// loading is code that loads in several ways. SI points to eight words, FS behind the last of them.
var loading = []byte{
	0x48, 0x03, 0x06, // 0: ADDQ (SI), AX
	0x48, 0x8b, 0x54, 0x8e, 0x08, // 3: MOVQ 8(SI)(CX*4), DX
	0xf2, 0x0f, 0x58, 0x46, 0x20, // 8: ADDSD 32(SI), X0
	0x48, 0xff, 0x46, 0x30, // 13: INCQ 48(SI)
	0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff, // 17: MOVQ FS:-8, CX
	0x48, 0x8b, 0x76, 0x28, // 26: MOVQ 40(SI), SI
	0x48, 0x89, 0xd0, // 30: MOVQ DX, AX
	0xcc, // 33
}

// loadedWords is what it loads from: a variable of the package, since stacks move.
var loadedWords = [8]uint64{11, 12, 13, 14, 0x4000_0000_0000_0000, 16, 41, 18}

// The address of a load is what the processor computes from the registers before the instruction, even if it loads one
// of them. What loads nothing has none. Values are noted beside addresses.
func TestNotedAddresses(t *testing.T) {
	pc := address(&loading[0])
	base := uint64(uintptr(unsafe.Pointer(&loadedWords[0])))
	want := []string{"0 +0", "0 11", "3 +16", "8 +32", "13 +48", "17 +56", "26 +40", "26 16"}
	for _, exact := range []bool{false, true} {
		for _, timed := range []bool{false, true} {
			c, m := newMachine()
			c.Exact = exact
			c.Actions = func(at uint64, a *Actions) bool {
				site := uint32(at - pc)
				if site == 0 || site == 26 {
					a.Add(Value{Site: site, What: Loaded})
				}
				return a.Add(Value{Site: site | 1<<31, What: Address, Width: 1})
			}
			m.Act = func(m *Machine, event uint64) { m.TimeLoad() }
			m.Notes = make([]Note, 20)
			if timed {
				m.Time = func(uint64) uint64 { return 50 }
			}
			for round := range 3 {
				m.choice.until = 2
				m.R = [256]uint64{rSI: base, rCX: 2, rFS: base + 64}
				m.MXCSR = 0x1f80
				m.Reset(pc, 0)
				if why := m.Run(100); why != Breakpoint || m.PC != pc+33 {
					t.Fatalf("%v at %d", why, m.PC-pc)
				}
				var got []string
				for _, n := range m.Notes[:m.Noted] {
					if n.Site>>31 != 0 {
						got = append(got, fmt.Sprintf("%d +%d", n.Site&^(1<<31), n.Value-base))
					} else {
						got = append(got, fmt.Sprint(n.Site, n.Value))
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("exact %v, timed %v, round %d:\n%q, want\n%q", exact, timed, round, got, want)
				}
			}
		}
	}
}

func TestTooManyValues(t *testing.T) {
	var a Actions
	for i := range maxValues + 2 {
		if ok := a.Add(Value{}); ok != (i < maxValues) {
			t.Errorf("value %d: %v", i, ok)
		}
	}
}

type caller interface{ call(n int) int }

type (
	callsA struct{ n int }
	callsB int
)

//go:noinline
func (a *callsA) call(n int) int { a.n++; return n + a.n }

//go:noinline
func (b callsB) call(n int) int { return n * int(b) }

//go:noinline
func callsC(n int) int { return n ^ 5 }

// callers are those of wCalls.
var callers = [2]caller{&callsA{}, callsB(3)}

// wCalls makes calls of methods, functions and closures, as numbers say, and returns what these compute.
//
//go:noinline
func wCalls(c *ctx) uint64 {
	offset := c.n
	closure := func(n int) int { return n + offset }
	funcs := [2]func(int) int{callsC, closure}
	sum := 0
	for i, b := range c.text {
		if b%4 < 2 {
			sum += callers[b%4].call(i)
		} else {
			sum += funcs[b%4-2](i)
		}
	}
	return uint64(sum)
}

// The targets of all calls of a Go function are those of its source, in their order. All calls through registers are
// noted, and which is which the source says: each fourth byte value is another function.
func TestTargetsOfAFunction(t *testing.T) {
	noCollection(t)
	c, m := newMachine()
	pc := uint64(reflect.ValueOf(wCalls).Pointer())
	c.Actions = func(at uint64, a *Actions) bool { return a.Add(Value{Site: uint32(at - pc), What: Target}) }
	m.Notes = make([]Note, 1<<12)
	n := newNative(m, wCalls)
	n.c.text = n.c.text[:1000]
	n.begin()
	if why := m.Run(1 << 30); why != Breakpoint {
		t.Fatalf("%v", why)
	}
	got := m.R[rAX]
	callers[0].(*callsA).n = 0
	if want := wCalls(n.c); got != want {
		t.Errorf("the window computes %d, want %d", got, want)
	}
	if m.Noted != len(n.c.text) {
		t.Fatalf("%d calls, want %d", m.Noted, len(n.c.text))
	}
	method := func(x caller) uint64 { // the second word behind the header of an itab
		return (*(**[4]uint64)(unsafe.Pointer(&x)))[3]
	}
	var sites [4]uint32
	var targets [4]uint64
	targets[0], targets[1], targets[2] = method(callers[0]), method(callers[1]), uint64(reflect.ValueOf(callsC).Pointer())
	for i, x := range m.Notes[:m.Noted] {
		k := n.c.text[i] % 4
		if targets[k] == 0 {
			targets[k] = x.Value // the closure
		}
		if sites[k] == 0 {
			sites[k] = x.Site
		}
		if x.Value != targets[k] || x.Site != sites[k] {
			t.Fatalf("call %d of kind %d, at %d, is of %#x, want %#x, at %d", i, k, x.Site, x.Value, targets[k], sites[k])
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(targets[:])))
	if len(distinct) != 4 || sites[0] != sites[1] || sites[2] != sites[3] || sites[0] == sites[2] {
		t.Errorf("sites %d, targets %#x", sites, targets)
	}
}

// BenchmarkNotes times windows of which each load is noted, and says what a note takes.
func BenchmarkNotes(b *testing.B) {
	noCollection(b)
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			best := [2]float64{1e9, 1e9}
			notes := 0.
			run := func(m *Machine) float64 {
				begin := time.Now()
				m.Run(6000)
				return float64(time.Since(begin).Nanoseconds())
			}
			var machines [2]*Machine
			var natives [2]*native
			for i := range machines {
				c, m := newMachine()
				c.Texts[0] = ownText(b)
				if i == 1 {
					c.Actions = func(pc uint64, a *Actions) bool { return a.Add(Value{Site: uint32(pc), What: Loaded}) }
					m.Notes = make([]Note, 1<<13)
				}
				machines[i], natives[i] = m, newNative(m, w.f)
				w.prep(natives[i].c)
			}
			for range b.N {
				for i, m := range machines {
					natives[i].begin()
					best[i] = min(best[i], run(m))
				}
				notes = float64(machines[1].Noted)
			}
			b.ReportMetric(notes, "notes")
			b.ReportMetric((best[1]-best[0])/max(notes, 1), "ns/note")
			b.ReportMetric(100*(best[1]/best[0]-1), "%")
		})
	}
}
