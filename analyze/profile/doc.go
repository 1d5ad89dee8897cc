// Package profile loads the profiles that programs built with pepbuild write,
// as plain structs: of paths, edges, values, types and call targets.
//
// They are pprof files. Package schema has the names in them; this package knows
// how they fit together:
//
//	paths   sample types paths/count, branch_flow/count (count times branches on the path)
//	        location 0   function "pkg.F.·p12" (system name pkg.F), at the line where the path ends
//	        location 1   function pkg.F
//	        location 2…  callers
//	        labels       path      12, a number
//	                     from      entry | loop | cut
//	                     from_line 15, a number, of a loop or cut
//	                     lines     12-14,17,20-22
//	                     branches  12:5 if true; 15:6 for body
//	edges   sample type  edges/count
//	        location 0   function pkg.F, at the line the edge leads to
//	        location 1…  callers
//	        labels       branch    x.go:12:5
//	                     kind      if | for | range | switch | && | …
//	                     outcome   true | body | case 1, 2 | no case | …
//	        in both, if exact, for paths of a function that have not ended:
//	        location 0   function "pkg.F.·unended", at the line where they began
//	        location 1   function pkg.F
//	        labels       path      unended
//	                     from      as above
//
//	values  sample types values/count, messages/count
//	        location 0   function pkg.F, at the line of the tap
//	        labels       value     n=42
//	                     site      x.go:12:5
//	                     kind      arg | result | load | store | const | edge | addr
//	                     expr      n
//	                     type      int
//	        of engines that do not tell taps apart, in place of site:
//	                     pool      words | sites | code
//	        of engines that count ranges:
//	                     words     0x1000-0x1fff
//	types   sample types types/count, messages/count
//	        location 0   as above
//	        labels       type      *bytes.Buffer, the dynamic type
//	                     static    io.Reader
//	                     site, kind and expr as above
//	calltargets
//	        sample types calls/count, messages/count
//	        location 0   the function that was called
//	        location 1   function pkg.F, at the line of the call
//	        labels       site, kind, expr and type as above
//	deps    sample types deps/count, messages/count
//	        location 0   function pkg.F, at the line of a load or branch
//	        location 1   that of the store it depends on, or of the branch before
//	        labels       value     p.n=x.go:5:2 q.n
//	                     site, expr and type as above; kind is dep or follow
//	contexts
//	        sample types contexts/count, messages/count
//	        location 0   function pkg.F, at the line of the tap
//	        locations 1… callers
//	        labels       value     n=main.f < main.main, the functions of the context
//	                     site, expr and type as above; kind is context or within
//
// The source view of pprof shows the count of a path at the line where it ends only, because a frame has one line. With
// a line of the frame for each executed line, as for inlined calls, pprof would have the right counts at the lines, but
// the total of a function would count each path as often as it has lines, and the flame graph would show the function
// as often below itself.
//
// The first two have the period paths/count 1 when every path was counted and
// cpu/nanoseconds when paths were sampled at ticks of CPU time. The others have
// the period events/count 1 when every event was counted, and otherwise how many
// events a message stands for. The build ID
// of the first mapping names the program's site tables: it is the same in
// all builds of the same source, exact or sampled.
//
// A worked example. With the file of a program whose function
//
//	10  func sign(n int) int {
//	11  	if n < 0 {
//	12  		return -1
//	13  	}
//	14  	return 1
//	15  }
//
// was called with a negative number 7 times,
//
//	f, err := profile.Open("app.71.paths.pb.gz")
//	paths, err := f.Paths()
//
// gives the one path
//
//	Path{
//		ID:       PathID{Func{"main.sign", "/src/app/sign.go", 10}, 0},
//		EndFile:  "/src/app/sign.go",
//		EndLine:  12,
//		From:     Start{How: "entry"},
//		Lines:    "10-12",
//		Branches: []Decision{{"", 11, 2, "if", "true"}},
//		Count:    7,
//		Flow:     7,
//	}
//
// The package computes nothing but sums over callers; package accuracy has
// the metrics and package report the listings.
package profile
