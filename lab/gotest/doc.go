// Package gotest runs the test programs of the Go distribution, GOROOT/test,
// plain and instrumented, and says where the two differ.
//
//	programs, left, err := gotest.Find(regexp.MustCompile(`^ken/`))
//	c := gotest.Comparison{Dir: dir, Pepbuild: "pepbuild", Modes: []string{"polls", "exact"}, Timeout: time.Minute, Out: os.Stdout}
//	err = c.Run(programs)
//	fmt.Println(c.Alike["polls"], c.Differ["polls"])
//
// The programs are the single files whose header is "// run" without arguments. They
// check the language and the library, by their exit code and their output. The package
// copies them into a module in a temporary directory, and builds them with the go
// command and with pepbuild. It instruments the main packages or, with Std, all packages
// that can be instrumented. Runs take samples at a high rate, so that a mistake in a
// handler is likely to show.
//
// The file exclude.go names the programs that cannot be compared, each with its reason.
package gotest
