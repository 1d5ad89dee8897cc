// Package torture tries to make profiled programs fail: it builds programs
// plain and in every mode of pepbuild, treats both alike, and says where they
// differ.
//
//	o := torture.Options{Parts: []string{"ends"}, Modes: []string{"polls"}, Dir: "../build/torture", Out: os.Stdout}
//	report, err := torture.Run(&o)
//	report.Table(os.Stdout)
//
// prints
//
//	| part | case | passed | failed | skipped | time | |
//	|---|---|---|---|---|---|---|
//	| ends | polls | 38 | 0 | 0 | 41s | slowest: deadlock 0.02s |
//
// A part is a way of making programs fail, a file each:
//
//	gotest   GOROOT/test, by package gotest
//	std      std's own tests, under go test and under pepbuild test
//	modules  the test suites of well-known modules, in the same way
//	paths    random programs that log what they do, by package randprog, against the exact profile of paths
//	kills    SIGKILL at random times: what the .pep file still has
//	tracers  SIGKILL of peptrace and of what it traces, at random times: the program goes on, its code is as before
//	ends     programs that end in all ways that programs can end
//	soak     programs that keep collector, scheduler and timers busy for long
//	tests    tests of other packages that get harder the longer they run
//
// A part consists of cases. Run stores the result of a case as soon as the case is done. If
// a run is interrupted, the next one goes on from there. The results belong to one
// pepbuild: with another pepbuild, Run starts from the beginning.
//
// With Options.Short all parts together take two minutes. The tests of this package run
// this short form.
package torture
