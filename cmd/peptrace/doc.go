//go:build linux && amd64

// Command peptrace looks into running Go programs that were built as usual, with go build.
// It needs no restart of the program, and no change to it.
//
// Here it counts the calls of a function in process 4711, and which values its arguments
// have. It attaches a probe after the function's stack check, counts in the kernel, and
// prints the counts when the program ends, or when it is interrupted:
//
//	$ peptrace probe -p 4711 -f '^main\.known$' -args -n 2
//	peptrace: process 4711, 0.1 s until the process ended, 1 probe, 2000 hits
//
//	main.known  app/main.go:37, 2000 calls
//
//	  arg x int, 2000 hits
//	   share  count  value
//	  90.00%   1800  7
//	   1.00%     20  0
//	  and 9 values more, 9.00%
//
//	  arg len(text) int, 2000 hits
//	   share  count  value
//	  90.00%   1800  6
//	  10.00%    200  0
//
//	  arg p *int, 2000 hits
//	    share  count  value
//	  100.00%   2000  not nil
//
//	  arg flag bool, 2000 hits
//	   share  count  value
//	  50.00%   1000  false
//	  50.00%   1000  true
//
// With -times and -results, it also attaches probes to the places where the function
// returns. With -edges, it says which way the conditional jumps of the machine code went:
//
//	$ peptrace probe -p 4711 -f '^main\.pick$' -edges -at main.go:52
//	peptrace: process 4711, 0.1 s until the process ended, 3 probes, 4400 hits
//
//	main.pick  app/main.go:50, 2000 calls
//
//	  branch line 51, 2000 hits
//	   share  count  value
//	  80.00%   1600  jumps to line 54
//	  20.00%    400  goes on
//
//	  line 52, 400 hits
//
//	  value line 52 i int, 400 hits
//	  share  count  value
//	  0.50%      2  0
//	  0.50%      2  5
//	  0.50%      2  10
//	  0.50%      2  15
//	  0.50%      2  20
//	  and 195 values more, 97.50%
//
// The exit code is 0 if all went well, 1 if the process cannot be traced, and 2 if the
// command line is wrong. Errors are one line, or one for each cause.
package main
