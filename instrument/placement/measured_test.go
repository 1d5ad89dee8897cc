package placement_test

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
)

// The way that was measured to be hot adds nothing to the register, whatever the guess is: that things are not equal.
// Ways that were never taken are left to the guess. Behind each branch ways meet, after x++ on one way and x-- on the
// other, so that no way is cheaper for another reason.
func TestMeasuredCountsGoBeforeGuesses(t *testing.T) {
	for _, test := range []struct {
		name                string
		whenTrue, whenFalse float64
		free                string
	}{
		{"nothing measured", 0, 0, "false"},
		{"measured as guessed", 3, 7, "false"},
		{"measured otherwise", 7, 3, "true"},
		{"measured once", 1, 0, "true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fset, funcs := functions(t, `package p
func f(a, b int) (x int) {
	if a == b { x++ } else { x-- }
	return x
}`, "p.go")
			for _, n := range funcs[0].Nodes {
				for _, e := range n.Out {
					switch {
					case e.Leaf == nil:
					case e.Outcome:
						e.Measured = test.whenTrue
					default:
						e.Measured = test.whenFalse
					}
				}
			}
			p, err := placement.New(funcs[0], pathnum.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := code(t, fset, p)
			for _, outcome := range []string{"true", "false"} {
				if adds := strings.Contains(text, "if at 3:5 is "+outcome+":"); adds == (outcome == test.free) {
					t.Errorf("the way without addition should be %s:\n%s", test.free, text)
				}
			}
		})
	}
}

// Where the value of the register is known, an increment becomes part of a constant. Behind the first
// if it is unknown, so that the second one increments.
func TestAdds(t *testing.T) {
	_, funcs := functions(t, `package p
func f(a, b int) (x int) {
	if a == b { x++ }
	if a > b { x++ }
	return x
}`, "p.go")
	p, err := placement.New(funcs[0], pathnum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for i, out := range placement.Adds(p.Graph) {
		for j, adds := range out {
			if adds {
				at = append(at, i)
				if p.Graph.Nodes[i].Out[j].Val == 0 {
					t.Errorf("edge %d of node %d adds 0", j, i)
				}
			}
		}
	}
	if len(at) != 1 || p.Adds() != 2 {
		t.Errorf("increments at nodes %v, %d in the text; want one at a node of the second if, and two in the text", at,
			p.Adds())
	}
}

// Two nodes are in the same loop if and only if ways lead from each to the other one.
func TestLoops(t *testing.T) {
	several := 0
	for _, l := range load(t, false) {
		for _, f := range l.funcs {
			if f.Skipped != "" || len(f.Nodes) > 300 {
				continue
			}
			reached := make([][]bool, len(f.Nodes)) // by at least one edge
			for i := range f.Nodes {
				reached[i] = make([]bool, len(f.Nodes))
				var visit func(n *flow.Node)
				visit = func(n *flow.Node) {
					for _, e := range n.Out {
						if e.To != nil && !reached[i][e.To.Index] {
							reached[i][e.To.Index] = true
							visit(e.To)
						}
					}
				}
				visit(f.Nodes[i])
			}
			loop := placement.Loops(f)
			for i := range f.Nodes {
				for j := range f.Nodes {
					same := reached[i][j] && reached[j][i]
					if same != (loop[i] == loop[j] && loop[i] != 0) {
						t.Fatalf("%s: nodes %d and %d are in loops %d and %d; ways lead to and back: %t", f.Name, i, j, loop[i], loop[j],
							same)
					}
					if same && i != j {
						several++
					}
				}
			}
		}
	}
	if several == 0 {
		t.Error("no loop has several nodes")
	}
}

// The values of 50 branches one behind the other, which have 2⁵⁰ paths, are found at once.
func TestAddsOfManyPaths(t *testing.T) {
	g := &pdag.Graph{Starts: []pdag.Start{{}}}
	for i := 0; i < 150; i += 3 {
		g.Nodes = append(g.Nodes, pdag.Node{Out: []pdag.Edge{{To: i + 1}, {To: i + 2, Val: 1}}},
			pdag.Node{Out: []pdag.Edge{{To: i + 3}}}, pdag.Node{Out: []pdag.Edge{{To: i + 3}}})
	}
	g.Nodes = append(g.Nodes, pdag.Node{Out: []pdag.Edge{{To: pdag.Exit}}})
	n := 0
	for _, out := range placement.Adds(g) {
		for _, adds := range out {
			if adds {
				n++
			}
		}
	}
	if n != 49 { // behind the first one the value is not known
		t.Errorf("%d edges add to the register, want 49", n)
	}
}
