// Package reeval decides whether an expression may be evaluated again: a second
// time, directly before or directly after the statement that it stands in, with
// the same result and without effect.
//
// A tap of the load p.n in
//
//	x := p.n + 1
//
// is the statement Tap(p.n) in front of it. The instrumented program then reads
// p.n twice. That is right only if nobody can tell the difference: the second
// evaluation gives the value that the program itself computes, changes nothing,
// allocates nothing, and panics only if the program would have panicked in the
// same way at the same moment. If one rule of this package is too lax, pepbuild
// miscompiles programs; if one is too strict, a profile lacks a value and says
// so. The rules therefore refuse whatever they do not know.
//
// There are four questions, each with its own rules.
//
// # Is the expression repeatable? (Facts.Repeatable)
//
// Forms. Only forms that are listed may be evaluated again: names, literals,
// fields, elements, dereferences, operators, conversions between numbers or
// pointers, len and cap. Whatever is not listed is refused:
//
//	x := next()       // [Calls]: next would be called twice
//	x := <-c          // [Receives]: a second value would be taken from c
//	x := &point{1}    // [Allocates]: there would be a second point
//	x := s + t        // [Allocates], if s and t are strings
//	x := s[1:]        // [Form]
//
// Context. The expression is copied to another place, and must mean the same
// there. A constant that is shifted takes its type from what surrounds it:
//
//	var b byte = 1 << n    // [Context]: if n is 8, b is 0, but any(1<<n) is 256
//
// # May it be evaluated before the unit? (Unit.Before)
//
// A [Unit] is the expressions of one statement. They are evaluated in an order
// that Go fixes for calls, receives, && and || alone (The Go Programming
// Language Specification, "Order of evaluation"). The variables and loads around
// them are read whenever the compiler likes.
//
// Certainty. The unit must be sure to evaluate the expression:
//
//	ok := p != nil && p.n > 0    // [Conditional]: p.n alone would panic if p is nil
//
// Effects. Nothing may come in between that could change what the expression
// reads. A call may change any variable that it can reach, so that next to a call
// only operands of the call itself are safe, which are read before it:
//
//	x := p.n + f()    // [Beside]: the compiler may read p.n after f has changed it
//	x := f(p.n)       // may: f begins when p.n has been read
//	x := f(g(), p.n)  // [Beside]: g comes between
//	x := n + f()      // may, if n is a local variable that only this function can change
//
// Panics. If the program panics, it must do so in the same way. An expression
// that may panic must not overtake another one that may panic, unless both
// panics are the same:
//
//	x := a[i] + p.n    // [Panics]: if both fail, the program reports a[i], the tap p.n
//	x := q.n + p.n     // may: a nil dereference is like any other
//	x := a[i] + p.n    // may, if a[i] is itself evaluated again first
//
// One thing is not kept. If two operands of a statement fail, Go leaves open which
// panic the program reports, and the compiler does not always take the left one. In
//
//	print(p.n, x.(int))
//
// it asserts the type first. The second evaluation of p.n comes before that, and the
// instrumented program reports the nil pointer.
//
// # May the target of an assignment be read back after it? (Assignment.After)
//
//	p.n = f()
//
// can be reported by reading p.n behind the statement if p.n still names the
// variable that was assigned to. It does not in
//
//	p, p.n = q, 1         // [Moved]: p.n is now q.n, the 1 is elsewhere
//	p.next.next = q       // [Moved]: if p.next is p, the path leads elsewhere now
//	t.p.n = f()           // [Moved]: f may have changed t.p
//	m[x] = 1              // [Moved], if x is a float: NaN is never found again
//
// # Does it give what it gave before? (Loads)
//
//	a := p.n
//	b := p.n    // the same load, since nothing in between can have changed p.n
//
// The compiler makes one load of the two, and a profile of loads counts one. Calls,
// stores to memory, labels, channel operations, and assignments to p forget it.
//
// # Goroutines
//
// The rules suppose that the program has no data race. If another goroutine
// changes p.n between the two evaluations, without synchronisation, a tap may see
// another value than the program does. What synchronises is a call or a channel
// operation, and nothing is moved over those. One value may differ without a race:
// the len of a channel.
//
// # What is elsewhere
//
// Which expressions are worth a second evaluation, and where in the text it
// stands, is decided by package tap.
package reeval

// A Rule says why an expression may not be evaluated again. [May] is the answer
// that it may.
type Rule string

const (
	May Rule = ""

	// Of the expression alone.
	Calls     Rule = "calls"     // it calls a function, or a builtin that changes something
	Receives  Rule = "receives"  // it receives from a channel
	Allocates Rule = "allocates" // it may allocate, or make a variable escape
	Form      Rule = "form"      // its form is not one of those listed as safe
	Context   Rule = "context"   // it means something else in another place

	// Of the expression in its unit.
	Conditional Rule = "conditional" // the unit need not evaluate it
	Beside      Rule = "beside"      // an effect that it is no operand of may come before it
	Panics      Rule = "panics"      // something else that may panic comes before it

	// Of the target of an assignment.
	Moved Rule = "moved" // it may name another variable after the assignment
)
