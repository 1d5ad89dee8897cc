// Package ranges builds trees from the ranges of words that range adaptive profiling
// has counted (engine rap, package hwsim/rap), and finds the hot ranges.
//
// The samples of a profile count each event for the narrowest range that the engine had
// for it at that time. For example, the samples
//
//	[0, 255]     10
//	[64, 79]     60
//	66          930
//
// give the tree
//
//	              own  least  most
//	[0, 255]       10   1000  1000
//	  [64, 79]     60    990  1000
//	    66        930    930  1000
//
// Least is the number of events that certainly happened in a range: its own events and
// those of the ranges in it. Some events came before the engine made the range. They
// are among the own events of the ranges around it, so at most Most events happened in
// the range. That holds for every run, whatever the engine's eps. The engine keeps
// Most-Least below eps of all events; package hwsim/rap states the exact conditions.
//
// An engine that is short of memory drops ranges that have few events of their own,
// even if the ranges in them have many. So Of adds ranges without events of their own.
// If two ranges lie only in wider ones that contain more than these two, Of adds the
// narrowest range that contains both and has a power of two of words. For example, [64,
// 67] and [72, 75] get [64, 79].
//
// After Mark(100) the weight of 66 is 930, that of [64, 79] is 60, and that of [0, 255]
// is 70: the events of a hot range do not make the ranges around it hot.
//
// The package does not know the meaning of words.
//
// Source: Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over Adaptive
// Ranges", CGO 2006, section 4.1.
package ranges

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
)

// A Node is a range of words. All numbers count events.
type Node struct {
	profile.Range
	Word   *profile.Word // the sample of the range; nil if it has no events of its own
	Own    int64         // own events: those that no range in it counts
	Least  int64         // own events and those of all ranges in it
	Most   int64         // Least, plus the own events of all ranges around it
	Weight int64         // own events, plus the weights of the ranges next below that are not hot
	Hot    bool
	Kids   []*Node // in order of their first words; no two of them overlap
}

// A Tree holds the ranges of one source: a tap, or all taps of a kind.
type Tree struct {
	Site   profile.Site
	Root   *Node
	Events int64
	Other  int64 // those of the events that no range counts, because there was no space for their range
	Nodes  int   // ranges that have events of their own
	Worst  int64 // upper bound of Most-Least for every range of words, whether it is a node or not
}

// Of returns the tree of a site. It returns nil if no word is a range.
func Of(s profile.Seen) *Tree {
	t := &Tree{Site: s.Site, Events: s.Count}
	var list []*Node
	for i := range s.Words {
		w := &s.Words[i]
		if w.Range == nil {
			t.Other += w.Count
			continue
		}
		list = append(list, &Node{Range: *w.Range, Word: w, Own: w.Count})
	}
	if len(list) == 0 {
		return nil
	}
	// A wide range comes before the ranges in it. Ranges with the same first word
	// differ in their last word.
	slices.SortStableFunc(list, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(b.Last, a.Last))
	})
	t.Root = list[0]
	if last := list[len(list)-1].Last; t.Root.Last < last {
		t.Root = &Node{Range: profile.Range{Last: ^uint64(0)}}
		list = slices.Insert(list, 0, t.Root)
	}
	around := []*Node{t.Root}
	for _, n := range list[1:] {
		for around[len(around)-1].Last < n.First {
			around = around[:len(around)-1]
		}
		up := around[len(around)-1]
		if up.Range == n.Range { // samples of several files have the same range
			up.Own += n.Own
			continue
		}
		up.Kids = append(up.Kids, n)
		around = append(around, n)
	}
	fork(t.Root)
	t.add(t.Root, t.Other)
	return t
}

// fork adds ranges between n and its kids.
func fork(n *Node) {
	for _, k := range n.Kids {
		fork(k)
	}
	n.Kids = gather(n.Kids, n.Range)
}

// gather returns the kids of a range. It adds ranges between, so that no two of the
// kids have a narrower range around both. The ranges of kids are aligned and do not
// overlap.
func gather(kids []*Node, around profile.Range) []*Node {
	if len(kids) < 2 {
		return kids
	}
	first, last := kids[0].First, kids[len(kids)-1].Last
	n := bits.Len64(first ^ last)
	r := profile.Range{First: first >> n << n, Last: first>>n<<n | (1<<n - 1)}
	if r != around {
		return []*Node{{Range: r, Kids: gather(kids, r)}}
	}
	half := 0
	for kids[half].First&(1<<(n-1)) == 0 {
		half++
	}
	return append(gather(kids[:half:half], profile.Range{}), gather(kids[half:], profile.Range{})...)
}

// add computes the sums for n. outside is the number of events that the ranges around n
// count, and no range.
func (t *Tree) add(n *Node, outside int64) {
	if n.Word != nil {
		t.Nodes++
	}
	n.Least = n.Own
	inside := outside
	if !n.Single() {
		inside += n.Own
	}
	t.Worst = max(t.Worst, inside)
	for _, k := range n.Kids {
		t.add(k, outside+n.Own)
		n.Least += k.Least
	}
	n.Most = n.Least + outside
}

// Mark computes the weights. A range is hot if its weight is at least hot.
func (t *Tree) Mark(hot float64) { t.Root.mark(hot) }

// mark returns the weight that n adds to the range around it.
func (n *Node) mark(hot float64) (weight int64) {
	n.Weight = n.Own
	for _, k := range n.Kids {
		n.Weight += k.mark(hot)
	}
	if n.Hot = n.Weight > 0 && float64(n.Weight) >= hot; n.Hot {
		return 0
	}
	return n.Weight
}

// Walk calls visit for every range, each before the ranges in it. depth is the number
// of ranges around it for which visit returned true.
func (t *Tree) Walk(visit func(n *Node, depth int) (counts bool)) { t.Root.walk(visit, 0) }

func (n *Node) walk(visit func(*Node, int) bool, depth int) {
	if visit(n, depth) {
		depth++
	}
	for _, k := range n.Kids {
		k.walk(visit, depth)
	}
}

// Width returns the logarithm to base 2 of the number of words of n, rounded up.
func (n *Node) Width() (bits int) {
	for d := n.Last - n.First; d > 0; d >>= 1 {
		bits++
	}
	return bits
}

// Cover returns the narrowest ranges that together hold a share of the tree's events.
// First, Cover finds the least width at which the widest ranges of at most this width
// hold enough events. Of these ranges it takes those with most events until they hold
// enough. The ranges come in the order of words. If even all ranges do not hold the
// share, because the engine did not tell some events apart, the result holds less.
func (t *Tree) Cover(share float64) (list []*Node, events int64) {
	need := share * float64(t.Events)
	for width := 0; ; width++ {
		list, events = t.Root.narrow(width, nil), 0
		for _, n := range list {
			events += n.Least
		}
		if float64(events) >= need || width >= t.Root.Width() {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b *Node) int { return cmp.Compare(b.Least, a.Least) })
	n := 0
	for events = 0; n < len(list) && (float64(events) < need || n == 0); n++ {
		events += list[n].Least
	}
	list = list[:n]
	slices.SortFunc(list, func(a, b *Node) int { return cmp.Compare(a.First, b.First) })
	return list, events
}

// narrow appends the widest ranges in n that have events and at most the given width.
func (n *Node) narrow(width int, list []*Node) []*Node {
	if n.Width() <= width {
		if n.Least > 0 {
			list = append(list, n)
		}
		return list
	}
	for _, k := range n.Kids {
		list = k.narrow(width, list)
	}
	return list
}
