package recorder

// This file computes MC/DC of vectors by brute force.

// A Kind is a kind of expression.
type Kind int

// The kinds.
const (
	Leaf Kind = iota // a condition
	Not
	And
	Or
)

// An Expr is a boolean expression.
type Expr struct {
	Kind  Kind
	X, Y  *Expr
	Index int // of a condition
}

// evaluate evaluates e as Go does, with the conditions that values has bits for. It sets the bits of those that it
// looked at.
func (e *Expr) evaluate(values uint64, looked *uint64) bool {
	switch e.Kind {
	case Not:
		return !e.X.evaluate(values, looked)
	case And:
		return e.X.evaluate(values, looked) && e.Y.evaluate(values, looked)
	case Or:
		return e.X.evaluate(values, looked) || e.Y.evaluate(values, looked)
	}
	*looked |= 1 << e.Index
	return values>>e.Index&1 != 0
}

// vector writes the vector of n conditions with these values.
func (e *Expr) vector(values uint64, n int) string {
	var looked uint64
	text := []byte("F")
	if e.evaluate(values, &looked) {
		text[0] = 'T'
	}
	v := make([]byte, 0, most)
	for i := range n {
		switch {
		case looked>>i&1 == 0:
			v = append(v, '-')
		case values>>i&1 != 0:
			v = append(v, 'T')
		default:
			v = append(v, 'F')
		}
	}
	return string(append(append(v, '='), text...))
}

// complete calls do with all values that conditions can have beside those that are known, as far as e looks at them.
func (e *Expr) complete(values, known uint64, do func(values uint64)) {
	var looked uint64
	e.evaluate(values, &looked)
	next := looked &^ known
	next &= -next // What comes before it is known: conditions are looked at in their order.
	if next == 0 {
		do(values)
		return
	}
	e.complete(values, known|next, do)
	e.complete(values|next, known|next, do)
}

// A Shown says which conditions vectors show to decide on their own.
type Shown struct{ Masking, Unique []bool }

// MCDC turns each condition of each vector round, and tries all values of those conditions that come to be evaluated
// then. If the outcome can be another one, the condition has decided. Masking MC/DC wants a condition to have decided
// as true and as false, unique cause that both vectors, before it was turned round and after, were recorded. If the
// expression cannot have a vector, MCDC returns that.
func MCDC(e *Expr, n int, vectors map[string]int64) (s Shown, impossible string) {
	s = Shown{make([]bool, n), make([]bool, n)}
	decided := [2][]bool{make([]bool, n), make([]bool, n)}
	for v := range vectors {
		var values, known uint64
		for i := range n {
			if v[i] != '-' {
				known |= 1 << i
			}
			if v[i] == 'T' {
				values |= 1 << i
			}
		}
		if e.vector(values, n) != v {
			return s, v
		}
		for i := range n {
			if known>>i&1 == 0 {
				continue
			}
			e.complete(values^1<<i, known, func(turned uint64) {
				w := e.vector(turned, n)
				if w[n:] == v[n:] {
					return
				}
				decided[values>>i&1][i] = true
				s.Masking[i] = decided[0][i] && decided[1][i]
				s.Unique[i] = s.Unique[i] || vectors[w] > 0
			})
		}
	}
	return s, ""
}
