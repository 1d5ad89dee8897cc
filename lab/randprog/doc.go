// Package randprog makes random programs that know which paths they take.
//
// A program has two forms that do the same. The plain form is built and profiled. The
// traced form logs every outcome of a branch, every arrival at the head of a loop, and
// every way out of a function:
//
//	func f0(p *P, a, b, c int) int {      func f0(p *P, a, b, c int) int {
//		                                      t := enter(0)
//		for x < 3 {                           t.entry(0); for t.head(0) && t.cond(0, x < 3) {
//			x++                                   x++
//		}                                     }
//		return x                              t.end(); return x
//	}                                     }
//
// Both have the same control flow and take their random numbers from the same
// generator. So the log of one form tells which profile the other form must have. Paths
// computes from the log how often every path was taken, in the terms of the labels that
// docs/reference/profiles.md describes. It reads the events of one activation of a function after the
// other, and knows nothing of graphs or path numbers:
//
//	log     enter f0; entry of loop 0; head of loop 0; 5:6 for body; head of loop 0; 5:6 for done; end
//	paths   entry: nothing; loop 0: 5:6 for body; loop 0: 5:6 for done
//
// The generator does not make loops that a goto enters elsewhere than at their head,
// because then the order of a search decides which node is the head. Nor does it make
// gotos out of the body of a range over a function, or ranges over maps of several
// elements, whose order differs between the two forms.
package randprog
