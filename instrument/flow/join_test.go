package flow

import (
	"testing"

	"github.com/pepgo/pep/instrument/mark"
)

// From the entry one edge leads to a block with a marker, and one to a block behind it. The block with the marker has
// two edges without a point to that block, which become one. If statements follow the marker, the two blocks stay
// apart: else the statements would count as executed whenever the block behind them is. A marker that only holds code
// keeps nothing apart.
func TestStatementsStayApartFromWhatRunsMoreOften(t *testing.T) {
	for _, c := range []struct {
		marker mark.Marker
		nodes  int
	}{
		{mark.Marker{From: 1, To: 2}, 3},
		{mark.Marker{From: 1, To: 1}, 2},
	} {
		blocks := make([]*block, 3)
		b := &builder{}
		for i := range blocks {
			n := &node{}
			blocks[i] = &block{node: n}
			n.blocks = []*block{blocks[i]}
			b.nodes = append(b.nodes, n)
		}
		entry, marked, behind := blocks[0], blocks[1], blocks[2]
		marked.markers = []*mark.Marker{&c.marker}
		b.connect(entry, marked)
		b.connect(entry, behind)
		b.connect(marked, behind)
		b.connect(marked, behind)
		b.connect(behind, nil)
		b.contract()
		if apart := marked.node != behind.node; len(b.nodes) != c.nodes || apart != (c.nodes == 3) {
			t.Errorf("marker from %d to %d: %d nodes, want %d; apart: %t", c.marker.From, c.marker.To, len(b.nodes), c.nodes,
				apart)
		}
	}
}
