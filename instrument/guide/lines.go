package guide

// This file estimates how often edges were taken from the samples of lines.
//
// A line has samples in proportion to how often it ran, and to how long it takes. We take all
// lines for equally long. A block then weighs as many samples as the line with most samples
// that is in no other block. The edge to a block that has no other way in weighs what the block
// weighs. Of a branch, at most one edge may lead to a block with other ways in, which is where
// an if without else goes on:
//
//	if x > 0 {    // 90 samples
//		n++   // 30
//	}
//	m += n        // 70
//
// The edge to n++ weighs 30. The other one has the rest of what passes the branch, for which we
// take the larger number of the lines before and behind the branch: 90 - 30 = 60. The estimate
// is wrong if the lines take different times, but seldom which of the edges is the hotter one.

import (
	"go/token"

	"github.com/pepgo/pep/instrument/flow"
)

// MinSamples is how many samples a function of a CPU profile needs to be used.
const MinSamples = 20

// sampleWeight is what a sample of a line counts, compared with an execution of an edge: placement
// weighs a count of 1 like its own guess. Chosen: 10 samples are as good as the guess.
const sampleWeight = 0.1

// estimate writes estimates to the edges of s, which begins shift lines further down than
// when the profile was made.
func (f *Func) estimate(s Source, shift int, fset *token.FileSet, m *Match) {
	samples, known := map[int]float64{}, inOneFile(s)
	first, last := line(fset, s), fset.Position(s.Syntax.End()).Line
	for _, l := range f.Lines {
		if at := l.Line + shift; known && first <= at && at <= last {
			samples[at] = l.Samples
			m.Counts += l.Samples
		}
	}
	weights := blockWeights(s, samples)
	in := make([]int, len(s.Nodes))
	for _, n := range s.Nodes {
		for _, e := range n.Out {
			if e.To != nil {
				in[e.To.Index]++
			}
		}
	}
	for _, n := range s.Nodes {
		if len(n.Out) < 2 {
			continue
		}
		m.BranchesOf++
		if known && estimateEdges(n, weights, in) {
			m.Branches++
		}
	}
}

// inOneFile reports whether no //line directive puts a part of the function into another file. A CPU
// profile has one file for all lines of a function, so it does not say which line of several it means.
func inOneFile(s Source) bool {
	files := map[int]bool{}
	for _, b := range s.Blocks {
		for _, span := range b.Spans {
			files[span.File] = true
		}
		if b.Branch.Line != 0 {
			files[b.Branch.File] = true
		}
	}
	return len(files) <= 1
}

// estimateEdges writes estimates to the edges of a branch. It reports false if the weights of
// the blocks around say nothing of them.
func estimateEdges(n *flow.Node, weights []float64, in []int) bool {
	var rest *flow.Edge
	passes, known := max(weights[n.Index], 0), 0.0
	for _, e := range n.Out {
		switch {
		case e.To != nil && in[e.To.Index] == 1 && weights[e.To.Index] >= 0:
			known += weights[e.To.Index]
		case rest != nil:
			return false
		default:
			rest = e
			if to := behind(e, weights); to != nil {
				passes = max(passes, weights[to.Index])
			}
		}
	}
	if known == 0 && (rest == nil || passes == 0) {
		return false
	}
	for _, e := range n.Out {
		if e == rest {
			e.Measured = max(passes-known, 0) * sampleWeight
		} else {
			e.Measured = weights[e.To.Index] * sampleWeight
		}
	}
	return true
}

// behind returns the first block on the way from e that has lines of its own, or where the way
// is not the only one; nil if the way leaves the function before.
func behind(e *flow.Edge, weights []float64) *flow.Node {
	to := e.To
	for range weights {
		if to == nil || weights[to.Index] >= 0 || len(to.Out) != 1 {
			break
		}
		to = to.Out[0].To
	}
	return to
}

// blockWeights returns the samples of the blocks of s, by node; -1 for a block whose lines are
// all in other blocks, too.
func blockWeights(s Source, samples map[int]float64) []float64 {
	blocks := map[int]int{} // by line: how many have it
	each := func(i int, do func(line int)) {
		seen := map[int]bool{}
		add := func(from, to int) {
			for l := from; l <= to; l++ {
				if !seen[l] {
					seen[l] = true
					do(l)
				}
			}
		}
		b := s.Blocks[i]
		for _, span := range b.Spans {
			add(span.Line, span.EndLine)
		}
		if b.Branch.Line != 0 {
			add(b.Branch.Line, b.Branch.Line)
		}
	}
	for i := range s.Nodes {
		each(i, func(l int) { blocks[l]++ })
	}
	weights := make([]float64, len(s.Nodes))
	for i := range s.Nodes {
		weights[i] = -1
		each(i, func(l int) {
			if blocks[l] == 1 {
				weights[i] = max(weights[i], samples[l])
			}
		})
	}
	return weights
}
