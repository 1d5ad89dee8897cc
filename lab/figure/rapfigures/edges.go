package rapfigures

// This file profiles edges in two dimensions, source and destination.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// edgeBits is the number of bits of a branch's number in the figure of edges.
const edgeBits = 16

// edgeShape is the order of the bits of two branches.
var edgeShape = box.New(edgeBits, edgeBits)

// topEdges is the number of edges that the figure compares.
const topEdges = 10

// edgeErrors are the errors of the trees of boxes, and what follows from them for an edge: percent of the stream.
var edgeErrors = []struct {
	eps  string
	most float64
}{{"1%", 1}, {"0.1%", 0.1}}

// edgesInBoxes profiles edges, which section 6 of the paper names, with trees of boxes (RAP-28). The points are edges
// from one branch to the next one that is executed, so they have two dimensions. Branches are numbered in the order of
// their sites.
func edgesInBoxes(env *figure.Env, res *figure.Result) error {
	t := figure.Table{Title: fmt.Sprintf("the %d most frequent edges", topEdges),
		Columns: []string{"recording", "eps", "edges", "distinct", "boxes", "hot boxes", "compared", "found", "worst error"}}
	res.Describe("%s", rule)
	errors := make([]figure.Tally, len(edgeErrors))
	var ran []figure.Origin
	var events []uint64
	err := env.EachRecording(res, figure.Programs, figure.OfBranches, func(o figure.Origin, source replay.Source) error {
		edges, err := edgesOf(env, source)
		if err != nil {
			return err
		}
		exact := map[uint64]uint64{}
		for _, x := range edges {
			exact[edgeShape.Join(x[:])]++
		}
		n, order := uint64(len(edges)), ranked(exact)
		if n == 0 {
			return fmt.Errorf("the trace of calls has no edges")
		}
		want := order[:min(topEdges, len(order))]
		curves := []plot.Curve{{Name: "counted exactly", Points: byRank(want, exact, n)}}
		for i, x := range edgeErrors {
			b, err := boxes(edges, exact, x.eps)
			if err != nil {
				return err
			}
			same, got := 0, ranked(b.counts)
			got = got[:min(len(want), len(got))]
			for _, w := range got {
				if exact[w] >= exact[want[len(want)-1]] { // among edges with the same count, any one is right
					same++
				}
			}
			errors[i] = append(errors[i], share(b.worst, n))
			t.Rows = append(t.Rows, []figure.Value{figure.Text(o.String()), figure.Text(x.eps), figure.Count(n, "edges"),
				figure.Count(len(exact), "edges"), figure.Count(b.boxes, "boxes"), figure.Count(b.hot, "boxes"),
				figure.Count(len(want), "edges"), figure.Count(same, "edges"), figure.Percent(share(b.worst, n))})
			curves = append(curves, plot.Curve{Name: "by boxes, eps " + x.eps, Points: byRank(want, b.counts, n)})
		}
		if o.Recording == figure.Recordings[0] && (o.Role == "gcc" || o.Role == "li") {
			res.AddLines("rap-edges-"+o.Name, plot.Lines{Title: "edges of " + o.Name + " by rank", X: "rank",
				Y: "% of all edges", LogX: true, Curves: curves})
		}
		ran, events = append(ran, o), append(events, n)
		return nil
	})
	if err != nil {
		return err
	}
	res.Ran("edges from branch to branch", ran, events)
	res.Describe("errors in percent of the stream; the paper names edges in section 6 and has no numbers: found are those of the most frequent edges that are among as many of the tree")
	res.Tables = append(res.Tables, t)
	for i, x := range edgeErrors {
		res.Compare("worst-"+x.eps, "worst error of an edge, any program, eps "+x.eps, errors[i], figure.Percent,
			"at most eps", figure.AtMost(figure.Percent(x.most)))
	}
	return nil
}

// edgesOf returns the edges from each branch to the next in its stream.
func edgesOf(env *figure.Env, source replay.Source) (list [][2]uint64, err error) {
	number := map[uint64]uint64{}
	each := func(do func(stream uint32, site uint64)) error {
		return figure.FirstTuples(source, env.Branches, func(stream uint32, tuples []tuple.Tuple) {
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
		return nil, fmt.Errorf("%d branches do not fit into %d bits", len(number), edgeBits)
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
	spec, err := engines.Parse(fmt.Sprintf("morton(first=0..%d,second=0..%d):rap(%s,b=4,over=words,universe=2^%d)",
		edgeBits-1, edgeBits-1, eps, 2*edgeBits), nil)
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
			return nil, fmt.Errorf("edge %v occurred %d times, and is counted %d times: package rap is wrong",
				edgeShape.Box(w, 0), c, b.counts[w])
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
