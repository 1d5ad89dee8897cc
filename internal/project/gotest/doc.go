// Package gotest runs the test programs of the Go distribution, GOROOT/test,
// plain and instrumented, and says where the two differ.
//
//	programs, left, err := gotest.Find(regexp.MustCompile(`^ken/`))
//	c := gotest.Comparison{Dir: dir, Pepbuild: "pepbuild", Modes: []string{"page", "exact"}, Timeout: time.Minute, Out: os.Stdout}
//	err = c.Run(programs)
//	fmt.Println(c.Alike["page"], c.Differ["page"])
//
// The programs are the single files whose header is "// run" without arguments:
// what they check is the language and the library, by their exit code and what
// they print. They are copied into a module in a temporary directory, and built
// by the go command and by pepbuild, the main packages instrumented, or with
// Std all that can be. Runs are sampled at a high rate, so that handlers have
// their chance to do harm.
//
// Programs that cannot be compared are named in exclude.go, each with its reason.
package gotest
