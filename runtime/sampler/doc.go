// Package sampler decides which polls are samples: Arnold-Grove sampling as PEP
// uses it (Bond and McKinley, section 4.4; Arnold and Grove, "Collecting and
// Exploiting High-Accuracy Call Graph Profiles", CGO 2005).
//
// The rotation and the budget of a burst belong to the process, not to a thread
// as in Jikes RVM: goroutines move between threads, and the flag that
// starts a burst is the process's too. So a burst is SAMPLES polls
// of whichever goroutines run, and the first gap rotates from tick to tick.
//
// With 2 samples and a stride of 3, "-" for a poll that is skipped and S for a
// sample, the polls after three ticks are
//
//	SS    -SS    --SS
//
// The package runs in signal handlers: a Sampler is a few integers in the .pep
// file, and its methods change them by compare-and-swap.
package sampler
