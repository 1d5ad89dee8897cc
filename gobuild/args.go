package gobuild

// This file sorts the arguments of pepbuild: its own flags, flags of the go command,
// and packages.

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/toolexec"
	"github.com/pepgo/pep/instrument/rewrite"
)

// A UsageError is the error of a command line that is wrong.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Args is a parsed command line.
type Args struct {
	Verb     string        // "build", "install", "run", "test"
	Mode     rewrite.Mode  // -pepmode, or what takes its place; "" if nothing is profiled
	Packages []string      // -peppkg: patterns; nil if the flag is not there
	Truncate string        // -peptruncate: "header", "backedge" or "join"
	Order    string        // -peporder: "hottest" or "coldest"; "" for "hottest"
	Dump     string        // -pepdump: directory
	Table    string        // -peptable: name of the file
	Opt      string        // -pepopt: names of profiles
	Bisect   string        // -pepbisect: pattern of functions to instrument
	Guide    string        // -pepguide: name of a profile
	Without  string        // -pepwithout: inserted code that is left out: "registers", "polls" or "atomics"; "" for nothing
	Taps     toolexec.Taps // -peptaps, -peptapmode, -pepfuncs, -peprange, -pepsites
	Dir      string        // -C: directory to change to first

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
	a := &Args{Verb: "build", Truncate: "header", line: args}
	if len(args) > 0 {
		switch {
		case slices.Contains(verbs, args[0]):
			a.Verb = args[0]
			args = args[1:]
		case slices.Contains(otherVerbs, args[0]):
			return nil, usagef("no verb %q: there are build, install, run, test, env and version; for all else use go %s", args[0], args[0])
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
	if _, err := refused(a.GoFlags); err != nil {
		return a, err
	}
	if t := a.Taps; t.Kinds == "" && t != (toolexec.Taps{}) {
		return a, usagef("-peptapmode, -pepfuncs, -peprange and -pepsites select among taps: choose taps with -peptaps")
	}
	if a.Table != "" {
		plain := &Args{Verb: "build", Truncate: "header", Table: a.Table, Dir: a.Dir, GoFlags: a.GoFlags, Gcflags: a.Gcflags, Patterns: a.Patterns, Rest: a.Rest, line: a.line}
		if !reflect.DeepEqual(a, plain) {
			return a, usagef("-peptable=%s: it is for pepbuild build and has nothing instrumented: leave out the other flags of pepbuild", a.Table)
		}
	}
	if a.Opt != "" {
		plain := &Args{Verb: a.Verb, Truncate: "header", Opt: a.Opt, Dir: a.Dir, GoFlags: a.GoFlags, Gcflags: a.Gcflags, Patterns: a.Patterns, Rest: a.Rest, line: a.line}
		if !reflect.DeepEqual(a, plain) {
			return a, usagef("-pepopt=%s: it builds a faster program, in which nothing is instrumented: leave out the other flags of pepbuild", a.Opt)
		}
	}
	if a.Mode == "" && a.Table == "" && a.Opt == "" {
		a.Mode = rewrite.Windows
		if a.Taps.Kinds != "" {
			a.Mode = rewrite.Taps
		}
	}
	if a.Mode == rewrite.Windows {
		if a.Taps.Kinds != "" {
			return a, usagef("-pepmode=windows: programs with windows have no taps: leave out -pepmode for taps alone, or take -pepmode=polls or -pepmode=exact for paths beside them")
		}
		if name := a.instruments(); name != "" {
			return a, usagef("-%s: it is about code that pepbuild instruments, and windows leave the code as it is: add -pepmode=polls (or exact, or cover)", name)
		}
	}
	if a.Mode == rewrite.Cover && a.Taps.Kinds != "" {
		return a, usagef("-pepmode=cover: there are no taps in builds for coverage: leave out -peptaps, or choose another mode")
	}
	if a.Mode == rewrite.Taps && a.Taps.Kinds == "" {
		return a, usagef("-pepmode=taps: without paths only taps can be profiled: choose taps with -peptaps")
	}
	return a, nil
}

// instruments returns a flag that means nothing where no package is instrumented, "" if there is none.
func (a *Args) instruments() string {
	switch {
	case a.Guide != "":
		return "pepguide"
	case a.Dump != "":
		return "pepdump"
	case a.Bisect != "":
		return "pepbisect"
	case a.Truncate != "header":
		return "peptruncate"
	case a.Order != "":
		return "peporder"
	case a.Without != "":
		return "pepwithout"
	}
	return ""
}

// asIs reports whether no package is instrumented.
func (a *Args) asIs() bool { return a.Mode == "" || a.Mode == rewrite.Windows }

// mistyped returns an error if a word looks like a verb and not like a package or a file.
func mistyped(word string) error {
	if strings.ContainsAny(word, "./\\-") {
		return nil
	}
	if _, err := os.Stat(word); err == nil {
		return nil
	}
	words := append([]string{"env", "version", "help"}, verbs...)
	if best, ok := nearest(word, words); ok && distance(word, best) <= 2 {
		return usagef("no verb %q: did you mean %s?", word, best)
	}
	return nil
}

// parsePEPFLAGS takes the flags in the variable PEPFLAGS, which the go command does for its own and GOFLAGS: they come before
// those of the command line, which override them.
func (a *Args) parsePEPFLAGS(text string) error {
	fields, err := splitQuoted(text)
	for _, field := range fields {
		name, value, hasValue, ok := splitFlag(field)
		switch {
		case !ok:
			return usagef("PEPFLAGS: %q is not a flag", field)
		case !strings.HasPrefix(name, "pep"):
			return usagef("PEPFLAGS: -%s is no flag of pepbuild: put flags of the go command into GOFLAGS", name)
		case !hasValue:
			return usagef("PEPFLAGS: flag -%s needs a value: -%s=value", name, name)
		}
		if err := a.parseOurs(name, value); err != nil {
			return usagef("PEPFLAGS: %v", err)
		}
	}
	if err != nil {
		return usagef("PEPFLAGS: %v", err)
	}
	return nil
}

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
