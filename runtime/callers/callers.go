// Package callers is how a sample keeps its callers, of stacks of deep recursion, too.
//
//	list := callers.New(&key, counts.Header)
//	for pc := range stack { // from the innermost one outwards
//		off, ok := callers.Offset(pc)
//		if !ok || !list.Add(off) {
//			break
//		}
//	}
//	list.Finish()
//
// Signal handlers call all of it. A sample has space for pepfile.MaxCallers
// callers. What happens to a stack that has more depends on the stack:
//
// If the same callers repeat three times or more in a row, only the innermost and the outermost of
// these repetitions remain (fold). For example, the callers
//
//	parseFactor parseTerm parseExpr  parseFactor parseTerm parseExpr  parseFactor parseTerm parseExpr  main
//
// become
//
//	parseFactor parseTerm parseExpr  parseFactor parseTerm parseExpr  main
//
// So a function that is on the stack is in the sample, too. That is why two repetitions remain:
// with one of them, nobody would know that parseExpr is called by parseFactor.
//
// A parser rarely repeats itself so exactly. If nothing can be folded, the innermost keptInner
// callers stay as they are, and of those behind them whole cycles are left out, from a caller to
// the same caller further out (erase). With A, B and C as calls, the stack
//
//	… A B C A B A C B main         becomes         … A C B main
//
// because B C A, and then B A, lead from an A to an A. A function that is only in such cycles
// is not in the sample.
//
// If callers are still too many, for example 40 that are all different, those in the middle are
// left out. pepfile.Gap stands in their place.
//
// In all cases the outermost caller is in the sample, and two callers that are next to each
// other in the sample were so on the stack. Stacks that have space stay as they are.
package callers

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

const (
	// MaxWalk is how many callers of a stack are looked at.
	MaxWalk = 4096

	// keptInner is how many of the innermost callers no cycle is left out of.
	keptInner = 12

	// mostDeep is how many callers a sample gets if cycles of it are left out. settleLeaf may
	// add one.
	mostDeep = pepfile.MaxCallers - 1

	// keptOuter is how many callers follow a gap.
	keptOuter = 8
)

// Text is the code of the program, of which callers are offsets. It is set when the program starts.
var Text struct{ Base, Size uintptr }

// Offset returns pc relative to the text, and false if pc is outside.
func Offset(pc uintptr) (off uint32, ok bool) {
	d := pc - Text.Base
	return uint32(d), d < Text.Size
}

// A List is the callers of a sample while it is made.
type List struct {
	*pepfile.Key
	counts *pepfile.Header // of lists that were shortened

	most   uint32 // callers that Add appends before it calls addDeep
	walked uint32 // callers so far
	period uint32 // of the last repetition found, 0 before the first
	folded bool
	oldest uint32 // with a gap the index of the innermost caller behind it, otherwise 0
}

// New returns a list that adds callers to k, which has none, and counts in h if it is shortened.
func New(k *pepfile.Key, h *pepfile.Header) List {
	return List{Key: k, counts: h, most: pepfile.MaxCallers}
}

// Add adds a caller, and reports whether further ones may follow.
func (l *List) Add(off uint32) bool {
	l.walked++
	i := l.N
	if i >= l.most {
		return l.addDeep(off)
	}
	l.Callers[i&mask] = off
	l.N = i + 1
	return true
}

// addDeep adds a caller to a list that is full, or of which cycles are left out. It counts
// what becomes of the sample.
func (l *List) addDeep(off uint32) bool {
	if l.walked > MaxWalk {
		golink.Add64(&l.counts.Truncated, 1)
		return false
	}
	if l.most > 0 {
		if l.fold() {
			if !l.folded {
				l.folded = true
				golink.Add64(&l.counts.Folded, 1)
			}
			l.Callers[l.N&mask] = off
			l.N++
			return true
		}
		l.most, l.N = 0, keptInner
		for i := uint32(keptInner); i < pepfile.MaxCallers; i++ {
			l.erase(l.Callers[i&mask])
		}
	}
	l.erase(off)
	return true
}

// erase adds a caller to a list of which cycles are left out.
func (l *List) erase(off uint32) {
	if l.oldest > 0 {
		l.Callers[l.oldest&mask] = off
		if l.oldest++; l.oldest == mostDeep {
			l.oldest = mostDeep - keptOuter
		}
		return
	}
	for i := l.N; i >= keptInner; i-- {
		if l.Callers[(i-1)&mask] == off {
			l.N = i
			return
		}
	}
	if l.N < mostDeep {
		l.Callers[l.N&mask] = off
		l.N++
		return
	}
	// The callers behind the gap are a ring from here on: each one takes the space of the
	// innermost of them.
	l.Callers[mostDeep-keptOuter-1] = pepfile.Gap
	l.oldest = mostDeep - keptOuter
	l.erase(off)
}

// Finish completes the list after the last caller. It counts what was left out of it.
func (l *List) Finish() {
	if l.most > 0 {
		return
	}
	if l.folded {
		golink.Add64(&l.counts.Folded, -1)
	}
	if l.oldest == 0 {
		golink.Add64(&l.counts.Erased, 1)
		return
	}
	golink.Add64(&l.counts.Gapped, 1)
	for l.oldest > mostDeep-keptOuter {
		l.oldest--
		innermost := l.Callers[mostDeep-keptOuter]
		for i := uint32(mostDeep - keptOuter); i < mostDeep-1; i++ {
			l.Callers[i&mask] = l.Callers[(i+1)&mask]
		}
		l.Callers[mostDeep-1] = innermost
	}
}

// mask, for indices that are in range anyhow, tells the compiler so.
const mask = pepfile.MaxCallers - 1

// fold removes repetitions, and reports whether it found one. It looks at the end first, because
// that is where the repetition goes on whose beginning was folded before.
func (l *List) fold() bool {
	if p := l.period; p != 0 && l.run(pepfile.MaxCallers-3*p, p) >= 2*p {
		l.N -= p
		return true
	}
	for p := uint32(1); p <= pepfile.MaxCallers/3; p++ {
		for at := uint32(0); at+3*p <= pepfile.MaxCallers; {
			run := l.run(at, p)
			if run < 2*p {
				at += run + 1
				continue
			}
			surplus := p
			for surplus+2*p <= run {
				surplus += p
			}
			for i := at; i+surplus < pepfile.MaxCallers; i++ {
				l.Callers[i&mask] = l.Callers[(i+surplus)&mask]
			}
			l.N -= surplus
			l.period = p
			return true
		}
	}
	return false
}

// run returns how many callers from at on are equal to the ones p after them.
func (l *List) run(at, p uint32) (n uint32) {
	for i := at; i+p < pepfile.MaxCallers && l.Callers[i&mask] == l.Callers[(i+p)&mask]; i++ {
		n++
	}
	return n
}
