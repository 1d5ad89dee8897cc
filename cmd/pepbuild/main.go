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
	<program>.<pid>.<start>.values.pb.gz, .types.pb.gz and .calltargets.pb.gz
	if it has taps; with PEPOPTS=engine=cop(program=deps) and others also .deps.pb.gz and
	.contexts.pb.gz,
to be read with go tool pprof or pep. It looks at the environment:
	PEPDIR=dir        where profiles go (default: the current directory)
	PEPOPTS=budget=2% how much of the CPU time windows or polls may take
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
	pepbuild build -peptaps=loads,types -peptapmode=burst -o prog .
	pepbuild env
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
			return gobuild.Tool(args[1:], stdin, stdout, stderr)
		case "version", "-version", "--version":
			fmt.Fprintln(stdout, "pepbuild", version())
			return 0, nil
		case "help", "-h", "-help", "--help":
			fmt.Fprint(stdout, usage)
			return 0, nil
		case "env":
			if err := gobuild.Env(args[1:], stdout); err != nil {
				return codeOf(1, err)
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
	return codeOf(gobuild.Run(parsed, stdin, stdout, stderr))
}

// codeOf returns the exit code for an error: 2 if the command line is wrong.
func codeOf(code int, err error) (int, error) {
	if _, ok := errors.AsType[*gobuild.UsageError](err); ok {
		return 2, err
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
