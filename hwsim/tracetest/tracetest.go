// Package tracetest makes streams of tuples for tests. The streams look like those of real
// programs: the loads of a function run in order, again and again. Some loads always see
// the same value, some a few values, some an index that counts up, and some a pointer.
//
//	p := tracetest.New(1, 200) // seed, functions
//	tuples := p.Events(make([]tuple.Tuple, 1<<20))
//
// A result of an engine on such a stream holds for that stream only. No figure uses
// one.
package tracetest

import (
	"math/rand/v2"

	"github.com/pepgo/pep/format/tuple"
)

// A Program is an endless stream of events.
type Program struct {
	rng   *rand.Rand
	funcs []function
	at    int // the function that runs
	site  int // the load in it that comes next
	loops int // how often its loads run yet
}

type function struct {
	loads []load
	calls []int // functions that run after it, the likeliest first
	loops int   // how often its loads run on average
}

// A load is one site. The kind says how it chooses its next word.
type load struct {
	pc     uint64
	kind   int
	values []uint64
	at     uint64
}

const (
	constant = iota // one word, now and then another
	few             // one of values, the first the likeliest
	index           // counts up
	pointer         // one of values, all alike, which are many
	kinds
)

// New returns a program with the given number of functions. Equal seeds give equal programs.
func New(seed uint64, funcs int) *Program {
	r := rand.New(rand.NewPCG(seed, 0x7ace))
	p := &Program{rng: r, funcs: make([]function, funcs), loops: 1}
	next := tuple.SiteBase("main")
	for i := range p.funcs {
		f := &p.funcs[i]
		f.loops = 1 + int(r.ExpFloat64()*5)
		for range 2 + r.IntN(20) {
			f.loads = append(f.loads, newLoad(r, tuple.New(tuple.Load, next, 0).PC))
			next++
		}
		for range 1 + r.IntN(5) {
			// Squaring makes some functions far hotter than others.
			x := r.Float64()
			f.calls = append(f.calls, int(x*x*float64(funcs)))
		}
	}
	return p
}

func newLoad(r *rand.Rand, pc uint64) load {
	l := load{pc: pc, kind: r.IntN(kinds), at: uint64(r.IntN(1000))}
	n := 2 + r.IntN(8)
	if l.kind == pointer {
		n = 500
	}
	for range n {
		v := uint64(r.IntN(256))
		if l.kind == pointer {
			v = 0xc000000000 + uint64(r.IntN(1<<18))*16
		}
		l.values = append(l.values, v)
	}
	return l
}

// Events fills buf with the next events, and returns it.
func (p *Program) Events(buf []tuple.Tuple) []tuple.Tuple {
	for i := range buf {
		buf[i] = p.event()
	}
	return buf
}

func (p *Program) event() tuple.Tuple {
	f := &p.funcs[p.at]
	if p.site == len(f.loads) {
		p.site = 0
		if p.loops--; p.loops <= 0 {
			p.at = p.next(f)
			f = &p.funcs[p.at]
			p.loops = 1 + int(p.rng.ExpFloat64()*float64(f.loops))
		}
	}
	l := &f.loads[p.site]
	p.site++
	if p.site < len(f.loads) && p.rng.IntN(8) == 0 { // a branch around a load
		p.site++
	}
	return tuple.Tuple{PC: l.pc, W: l.word(p.rng)}
}

func (p *Program) next(f *function) int {
	for _, g := range f.calls {
		if p.rng.IntN(2) == 0 {
			return g
		}
	}
	return p.rng.IntN(len(p.funcs))
}

func (l *load) word(r *rand.Rand) uint64 {
	switch l.kind {
	case constant:
		if r.IntN(50) == 0 {
			return l.values[1]
		}
		return l.values[0]
	case few:
		for _, v := range l.values {
			if r.IntN(2) == 0 {
				return v
			}
		}
		return l.values[0]
	case index:
		l.at++
		return l.at
	}
	return l.values[r.IntN(len(l.values))]
}
