// Package exactness proves that exact is exact: that the path counts of a
// program built with -pepmode=exact say how often every block was executed, by
// comparing them with the counters of go build -cover.
//
// Both counts come from one run of one program, so that nothing that differs
// from run to run (the order of maps, scheduling, the pace of the collector)
// can make them differ. The go command is asked for coverage and for our
// toolexec at once; what reaches the compiler is then covered text:
//
//	func f(x int) int {goCover_7d[0] = 2 ; …; AddUint32(&goCover_7d[3], 1);
//		if x > 0 {AddUint32(&goCover_7d[4], 1);
//			x = -x
//		}
//		return x
//	}
//
// and instrumenting that gives a site table in which both counter statements
// lie within the span of a node. A counter and its node are executed together:
// what the counter says and what the counts of the paths through the node add
// up to must be equal.
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
//	table    what came out of it
//
// A path is counted when it ends. One that is left by a panic, by os.Exit or
// runtime.Goexit, or that is still on its way when the program ends, is not counted
// although its blocks were executed. The number of such paths is known. For a loop
// header it is the number of ends of paths on edges into the header, less the number of
// counted paths that begin there. For the entry of the function it is cover's count of
// the first block, less the number of counted paths that begin there. A block's counter
// may exceed its node's count by the number of such paths that can have come to the
// block, and not by one more. That number is the sum of what the counters of the nodes
// before it have in excess.
//
// The package takes the first counter of a function for the truth. This can hide only
// one mistake: that the instrumenter forgets the end of a path wherever the function
// returns. Therefore reports name the functions with paths that never ended.
//
// Counters of coverage have 32 bits. Counts are compared modulo 2^32.
package exactness
