// Package weigh estimates shares from clusters, and how far off the estimates may be. A cluster is what was counted
// behind one tick: the samples of a burst of polls, or the paths, loads and values of a window.
//
//	var all weigh.Total
//	for _, c := range clusters {
//		all.Add(c.Size)
//	}
//	share := sumOfPath / all.Size
//	var path, whole weigh.Jackknife
//	for _, c := range clusters {
//		path.Leave(&all, share, c.OfPath, c.Size)
//		whole.Leave(&all, 0, c.Size, c.Size)
//	}
//	variance := path.FewVariance(&all, share, &whole)
//
// # Weights
//
// Each tick stands for some CPU time (package pace), but what follows it for different numbers of executions. [Window]
// says how many windows the program has in that time. A sample of a burst counts once, as the paper on PEP has it (Bond
// and McKinley, MICRO 2005, section 4.4), so a loop has a share in proportion to its time: one whose rounds take 1 ms
// has as many samples as one whose rounds take 10 ns and that takes as long, although it ends one path where the other
// ends 100,000.
//
// # Bounds
//
// What is counted in a cluster is not independent: it is often of the same loop. So the variance of an estimate comes
// from the differences between clusters, and not from how much was counted ([Jackknife]). For bursts of polls that is
// all: bounds are those of the mean of many runs, which is the share by time as above. To windows comes what is wrong
// with their weights ([Jackknife.WeightVariance]). [Bound] makes bounds of the variances of counts, and [Tap] those of
// shares.
package weigh
