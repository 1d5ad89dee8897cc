package cop_test

// This file has the references of the programs edges, targets, follow, deps, conflicts and callstack:
// the same algorithms in plain Go, with slices and maps. The references know neither the machine nor
// its instructions. They send the same messages, in the same order.

import (
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A programReference gets one sample after the other. If its table is full afterwards it drains, and at the end.
type programReference interface {
	sample(t tuple.Tuple, addr uint64)
	drain() []hwsim.Message
	full() bool
}

// refer gives a stream to a reference, as samples with all their words if together is true.
func refer(r programReference, in []tuple.Tuple, together bool) (msgs []hwsim.Message) {
	for i := 0; i < len(in); i++ {
		t, addr := in[i], uint64(0)
		if together && i+1 < len(in) && in[i+1].Tag() == tuple.More {
			i++
			addr = in[i].W
		}
		r.sample(t, addr)
		if r.full() {
			msgs = append(msgs, r.drain()...)
		}
	}
	return append(msgs, r.drain()...)
}

// A table counts keys, in the order in which they came. It has space for max of them. Of two
// keys with the same hash it knows only the later one, so the earlier one can have several rows.
type table[K comparable] struct {
	max  int
	hash func(k K) uint32
	rows []K
	n    []uint64
	last map[uint32]int
}

func (t *table[K]) add(k K) {
	h := t.hash(k)
	i, ok := t.last[h]
	if !ok || t.rows[i] != k {
		i = len(t.rows)
		t.last[h] = i
		t.rows, t.n = append(t.rows, k), append(t.n, 0)
	}
	t.n[i]++
}

func (t *table[K]) full() bool { return len(t.rows) == t.max }

func (t *table[K]) drain(message func(k K) tuple.Tuple) (msgs []hwsim.Message) {
	for i, k := range t.rows {
		msgs = append(msgs, hwsim.Message{Tuple: message(k), Count: t.n[i]})
	}
	t.rows, t.n, t.last = nil, nil, map[uint32]int{}
	return msgs
}

func newTable[K comparable](max int, hash func(k K) uint32) table[K] {
	return table[K]{max: max, hash: hash, last: map[uint32]int{}}
}

// Edges: a row for each branch, with the counts of both outcomes.
type edgesReference struct {
	table[uint64]
	outcomes [][2]uint64
}

func (r *edgesReference) sample(t tuple.Tuple, _ uint64) {
	if t.Tag() != tuple.Edge || t.W > 1 {
		return
	}
	r.add(t.PC)
	for len(r.outcomes) < len(r.rows) {
		r.outcomes = append(r.outcomes, [2]uint64{})
	}
	r.outcomes[r.last[uint32(t.PC)]][t.W]++
}

func (r *edgesReference) drain() (msgs []hwsim.Message) {
	for i, pc := range r.rows {
		for w, n := range r.outcomes[i] {
			if n > 0 {
				msgs = append(msgs, hwsim.Message{Tuple: tuple.Tuple{PC: pc, W: uint64(w)}, Count: n})
			}
		}
	}
	r.outcomes = nil
	r.table.drain(func(uint64) tuple.Tuple { return tuple.Tuple{} })
	return msgs
}

type targetsReference struct{ table[tuple.Tuple] }

func hashTarget(t tuple.Tuple) uint32 {
	if t.Tag() == tuple.Edge {
		return uint32(t.PC) ^ uint32(t.W<<8)
	}
	return uint32(t.PC ^ t.W)
}

func (r *targetsReference) sample(t tuple.Tuple, _ uint64) {
	if t.Tag() == tuple.Call || t.Tag() == tuple.Edge && t.W > 1 {
		r.add(t)
	}
}

func (r *targetsReference) drain() []hwsim.Message {
	return r.table.drain(func(t tuple.Tuple) tuple.Tuple { return t })
}

type pair struct{ before, this tuple.Tuple }

type followReference struct {
	table[pair]
	before *tuple.Tuple
}

func hashPair(p pair) uint32 {
	return uint32(3*(2*p.before.PC+p.before.W) + 2*p.this.PC + p.this.W)
}

func (r *followReference) sample(t tuple.Tuple, _ uint64) {
	switch {
	case t.Tag() == tuple.Goroutine, t.Tag() == tuple.Edge && t.W > 1:
		r.before = nil
	case t.Tag() == tuple.Edge:
		if r.before != nil {
			r.add(pair{*r.before, t})
		}
		r.before = &t
	}
}

func (r *followReference) drain() []hwsim.Message {
	return r.table.drain(func(p pair) tuple.Tuple {
		w := p.before.Site() + p.before.W<<56 + p.this.W<<57
		return tuple.New(tuple.Follow, p.this.Site(), w)
	})
}

// A recent knows the last values of 64 keys. The key that came first makes space for a new one.
// Addresses that agree in 31 bits have the same key.
type recent struct {
	order  []uint64 // 64 keys at most; a key that is 1<<31 is no key any more
	values map[uint64][2]uint64
}

const noKey = 1 << 31

func (r *recent) put(key uint64) {
	if len(r.order) == 64 {
		delete(r.values, r.order[0])
		r.order = r.order[1:]
	}
	r.order = append(r.order, key)
}

type depsReference struct {
	table[[2]uint64] // the PCs of store and load
	stores           recent
}

func hashDep(p [2]uint64) uint32 { return uint32(2*p[0]^p[1]) | 1<<31 }

func (r *depsReference) sample(t tuple.Tuple, addr uint64) {
	key := addr & 0x7fffffff
	known, ok := r.stores.values[key]
	switch {
	case addr == 0:
	case t.Tag() == tuple.Store:
		if !ok {
			r.stores.put(key)
		}
		r.stores.values[key] = [2]uint64{addr, t.PC}
	case t.Tag() == tuple.Load && ok && known[0] == addr:
		r.add([2]uint64{known[1], t.PC})
	}
}

func (r *depsReference) drain() []hwsim.Message {
	return r.table.drain(func(p [2]uint64) tuple.Tuple {
		return tuple.New(tuple.Dep, tuple.Tuple{PC: p[1]}.Site(), p[0])
	})
}

type conflictsReference struct {
	table[[2]uint64] // the set, and the PC
	blocks           recent
}

func hashConflict(p [2]uint64) uint32 { return uint32(p[0]<<6^2*p[1]) | 1<<31 }

func (r *conflictsReference) sample(t tuple.Tuple, addr uint64) {
	if t.Tag() != tuple.Load || addr == 0 {
		return
	}
	block := addr &^ 63
	key := block & 0x7fffffff
	before, ok := r.blocks.values[key]
	if ok {
		r.blocks.order[slices.Index(r.blocks.order, key)] = noKey
		if before[0] == block {
			r.add([2]uint64{addr / 64 % 64, t.PC})
		}
	}
	r.blocks.put(key)
	r.blocks.values[key] = [2]uint64{block}
}

func (r *conflictsReference) drain() []hwsim.Message {
	return r.table.drain(func(p [2]uint64) tuple.Tuple {
		return tuple.New(tuple.Conflict, tuple.Tuple{PC: p[1]}.Site(), p[0])
	})
}

// A node is a context, or an event in one.
type node struct {
	pc     uint64
	parent int
	count  uint64
	hash   uint32
	valid  bool
}

type stackReference struct {
	nodes   []node // the root first
	now     int
	callers []int
}

func (r *stackReference) full() bool { return len(r.nodes) == 64 }

func (r *stackReference) sample(t tuple.Tuple, _ uint64) {
	switch t.Tag() {
	case tuple.Goroutine:
		r.now, r.callers = 0, nil
		return
	case tuple.Return:
		r.now = 0
		if n := len(r.callers); n > 0 {
			r.now, r.callers = r.callers[n-1], r.callers[:n-1]
		}
		return
	case tuple.More:
		return
	}
	hash := 3*r.nodes[r.now].hash + uint32(t.PC)
	i := slices.IndexFunc(r.nodes, func(n node) bool { return n.valid && n.hash == hash })
	if i < 0 || r.nodes[i].pc != t.PC || r.nodes[i].parent != r.now {
		if i >= 0 {
			r.nodes[i].valid = false
		}
		i = len(r.nodes)
		r.nodes = append(r.nodes, node{t.PC, r.now, 0, hash, true})
	}
	r.nodes[i].count++
	if t.Tag() == tuple.Enter {
		r.callers = append(r.callers, r.now)
		r.now = i
	}
}

// drain also makes the new tree, of the function that runs and at most 31 callers.
func (r *stackReference) drain() (msgs []hwsim.Message) {
	contexts := make([]uint64, len(r.nodes))
	for i, n := range r.nodes[1:] {
		t, tag := tuple.Tuple{PC: n.pc}, tuple.Within
		if t.Tag() == tuple.Enter {
			tag = tuple.Context
			contexts[i+1] = tuple.InContext(contexts[n.parent], t.Site())
		}
		if n.count > 0 {
			msgs = append(msgs, hwsim.Message{Tuple: tuple.New(tag, t.Site(), contexts[n.parent]), Count: n.count})
		}
	}
	var path []node
	for i := r.now; i != 0 && len(path) < 32; i = r.nodes[i].parent {
		path = append(path, r.nodes[i])
	}
	r.nodes = []node{{}}
	r.callers = nil
	for i, n := range slices.Backward(path) {
		k := len(path) - i
		r.nodes = append(r.nodes, node{n.pc, k - 1, 0, n.hash, true})
		r.callers = append(r.callers, k-1)
	}
	r.now = len(path)
	return msgs
}

// programReferences has a reference for each program.
var programReferences = map[string]func() programReference{
	"edges": func() programReference {
		return &edgesReference{table: newTable(128, func(pc uint64) uint32 { return uint32(pc) })}
	},
	"targets": func() programReference { return &targetsReference{newTable(64, hashTarget)} },
	"follow":  func() programReference { return &followReference{table: newTable(64, hashPair)} },
	"deps": func() programReference {
		return &depsReference{newTable(32, hashDep), recent{values: map[uint64][2]uint64{}}}
	},
	"conflicts": func() programReference {
		return &conflictsReference{newTable(64, hashConflict), recent{values: map[uint64][2]uint64{}}}
	},
	"callstack": func() programReference { return &stackReference{nodes: []node{{}}} },
}
