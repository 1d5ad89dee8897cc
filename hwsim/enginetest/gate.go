package enginetest

// This file has the second test engine. It has a clock, registers, and a file.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/clock"
)

// Gate sends every event unless its PC is masked, or the buffer is full when the event
// happens. The buffer has entries entries, and the engine takes service cycles for each.
// After every interrupt messages it interrupts.
//
//	gate(masks=FILE,entries=8,service=4,interrupt=100)
//
// Each byte of the file is a PC that is masked from the start.
var Gate = &hwsim.Kind{
	Name:     "gate",
	Params:   []string{"masks", "entries", "service", "interrupt"},
	Parse:    parseGate,
	Examples: []string{"gate", "gate(entries=1,service=50)", "gate(entries=16,service=5,interrupt=1)"},
}

// The registers of a gate are its masks, numbered from 0. A store to another number does
// nothing.
const gateMasks = 16

// storeCycles is how many cycles an access to a register takes.
const storeCycles = 10

type gateSpec struct {
	name                        string // of the file
	masks                       []byte
	entries, service, interrupt uint64
}

func parseGate(a *hwsim.Args) hwsim.Spec {
	s := gateSpec{
		name:      a.String("masks", ""),
		masks:     a.File("masks"),
		entries:   a.Uint("entries", 8, 1, 1024),
		service:   a.Uint("service", 4, 0, 1000),
		interrupt: a.Uint("interrupt", 100, 1, 1<<20),
	}
	if len(s.masks) > gateMasks {
		a.WantFor("masks", "at most 16 places")
	}
	return s
}

func (s gateSpec) String() string {
	text := "gate("
	if s.name != "" {
		text += `masks="` + s.name + `",`
	}
	return text + "entries=" + digits.Uint(s.entries) + ",service=" + digits.Uint(s.service) + ",interrupt=" +
		digits.Uint(s.interrupt) + ")"
}

func (s gateSpec) WithSeed(uint64) hwsim.Spec { return s }

func (s gateSpec) New(hwsim.Instance) hwsim.Engine {
	g := &gate{gateSpec: s, leaves: make([]uint64, s.entries)}
	g.reset()
	return g
}

type gate struct {
	gateSpec
	clock   clock.Clock
	masked  [gateMasks]uint64 // PCs, 0 for none
	leaves  []uint64          // the buffer: in which cycle the entry is free again, a ring
	next    int               // the entry for the next event
	busy    uint64            // the cycle in which the engine has served all entries
	sent    uint64            // messages since the last interrupt
	dropped uint64
}

func (g *gate) reset() {
	*g = gate{gateSpec: g.gateSpec, leaves: g.leaves, clock: clock.New(clock.Config{Near: 2, Far: 8})}
	clear(g.leaves)
	for i, pc := range g.masks {
		g.masked[i] = uint64(pc)
	}
}

func (g *gate) Push(in []tuple.Tuple, out *hwsim.Out) {
	for _, t := range in {
		if !g.takes(t) {
			g.dropped++
			continue
		}
		out.Send(hwsim.Message{Tuple: t, Count: 1})
		if g.sent++; g.sent == g.interrupt {
			g.sent = 0
			out.Interrupt()
		}
	}
}

// takes reports whether an event is not masked and finds space in the buffer.
func (g *gate) takes(t tuple.Tuple) bool {
	now := g.clock.Event(t)
	for _, pc := range g.masked {
		if pc == t.PC && pc != 0 {
			return false
		}
	}
	if g.leaves[g.next] > now {
		return false
	}
	g.busy = max(g.busy, now) + g.service
	g.leaves[g.next] = g.busy
	g.next = (g.next + 1) % len(g.leaves)
	return true
}

// Store sets a mask. The processor waits for it.
func (g *gate) Store(register int, value uint64) (cycles uint64) {
	if register < gateMasks {
		g.masked[register] = value
	}
	g.clock.Stall(storeCycles)
	return storeCycles
}

func (g *gate) Load(register int) (value, cycles uint64) {
	if register < gateMasks {
		value = g.masked[register]
	}
	g.clock.Stall(storeCycles)
	return value, storeCycles
}

func (g *gate) Time() hwsim.Time {
	now, stalled := g.clock.Cycles()
	return hwsim.Time{Cycles: now, Stalled: stalled}
}

func (g *gate) Flush(*hwsim.Out)       { g.reset() }
func (g *gate) Balance() hwsim.Balance { return hwsim.Balance{Dropped: g.dropped} }
