package rapfigures

import (
	"math"
	"slices"
	"testing"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

// treeOf returns the tree of points with some options.
func treeOf(t *testing.T, o rap.Options, points []uint64) *grown {
	t.Helper()
	g, err := grow(o, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func checkRow(t *testing.T, res *figure.Result, key string, want float64) {
	t.Helper()
	if got := figuretest.Value(t, res, key); !figuretest.Near(got, want, 1e-9) {
		t.Errorf("%s: %s: %v, want %v", res.ID, key, got, want)
	}
}

// RAP-12: of the trees with other numbers of children the best one is what 4 are compared with.
func TestRowsOfNodesByOption(t *testing.T) {
	points := phases(3, 60_000)
	var most []float64
	for _, o := range []rap.Options{{B: 4}, {B: 8}, {B: 16}, {Schedule: rap.Schedule{Q: 3}}, {Schedule: rap.Schedule{Q: 4}}, {Schedule: rap.Schedule{Q: 8}}} {
		o.Eps = fine
		most = append(most, float64(treeOf(t, o, points).stats.Most))
	}
	if most[1] == most[2] || most[3] == most[4] || most[3] == most[5] {
		t.Fatalf("trees of %v nodes are no test", most)
	}
	res := runFigure(t, "rap-2", ofOne(points))
	checkRow(t, res, "loads-b", most[0]/min(most[1], most[2]))
	checkRow(t, res, "loads-q", most[0]/min(most[3], most[4], most[5]))
}

// RAP-10: batches are compared with merges after every split.
func TestRowsOfMergeBatches(t *testing.T) {
	points := loops(4, 70_000)
	batches := treeOf(t, rap.Options{Eps: fine}, points)
	always := treeOf(t, rap.Options{Eps: fine, Schedule: rap.Schedule{Kind: rap.Continuous}}, points)
	often := treeOf(t, rap.Options{Eps: fine, Schedule: rap.Schedule{Kind: rap.Periodic, First: 1 << 16}}, points)
	if always.stats.Most == often.stats.Most {
		t.Fatalf("two trees of %d nodes are no test", often.stats.Most)
	}
	res := runFigure(t, "rap-3", ofOne(points))
	checkRow(t, res, "most", batches.most()/always.most())
	checkRow(t, res, "passes", float64(always.stats.Merges)/float64(batches.stats.Merges))
}

// RAP-23: the greatest error is that of the worst range of the worst program, the average that of the averages of programs.
func TestRowsOfErrors(t *testing.T) {
	points := phases(5, 200_000)
	res := runFigure(t, "rap-8-values", of(points))
	for eps, o := range map[string]rap.Options{"10": {Eps: coarse}, "1": {Eps: fine}} {
		g := treeOf(t, o, points)
		var errors []float64
		for _, h := range g.hot {
			errors = append(errors, 100*float64(h.exact-h.Inclusive)/float64(h.exact))
		}
		sum := 0.0
		for _, e := range errors {
			sum += e
		}
		most, average := slices.Max(errors), sum/float64(len(errors))
		if most <= average {
			t.Fatalf("eps %s %%: errors %v are no test", eps, errors)
		}
		checkRow(t, res, "greatest-"+eps, most)
		checkRow(t, res, "average-"+eps, average)
	}
}

// RAP-13: of 100 values that are all as frequent, one has 1 % of the loads and 50 have a half.
func TestMostFrequentValues(t *testing.T) {
	points := make([]uint64, 100_000)
	for i := range points {
		points[i] = uint64(i%100) << 40
	}
	res := runFigure(t, "rap-5", of(points))
	last := len(res.Tables) - 1
	for column, want := range map[string]float64{"one": 1, "50": 50, "different values": 100} {
		if got := figuretest.Cell(t, res, last, 0, column); !figuretest.Near(got, want, 1e-9) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	checkRow(t, res, "fifty", float64(len(figure.Programs)))
}

// RAP-19: an engine is stalled by splits and by merges.
func TestStallsAreThoseOfBoth(t *testing.T) {
	res := runFigure(t, "rap-throughput", ofOne(phases(6, 60_000)))
	splits, merges := figuretest.Cell(t, res, 0, 0, "splits stall"), figuretest.Cell(t, res, 0, 0, "merges stall")
	if splits <= 0 || merges <= 0 {
		t.Fatalf("stalls of %v and %v %% are no test", splits, merges)
	}
	checkRow(t, res, "stalls", splits+merges)
}

// RAP-28: the worst error is that of the edge that lacks most, of all edges that there are.
func TestWorstErrorOfAnEdge(t *testing.T) {
	var edges [][2]uint64
	exact := map[uint64]uint64{}
	for i, x := range loops(7, 50_000) {
		edge := [2]uint64{x >> 4 & 0xffff, uint64(i) % 3}
		edges = append(edges, edge)
		exact[edgeShape.Join(edge[:])]++
	}
	b, err := boxes(edges, exact, "1%")
	if err != nil {
		t.Fatal(err)
	}
	worst, with := uint64(0), 0
	for w, n := range exact {
		if lacks := n - b.counts[w]; lacks > worst {
			worst, with = lacks, 1
		} else if lacks == worst {
			with++
		}
	}
	if b.worst != worst || 50*with > len(exact) {
		t.Errorf("worst error %d, want %d, which %d of %d edges have", b.worst, worst, with, len(exact))
	}
}

// RAP-27: the hottest node is not the one of all addresses, which has 60 of 100 zeros here. Of the 80 loads in the other, 40 are of zero.
func TestHottestNode(t *testing.T) {
	all, hottest := metric.Range{Weight: 60, Inclusive: 100}, metric.Range{Weight: 40, Inclusive: 40}
	all.Free, hottest.Free = 64, 16
	z := &zeros{total: 100, nodes: []metric.Range{all, hottest}, loads: []uint64{1000, 80}, zero: []uint64{100, 40}}
	if inclusive, often := z.hottest(); inclusive != 40 || often != 50 {
		t.Errorf("%v %% of the zeros and %v %% of the loads there, want 40 and 50", inclusive, often)
	}
	z.nodes = z.nodes[:1]
	if inclusive, often := z.hottest(); !math.IsNaN(inclusive) || !math.IsNaN(often) {
		t.Errorf("%v and %v of no node", inclusive, often)
	}
}
