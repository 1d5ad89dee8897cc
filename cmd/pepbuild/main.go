// Command pepbuild builds Go programs that profile themselves: which paths and
// edges they take, sampled so cheaply that it can stay on.
//
// Usage:
//
//	pepbuild [build|run|test] [flags] [packages]
//	pepbuild version
//
// It takes the place of the go command:
//
//	$ pepbuild build -o prog ./cmd/prog
//	$ ./prog
//	$ go tool pprof -top prog.4711.*.paths.pb.gz
//
// Run "pepbuild help" for the flags.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/pepgo/pep/internal/gobuild"
	"github.com/pepgo/pep/internal/toolexec"
)

const usage = `pepbuild builds Go programs that profile the paths they take.

usage:
	pepbuild [build|run|test] [flags] [packages] [arguments]
	pepbuild version

Without a verb it builds. It understands the flags of go build, go run and go
test, reads them as the go command does, GOFLAGS included, and besides:

	-pepmode=sample   sample paths, cheap enough to stay on (default)
	-pepmode=exact    count every path
	-peppkg=patterns  packages to profile, separated by commas, as for -coverpkg;
	                  "all" means all that can be, with dependencies and std
	                  (default: the packages of the main module)
	-peppoll=page     notice the end of a path by a load from a protected page
	                  (default on linux/amd64)
	-peppoll=flag     notice it by testing a flag (default elsewhere, and with
	                  -race, -msan, -asan and -gcflags=-d=checkptr)
	-peppoll=none     leave paths alone: taps only
	-peptruncate=header|backedge
	                  where loops end paths: at their headers (default), or on
	                  their back edges only
	-pepdump=dir      write the instrumented source to dir, with a list taps.txt of
	                  what is tapped and what is not, and graphs.txt of all graphs
	-pepbisect=pattern
	                  instrument only the functions that match, and print which
	                  they are: for golang.org/x/tools/cmd/bisect, which finds
	                  the function with which a program fails

Besides paths, values can be reported as tuples of a place and a word:

	-peptaps=kinds    what is tapped, separated by commas (default: none)
	    args          parameters and receivers, at the entry of their functions
	    results       values that are returned
	    loads         values read through pointers, from elements of slices,
	                  arrays, strings and maps, and from package variables
	    stores        values stored to such places
	    addrs         the addresses of loads and stores
	    calls         callees of dynamic calls
	    types         types in interfaces: at method calls, type switches and
	                  type assertions
	    edges         outcomes of branches
	    consts        integers that are compared with constants
	    marked        nothing but the statements that the source marks
	    all           all of these
	-peptapmode=full  every tap reports always: the whole stream (default)
	-peptapmode=burst taps report for some microseconds every 20 ms, and cost
	                  little in between: to stay on. Functions that the
	                  compiler inlines are tapped in part only
	-pepfuncs=regexp  tap only functions whose linker symbol matches
	-peprange=ranges  tap only these lines: file.go:10-20, file.go:10 or file.go,
	                  separated by commas
	-pepsites=n       tap at most n places of a package, those in the innermost
	                  loops first

With any -peptaps, a statement with the comment //pep:tap at its end or on the
line above is tapped, whatever kinds, functions and lines are selected.

Tests run each time, as with -count=1, since a result from the cache leaves no
profile; -count=N is taken as it is.

The program that is built writes its profiles when it ends:
	<program>.<pid>.<start>.paths.pb.gz and <program>.<pid>.<start>.edges.pb.gz
	<program>.<pid>.values.pb.gz, .types.pb.gz and .calltargets.pb.gz if tapped
to be read with go tool pprof or pep. It looks at the environment:
	PEPDIR=dir        where profiles go (default: the current directory)
	PEPOPTS=samples=64,stride=17,tick=10ms,ag=simplified
	                  how to sample
	PEPOPTS=engine=exact,taps=full,deliver=interrupt
	                  how values go from taps into a profile; trace=FILE records
	                  them all
`

func main() {
	code, err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pepbuild:", err)
	}
	os.Exit(code)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if len(args) > 0 {
		switch args[0] {
		case "toolexec":
			return toolexec.Run(args[1:], stdin, stdout, stderr)
		case "version", "-version", "--version":
			fmt.Fprintln(stdout, "pepbuild", version())
			return 0, nil
		case "help", "-h", "-help", "--help":
			fmt.Fprint(stdout, usage)
			return 0, nil
		}
	}
	parsed, err := gobuild.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return 0, nil
	}
	if err != nil {
		return 2, err
	}
	code, err := gobuild.Run(parsed, stdin, stdout, stderr)
	var usageErr *gobuild.UsageError
	if errors.As(err, &usageErr) {
		code = 2
	}
	return code, err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return info.Main.Version + " " + info.GoVersion
}
