// Package exactness proves that exact counts are exact. It takes a program that is built
// with -pepmode=exact, computes from its path counts how often every block was executed,
// and compares these numbers with the counters of go build -cover.
//
// Both counts come from one run of one program. So they cannot differ because of things
// that differ from run to run: the order of maps, scheduling, the pace of the collector.
// The package asks the go command for coverage and for our toolexec at once. The compiler
// then gets covered text:
//
//	func f(x int) int {goCover_7d[0] = 2 ; …; AddUint32(&goCover_7d[3], 1);
//		if x > 0 {AddUint32(&goCover_7d[4], 1);
//			x = -x
//		}
//		return x
//	}
//
// pepbuild instruments this text, and makes a site table in which both counter statements
// lie within the span of a node. A counter and its node are executed together. So the
// counter must be equal to the sum of the counts of all paths through the node.
//
// Users do not build covered text. That does not weaken the proof, because the package
// also checks that the functions have the same graphs, numbered in the same way, in a
// build without coverage.
//
// The phases, each a file:
//
//	build    build the program with coverage and exact counting, and run it
//	cover    cover the packages once more, to see where the counters stand
//	flow     add up the paths: executions of nodes, and paths that never ended
//	compare  counters with nodes, and graphs with those of a build without coverage
//	table    print the results
//
// A path is counted when it ends. If a panic, os.Exit or runtime.Goexit leaves a path, or
// if the program ends while a path is still on its way, the path is not counted, although
// its blocks were executed. The number of such paths is known. For a loop
// header it is the number of ends of paths on edges into the header, less the number of
// counted paths that begin there. For the entry of the function it is cover's count of
// the first block, less the number of counted paths that begin there. A block's counter
// may exceed its node's count by the number of such paths that can have come to the
// block, and not by one more. That number is the sum of the excesses of the counters in
// the nodes before it.
//
// The profile says itself how many paths have not ended. It must say the same numbers: it has them from a count of
// calls, and not from coverage.
//
// The package takes the first counter of a function for the truth. This can hide only
// one mistake: that the instrumenter forgets the end of a path wherever the function
// returns. Therefore reports name the functions with paths that never ended.
//
// Counters of coverage have 32 bits. Counts are compared modulo 2^32.
package exactness
