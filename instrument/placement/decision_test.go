package placement_test

import (
	"go/ast"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
)

func TestAllPathsOfDecisionsHaveTheirNumbers(t *testing.T) { checkAllPaths(t, load(t, true)) }

const innerDecisions = `package p

func f(a, b, c bool) bool {
	for a && g(b || g(c && a)) || c {
		b = g(a && b) && g(b && c)
	}
	return a || g(b) && g(a && b || c)
}

func g(bool) bool
`

// A decision is on one path from its first operand to its outcome, and a path has one decision, apart
// from those within operands. With a low limit paths are cut elsewhere only.
func TestPathsHaveWholeDecisions(t *testing.T) {
	found := map[string]int{} // paths with a decision, by what it is of
	fset, inner := marked(t, true, innerDecisions, "p.go")
	for _, l := range append(load(t, true), source{fset, inner}) {
		for _, f := range l.funcs {
			if f.Skipped != "" {
				continue
			}
			for _, opts := range []pathnum.Options{{Truncate: pathnum.Rest}, {Truncate: pathnum.Rest, Limit: 4}, {}} {
				p, err := placement.New(f, opts)
				if err != nil {
					continue
				}
				if p.Graph.N > 100_000 {
					t.Errorf("%s has %d paths", f.Name, p.Graph.N)
					continue
				}
				for start := range p.Graph.Starts {
					follow(p, p.Graph.Starts[start].Node, nil, func(leaves []placement.Outcome) {
						checkDecisions(t, f.Name, leaves, found)
					})
				}
			}
		}
	}
	t.Log(found)
	for _, kind := range []string{"if", "for", "case", "value", "several", "inner"} {
		if found[kind] == 0 {
			t.Errorf("there is no decision %q", kind)
		}
	}
}

// The initialiser of a variable has the paths of its decisions, and calls nothing of the synthetic
// function that it is in.
func TestInitialisers(t *testing.T) {
	_, funcs := marked(t, true, `package p

import "os"

var x, _ = len(os.Args) > 1 && len(os.Args) < 3, os.Getenv("x") == ""
var y = (x || f()) && x
var z = f()

func f() bool { return true }
`, "p.go")
	got := map[string]uint64{}
	for _, f := range funcs {
		p, err := placement.New(f, pathnum.Options{Truncate: pathnum.Rest})
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = p.Graph.N
		for _, n := range f.Nodes {
			if len(n.Calls) > 0 {
				t.Errorf("%s calls %v", f.Name, n.Calls)
			}
		}
	}
	if diff := cmp.Diff(map[string]uint64{"p.x": 3, "p.y": 5, "p.f": 1}, got); diff != "" {
		t.Errorf("paths (-want +got)\n%s", diff)
	}
}

// follow calls do with the outcomes of operands on all paths that go on from a node.
func follow(p *placement.Plan, node int, before []placement.Outcome, do func([]placement.Outcome)) {
	for i, e := range p.Graph.Nodes[node].Out {
		if e.Dead {
			continue
		}
		path := before[:len(before):len(before)]
		if edge := p.Func.Nodes[node].Out[i]; edge.Leaf != nil && edge.Leaf.Cond.Varies {
			path = append(path, placement.Outcome{Leaf: edge.Leaf, True: edge.Outcome})
		}
		if e.Ends || e.To == pdag.Exit {
			do(path)
			continue
		}
		follow(p, e.To, path, do)
	}
}

// checkDecisions checks the outcomes on a path.
func checkDecisions(t *testing.T, name string, path []placement.Outcome, found map[string]int) {
	outcomes := map[*mark.Cond][]placement.Outcome{}
	outer := 0
	for _, o := range path {
		c := o.Leaf.Cond
		if outcomes[c] == nil && !c.Inner {
			outer++
		}
		outcomes[c] = append(outcomes[c], o)
	}
	if outer > 1 {
		t.Errorf("%s: a path has %d decisions", name, outer)
	}
	for c, list := range outcomes {
		rest := list
		if !evaluated(c.Expr, &rest) || len(rest) > 0 {
			t.Errorf("%s: a path has %d outcomes of a decision with %d operands, which are not those of one evaluation", name,
				len(list), len(c.Leaves))
		}
		last := c.Leaves[len(c.Leaves)-1]
		found[last.Op]++
		if len(c.Leaves) > 1 {
			found["several"]++
		}
		if c.Inner {
			found["inner"]++
		}
	}
}

// evaluated evaluates e by the outcomes, and takes those of its operands from them. It reports whether
// they are what an evaluation needs.
func evaluated(e ast.Expr, outcomes *[]placement.Outcome) bool {
	_, ok := evaluate(e, outcomes)
	return ok
}

func evaluate(e ast.Expr, outcomes *[]placement.Outcome) (value, ok bool) {
	if len(*outcomes) == 0 {
		return false, false
	}
	if o := (*outcomes)[0]; o.Leaf.Expr == e {
		*outcomes = (*outcomes)[1:]
		return o.True, true
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return evaluate(x.X, outcomes)
	case *ast.UnaryExpr:
		value, ok = evaluate(x.X, outcomes)
		return !value, ok
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			return false, false
		}
		value, ok = evaluate(x.X, outcomes)
		if !ok || value == (x.Op == token.LOR) {
			return value, ok
		}
		return evaluate(x.Y, outcomes)
	}
	return false, false
}
