// Package rap is range adaptive profiling: a tree of ranges that summarises a
// stream of points in one pass. Ranges with many events are divided, ranges with
// few are joined, so that memory stays fixed and the error of every count is
// bounded by a share of the stream.
//
//	t, err := rap.New(rap.Options{Eps: 0.01}) // points are all uint64, error at most 1 %
//	t.Add(points)                             // []uint64, as often as there are points
//	t.AddCount(0xc000123450, 17)              // a point that was seen 17 times
//	for _, r := range t.Hot(0.10) {           // ranges with 10 % of the events and more
//		fmt.Printf("%x-%x %d\n", r.Lo, r.Hi, r.Weight)
//	}
//	least, most := t.Estimate(0xc000000000, 0xc0ffffffff) // events in that range
//
// The root of the tree is the range of all points. Every node is a range of 2^k points
// that begins at a multiple of 2^k. An event counts for the smallest node that contains
// its point. When the count of a node passes eps·n/log(R), where n is the number of
// events so far and R is the number of points, the node is split into B children. The
// children begin with a count of 0, and the node keeps its own count. Now and then a
// merge removes nodes with few events and adds their counts to their parents. So counts
// only move upwards, no count is lost, and the sum of the counts of all nodes inside a
// range is never more than the number of events in that range.
//
// A [Buffer] in front of a tree combines equal points. Kind makes trees available as
// engines of package hwsim.
//
// The package does not know what points mean, gathers no events, and draws
// nothing.
//
// Source: Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over
// Adaptive Ranges", CGO 2006. docs/decisions/0016-rap.md says where this package
// decides what the paper leaves open.
package rap
