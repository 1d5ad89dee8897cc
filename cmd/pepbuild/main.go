// Command pepbuild builds Go programs that profile themselves: which paths and
// edges they take, sampled so cheaply that it can stay on.
//
// Usage:
//
//	pepbuild [build|install|run|test] [flags] [packages]
//	pepbuild env [names]
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

	"github.com/pepgo/pep/cmd/pepbuild/written"
	"github.com/pepgo/pep/gobuild"
)

var usage = `pepbuild builds Go programs that profile the paths they take.

usage:
	pepbuild [build|install|run|test] [flags] [packages] [arguments]
	pepbuild env [names]
	pepbuild version

Without a verb it builds. It takes the flags of go build, install, run and test,
reads them as the go command does, from GOFLAGS too, and has flags of its own,
which it also reads from PEPFLAGS; those of the command line override these. The
verb env prints the settings.

` + gobuild.FlagHelp(false) + `
Programs report values if these flags choose taps, and paths, too, if -pepmode=polls
or -pepmode=exact is beside them:

` + gobuild.FlagHelp(true) + `
With any -peptaps, a statement is tapped if the comment //pep:tap stands at its
end or on the line above, whatever kinds, functions and lines are selected.

Tests run each time, as with -count=1, because a result from the cache leaves no
profile. -count=N is passed on.

The program that is built writes its profiles when it ends:
	<program>.<pid>.<start>.paths.pb.gz and <program>.<pid>.<start>.edges.pb.gz
	<program>.<pid>.<start>.loads.pb.gz if windows have timed loads
	<program>.<pid>.<start>.types.pb.gz and .calltargets.pb.gz of windows and taps
	<program>.<pid>.<start>.values.pb.gz of taps, and of windows if PEPOPTS asks
	.deps.pb.gz and .contexts.pb.gz with PEPOPTS=engine=cop(program=deps) and others
to be read with go tool pprof or pep. It looks at the environment:
	PEPDIR=dir        where profiles go (default: the current directory)
	PEPOPTS=budget=2% how much of the CPU time windows or polls may take
	PEPOPTS=values=loads,args,results,addresses
	                  to write values, too, as windows note them, if the program is
	                  built with -pepvalues=all; they may be secrets; addresses
	                  are those of loads, for pep ranges
	PEPOPTS=say=never
	                  not to say which profiles were written, as programs do on
	                  a terminal
	PEPOPTS=engine=exact,taps=full
	                  how values get into profiles; trace=FILE records all of
	                  them

Examples:

	pepbuild build -o prog .
	pepbuild test ./...
	PEPFLAGS=-pepmode=exact pepbuild run .
	pepbuild build -peptaps=loads,types -o prog .
	pepbuild env
`

func main() {
	var code int
	var err error
	if len(os.Args) > 1 && os.Args[1] == "toolexec" { // what the go command calls, and no user
		code, err = gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
	} else {
		code, err = run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pepbuild:", err)
	}
	os.Exit(code)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if len(args) > 0 {
		switch args[0] {
		case "version", "-version", "--version":
			fmt.Fprintln(stdout, "pepbuild", version())
			return 0, nil
		case "help", "-h", "-help", "--help":
			fmt.Fprint(stdout, usage)
			return 0, nil
		case "env":
			if err := gobuild.Env(args[1:], stdout); err != nil {
				return gobuild.ExitCode(err), err
			}
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
	res, err := gobuild.Run(parsed, stdin, stdout, stderr)
	if err != nil {
		return res.Code, err
	}
	if err := written.Tell(&res, parsed.Verb, stderr); err != nil {
		return max(res.Code, 1), err
	}
	return res.Code, nil
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return info.Main.Version + " " + info.GoVersion
}
