package gobuild

// This file sorts the arguments of pepbuild: its own flags, flags of the go command,
// and packages.

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/plan"
)

// A UsageError is the error of a command line that is wrong.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

// ExitCode returns the exit code for an error: 2 if the command line is wrong.
func ExitCode(err error) int {
	if _, ok := errors.AsType[*UsageError](err); ok {
		return 2
	}
	return 1
}

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Args is a parsed command line.
type Args struct {
	Verb      string // "build", "install", "run", "test"
	plan.Plan        // what the flags of pepbuild say
	Dir       string // -C: directory to change to first

	GoFlags  []string // flags of the go command, as -flag=value
	Gcflags  []string // values of -gcflags, in order
	Patterns []string // packages or files
	Rest     []string // what comes behind: arguments of the program or the tests

	line []string // the command line
}

// otherVerbs are the verbs of the go command that pepbuild does not have.
var otherVerbs = []string{
	"bug", "clean", "doc", "fix", "fmt", "generate", "get", "list", "mod", "work",
	"telemetry", "tool", "vet",
}

// verbs are those that pepbuild has for packages.
var verbs = []string{"build", "install", "run", "test"}

// Parse parses a command line, without the name of the program. The error is
// flag.ErrHelp if it asks for help.
func Parse(args []string) (*Args, error) {
	a := &Args{Verb: "build", line: args}
	if len(args) > 0 {
		switch {
		case slices.Contains(verbs, args[0]):
			a.Verb = args[0]
			args = args[1:]
		case slices.Contains(otherVerbs, args[0]):
			return nil, usagef("no verb %q: there are build, install, run, test, env and version; for all else use go %s",
				args[0], args[0])
		default:
			if err := mistyped(args[0]); err != nil {
				return nil, err
			}
		}
	}
	if err := a.parsePEPFLAGS(os.Getenv("PEPFLAGS")); err != nil {
		return a, err
	}
	parse := a.parseBuild
	if a.Verb == "test" {
		parse = a.parseTest
	}
	if err := parse(args); err != nil {
		return a, err
	}
	if err := usage(a.Settle(a.Verb)); err != nil {
		return a, err
	}
	_, err := refused(a.GoFlags)
	return a, err
}

// runsNothing reports whether the go command runs nothing of what it builds.
func (a *Args) runsNothing() bool { return a.Verb == "build" || a.Verb == "install" }

// parseBuild takes all arguments behind the verbs build and run.
func (a *Args) parseBuild(args []string) error {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		rest, err := a.flag(args)
		if err != nil {
			return err
		}
		args = rest
	}
	if a.Verb == "run" {
		n := 0
		for n < len(args) && strings.HasSuffix(args[n], ".go") && !strings.HasPrefix(args[n], "-") {
			n++
		}
		if n == 0 && len(args) > 0 {
			n = 1
		}
		a.Patterns, a.Rest = args[:n], args[n:]
		return nil
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			return usagef("flag %s comes after a package: put flags first", arg)
		}
	}
	a.Patterns = args
	return nil
}

// knows reports whether a flag is pepbuild's own, a flag of the go command for this
// verb, or asks for help.
func (a *Args) knows(name string) bool {
	_, k := flagOf(a.Verb, name)
	return k != unknown || strings.HasPrefix(name, "pep") || asksForHelp(name)
}

func asksForHelp(name string) bool { return slices.Contains([]string{"h", "help", "?"}, name) }

// flag takes the flag at the start of args and returns what is left.
func (a *Args) flag(args []string) ([]string, error) {
	name, value, hasValue, ok := splitFlag(args[0])
	if !ok {
		return nil, usagef("%s is not a flag", args[0])
	}
	args = args[1:]
	if asksForHelp(name) {
		return nil, flag.ErrHelp
	}
	ours := strings.HasPrefix(name, "pep")
	name, k := flagOf(a.Verb, name)
	if k == unknown && !ours {
		return nil, a.unknownFlag(name)
	}
	if (ours || k == valued) && !hasValue && len(args) > 0 {
		value, hasValue, args = args[0], true, args[1:]
	}
	if ours {
		if !hasValue {
			return nil, usagef("flag -%s needs a value", name)
		}
		return args, a.parseOurs(name, value)
	}
	set, err := setting(name, k, value, hasValue)
	if err != nil {
		return nil, err
	}
	switch name {
	case "gcflags":
		a.Gcflags = append(a.Gcflags, value)
	case "C":
		a.Dir = value
	default:
		a.GoFlags = append(a.GoFlags, set)
	}
	return args, nil
}

// listFlags returns the flags that change what go list says.
func (a *Args) listFlags() (flags []string) {
	for _, f := range a.GoFlags {
		name, _, _ := strings.Cut(f[1:], "=")
		if buildFlags.of(name) != unknown && !slices.Contains(actionFlags, name) {
			flags = append(flags, f)
		}
	}
	return flags
}
