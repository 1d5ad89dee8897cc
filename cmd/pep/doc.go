// Command pep shows the profiles that programs built with pepbuild write:
// which paths they took, and which way each branch went.
//
// A program writes two files when it ends, in the pprof format: app.71.T.paths.pb.gz
// and app.71.T.edges.pb.gz if its process ID was 71 and T the time when it started,
// which is left out below. Here are those of a program that was sampled while it
// counted the words that begin with a vowel. Its hottest paths:
//
//	$ pep top -n 2 app.71.paths.pb.gz
//	app: 5 paths in 2 functions, count 128, flow 258
//
//	#   flow%  count  path
//	1  45.35%     39  main.count·p1
//	   words.go:6-7  from loop words.go:6
//	   6:2  range body  for _, w := range words {
//	   7:6  && true     if w != "" && isVowel(w[0]) {
//	   7:3  if false
//	2  30.23%     26  main.count·p0
//	   words.go:6-8  from loop words.go:6
//	   6:2  range body  for _, w := range words {
//	   7:6  && true     if w != "" && isVowel(w[0]) {
//	   7:3  if true
//
//	Sampled: 128 paths at 2 ticks, one each 10ms of CPU time. Each sample counts once, and ticks find loops with long rounds more often: their shares are too large.
//
// A path begins at the entry of a function or at the head of a loop, and ends where
// the function returns or the next round of a loop begins. Its flow is how often it
// was recorded, times the branches on it. The edges file tells which way each
// branch went:
//
//	$ pep list main.count app.71.edges.pb.gz
//	main.count  words.go:4, 3 branches, decided 195 times
//	count    share  line
//	                   4  func count(words []string) int {
//	                   5      n := 0
//	   65              6      for _, w := range words {
//	   65  100.00%            ^ range body
//	    0    0.00%            ^ range done
//	   65              7          if w != "" && isVowel(w[0]) {
//	   26   40.00%                ^ if true
//	   39   60.00%                ^ if false
//	   65  100.00%                   ^ && true
//	    0    0.00%                   ^ && false
//	        93.75%                7:20 call isVowel
//	         6.25%                7:20 call isSpace
//	   26              8              n++
//	                   9          }
//	                  10      }
//	                  11      return n
//	                  12  }
//
//	Sampled: 128 paths at 2 ticks, one each 10ms of CPU time. Each sample counts once, and ticks find loops with long rounds more often: their shares are too large.
//
// (Empty words and the ends of the loop are so rare that no sample has them.) How
// accurate is the sampled profile? Compare it with an exact one, of the same
// source built with pepbuild -pepmode=exact:
//
//	$ pep accuracy exact.70.paths.pb.gz app.71.paths.pb.gz
//	Wall weight matching   99.25%
//	relative overlap       98.99%
//	absolute overlap       98.87%
//
//	actual hot paths: 7 of 8, 5 of them found (a hot path has more than 0.125% of the flow)
//	samples: 128, of 5 paths
//
//	Exact: every path was counted.
//
//	Sampled: 128 paths at 2 ticks, one each 10ms of CPU time. Each sample counts once, and ticks find loops with long rounds more often: their shares are too large.
//
// If the program has taps, it also writes files of values, dynamic types of interfaces,
// and targets of calls.
//
//	$ pep values -n 1 app.71.values.pb.gz
//	app: 2 taps in 1 function, 3000 events
//
//	worth specialising (at least 1000 events, 80.00% of them alike):
//	events   share  kind    condition            function      line
//	  1500  80.00%  arg     c == 120             main.isVowel  words.go:14
//	  1500  80.00%  result  isVowel(c) == false  main.isVowel  words.go:17
//
//	main.isVowel  words.go:14:14  arg c byte, 1500 events, 3 values
//	 share  count  value
//	80.00%   1200  120
//	and 2 values more, 20.00%
//
//	main.isVowel  words.go:17:10  result isVowel(c) bool, 1500 events, 2 values
//	 share  count  value
//	80.00%   1200  false
//	and 1 value more, 20.00%
//
//	Taps, every event counted, by interrupt, 3000 events.
//
// The command merge adds up profiles of several runs. To find what no report shows,
// use dump, which prints every sample as a line, and grep. Programs read the
// listings with -json.
//
//	$ pep merge -o twice.paths.pb.gz app.71.paths.pb.gz app.71.paths.pb.gz
//	$ pep top -n 1 -count twice.paths.pb.gz
//	app: 5 paths in 2 functions, count 256, flow 516
//
//	#  count%  count  path
//	1  30.47%     78  main.count·p1
//	   words.go:6-7  from loop words.go:6
//	   6:2  range body  for _, w := range words {
//	   7:6  && true     if w != "" && isVowel(w[0]) {
//	   7:3  if false
//
//	Sampled: 256 paths at 4 ticks, one each 10ms of CPU time. Each sample counts once, and ticks find loops with long rounds more often: their shares are too large.
//
// The exit code is 0 if all went well, 1 if a file cannot be read or is of the
// wrong kind, and 2 if the command line is wrong. Errors are one line.
package main
