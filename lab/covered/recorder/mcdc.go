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

// mostSkipped is how many conditions without a value brute force can take in a vector.
const mostSkipped = 22

// A Shown says which conditions vectors show to decide on their own.
type Shown struct{ Masking, Unique []bool }

// MCDC tries, for each vector, all values of the conditions that it has not, and turns each of the others round.
// If the outcome is another one, then that condition has decided. Masking MC/DC wants a condition to have decided as
// true and as false, unique cause that both vectors, before it was turned round and after, were recorded. It reports false
// if there are too many values to try, and the first vector that the expression cannot have, if there is one.
func MCDC(e *Expr, n int, vectors map[string]int64) (s Shown, impossible string, ok bool) {
	s = Shown{make([]bool, n), make([]bool, n)}
	decided := [2][]bool{make([]bool, n), make([]bool, n)}
	for v := range vectors {
		var values uint64
		var skipped []int
		for i := range n {
			switch v[i] {
			case 'T':
				values |= 1 << i
			case '-':
				skipped = append(skipped, i)
			}
		}
		if len(skipped) > mostSkipped {
			return s, "", false
		}
		if e.vector(values, n) != v {
			return s, v, true
		}
		for rest := range 1 << len(skipped) {
			all := values
			for bit, i := range skipped {
				all |= uint64(rest>>bit&1) << i
			}
			var ignored uint64
			outcome := e.evaluate(all, &ignored)
			for i := range n {
				if v[i] == '-' || s.Masking[i] && s.Unique[i] {
					continue
				}
				turned := all ^ 1<<i
				if e.evaluate(turned, &ignored) == outcome {
					continue
				}
				decided[all>>i&1][i] = true
				s.Masking[i] = decided[0][i] && decided[1][i]
				if !s.Unique[i] && vectors[e.vector(turned, n)] > 0 {
					s.Unique[i] = true
				}
			}
		}
	}
	return s, "", true
}
