package figure

// This file profiles edges in two dimensions, source and destination.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/runtime/tuple"
)

// edgeBits is the number of bits of a branch's number in the figure of edges.
const edgeBits = 16

// edgeShape is the order of the bits of two branches.
var edgeShape = box.New(edgeBits, edgeBits)

// topEdges is the number of edges that the figure compares.
const topEdges = 10

// rapEdges is RAP-28 on programs. The points are edges from one branch to the next one
// that is executed, so they have two dimensions. Branches are numbered in the order of
// their sites.
func rapEdges(env *Env, res *Result) error {
	t := Table{Title: fmt.Sprintf("the %d most frequent edges", topEdges),
		Columns: []string{"program", "eps", "edges", "distinct", "boxes", "hot boxes", "found", "worst error"}}
	found, programs := map[string]int{}, 0
	for _, role := range []string{"gcc", "li"} {
		p := inRole(role)
		edges, err := env.edges(p)
		if err != nil {
			return err
		}
		exact := map[uint64]uint64{}
		for _, x := range edges {
			exact[edgeShape.Join(x[:])]++
		}
		n, order := uint64(len(edges)), ranked(exact)
		if len(order) <= topEdges {
			return fmt.Errorf("%s: the trace of calls has %d edges, too few to compare", p, len(order))
		}
		want := order[:topEdges]
		programs++
		curves := []plot.Curve{{Name: "counted exactly", Points: byRank(want, exact, n)}}
		for _, eps := range []string{"1%", "0.1%"} {
			b, err := boxes(edges, exact, eps)
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			same, got := 0, ranked(b.counts)
			got = got[:min(topEdges, len(got))]
			for _, w := range got {
				if exact[w] >= exact[want[topEdges-1]] { // among edges with the same count, any one is right
					same++
				}
			}
			found[eps] += same
			t.Rows = append(t.Rows, []Value{text(p.String()), text(eps), count(n, "edges"), count(len(exact), "edges"), count(b.boxes, "boxes"), count(b.hot, "boxes"),
				count(same, "edges"), percent(share(b.worst, n))})
			curves = append(curves, plot.Curve{Name: "by boxes, eps " + eps, Points: byRank(want, b.counts, n)})
			if eps == "1%" {
				res.row(p.String()+": worst error of an edge, eps 1 %", one(percent(share(b.worst, n))), "at most 1 %", share(b.worst, n) <= 1)
			}
		}
		res.lines("rap-edges-"+p.Name, plot.Lines{Title: "edges of " + p.Name + " by rank", X: "rank", Y: "% of all edges", LogX: true, Curves: curves})
	}
	res.setup("edges from branch to branch of taps on edges; errors in percent of the stream; seed %d, and nothing is random", env.Seed)
	res.Tables = append(res.Tables, t)
	for _, eps := range []string{"1%", "0.1%"} {
		res.row("top edges that the trees have, eps "+eps, part(found[eps], programs*topEdges, "edges"), "no numbers; section 6 names edges", found[eps] == programs*topEdges)
	}
	return nil
}

// edges returns the edges from each branch to the next in its stream.
func (env *Env) edges(p Program) (list [][2]uint64, err error) {
	source, err := env.tuples(p, "calls")
	if err != nil {
		return nil, err
	}
	number := map[uint64]uint64{}
	each := func(do func(stream uint32, site uint64)) error {
		return source(func(stream uint32, tuples []tuple.Tuple) {
			for _, t := range tuples {
				if t.Tag() == tuple.Edge {
					do(stream, t.Site())
				}
			}
		})
	}
	if err := each(func(_ uint32, site uint64) { number[site] = 0 }); err != nil {
		return nil, err
	}
	for i, site := range slices.Sorted(maps.Keys(number)) {
		number[site] = uint64(i)
	}
	if len(number) > 1<<edgeBits {
		return nil, fmt.Errorf("%s: %d branches do not fit into %d bits", p, len(number), edgeBits)
	}
	before := map[uint32]uint64{}
	err = each(func(stream uint32, site uint64) {
		from, ok := before[stream]
		if before[stream] = number[site]; ok {
			list = append(list, [2]uint64{from, number[site]})
		}
	})
	return list, err
}

// A boxed has the counts of a tree of boxes for edges.
type boxed struct {
	boxes, hot int
	counts     map[uint64]uint64 // counts of boxes that hold one edge, by word
	worst      uint64            // the greatest amount by which the count of an edge is too low
}

// boxes builds a tree of boxes from edges, and compares it with exact counts. The
// engine gets each edge as a sample of two words.
func boxes(edges [][2]uint64, exact map[uint64]uint64, eps string) (*boxed, error) {
	spec, err := engines.Parse(fmt.Sprintf("morton(first=0..%d,second=0..%d):rap(%s,b=4,over=words,universe=2^%d)", edgeBits-1, edgeBits-1, eps, 2*edgeBits), nil)
	if err != nil {
		return nil, err
	}
	var msgs []hwsim.Message
	e, out := spec.New(0), hwsim.NewOut(512, func(m []hwsim.Message) { msgs = append(msgs, m...) })
	for _, x := range edges {
		e.Push([]tuple.Tuple{tuple.New(tuple.Edge, 0, x[0]), tuple.New(tuple.More, 0, x[1])}, out)
	}
	e.Flush(out)
	out.Drain()
	b := &boxed{boxes: len(msgs), hot: len(metric.Hot(msgs, hot)), counts: map[uint64]uint64{}}
	for _, m := range msgs {
		if m.Free == 0 {
			b.counts[m.Tuple.W] = m.Count
		}
	}
	for w, c := range exact {
		if b.counts[w] > c {
			return nil, fmt.Errorf("edge %v occurred %d times, and is counted %d times: package rap is wrong", edgeShape.Box(w, 0), c, b.counts[w])
		}
		b.worst = max(b.worst, c-b.counts[w])
	}
	return b, nil
}

// ranked returns the words in the order of their counts, the greatest first.
func ranked(counts map[uint64]uint64) []uint64 {
	return slices.SortedFunc(maps.Keys(counts), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// byRank returns the shares of words in a given order.
func byRank(words []uint64, counts map[uint64]uint64, n uint64) (c metric.Curve) {
	for i, w := range words {
		c = append(c, metric.Point{Events: uint64(i + 1), Error: share(counts[w], n)})
	}
	return c
}
