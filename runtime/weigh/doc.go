// Package weigh estimates how often paths end, from bursts of polls that begin at equal
// intervals of time, and how far off the estimates may be.
//
//	weights := weigh.Weights(bursts, paths) // one for each burst
//	var all weigh.Total
//	for i, b := range bursts {
//		all.Add(weights[i])
//	}
//	var sum float64
//	var path, whole weigh.Jackknife
//	for i, b := range bursts {
//		y, x := weights[i]*samplesOfPathIn(b)/samplesOf(b), weights[i]
//		sum += y
//		path.Leave(&all, y, x)
//		whole.Leave(&all, x, x)
//	}
//	share := sum / all.Size
//	variance := path.Variance(&all, share, &whole)
//
// # Why samples are biased
//
// Let a program spend half of its time in a loop whose rounds take 10 ns, and half in a
// loop whose rounds take 1 ms. Ticks come at equal intervals of time, so each loop gets
// half of the bursts, and every burst has 64 samples. But the first loop ends 100,000
// paths where the second ends one.
//
// The burst of a tick begins with the poll that follows the tick. So a poll begins a
// burst if the tick falls into the gap before it, the time since the poll before. The
// probability of that is proportional to the gap. If each burst has the weight 1/gap of
// its first poll, each poll of the program has the same expected weight, and with it each
// poll at any position of a burst. (This is the estimator of Horvitz and Thompson, 1952,
// for samples with known probabilities of inclusion.) The mean of the gaps of a few first
// polls stands for the first one, because that has less variance.
//
// A tick counts once, however many polls follow it. If it comes while a burst lasts, the polls that
// follow are its own burst, which is shorter: in a loop whose rounds take 1 ms, a tick each 4 ms has
// four polls. They stand for as many polls as those of any other tick.
//
// If threads run side by side, the polls of each thread are a burst of their own ([ByThread]): a sample holds up one thread
// only, so polls of different threads are not in the program's proportions.
//
// # What is known of a gap
//
// The gap before the first poll cannot be measured, because the tick is in it. Gaps within
// bursts can, but after a sample the caches and the predictors of branches are cold, and code that takes 5 ns
// takes 300. So a measured gap says something about paths that take long, and hardly
// anything about others.
//
// There is a second source. If x[k] is how often path k ends, and d[k] the mean gap before
// it, then x[k]·d[k] is the time before ends of k, and the number F[k] of ticks that are
// followed by k is proportional to that. Weights and gaps can so be found together:
//
//	x[k] = Σ weight of the burst, over all polls of k
//	d[k] = F[k]/x[k]
//	weight of a burst = 1/d of its first polls
//
// and again from the beginning. If two paths are in the same loop, bursts show how often
// each of them ends for each end of the other, wherever the burst begins, and ticks show
// how the time of the loop is shared between them. That alone does not tell how often one
// loop goes round for each round of another loop if no burst has seen both. So d[k] is not
// free: it is expected to be near
//
//	a·1 + b·(gap of k where k returns) + c·(mean gap of k) + e·(median gap of k)
//
// with factors that are the same for all paths, and that fit F best. The constant is 8 cycles, which
// matters only if no burst sees a short loop and a long one together: then nothing but the clock
// tells them apart, and it shows nothing below some 50 cycles. Where a path returns, because one of
// the thread's last three polls was of it, too, its code is in the caches, and the gap beyond the least of these gaps is its
// time. Gaps are measured in costs of a poll, 600 cycles at least, because code that is not in the caches takes some hundred
// cycles longer, and that is not the time of a path. The mean counts as far as it is above 1.4 costs and below
// 4: below it says more about caches, and above the thread may have been off the processor.
// The median counts above 4 costs, which some gaps off the processor do not change.
//
// Paths that ticks have found rarely have the expected d, and others have their own: the
// model counts as much as one tick. But no d is more than 16 times as large or as small as
// expected, and where the clock shows the gap itself, this limit is narrower: 3.5 for a gap of one
// cost, 1.15 for one of 20. For example, let there be two loops of which bursts have seen the way from the
// first to the second, and never the way back. Each round would then take weight from the first
// loop, as if the program had left it for good.
//
// Estimates are shares. They are no numbers of executions, because nothing tells how many
// ns the unit of d has.
//
// # What remains wrong
//
// Two loops that no burst sees both of are told apart by the clock alone. If each has several
// paths, and these are shorter than some 500 ns, the clock shows caches and not the paths, and
// the weights of the two loops are about equal: the loop with longer rounds is overestimated.
//
// # Bounds
//
// The samples of a burst are not independent: they are often from the same loop. So the
// variance of an estimate comes from the differences between bursts, and not from the number
// of samples (type Jackknife). To it comes the variance of what is wrong with weights: it is the same for all
// bursts that begin with the same path ([Kins]), and in part for all of the same loop ([Loops]).
//
// Taps report in windows of time, and package core weighs these itself. For their words the
// clusters of Total and Part are the windows. [Bound] makes bounds of the variances of counts, and
// [Tap] those of shares.
package weigh
