// Package hotlist finds the most frequent values of a stream in constant space, with an
// unbiased estimate of how often each occurred and a bound on its error.
//
//	l := hotlist.New[uint64](seed)
//	for _, v := range stream {
//		l.Add(v)
//	}
//	l.Total() // 100000: how many values were added, exactly
//	l.Rate()  // 0.0002: the share of them that the list has sampled
//	for _, e := range l.Top() {
//		e.Value, e.Count        // 7, 6: 6 occurrences of 7 were sampled
//		l.Estimate(e.Count)     // 28178: 7 occurred about so often
//		l.Bounds(e.Count, 0.95) // 5254, 81759: at least and at most so often
//	}
//
// A [List] is a concise sample: it samples each value that is added with a probability p, and
// counts the sampled ones. Initially p is 1. When the sample has more than 16 distinct values,
// the list tosses a coin for each sampled occurrence, and keeps it with probability 15/16; then
// p is 15/16 of what it was. It repeats that until 16 distinct values remain. So a stream with
// at most 16 distinct values is counted exactly, and of other streams the frequent values remain.
//
// [NewOf] makes lists of another size. A [Table] is what the paper compares its lists with, the
// table of Calder, Feller and Eustace; the tests also have the counting sample, which Gibbons and
// Matias describe, too. On streams that do not change, both find the most frequent value more often
// than a List (the example of the package has figures). But their estimates are biased, nothing
// bounds their errors, and they cannot be merged.
//
// Source: Burrows et al., "Efficient and Flexible Value Sampling", ASPLOS 2000, section 2.2;
// Gibbons and Matias, "New Sampling-Based Summary Statistics for Improving Approximate Query
// Answers", SIGMOD 1998. The bounds are ours; bounds.go has the proof.
package hotlist
