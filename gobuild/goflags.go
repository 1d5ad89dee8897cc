package gobuild

// This file knows the flags of the go command, and reads them by its rules:
// cmd/go/internal/base/goflags.go, cmd/internal/quoted, and package flag.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A kind says which values a flag takes.
type kind int

const (
	unknown  kind = iota
	valued        // any, and there must be one
	boolean       // as strconv.ParseBool has it; true if there is none
	fuzzyBit      // boolean, or a word: -buildvcs=auto, -v=test2json
)

// buildFlags are flags of go build, go run and go test.
var buildFlags = kinds{
	valued: {
		"C", "asmflags", "buildmode", "compiler", "covermode", "coverpkg", "debug-actiongraph", "debug-runtime-trace",
		"debug-trace", "gccgoflags", "gcflags", "installsuffix", "ldflags", "mod", "modfile", "overlay", "p", "pgo",
		"pkgdir", "tags", "toolexec",
	},
	boolean: {
		"a", "asan", "cover", "json", "linkshared", "modcacherw", "msan", "n", "race", "trimpath", "v", "work", "x",
	},
	fuzzyBit: {"buildvcs"},
}

// verbFlags are flags that not all verbs have.
var verbFlags = map[string]kinds{
	"build":   {valued: {"o"}},
	"install": {},
	"run":     {valued: {"exec"}},
	"test":    {valued: {"coverprofile", "exec", "o", "vet"}, boolean: {"c"}},
}

// testFlags are the flags that go test passes on to the test. Users may write
// "test." before them.
var testFlags = kinds{
	valued: {
		"bench", "benchtime", "blockprofile", "blockprofilerate", "count", "cpu", "cpuprofile", "fuzz",
		"fuzzminimizetime", "fuzztime", "list", "memprofile", "memprofilerate", "mutexprofile",
		"mutexprofilefraction", "outputdir", "parallel", "run", "shuffle", "skip", "timeout", "trace",
	},
	boolean:  {"artifacts", "benchmem", "failfast", "fullpath", "short"},
	fuzzyBit: {"v"},
}

// actionFlags say what the go command does rather than what is built; go list
// must not see them.
var actionFlags = []string{
	"a", "debug-actiongraph", "debug-runtime-trace", "debug-trace", "exec", "json", "n", "o", "p", "v", "work", "x",
}

type kinds map[kind][]string

func (k kinds) of(name string) kind {
	for kind, names := range k {
		if slices.Contains(names, name) {
			return kind
		}
	}
	return unknown
}

func (k kinds) names() (names []string) {
	for _, list := range k {
		names = append(names, list...)
	}
	return names
}

// flagOf returns the kind of a flag of a verb, and its name without "test.".
func flagOf(verb, name string) (string, kind) {
	if verb == "test" {
		short := strings.TrimPrefix(name, "test.")
		if k := testFlags.of(short); k != unknown {
			return short, k
		}
	}
	if k := verbFlags[verb].of(name); k != unknown {
		return name, k
	}
	return name, buildFlags.of(name)
}

// splitFlag splits -name, -name=value, --name and --name=value. It
// reports false for an argument that is not a flag.
func splitFlag(arg string) (name, value string, hasValue, ok bool) {
	name, ok = strings.CutPrefix(arg, "-")
	name = strings.TrimPrefix(name, "-")
	if !ok || name == "" || name[0] == '-' || name[0] == '=' {
		return "", "", false, false
	}
	name, value, hasValue = strings.Cut(name, "=")
	return name, value, hasValue, true
}

// setting returns a flag as -name=value, with true or false for booleans however
// they are spelt.
func setting(name string, k kind, value string, hasValue bool) (string, error) {
	if k == valued {
		if !hasValue {
			return "", usagef("flag -%s needs a value", name)
		}
		return "-" + name + "=" + value, nil
	}
	if !hasValue {
		value = "true"
	}
	on, err := strconv.ParseBool(value)
	if err == nil {
		value = strconv.FormatBool(on)
	} else if k == boolean {
		return "", usagef("-%s=%s: want true or false", name, value)
	}
	return "-" + name + "=" + value, nil
}

// last returns the value that a flag has after all of flags, as setting returns
// them, and the index of the one that counts: -1 if there is none.
func last(flags []string, name string) (value string, index int) {
	for i, f := range slices.Backward(flags) {
		if v, ok := strings.CutPrefix(f, "-"+name+"="); ok {
			return v, i
		}
	}
	return "", -1
}

// isOn reports whether a boolean flag is set after all of flags.
func isOn(flags []string, name string) bool {
	value, _ := last(flags, name)
	return value == "true"
}

// refused returns an error if the flags, in the form that setting returns, rule
// out instrumentation once all are read, with the index of the flag that does.
func refused(flags []string) (index int, err error) {
	if value, i := last(flags, "toolexec"); value != "" {
		return i, usagef("-toolexec=%s: pepbuild needs the flag for itself; build with one of the two", value)
	}
	if name, i := covers(flags); i >= 0 {
		return i, usagef("-%s: coverage and pepbuild both rewrite the source; build with one of the two (-pepmode=exact counts every block)", name)
	}
	value, i := last(flags, "buildmode")
	switch value {
	case "plugin", "c-shared", "c-archive", "shared", "archive":
		return i, usagef("-buildmode=%s: only executables can be profiled; use -buildmode=exe or pie", value)
	}
	if value, i := last(flags, "linkshared"); value == "true" {
		return i, usagef("-linkshared: only executables that hold all of their code can be profiled")
	}
	if value, i := last(flags, "compiler"); i >= 0 && value != "gc" {
		return i, usagef("-compiler=%s: only gc can be used", value)
	}
	return -1, nil
}

// covers returns the flag that asks for coverage and its index, -1 if none does. A
// later -cover=false takes back all that came before.
func covers(flags []string) (name string, index int) {
	index = -1
	for i, f := range flags {
		n, value, _ := strings.Cut(f[1:], "=")
		switch {
		case n == "cover" && value == "false":
			index = -1
		case n == "cover", n == "covermode", n == "coverpkg", n == "coverprofile":
			name, index = n, i
		}
	}
	return name, index
}

// parseGOFLAGS returns those flags in the variable GOFLAGS that a verb has, in the
// form that setting returns. Like the go command it ignores the others.
func parseGOFLAGS(verb, text string) (flags []string, err error) {
	fields, err := splitQuoted(text)
	for _, field := range fields {
		name, value, hasValue, ok := splitFlag(field)
		if !ok {
			return nil, usagef("GOFLAGS: %q is not a flag", field)
		}
		name, k := flagOf(verb, name)
		if k == unknown {
			continue
		}
		flag, err := setting(name, k, value, hasValue)
		if err != nil {
			return nil, usagef("GOFLAGS: %v", err)
		}
		flags = append(flags, flag)
	}
	if err != nil {
		return nil, usagef("GOFLAGS: %v", err)
	}
	return flags, nil
}

// splitQuoted splits the values of GOFLAGS, -gcflags and the like at white space. A
// field that begins with a quotation mark ends at the next such mark. All other
// quotation marks are part of their fields.
func splitQuoted(s string) (fields []string, err error) {
	const space = " \t\n\r"
	for {
		s = strings.TrimLeft(s, space)
		if s == "" {
			return fields, nil
		}
		if quote := s[0]; quote == '\'' || quote == '"' {
			field, rest, ok := strings.Cut(s[1:], string(quote))
			if !ok {
				return nil, errors.New("unterminated " + string(quote) + " string")
			}
			fields = append(fields, field)
			s = rest
			continue
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		fields = append(fields, s[:end])
		s = s[end:]
	}
}

// quoted quotes a field so that splitQuoted returns it unchanged.
func quoted(field string) (string, error) {
	if field != "" && field[0] != '\'' && field[0] != '"' && !strings.ContainsAny(field, " \t\n\r") {
		return field, nil
	}
	for _, quote := range []string{"'", `"`} {
		if !strings.Contains(field, quote) {
			return quote + field + quote, nil
		}
	}
	return "", fmt.Errorf("%s has both kinds of quotation marks and a space, which the go command does not understand in its flags", field)
}
