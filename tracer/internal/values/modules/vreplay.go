package modules

// This file has vreplay (section 3.2): pairs of memory accesses, an older and a younger one,
// that can make the processor execute the younger one again, or wait.

import (
	"strconv"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// Kinds of pairs. Samples are at the younger instruction, and the value is the address of
// the older one.
const (
	kindOrder   = "order"   // a load of bytes that the older instruction stores
	kindSize    = "size"    // likewise, but the store does not have all of these bytes
	kindSynonym = "synonym" // accesses to different memory that the processor can mistake for the same
)

const (
	// VreplayLength is how many instructions the paper interprets for vreplay, once in
	// VreplayEvery interrupts (section 3.4).
	VreplayLength = 128
	VreplayEvery  = 128

	// vreplayWindow is how many instructions the 21264 has in flight. A pair that is further
	// apart does not conflict, except for two loads.
	vreplayWindow = 80
)

// vreplay finds pairs within a run.
//
// On x86, a size pair is a load that store-to-load forwarding cannot serve, so it waits until
// the store has left for the cache. An order pair is a load that may be executed before the
// older store's address is known, which costs a machine clear if it was. A synonym is a load
// whose address agrees with that of an older store in its low 12 bits ("4K aliasing"): it
// waits as if the store were to its bytes.
//
// On the Alpha, all three are traps, and a synonym is any two accesses to different lines of
// 64 bytes that have the same cache index: their addresses are congruent modulo 32K.
//
// All are candidates: whether a conflict happens depends on timing. Profiles of
// hardware events at the same instructions tell which do.
type vreplay struct {
	resolver Resolver
	window   int    // instructions
	modulo   uint64 // bytes
	alpha    bool
}

func newVreplay(o Options, r Resolver) (capture.Module, error) {
	machine, err := o.word("machine", "x86", "alpha")
	if err != nil {
		return nil, err
	}
	m := &vreplay{resolver: r, alpha: machine == "alpha"}
	window, err := o.number("window", vreplayWindow, 1<<20)
	if err != nil {
		return nil, err
	}
	m.window = int(window)
	otherwise := uint64(4096)
	if m.alpha {
		otherwise = 32768
	}
	if m.modulo, err = o.number("modulo", otherwise, 1<<40); err != nil {
		return nil, err
	}
	return m, nil
}

// Capture wants a tuple of every instruction, because dependences go through all of them.
func (*vreplay) Capture(in *capture.Instruction) capture.Want {
	if in.Memory != 0 {
		return capture.Want{Fields: capture.Visit | capture.Addr}
	}
	return capture.Want{Fields: capture.Visit}
}

// An accessed is a memory access of a run.
type accessed struct {
	insn  *capture.Instruction
	index int // of its tuple
	addr  uint64
	width uint64
}

func (a *accessed) stores() bool { return a.insn.Memory&capture.Store != 0 }
func (a *accessed) loads() bool  { return a.insn.Memory&capture.Load != 0 }

// A set is a set of accesses of a run, by their numbers.
type set map[int]bool

func (s set) add(o set) {
	for i := range o {
		s[i] = true
	}
}

func (m *vreplay) Transform(r *capture.Run, emit func(capture.Sample)) {
	var all []accessed
	registers := map[int]set{} // the accesses on which the value of a register depends
	memory := map[uint64]set{} // likewise of a byte
	writer := map[uint64]int{} // the last store to a byte
	const stack = stackPointer // changes by a constant in pushes and pops
	for i := range r.Tuples {
		t := &r.Tuples[i]
		in := t.Insn
		inputs := set{}
		each(in.Reads, func(register int) { inputs.add(registers[register]) })
		if in.Memory == 0 || t.Known&capture.Addr == 0 || in.Width == 0 {
			each(in.Writes, func(register int) { registers[register] = inputs })
			continue
		}
		b := accessed{in, i, t.Addr, uint64(in.Width)}
		m.pairs(all, &b, inputs, writer, emit)
		number := len(all)
		all = append(all, b)

		result := set{number: true}
		result.add(inputs)
		if b.loads() {
			for byte := b.addr; byte != b.addr+b.width; byte++ {
				result.add(memory[byte])
			}
		}
		each(in.Writes&^stack, func(register int) { registers[register] = result })
		if b.stores() {
			for byte := b.addr; byte != b.addr+b.width; byte++ {
				memory[byte] = result
				writer[byte] = number
			}
		}
	}
}

// each calls do with the number of each register in a set.
func each(registers capture.Registers, do func(register int)) {
	for i := range 64 {
		if registers>>i&1 != 0 {
			do(i)
		}
	}
}

// pairs emits the pairs of b with older accesses. If b needs the result of an access, as inputs
// says, the processor cannot execute b before it, and there is no conflict.
func (m *vreplay) pairs(all []accessed, b *accessed, inputs set, writer map[uint64]int, emit func(capture.Sample)) {
	for i := range all {
		a := &all[i]
		if inputs[i] {
			continue
		}
		twoLoads := !a.stores() && !b.stores()
		if b.index-a.index > m.window && !twoLoads {
			continue
		}
		kind := ""
		switch {
		case a.stores() && b.loads() && overlaps(a, b, writer, i):
			if kind = kindOrder; a.addr > b.addr || a.addr+a.width < b.addr+b.width {
				kind = kindSize
			}
		case m.synonym(a, b):
			kind = kindSynonym
		default:
			continue
		}
		emit(capture.Sample{Insn: b.insn, Kind: kind, Value: capture.Value{Word: a.insn.PC}})
	}
}

// overlaps reports whether b accesses a byte that store a, with the given number, was the last one to store.
func overlaps(a, b *accessed, writer map[uint64]int, number int) bool {
	for byte := b.addr; byte != b.addr+b.width; byte++ {
		if w, ok := writer[byte]; ok && w == number && byte-a.addr < a.width {
			return true
		}
	}
	return false
}

// synonym reports whether the processor can mistake the memory of two accesses for the same.
func (m *vreplay) synonym(a, b *accessed) bool {
	if m.alpha {
		const line = 64
		return a.addr/line != b.addr/line && a.addr%m.modulo/line == b.addr%m.modulo/line
	}
	if !a.stores() || !b.loads() || a.addr-b.addr < b.width || b.addr-a.addr < a.width {
		return false
	}
	distance := (b.addr%m.modulo + m.modulo - a.addr%m.modulo) % m.modulo
	return distance < a.width || m.modulo-distance < b.width
}

func (m *vreplay) Format(in *capture.Instruction, kind string, v capture.Value) string {
	text := "0x" + strconv.FormatUint(v.Word, 16)
	if where := m.resolver.Position(in.Image, v.Word); where != "" {
		text += " " + where
	}
	return text
}
