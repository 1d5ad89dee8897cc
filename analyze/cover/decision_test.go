package cover

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// parsed returns the decisions of a source text.
func parsed(t *testing.T, src string) []*Decision {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	place := func(p token.Pos) (int, int) { at := fset.Position(p); return at.Line, at.Column }
	return decisions(file, nil, place, func(n ast.Node) string {
		return src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset]
	})
}

func TestDecisions(t *testing.T) {
	const src = `package p

func f(a, b, c bool, n int) bool {
	if a && !(b || c) {
	}
	for !a || n > 3 {
	}
	switch {
	case a, b && c:
	}
	x := a || func() bool { return b && c }()
	g(!a, a == (b || c), (x && a) || b)
	if !a {
	}
	if a && h(b || c, b) {
	}
	return a
}
`
	var got []string
	for _, d := range parsed(t, src) {
		text := d.Text + ":"
		for _, c := range d.Conditions {
			text += " " + c.Text
		}
		got = append(got, text)
	}
	want := []string{
		"a && !(b || c): a b c", "!a || n > 3: a n > 3", "b && c: b c",
		"a || func() bool { return b && c }(): a func() bool { return b && c }()", "b && c: b c",
		"(b || c): b c", "(x && a) || b: x a b", "a && h(b || c, b): a h(b || c, b)", "b || c: b c",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// random makes an expression with at most n conditions, which it adds to d.
func random(r *rand.Rand, d *Decision, n int) *expr {
	if n <= 1 {
		d.Conditions = append(d.Conditions, Condition{})
		e := &expr{leaf: len(d.Conditions) - 1}
		if r.IntN(4) == 0 {
			return &expr{op: token.NOT, x: e}
		}
		return e
	}
	left := 1 + r.IntN(n-1)
	e := &expr{op: []token.Token{token.LAND, token.LOR}[r.IntN(2)]}
	e.x = random(r, d, left)
	e.y = random(r, d, n-left)
	if r.IntN(4) == 0 {
		return &expr{op: token.NOT, x: e}
	}
	return e
}

// plain is the value of e without short circuits.
func (e *expr) plain(v []bool) bool {
	switch e.op {
	case token.NOT:
		return !e.x.plain(v)
	case token.LAND:
		x, y := e.x.plain(v), e.y.plain(v)
		return x && y
	case token.LOR:
		x, y := e.x.plain(v), e.y.plain(v)
		return x || y
	}
	return v[e.leaf]
}

// A condition decides in a vector if the value changes with it, for the values of the conditions that were not
// evaluated that let it: some assignment of these gives the vector, and another value if the condition is another.
// Brute force over all assignments agrees with unmasked, and examples of missing vectors decide.
func TestMaskingAgreesWithBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		d := &Decision{}
		d.root = random(r, d, 2+r.IntN(5))
		n := len(d.Conditions)
		for bits := range 1 << n {
			all, values := make([]Truth, n), make([]bool, n)
			for c := range n {
				values[c] = bits>>c&1 == 1
				all[c] = truth(values[c])
			}
			v := make([]Truth, n)
			outcome := d.root.evaluate(all, v)
			if want := d.root.plain(values); (outcome == True) != want || d.root.value(v) != outcome {
				t.Fatalf("%v: value %v, of the vector %v, want %t", values, outcome, d.root.value(v), want)
			}
			mark := make([]bool, n)
			d.root.unmasked(v, mark)
			for c := range n {
				want := false
				for other := range 1 << n {
					changed := make([]bool, n)
					consistent := true
					for i := range n {
						changed[i] = other>>i&1 == 1
						if v[i] != Skipped && truth(changed[i]) != v[i] {
							consistent = false
						}
					}
					if !consistent {
						continue
					}
					before := d.root.plain(changed)
					changed[c] = !changed[c]
					want = want || v[c] != Skipped && d.root.plain(changed) != before
				}
				if mark[c] != want {
					t.Fatalf("vector %v, condition %d decides: got %t, want %t", v, c, mark[c], want)
				}
			}
		}
	}
}

// All vectors together show each condition; no vector shows none; and what is missing, once added, shows it.
func TestMissingVectorsShowConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		d := &Decision{}
		d.root = random(r, d, 2+r.IntN(6))
		for rounds := 0; ; rounds++ {
			unshown := -1
			for c, s := range d.Masking() {
				if s.Done() != (len(s.Missing) == 0) {
					t.Fatalf("condition %d: shown %t, and %d vectors are missing", c, s.Done(), len(s.Missing))
				}
				if !s.Done() {
					unshown = c
				}
			}
			if unshown < 0 {
				break
			}
			if rounds > 2*len(d.Conditions) {
				t.Fatalf("after %d vectors condition %d is not shown", len(d.Vectors), unshown)
			}
			for _, v := range d.Masking()[unshown].Missing {
				d.Add(v.Conditions, 1)
			}
			if s := d.Masking()[unshown]; !s.Done() {
				t.Fatalf("condition %d is not shown with the vectors that were missing", unshown)
			}
		}
		for c, s := range d.Unique() { // implies masking
			if s.Done() && !d.Masking()[c].Done() {
				t.Fatalf("condition %d is shown by unique cause, but not by masking", c)
			}
		}
	}
}

// A condition is shown by unique cause if and only if two vectors with different outcomes differ in it, and in no other
// condition that both have evaluated. The test looks for them among random vectors of random decisions.
func TestUniqueCauseAgreesWithBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	shown, open := 0, 0
	for range 500 {
		d := &Decision{}
		d.root = random(r, d, 2+r.IntN(5))
		n := len(d.Conditions)
		for range r.IntN(2 * n) {
			all, v := make([]Truth, n), make([]Truth, n)
			for c := range all {
				all[c] = truth(r.IntN(2) == 1)
			}
			d.root.evaluate(all, v)
			d.Add(v, 1)
		}
		pair := func(c int, v, w Vector) bool {
			differ := 0
			for i := range n {
				if a, b := v.Conditions[i], w.Conditions[i]; a != Skipped && b != Skipped && a != b {
					differ++
				}
			}
			return v.Conditions[c] == True && w.Conditions[c] == False && differ == 1 && v.Outcome != w.Outcome
		}
		for c, s := range d.Unique() {
			want := false
			for _, v := range d.Vectors {
				for _, w := range d.Vectors {
					want = want || pair(c, v, w)
				}
			}
			if s.Done() != want || want && !pair(c, d.Vectors[s.True], d.Vectors[s.False]) {
				t.Fatalf("condition %d of %+v: shown by vectors %d and %d, want %t", c, d.Vectors, s.True, s.False, want)
			}
			if want {
				shown++
			} else {
				open++
			}
		}
	}
	if shown < 100 || open < 100 {
		t.Errorf("%d conditions are shown, %d are not", shown, open)
	}
}
