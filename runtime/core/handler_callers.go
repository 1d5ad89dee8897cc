package core

// This file shortens stacks of deep recursion. A sample has room for pepfile.MaxCallers
// callers. If a stack has more, and the same callers repeat three times or more in a row,
// only the innermost and the outermost of these repetitions remain. For example, the callers
//
//	parseFactor parseTerm parseExpr  parseFactor parseTerm parseExpr  parseFactor parseTerm parseExpr  main
//
// become
//
//	parseFactor parseTerm parseExpr  parseFactor parseTerm parseExpr  main
//
// So a function that is on the stack is in the sample, too, and two callers that are next to
// each other in the sample were so on the stack. That is why two repetitions remain: with one
// of them, nobody would know that parseExpr is called by parseFactor. Stacks that have
// room stay as they are.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// maxWalk is how many callers of a stack are looked at.
const maxWalk = 1024

// A callerList is the callers of a sample while it is made.
type callerList struct {
	*pepfile.Key
	walked uint32 // callers so far
	period uint32 // of the last repetition found, 0 before the first
	folded bool
}

// add adds a caller, and reports whether there was room. If there was not, the sample is counted
// as truncated.
func (l *callerList) add(off uint32) bool {
	if l.N >= pepfile.MaxCallers {
		if l.walked >= maxWalk || !l.fold() {
			golink.Add64(&counts.Truncated, 1)
			return false
		}
		if !l.folded {
			l.folded = true
			golink.Add64(&counts.Folded, 1)
		}
	}
	if i := l.N; i < pepfile.MaxCallers {
		l.Callers[i] = off
		l.N++
	}
	l.walked++
	return true
}

// mask, for indices that are in range anyhow, tells the compiler so.
const mask = pepfile.MaxCallers - 1

// fold removes repetitions, and reports whether it found one. It looks at the end first, because
// that is where the repetition goes on whose beginning was folded before.
func (l *callerList) fold() bool {
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
func (l *callerList) run(at, p uint32) (n uint32) {
	for i := at; i+p < pepfile.MaxCallers && l.Callers[i&mask] == l.Callers[(i+p)&mask]; i++ {
		n++
	}
	return n
}
