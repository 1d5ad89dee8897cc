package cover

import (
	"math/rand/v2"
	"testing"
)

// By brute force over all values of the operands that are no constants: a condition is excluded if and only if its
// value never changes that of the decision, and the reason is that it is a constant, or is evaluated in no
// execution, or neither. Examples of missing vectors can happen, and decide.
func TestConstantsExcludeWhatNoTestCanShow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	reasons := make(map[string]int)
	for range 500 {
		d := &Decision{}
		d.root = random(r, d, 2+r.IntN(6))
		n := len(d.Conditions)
		for c := range n {
			if r.IntN(3) == 0 {
				d.Conditions[c].constant = truth(r.IntN(2) == 0)
			}
		}
		varies := d.exclude()
		matters, evaluated := make([]bool, n), make([]bool, n)
		possible := make(map[string]bool) // vectors
		for bits := range 1 << n {
			all, values := make([]Truth, n), make([]bool, n)
			fits := true
			for c := range n {
				values[c] = bits>>c&1 == 1
				all[c] = truth(values[c])
				fits = fits && (d.Conditions[c].constant == Skipped || d.Conditions[c].constant == all[c])
			}
			if !fits {
				continue
			}
			outcome := d.root.plain(values)
			v := make([]Truth, n)
			d.root.evaluate(all, v)
			possible[text(v)] = true
			for c := range n {
				evaluated[c] = evaluated[c] || v[c] != Skipped
				values[c] = !values[c]
				matters[c] = matters[c] || d.root.plain(values) != outcome
				values[c] = !values[c]
			}
		}
		want := false
		for c, x := range d.Conditions {
			reason := ""
			switch {
			case x.constant != Skipped:
				reason = whyConstant
			case !evaluated[c]:
				reason = whyBefore
			case !matters[c]:
				reason = whyBeside
			}
			want = want || x.constant == Skipped
			reasons[reason]++
			if x.Excluded != reason {
				t.Fatalf("condition %d of %+v is excluded as %q, want %q", c, d.Conditions, x.Excluded, reason)
			}
		}
		if varies != want {
			t.Fatalf("an operand of %+v is no constant: %t, want %t", d.Conditions, varies, want)
		}
		for c, s := range d.Masking() {
			if excluded := d.Conditions[c].Excluded != ""; excluded != (len(s.Missing) == 0) {
				t.Fatalf("condition %d of %+v: %d examples of vectors", c, d.Conditions, len(s.Missing))
			}
			for _, v := range s.Missing {
				mark := make([]bool, n)
				d.root.unmasked(v.Conditions, mark)
				if !possible[text(v.Conditions)] || !mark[c] {
					t.Fatalf("condition %d of %+v: the vector %v is wanted", c, d.Conditions, v.Conditions)
				}
			}
		}
	}
	if len(reasons) != 4 {
		t.Errorf("reasons were %v", reasons)
	}
}

func text(v []Truth) (s string) {
	for _, t := range v {
		s += t.String() + " "
	}
	return s
}
