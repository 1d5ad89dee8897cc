package rapfigures

// This file has experiments that test why the buffer, frequent values and misses of caches are not as in the paper.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// measureBuffers measures how many events buffers of other sizes combine, and how many blocks have nearly all events.
func measureBuffers(m *figure.Measured, name string, points []uint64) error {
	for _, n := range bufferSizes {
		meters, err := metersOf(fmt.Sprintf(ofBuffer, "1%", n), points)
		if err != nil {
			return err
		}
		m.Add(fmt.Sprintf("%s/buffer/%d", name, n), meters["events to a count"].Value())
	}
	shares, _ := topPoints(points, len(points))
	sum, blocks := 0.0, 0
	for ; sum < 99 && blocks < len(shares); blocks++ {
		sum += shares[blocks]
	}
	m.Add(name+"/busy", float64(blocks))
	return nil
}

// Frequent values are looked for among all loads of a part of a recording, in short pieces of it, and among values that
// are less than addresses are.
const (
	pieceOfLoads = 1 << 16
	addresses    = 1 << 32 // and more: those of the heap and of stacks, floating-point numbers, negative numbers
	everyMixed   = 17      // of the loads of a program, one of so many counts among those of all programs
)

// addFrequent adds the shares of the most frequent value, and of the 50 most frequent ones.
func addFrequent(m *figure.Measured, name string, points []uint64) {
	first, fifty := frequentOf(points)
	m.Add(name+"first", first)
	m.Add(name+"fifty", fifty)
}

func frequentOf(points []uint64) (first, fifty float64) {
	top, _ := topPoints(points, 50)
	return top[0], figure.Tally(top).Mean() * float64(len(top))
}

// measureFrequent measures how much of the loads the most frequent values are.
func measureFrequent(m *figure.Measured, name string, points []uint64) {
	addFrequent(m, name+"/", points)
	if narrow := slices.DeleteFunc(slices.Clone(points), func(x uint64) bool { return x >= addresses }); len(narrow) > 0 {
		first, _ := frequentOf(narrow)
		m.Add(name+"/narrow-first", first)
	}
	var firsts, fifties figure.Tally
	for piece := range slices.Chunk(points, pieceOfLoads) {
		first, fifty := frequentOf(piece)
		firsts, fifties = append(firsts, first), append(fifties, fifty)
	}
	m.Add(name+"/piece-first", firsts.Mean())
	m.Add(name+"/piece-fifty", fifties.Mean())
}

// measureMixed measures the same of the loads of all programs together.
func measureMixed(env *figure.Env, m *figure.Measured) error {
	var mixed []uint64
	for _, p := range figure.Programs {
		source, err := env.Source(p.Name, ofValues)
		if err != nil {
			return err
		}
		points, err := pointsOf(env, source, ofValues)
		if err != nil {
			return err
		}
		for i := 0; i < len(points); i += everyMixed {
			mixed = append(mixed, points[i])
		}
	}
	addFrequent(m, "mixed/", mixed)
	return nil
}

// otherCaches are caches of the first level in place of ours: a small one without ways, that of SimpleScalar, with
// which many experiments of that time were made, and that of the Alpha 21264.
var otherCaches = []string{"cache(8K,ways=1,line=32)", "cache(16K,ways=4,line=32)", "cache(64K,ways=2,line=64)"}

// small is a filter of the values that are in one range 2^16 wide, that of the small numbers.
const small = "where(first=0..0xffff,pass=first):"

// measureMisses measures how hot ranges cover the misses of other caches, and how many values of loads and of misses
// are small numbers.
func measureMisses(env *figure.Env, m *figure.Measured, name string, source replay.Source) error {
	tree := treeOfColumn(columns[0].name)
	specs := []string{small + tree, dl1 + ":" + small + tree, "where(pass=first):" + tree,
		dl1 + ":where(pass=first):" + tree}
	for _, c := range otherCaches {
		specs = append(specs, c+":where(pass=first):"+tree)
	}
	sent, err := messagesOf(env, source, specs...)
	if err != nil {
		return err
	}
	for i, kind := range []string{"loads", "dl1"} {
		m.Add(name+"/small/"+kind, share(eventsOf(sent[i]), eventsOf(sent[i+2])))
	}
	for i, c := range otherCaches {
		m.Add(name+"/"+c, narrowCoverage(sent[4+i]))
	}
	return nil
}
