// Package ranges makes trees of the ranges of words that range adaptive profiling has
// counted (engine rap, package hwsim/rap), and says which ranges are hot.
//
// The samples of a profile count each event for the narrowest range that the engine
// had for it when it came. From
//
//	[0, 255]     10
//	[64, 79]     60
//	66          930
//
// Of makes the tree
//
//	              own  least  most
//	[0, 255]       10   1000  1000
//	  [64, 79]     60    990  1000
//	    66        930    930  1000
//
// Least is what certainly happened in a range: its own events and those of the ranges
// in it. Events that came before the engine told a range apart are among the own events
// of the ranges around it, so at most Most events happened in it. That holds for every
// run, whatever the engine's eps. The engine keeps Most-Least below eps of all events
// (package hwsim/rap says when).
//
// An engine that is short of memory drops ranges that have few events of their own, also when
// those in it have many. So Of adds a range without events of its own wherever two ranges have
// none but wider ones around both: the narrowest one, of a power of two of words, that both are
// in. [64, 67] and [72, 75] get [64, 79].
//
// After Mark(100) the weight of 66 is 930, that of [64, 79] is 60, and that of [0, 255]
// is 70: what is in a hot range does not make the ranges around it hot.
//
// The package does not know what words mean.
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
	Own    int64         // that no range in it counts
	Least  int64         // own events and those of all ranges in it
	Most   int64         // Least, and own events of all ranges around it
	Weight int64         // own events and weights of the ranges next below, hot ones excepted
	Hot    bool
	Kids   []*Node // by first word; they have nothing in common
}

// A Tree is the ranges of a source: a tap, or all taps of a kind.
type Tree struct {
	Site   profile.Site
	Root   *Node
	Events int64
	Other  int64 // events of these that no range counts, because there was no room for it
	Nodes  int   // ranges that have events of their own
	Worst  int64 // Most-Least of any range of the words, a node or not, is at most that
}

// Of returns the tree of a site, nil if no word is a range.
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
	// Wide ranges come before those in them. Ranges that begin at the same word differ
	// in their last.
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
		if up.Range == n.Range { // of several files
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

// fork puts ranges between n and its kids.
func fork(n *Node) {
	for _, k := range n.Kids {
		fork(k)
	}
	n.Kids = gather(n.Kids, n.Range)
}

// gather returns kids of a range, with ranges between so that no two of them have a narrower
// one around both. The ranges of kids are aligned and have nothing in common.
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

// add adds up what is in n. Outside is what ranges around n count, and no range.
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

// Mark computes weights. A range with at least so many events is hot.
func (t *Tree) Mark(hot float64) { t.Root.mark(hot) }

// mark returns the weight of n that counts for the range around it.
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

// Walk calls visit for every range, each before those in it. Depth counts the ranges around
// it for which visit reported true.
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

// Cover returns the narrowest ranges that hold a share of the tree's events together:
// with the least width for which that is possible, of all ranges at most so wide that
// are in no other such range those with most events, until they hold enough. They come
// in the order of words. If no ranges do, because events were not told apart, they hold
// less.
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

// narrow appends the widest ranges of n that are at most so wide, if they have events.
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
