package interp

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// A thing fills a line of memory that the machine keeps apart.
type thing struct {
	next  *thing
	index uint32
	_     [LineSize - 12]byte
}

// What loads wait for counts whole if the next load is chained to them, and else in part.
func TestWaits(t *testing.T) {
	const n, wait = 40_000, 200
	const took = wait + cacheWait
	things := make([]thing, 5000)
	random := rand.New(rand.NewPCG(1, 2))
	at := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
	order, other := random.Perm(len(things)), random.Perm(len(things))
	for i := range order {
		next := (i + 1) % len(order)
		things[order[i]].next, things[other[i]].index = &things[order[next]], uint32(other[next])
	}
	load := func(m *Machine, p unsafe.Pointer, w uint64) uint64 {
		v, ok := m.Load(at(p), w)
		if !ok {
			t.Fatal("the load fails")
		}
		return v
	}
	for _, test := range []struct {
		name string
		load func(m *Machine)
		took uint64 // by each load, beyond a quick one
		want float64
	}{
		{"a list", func(m *Machine) {
			p := &things[0]
			for range n {
				p = (*thing)(unsafe.Add(nil, load(m, unsafe.Pointer(&p.next), 8)))
			}
		}, took, n * wait},
		{"a list, with other loads between", func(m *Machine) {
			p := &things[0]
			for range n / 2 {
				next := load(m, unsafe.Pointer(&p.next), 8)
				load(m, unsafe.Pointer(&things[random.IntN(len(things))].index), 4)
				p = (*thing)(unsafe.Add(nil, next))
			}
		}, took, n / 2 * wait * (1 + 1./overlap)},
		{"indices", func(m *Machine) {
			i := uint64(0)
			for range n {
				i = load(m, unsafe.Pointer(&things[i].index), 4)
			}
		}, took, n * wait},
		{"random loads", func(m *Machine) {
			for range n {
				load(m, unsafe.Pointer(&things[random.IntN(len(things))].index), 4)
			}
		}, took, n * wait / overlap},
		{"random loads, with mispredicted branches behind them", func(m *Machine) {
			for range n {
				load(m, unsafe.Pointer(&things[random.IntN(len(things))].index), 4)
				m.meter.mispredicted()
			}
		}, took, n * (wait + restart)},
		{"mispredicted branches behind every second load", func(m *Machine) {
			for i := range n {
				load(m, unsafe.Pointer(&things[random.IntN(len(things))].index), 4)
				if i%2 == 0 {
					m.meter.mispredicted()
				}
			}
		}, took, n / 2 * (wait + restart + wait/overlap)},
		{"mispredicted branches behind quick loads", func(m *Machine) {
			for range n {
				load(m, unsafe.Pointer(&things[random.IntN(len(things))].index), 4)
				m.meter.mispredicted()
			}
		}, cacheWait, n * restart},
		{"one thing", func(m *Machine) {
			for range n {
				load(m, unsafe.Pointer(&things[0].index), 4)
			}
		}, took, 0},
		{"quick loads", func(m *Machine) {
			for i := range n {
				load(m, unsafe.Pointer(&things[i%len(things)].index), 4)
			}
		}, cacheWait, 0},
		{"a busy machine", func(m *Machine) {
			for i := range n {
				load(m, unsafe.Pointer(&things[i%len(things)].index), 4)
			}
		}, 1e9, n * longWait / overlap},
	} {
		_, m := newMachine()
		m.Quick, m.Time = 70, func(uint64) uint64 { return 70 + test.took }
		m.Reset(0, 0)
		test.load(m)
		if got := float64(m.Waits()); got < test.want*.9-wait || got > test.want*1.1+wait {
			t.Errorf("%s: %g cycles, want about %g", test.name, got, test.want)
		}
		if m.Reset(0, 0); m.Waits() != 0 {
			t.Errorf("%s: the next window begins with %d cycles", test.name, m.Waits())
		}
	}
}

// Loads that wait before Settle do not count.
func TestSettle(t *testing.T) {
	things := make([]thing, 5000)
	_, m := newMachine()
	m.Quick, m.Time = 70, func(uint64) uint64 { return 70 + cacheWait + 500 }
	m.Reset(0, 0)
	waits := func() uint64 {
		for i := range things {
			if _, ok := m.Load(uint64(uintptr(unsafe.Pointer(&things[i].index))), 4); !ok {
				t.Fatal("the load fails")
			}
		}
		m.meter.mispredicted()
		return m.Waits()
	}
	first := waits()
	m.Settle()
	if got := m.Waits(); got != 0 {
		t.Errorf("%d cycles behind Settle", got)
	}
	// The loads are as many as before. Which of them are timed is random.
	if got := waits(); first == 0 || got < first*8/10 || got > first*12/10 {
		t.Errorf("%d cycles before Settle, %d from then on", first, got)
	}
}
