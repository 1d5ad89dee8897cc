// Command pepsim runs models of profiling hardware over the events of real
// programs.
//
// A program that was built with pepbuild -peptaps=loads reports every value that
// it loads, and writes a trace of them if it is run with
//
//	pepsim trace record -o app.trace -- ./app
//
// A trace is a sequence of tuples of a site and a word. Here is one of another
// program, which counts words, with the tuples of two threads:
//
//	$ pepsim trace print words.trace
//	pep trace 1
//	build 1925d56d4ae49e8c
//	exe ./words
//	comment loads, calls and types of main
//	package main
//	file /src/words.go
//	tap 0 load main.count words.go:7:8 length64 string words[i]
//	tap 1 call main.count words.go:8:3 0 func(string) visit
//	tap 2 type main.visit words.go:15:9 0 any x
//	symbol call 0x481020 main.visit
//	symbol type 0x4a0c40 string
//	symbol type 0x4a0e80 int
//	0 load main+0 5  # words[i] words.go:7:8 main.count
//	0 call main+1 0x481020  # main.visit; visit words.go:8:3 main.count
//	0 type main+2 0x4a0c40  # string; x words.go:15:9 main.visit
//	0 load main+0 7  # words[i] words.go:7:8 main.count
//	0 call main+1 0x481020  # main.visit; visit words.go:8:3 main.count
//	0 type main+2 0x4a0e80  # int; x words.go:15:9 main.visit
//	1 load main+0 5  # words[i] words.go:7:8 main.count
//	1 call main+1 0x481020  # main.visit; visit words.go:8:3 main.count
//	1 type main+2 0x4a0c40  # string; x words.go:15:9 main.visit
//	end 9 0
//
// How much of such a stream would a small table of counters in the processor
// report, and at which cost? Here are a random sampler, the stratified sampler of
// Sastry, Bodik and Smith, and the same with a second level, over two million loads:
//
//	$ pepsim run -engine R64 -engine 'H[P64]512' -engine 'H[P64]512+A16' -top 2 app.trace
//	2000000 events; the error is that of 105 tuples at 51 sites; overhead: 30 cycles a message, 3.35 cycles an event
//
//	         engine  messages  events/message  overhead %  bytes  error %  RMS %  first <5 %  stays <5 %
//	            R64     31168            64.2       13.96      1     0.64   1.46       22909       22909
//	      H[P64]512     31007            64.5       13.88    384     0.36   1.25       10000       10000
//	  H[P64]512+A16     20417            98.0        9.14    528     0.36   1.25       60765       60765
//
//	R64, top 2 of 7725 tuples:
//	share  of site  tag   site                      word
//	8.54%  97.83%   load  x[5] app.go:15:7 main.f0  114
//	8.47%  97.89%   load  x[7] app.go:17:7 main.f0  44
//
//	H[P64]512, top 2 of 7633 tuples:
//	share  of site  tag   site                      word
//	8.55%  97.93%   load  x[7] app.go:17:7 main.f0  44
//	8.51%  98.10%   load  x[5] app.go:15:7 main.f0  114
//
//	H[P64]512+A16, top 2 of 7633 tuples:
//	share  of site  tag   site                      word
//	8.55%  97.93%   load  x[7] app.go:17:7 main.f0  44
//	8.51%  98.10%   load  x[5] app.go:15:7 main.f0  114
//
// The error compares the shares of the values that a site loads with those in an
// exact profile of the same events. The overhead comes from a model: a message
// takes 30 cycles, and the program takes 3.35 cycles for an event.
//
// The exit code is 0 if all went well, 1 if a file cannot be read or is of the
// wrong kind, and 2 if the command line is wrong. Errors are one line. If a trace is
// cut off or damaged, pepsim uses the blocks before the damage, and the exit code is 1.
package main
