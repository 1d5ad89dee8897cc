// Package sampling repeats the experiments of the paper on value sampling with our value
// sampler. Package vsampfigures shows the results beside those of the paper.
//
//	e := &sampling.Experiment{Root: root, Work: dir, Rounds: 10, Scale: 10, Log: os.Stderr}
//	m := &figure.Measured{}
//	err := e.Measure(m, programs, 8*time.Second, 10*time.Minute)
//	m.Of("hidden/interp/rank") // at which rank the finder has the invariant that the program hides
//
// Hidden is section 3.1 of the paper, Cost its Table 2, and Bias the observation of its section 5.
// CPU times of whole programs vary by more than sampling costs, so Taken measures what an interrupt
// takes from a program that reads the clock all the time. Latencies is section 3.3, by windows of
// a program that is built for them. Table 1, the misses that sampling causes in the cache, needs the
// processor's counters of misses; Evicted has the time that loading evicted lines again takes, in
// its place.
//
// For all others the target is started and stopped before its first instruction, sampled, and let
// go, so it is sampled as a whole. It is not changed and knows nothing of it.
//
// Source: Burrows et al., "Efficient and Flexible Value Sampling", ASPLOS 2000.
package sampling
