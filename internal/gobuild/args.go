package gobuild

// This file tells the arguments of pepbuild apart: flags of ours, flags of the
// go command, and packages.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/internal/toolexec"
)

// UsageError reports a command line that cannot be carried out.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Args is a parsed command line.
type Args struct {
	Verb     string        // "build", "run", "test"
	Mode     string        // -pepmode: "sample" or "exact"
	Poll     string        // -peppoll: "page", "flag", "none" or "" for the best there is
	Packages []string      // -peppkg: patterns; nil for the main module
	Truncate string        // -peptruncate: "header" or "backedge"
	Dump     string        // -pepdump: directory
	Bisect   string        // -pepbisect: pattern of functions to instrument
	Taps     toolexec.Taps // -peptaps, -peptapmode, -pepfuncs, -peprange, -pepsites
	Dir      string        // -C: directory to change to first

	GoFlags  []string // build flags, as -flag or -flag=value
	Gcflags  []string // values of -gcflags, in order
	Patterns []string // packages or files
	Rest     []string // what comes behind: arguments of the program or the tests
}

// Flags of the go command that take a value; all others are boolean. "test"
// flags are understood by go test only, and do not concern go list.
var (
	valueFlags = []string{
		"C", "asmflags", "buildmode", "compiler", "gccgoflags", "gcflags", "installsuffix", "ldflags",
		"mod", "modfile", "o", "overlay", "p", "pgo", "pkgdir", "tags", "toolexec", "exec",
		"covermode", "coverpkg",
	}
	boolFlags = []string{
		"a", "n", "race", "msan", "asan", "cover", "v", "work", "x", "json", "buildvcs", "linkshared",
		"modcacherw", "trimpath",
	}
	testValueFlags = []string{
		"bench", "benchtime", "blockprofile", "blockprofilerate", "count", "coverprofile", "cpu",
		"cpuprofile", "fuzz", "fuzzminimizetime", "fuzztime", "list", "memprofile", "memprofilerate",
		"mutexprofile", "mutexprofilefraction", "outputdir", "parallel", "run", "shuffle", "skip",
		"timeout", "trace", "vet",
	}
	testBoolFlags = []string{"artifacts", "benchmem", "c", "failfast", "fullpath", "short"}
)

// ourFlags are the flags that pepbuild has beside those of the go command.
const ourFlags = "-pepmode, -peppkg, -peppoll, -peptaps, -peptapmode, -pepfuncs, -peprange, -pepsites, -peptruncate, -pepdump, -pepbisect"

// actionFlags say what the go command does rather than what is built; go list
// must not see them.
var actionFlags = []string{"a", "n", "o", "v", "work", "x", "json", "exec", "p"}

// otherVerbs are the verbs of the go command that are not ours.
var otherVerbs = []string{
	"bug", "clean", "doc", "env", "fix", "fmt", "generate", "get", "install", "list", "mod", "work",
	"telemetry", "tool", "vet",
}

// Parse parses a command line, without the name of the program.
func Parse(args []string) (*Args, error) {
	a := &Args{Verb: "build", Mode: "sample", Truncate: "header"}
	if len(args) > 0 {
		switch {
		case slices.Contains([]string{"build", "run", "test"}, args[0]):
			a.Verb = args[0]
			args = args[1:]
		case slices.Contains(otherVerbs, args[0]):
			return nil, usagef("no verb %q: there are build, run, test and version; for all else use go %s", args[0], args[0])
		}
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		rest, err := a.flag(args)
		if err != nil {
			return nil, err
		}
		args = rest
	}
	if err := a.operands(args); err != nil {
		return a, err
	}
	if t := a.Taps; t.Kinds == "" && t != (toolexec.Taps{}) {
		return a, usagef("-peptapmode, -pepfuncs, -peprange and -pepsites are about taps: say with -peptaps what is tapped")
	}
	if a.Poll == "none" && a.Taps.Kinds == "" {
		return a, usagef("-peppoll=none: without paths there must be taps to profile anything: say with -peptaps what is tapped")
	}
	return a, nil
}

// flag takes the flag at the start of args and returns what is left.
func (a *Args) flag(args []string) ([]string, error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	args = args[1:]
	ours := strings.HasPrefix(name, "pep")
	takes, known := a.understands(name)
	switch {
	case takes && !hasValue:
		if len(args) == 0 {
			return nil, usagef("flag -%s needs a value", name)
		}
		value, args = args[0], args[1:]
	case !known:
		return nil, usagef("unknown flag -%s (flags of ours: %s; flags of go %s go before the packages)", name, ourFlags, a.Verb)
	}
	if ours {
		return args, a.ourFlag(name, value)
	}
	if err := refuse(name, value); err != nil {
		return nil, err
	}
	switch name {
	case "gcflags":
		a.Gcflags = append(a.Gcflags, value)
		return args, nil
	case "C":
		a.Dir = value
		return args, nil
	}
	flag := "-" + name
	if takes || hasValue {
		flag += "=" + value
	}
	a.GoFlags = append(a.GoFlags, flag)
	return args, nil
}

// understands reports whether a flag is known, and whether it takes a value.
func (a *Args) understands(name string) (takes, known bool) {
	values, bools := valueFlags, boolFlags
	if a.Verb == "test" {
		name = strings.TrimPrefix(name, "test.")
		values, bools = slices.Concat(values, testValueFlags), slices.Concat(bools, testBoolFlags)
	}
	takes = strings.HasPrefix(name, "pep") || slices.Contains(values, name)
	return takes, takes || slices.Contains(bools, name)
}

func (a *Args) ourFlag(name, value string) error {
	oneOf := func(to *string, values ...string) error {
		if !slices.Contains(values, value) {
			return usagef("-%s=%s: want %s", name, value, strings.Join(values, " or "))
		}
		*to = value
		return nil
	}
	switch name {
	case "pepmode":
		return oneOf(&a.Mode, "sample", "exact")
	case "peppoll":
		return oneOf(&a.Poll, "page", "flag", "none")
	case "peptruncate":
		return oneOf(&a.Truncate, "header", "backedge")
	case "peppkg":
		a.Packages = strings.Split(value, ",")
	case "pepdump":
		a.Dump = value
	case "pepbisect":
		a.Bisect = value
		if _, err := (toolexec.Tag{Bisect: value}).Pattern(); err != nil {
			return &UsageError{err.Error()}
		}
	case "peptaps", "pepfuncs", "peprange", "pepsites":
		return a.tapFlag(name, value)
	case "peptapmode":
		mode := ""
		err := oneOf(&mode, "full", "burst")
		a.Taps.Burst = mode == "burst"
		return err
	default:
		return usagef("unknown flag -%s (there are %s)", name, ourFlags)
	}
	return nil
}

// tapFlag takes a flag that selects taps.
func (a *Args) tapFlag(name, value string) error {
	check := toolexec.Taps{Kinds: "all"}
	switch name {
	case "peptaps":
		check.Kinds, a.Taps.Kinds = value, value
		if value == "" || value == "none" {
			a.Taps.Kinds = ""
			return nil
		}
	case "pepfuncs":
		check.Funcs, a.Taps.Funcs = value, value
	case "peprange":
		check.Ranges, a.Taps.Ranges = value, value
	case "pepsites":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return usagef("-pepsites=%s: want a number from 1 on", value)
		}
		a.Taps.Sites = n
	}
	if _, err := check.Options(); err != nil {
		return &UsageError{err.Error()}
	}
	return nil
}

// refuse rejects flags of the go command that cannot go with instrumentation.
func refuse(name, value string) error {
	switch name {
	case "toolexec":
		return usagef("-toolexec=%s: pepbuild needs the flag for itself; build with one of the two", value)
	case "cover", "covermode", "coverpkg", "coverprofile":
		return usagef("-%s: coverage and pepbuild both rewrite the source; build with one of the two (-pepmode=exact counts every block)", name)
	case "buildmode":
		switch value {
		case "plugin", "c-shared", "c-archive", "shared":
			return usagef("-buildmode=%s: only executables can be profiled; use -buildmode=exe or pie", value)
		}
	case "linkshared":
		return usagef("-linkshared: only executables that hold all of their code can be profiled")
	case "compiler":
		if value != "gc" {
			return usagef("-compiler=%s: only gc can be used", value)
		}
	}
	return nil
}

// operands takes what follows the flags.
func (a *Args) operands(args []string) error {
	switch a.Verb {
	case "run":
		n := 0
		for n < len(args) && strings.HasSuffix(args[n], ".go") && !strings.HasPrefix(args[n], "-") {
			n++
		}
		if n == 0 && len(args) > 0 {
			n = 1
		}
		a.Patterns, a.Rest = args[:n], args[n:]
	case "test":
		// Flags may stand behind the packages; those that go test does not
		// know are the tests', and from -args on, or the first operand behind
		// a flag, all is.
		n := 0
		for n < len(args) && !strings.HasPrefix(args[n], "-") {
			n++
		}
		a.Patterns = args[:n]
		args = args[n:]
		for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-args" && args[0] != "--args" {
			name, _, _ := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
			if _, known := a.understands(name); !known {
				a.Rest = append(a.Rest, args[0])
				args = args[1:]
				continue
			}
			rest, err := a.flag(args)
			if err != nil {
				return err
			}
			args = rest
		}
		a.Rest = append(a.Rest, args...)
	default:
		for _, arg := range args {
			if strings.HasPrefix(arg, "-") {
				return usagef("flag %s stands behind a package: flags go first", arg)
			}
		}
		a.Patterns = args
	}
	return nil
}

// has reports whether a boolean flag of the go command is set.
func (a *Args) has(name string) bool {
	return slices.Contains(a.GoFlags, "-"+name) || slices.Contains(a.GoFlags, "-"+name+"=true")
}

// value returns the value of a flag of the go command, or "".
func (a *Args) value(name string) string {
	value := ""
	for _, f := range a.GoFlags {
		if v, ok := strings.CutPrefix(f, "-"+name+"="); ok {
			value = v
		}
	}
	return value
}

// listFlags returns the flags that bear on what go list says.
func (a *Args) listFlags() []string {
	var flags []string
	for _, f := range a.GoFlags {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "-"), "=")
		test := slices.Contains(testValueFlags, name) || slices.Contains(testBoolFlags, name) || strings.HasPrefix(name, "test.")
		if !test && !slices.Contains(actionFlags, name) {
			flags = append(flags, f)
		}
	}
	return flags
}
