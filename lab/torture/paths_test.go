package torture

import (
	"testing"

	"github.com/pepgo/pep/format/pdag"
)

// Node 0 leads to a loop of the nodes 1 and 2, from which node 3 is the way out.
func TestPathsCutAtTheHeadOfALoop(t *testing.T) {
	loop := func(enters, closes bool) *pdag.Graph {
		return &pdag.Graph{
			Nodes: []pdag.Node{
				{Out: []pdag.Edge{{To: 1, Ends: enters}}},
				{Out: []pdag.Edge{{To: 2}, {To: 3}}},
				{Out: []pdag.Edge{{To: 1, Ends: closes}}},
				{Out: []pdag.Edge{{To: pdag.Exit}}},
			},
			Starts: []pdag.Start{{Node: 0}, {Node: 1}},
		}
	}
	if cutAtLoop(loop(false, true)) {
		t.Error("paths that end on the edge that closes a loop are taken for cut ones")
	}
	if !cutAtLoop(loop(true, true)) {
		t.Error("paths that end on the edge that leads to a loop are not noticed")
	}
	asked := loop(false, true)
	asked.Nodes[1].Out[1].Ends = true
	asked.Starts = append(asked.Starts, pdag.Start{Node: 3})
	if cutAtLoop(asked) {
		t.Error("paths that end elsewhere are taken for ones that are cut at a loop")
	}
}
