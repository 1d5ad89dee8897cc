package reeval_test

// This file holds the rows: small pieces of programs with an expression in question.

import "github.com/pepgo/pep/instrument/reeval"

// A question is when an expression is evaluated again.
type question int

const (
	before question = iota // before the statement that it stands in
	after                  // after the assignment that it is the target of
	again                  // at its second occurrence in the row
)

const (
	may         = reeval.May
	calls       = reeval.Calls
	receives    = reeval.Receives
	allocates   = reeval.Allocates
	form        = reeval.Form
	context     = reeval.Context
	conditional = reeval.Conditional
	beside      = reeval.Beside
	panics      = reeval.Panics
	moved       = reeval.Moved
	changed     = reeval.Rule("changed") // no rule of the package: Loads.Has has returned false
)

// A row is some statements with an expression in question between ‹ and ›. If the
// answer is no, and strict is not set, the oracle must see a difference when the test
// evaluates the expression again all the same. Such a row is an example of why the rule
// exists. In a strict row today's compiler happens to make no difference, or the second
// evaluation changes only what the program allocates, which the program does not
// notice.
type row struct {
	stmts  string
	want   reeval.Rule
	strict bool
}

var rows = map[question][]row{
	before: {
		// Forms and loads.
		{"x := ‹p.n› + 1; log(x)", may, false},
		{"x := ‹p.next.n›; log(x)", may, false},
		{"x := ‹*pa›; log(x)", may, false},
		{"x := ‹s[k]›; log(x)", may, false},
		{"x := ‹s[len(s)-1]›; log(x)", may, false},
		{"x := ‹pa[k]›; log(x)", may, false},
		{"x := ‹a[k]›; log(x)", may, false},
		{"x := ‹mp[str]›; log(x)", may, false},
		{"x := ‹mp[\"k\"]›; log(x)", may, false},
		{"x := ‹str[k]›; log(x)", may, false},
		{"x := ‹g›; log(x)", may, false},
		{"x := ‹gp.n›; log(x)", may, false},
		{"x := ‹gs[k]›; log(x)", may, false},
		{"x := ‹p.deep›; log(x)", may, false},
		{"x := ‹p.in.n›; log(x)", may, false},
		{"x := ‹(*p).n›; log(x)", may, false},
		{"x := ‹(p.n)›; log(x)", may, false},
		{"x := -‹p.n›; log(x)", may, false},
		{"x := ‹s[p.next.n-11]›; log(x)", may, false},
		{"x := ‹s[int(uint8(k))]›; log(x)", may, false},
		{"x := ‹s[n-m+2]›; log(x)", may, false},
		{"x, ok := ‹mp[\"no\"]›; log(x, ok)", may, false},
		{"x := ‹im[ix]›; log(x)", may, false},
		{"x := ‹im[fx]›; log(x)", may, false}, // it panics, and so does the program
		{"x := ‹nilp.n›; log(x)", may, false},
		{"x := ‹nils[0]›; log(x)", may, false},
		{"x := ‹s[big]›; log(x)", may, false},
		{"log(‹n› == 3)", may, false},
		{"log(‹n+m› == 7)", may, false},
		{"log(‹n*p.n› > 7)", may, false},
		{"log(‹n/2› == 1)", may, false},
		{"log(‹n<<2› == 12)", may, false},
		{"log(‹len(s)› == 3)", may, false},
		{"log(‹cap(p.s)› == 2)", may, false},
		{"log(‹int(int8(n))› == 3)", may, false},
		{"switch ‹p.n› { case 10: log(10); case n: log(n) }", may, false},
		{"if ‹p.n› > 3 { log(1) }", may, false},
		{"c <- ‹p.n›; log(len(c))", may, false},
		{"return byte(‹p.n›)", may, false},
		{"defer id(‹p.n›)", may, false},
		{"p.n += ‹q.n›; log(p.n)", may, false},
		{"‹p.n›++; log(p.n)", may, false},
		{"log(‹it›.get())", may, false},
		{"log(‹v›.(int))", may, false},
		{"log(‹f›())", may, false},
		{"log(‹n-z› == 3)", may, false},

		// These must not be evaluated twice.
		{"log(‹next()› == 1)", calls, false},
		{"log(‹f()› == 2)", calls, false},
		{"log(‹p.get()› == 2)", calls, false},
		{"log(‹it.get()+1› == 2)", calls, false},
		{"log(‹s[next()]› == 2)", calls, false},
		{"log(‹bump(p)› == 11)", calls, false},
		{"log(‹copy(s, s[1:])› == 2); log(s)", calls, false},
		{"log(‹<-c› == 100)", receives, false},
		{"x := ‹s[<-c-99]›; log(x)", receives, false},
		{"log(‹len(str + str)› == 10)", allocates, true},
		{"log(‹mp[str+str]›)", allocates, true},
		{"log(‹mp[string(str[1:])]›)", allocates, true},
		{"log(‹(&node{n: 5}).n› == 5)", allocates, true},
		{"log(‹(&node{n: 5})›.get())", allocates, true},
		{"log(‹[]int{next()}[0]›)", allocates, false},
		{"log(‹s[1:][0]›)", form, true},
		{"log(‹v.(*node).n›)", form, true},
		{"log(‹min(n, m)› == 3)", form, true},

		// It means something else in another place.
		{"return ‹1 << shift›", context, true}, // 256 in another place, and 0 here

		// The unit need not evaluate it.
		{"log(p != nil && ‹p.n› > 3)", conditional, true},
		{"log(nilp != nil && ‹nilp.n› > 3)", conditional, false},
		{"log(nilp == nil || ‹nilp.n› > 3)", conditional, false},
		{"log(len(nils) > 0 && ‹nils[0]› == 1)", conditional, false},
		{"log(‹p.n› > 3 && q != nil)", may, false},
		{"log(truth(z != 0 && ‹n/z› == 3))", conditional, false},
		{"log(!(n > 3 && (m > 3 || ‹s[big]› == 0)))", conditional, false},

		// An effect may come before it if it is no operand of that effect.
		{"x := ‹p.n› + bump(p); log(x)", beside, false},
		{"x := bump(p) + ‹p.n›; log(x)", beside, false},
		{"x := ‹g› + touch(); log(x)", beside, false},
		{"x := ‹gs[0]› + touch(); log(x)", beside, false},
		{"x := id(‹p.n›); log(x)", may, false},
		{"x := id(id(‹p.n›)); log(x)", may, false},
		{"x := add(‹p.n›, n); log(x)", may, false},
		{"x := add(bump(p), ‹p.n›); log(x)", beside, false},
		{"x := add(‹p.n›, bump(p)); log(x)", beside, false},
		{"x := id(‹p.n›) + bump(p); log(x)", beside, true},
		{"hook = func() { n++ }; log(‹n› == 4, touch())", beside, true},
		{"log(‹n› == 3, touch())", may, false}, // n is private
		{"pn := &n; hook = func() { *pn = 9 }; log(‹n+1› == 4, touch())", beside, true},
		{"hook = func() { a[1]++ }; x := ‹a[k]› + touch(); log(x)", beside, false},
		{"x := ‹a[k]› + touch(); log(x)", beside, true},
		{"x := ‹p.n› + <-c; log(x)", beside, true},
		{"x, y := ‹p.n›, bump(p); log(x, y)", beside, false},
		{"x, y := bump(p), ‹p.n›; log(x, y)", beside, false},
		{"p.m = ‹p.n›; log(p.m)", may, false},
		{"s[bump(p)-11] = ‹p.n›; log(s)", beside, false},
		{"log(‹p.n› == 10, forward(&p))", beside, true},
		{"log(‹p.n› + forward(&p))", beside, false},
		{"done := make(chan int); go func(n int) { done <- n }(‹p.n›); log(<-done)", may, false},

		// Panics keep their order.
		{"x := s[big] + ‹nilp.n›; log(x)", panics, false},
		{"x := nilp.n + ‹s[big]›; log(x)", panics, false},
		{"x := q.n + ‹nilp.n›; log(x)", may, false},
		{"x := nilp.n + ‹q.n›; log(x)", may, false},
		{"x := nilp.n + ‹nilp.next.n›; log(x)", may, false},
		{"x := n/z + ‹nilp.n›; log(x)", panics, false},
		{"x := n/2 + ‹nilp.n›; log(x)", may, false},
		{"x := n<<shift + ‹nilp.n›; log(x)", panics, true},
		{"x := a[0] + ‹nilp.n›; log(x)", may, false},
		{"x := a[k] + ‹nilp.n›; log(x)", panics, true},
		{"x := mp[\"k\"] + ‹nilp.n›; log(x)", may, false},
		{"x := im[fx] + ‹nilp.n›; log(x)", panics, false},
		{"x := truth(v == ix); log(x)", may, true},
		{"log(fx == fx, ‹nilp.n› == 1)", panics, false},
		{"x := v.(int) + ‹nilp.n›; log(x)", panics, true},
		{"x := len(s[1:]) + ‹nilp.n›; log(x)", panics, true},
		{"x := [2]int(s)[0] + ‹nilp.n›; log(x)", panics, true},
		{"x := len(p.s) + ‹nilp.n›; log(x)", may, false},
		{"n, nilp.n = 1, ‹q.n›; log(n)", may, false},
		{"s[big] = ‹q.n›; log(n)", may, false},
	},

	after: {
		{"‹p.n› = n; log(p.n)", may, false},
		{"‹p.next.n› = n; log(n)", may, false},
		{"‹*pa› = [4]int{1}; log(a)", may, false},
		{"‹s[0]› = n; log(s)", may, false},
		{"‹s[k]› = n; log(s)", may, false},
		{"‹g› = n; log(g)", may, false},
		{"‹gp.n› = n; log(g)", may, false},
		{"‹gp.next.n› = n; log(g)", may, false},
		{"‹mp[str]› = n; log(mp)", may, false},
		{"‹p.in.n› = n; log(n)", may, false},
		{"‹p.next› = q; log(p.next.n)", may, false},
		{"‹n› = m; log(n)", may, false},
		{"‹p.n› += 2; log(p.n)", may, false},
		{"‹s[k]›++; log(s)", may, false},
		{"‹p.n› = id(5); log(p.n)", may, false},
		{"‹p.n› = touch(); log(p.n)", may, false},
		{"‹g› = touch(); log(g)", may, false},
		{"‹p.n›, q.n = 1, 2; log(p.n, q.n)", may, false},
		{"‹n›, m = m, n; log(n, m)", may, false},
		{"‹p.deep› = 4; log(p.deep)", may, false},
		{"‹gp› = p; log(gp.n)", may, false},

		{"p, ‹p.n› = q, 1; log(p.n)", moved, false},
		{"k, ‹s[k]› = 0, 1; log(s)", moved, false},
		{"‹n›, n = 1, 2; log(n)", moved, false},
		{"p.next = p; ‹p.next.next› = q; log(p.next.n)", moved, false},
		{"p.next, ‹p.next.n› = q, 1; log(p.next.n)", moved, false},
		{"gp, ‹gp.n› = q, 1; log(gp.n)", moved, false},
		{"hook = func() { gp = q }; ‹gp.n› = touch(); log(gp.n)", moved, true},
		{"hook = func() { gs = s }; ‹gs[0]› = touch(); log(gs)", moved, true},
		{"hook = func() { p = q }; ‹p.n› = touch(); log(p.n)", moved, true},
		{"hook = func() { k = 0 }; ‹s[k]› = touch(); log(s)", moved, true},
		{"hook = func() { p.next = q }; ‹p.next.n› = touch(); log(p.next.n)", moved, true},
		{"*pp, ‹pq.n› = q, 1; log(pq.n)", moved, false},
		{"w := node{}; w.next = &w; ‹w.next.next› = q; log(q.n)", moved, false},
		{"w := node{n: 1}; w.next = &w; ‹w.next.n› = m; log(w.n)", may, false},
		{"w := node{n: 1}; ‹w.next› = q; log(w.n)", may, false},
		{"type pack struct{ in node }; w := pack{}; w.in.next = &w.in; ‹w.in.next.next› = q; log(q.n)", moved, false},
		{"*gp.next = node{next: gp.next}; ‹*gp.next.next› = node{n: 1}; log(n)", moved, false},
		{"hook = func() { k, s = 0, nil }; ‹s[k]› = 5; log(s)", may, false},
		{"hook = func() { k, s = 0, nil }; ‹s[k]›, s[0] = 5, 6; log(s)", may, false},
		{"type ptr *ptr; var w ptr; w = &w; ‹*w› = nil; log(n)", moved, false},
		{"p.embedded, ‹p.deep› = nil, 2; log(n)", moved, false},
		{"p.next.n, ‹p.next.m› = 1, 2; log(p.next.m)", moved, true},
		{"‹s[p.n-10]› = 2; log(s)", moved, true},
		{"‹s[s[0]-50]› = 1; log(s)", moved, false},
		{"‹fm[nan]› = 1; log(len(fm))", moved, false},
		{"‹im[ix]› = 1; log(len(im))", moved, true},
		{"‹p.embedded.deep› = 4; log(p.deep)", may, false},
		{"p.embedded, ‹p.deep› = &embedded{1}, 2; log(p.deep)", moved, false},
		{"‹s[next()]› = 1; log(s)", calls, false},
		{"‹bumped(p).n› = 1; log(p.n)", calls, false},
	},

	again: {
		{"x := ‹p.n›; y := ‹p.n›; log(x, y)", may, false},
		{"x := ‹p.n› + ‹p.n›; log(x)", may, false},
		{"x := ‹p.n›; n = 5; y := ‹p.n›; log(x, y)", may, false},
		{"x := ‹s[k]›; a[0] = 1; y := ‹s[k]›; log(x, y)", may, false},
		{"x := ‹gp.n›; q = p; y := ‹gp.n›; log(x, y)", may, false},
		{"x := ‹p.next.n›; y := p.next.next; w := ‹p.next.n›; log(x, y.n, w)", may, false},
		{"x := id(‹p.n›); y := ‹p.n›; log(x, y)", changed, true},

		{"x := ‹p.n›; p = q; y := ‹p.n›; log(x, y)", changed, false},
		{"x := ‹p.n›; p.n = 5; y := ‹p.n›; log(x, y)", changed, false},
		{"o := p; x := ‹p.n›; o.n = 5; y := ‹p.n›; log(x, y)", changed, false},
		{"x := ‹p.n›; bump(p); y := ‹p.n›; log(x, y)", changed, false},
		{"x := ‹g›; touch(); y := ‹g›; log(x, y)", changed, false},
		{"x := ‹g›; g++; y := ‹g›; log(x, y)", changed, false},
		{"x := ‹s[k]›; k++; y := ‹s[k]›; log(x, y)", changed, false},
		{"x := ‹s[k]›; s[1] = 9; y := ‹s[k]›; log(x, y)", changed, false},
		{"x := ‹s[k]›; s = gs; y := ‹s[k]›; log(x, y)", changed, false},
		{"x := ‹pq.n›; *pp = q; y := ‹pq.n›; log(x, y)", changed, false},
		{"x := ‹mp[str]›; mp[\"hello\"] = 9; y := ‹mp[str]›; log(x, y)", changed, false},
		{"x := ‹mp[str]›; delete(mp, str); y := ‹mp[str]›; log(x, y)", changed, true},
		{"x := ‹a[k]›; a = [4]int{}; y := ‹a[k]›; log(x, y)", changed, false},
		{"x := ‹a[k]›; a[1] = 0; y := ‹a[k]›; log(x, y)", changed, false},
		{"x := ‹p.n›; <-c; y := ‹p.n›; log(x, y)", changed, true},
		{"x := ‹p.n›; p, q = q, p; y := ‹p.n›; log(x, y)", changed, false},
		{"x := n > 3 && ‹p.n› > 3; y := ‹p.n›; log(x, y)", changed, true},
		{"done := make(chan int, 1); x := ‹gp.n›; go func() { done <- 1 }(); y := ‹gp.n›; log(x, y)", changed, true},
		{"x := ‹p.n›; copy(s, gs); y := ‹p.n›; log(x, y)", changed, true},
	},
}
