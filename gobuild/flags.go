package gobuild

// This file is the one table of the flags that pepbuild has beside those of the go
// command: what they are called, what they do, and how help and README.md
// describe them.

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/instrument/rewrite"
)

// An ourFlag is a flag of pepbuild's own. All have a value.
type ourFlag struct {
	name string
	taps bool // it is about taps
	// it repeats an experiment of a paper or measures the code: lab/README.md describes it, not help and README.md
	hidden bool
	choice bool // the value is that of one of the forms
	forms  []form
	set    func(a *Args, value string) error
}

// A form is a flag with one of its values, or with a word that stands for any value.
type form struct {
	value string      // "polls"; "patterns" stands for any
	text  string      // what it does, for help and README.md
	see   string      // a link for README.md
	words [][2]string // words that the value may be made of, and what they mean
}

// ourFlags is the table. Help and README.md have the flags in this order.
var ourFlags = []ourFlag{
	{name: "peppkg", forms: []form{
		{value: "patterns", text: "packages to profile, separated by commas, as for -coverpkg; \"all\" means all that can be, with dependencies and std (default: all with windows, which see the Go runtime, too; else the packages of the main module)"},
	}, set: func(a *Args, value string) error {
		a.Packages = strings.Split(value, ",")
		return nil
	}},
	{name: "pepmode", choice: true, forms: []form{
		{value: string(plan.Windows), text: "sample paths of a program whose code stays as it is: at a tick, interpret what it does next (default on linux/amd64, without -race, -msan and -asan)", see: "[how](../decisions/0039-windows.md)"},
		{value: string(plan.Polls), text: "sample paths by code that is added where they end; not in the Go runtime (default elsewhere)", see: "[how](../decisions/0001-polls.md)"},
		{value: "exact", text: "count every path; slow, to compare with", see: "[which paths](profiles.md#paths)"},
		{value: "cover", text: "for coverage of branches and conditions (MC/DC): count every path; each operand of && and ||, " +
			"and each value of a case, is a branch; a path ends where a decision has been made",
			see: "[how](profiles.md#with--pepmodecover)"},
		{value: "taps", text: "profile no paths: taps only (default with -peptaps)"},
	}, set: func(a *Args, value string) error {
		a.Mode = plan.Mode(value)
		return nil
	}},
	{name: "peptruncate", hidden: true, choice: true,
		forms: []form{{value: "header"}, {value: "backedge"}, {value: "join"}}, set: func(a *Args, value string) error {
			if a.Truncate = value; value == "header" {
				a.Truncate = "" // as without the flag
			}
			return nil
		}},
	{name: "peporder", hidden: true, choice: true, forms: []form{{value: "hottest"}, {value: "coldest"}},
		set: func(a *Args, value string) error {
			a.Order = value
			return nil
		}},
	{name: "pepguide", forms: []form{
		{value: "profile", text: "a profile of edges (.edges.pb.gz) or of CPU time, which says which edges are taken most often; " +
			"with -pepmode=polls, exact or cover",
			see: "[how](../decisions/0038-measured-branches.md#numbers)"},
	}, set: func(a *Args, value string) error {
		a.Guide = value
		return nil
	}},
	{name: "pepwithout", hidden: true, choice: true,
		forms: []form{{value: string(rewrite.WithoutRegisters)}, {value: string(rewrite.WithoutPolls)},
			{value: string(rewrite.WithoutAtomics)}}, set: func(a *Args, value string) error {
			a.Without = value
			return nil
		}},
	{name: "pepdump", forms: []form{
		{value: "dir", text: "write the instrumented source to dir, with a list taps.txt of what is tapped and what is not, and graphs.txt with graph, path numbers and code of all functions; with -peptaps, or -pepmode=polls, exact or cover"},
	}, set: func(a *Args, value string) error {
		a.Dump = value
		return nil
	}},
	{name: "peptable", forms: []form{
		{value: "file", text: "build the plain program, and write to file which outcomes of the source its branches stand for, " +
			"and how these outcomes change path numbers; pep sites prints the file; linux/amd64",
			see: "[how](../decisions/0039-windows.md#branches)"},
	}, set: func(a *Args, value string) error {
		a.Table = value
		return nil
	}},
	{name: "pepvalues", choice: true, forms: []form{
		{value: "all", text: "have the program know which of its instructions have values that are loaded, passed and returned, so that runs with PEPOPTS=values=loads,args,results,addresses note them; by default it knows those of call targets and types only; with windows, or -peptable",
			see: "[how](../decisions/0042-values-from-windows.md)"},
	}, set: func(a *Args, value string) error {
		a.Values = value
		return nil
	}},
	{name: "pepopt", forms: []form{
		{value: "profiles", text: "build the plain program, laid out by profiles of edges (.edges.pb.gz), separated by commas; " +
			"3*a.edges.pb.gz counts three times as much as another one; \"auto\" means default.edges.pb.gz " +
			"in the directory of the main package; -pgo works as with go build",
			see: "[how](../decisions/0038-measured-branches.md)"},
	}, set: func(a *Args, value string) error {
		a.Opt = value
		_, err := weightedProfiles(value)
		return err
	}},
	{name: "pepbisect", forms: []form{
		{value: "pattern", text: "instrument only the functions that match, and print which they are: for golang.org/x/tools/cmd/bisect, which finds the function with which a program fails; with -peptaps, or -pepmode=polls, exact or cover", see: "[how](../bisect.md)"},
	}, set: func(a *Args, value string) error {
		a.Bisect = value
		_, err := plan.Tag{Bisect: value}.Pattern()
		return usage(err)
	}},
	{name: "peptaps", taps: true, forms: []form{
		{value: "kinds", text: "profile values and no paths, or with -pepmode=polls or exact both; what is tapped, separated by commas", words: [][2]string{
			{"args", "parameters and receivers, at the entry of their functions"},
			{"results", "values that are returned"},
			{"loads", "values read through pointers, from elements of slices, arrays, strings and maps, and from package variables"},
			{"stores", "values stored to these"},
			{"addrs", "the addresses of loads and stores"},
			{"calls", "functions that dynamic calls go to"},
			{"types", "types in interfaces: at method calls, type switches and type assertions"},
			{"edges", "outcomes of branches"},
			{"consts", "integers that are compared with constants"},
			{"marked", "nothing but the statements that the source marks with //pep:tap"},
			{"all", "all of these"},
			{"pairs", "loads, and with each value its address, as one sample"},
			{"ops", "results of integer operations, and with each its operands, as one sample"},
			{"directcalls", "functions that direct calls go to"},
			{"entries", "where functions begin: for engines and traces"},
			{"returns", "where functions end: likewise"},
			{"goroutines", "which goroutine the events are of: likewise"},
		}},
	}, set: func(a *Args, value string) error {
		if value == "none" {
			value = ""
		}
		a.Taps.Kinds = value
		return checkTaps(plan.Taps{Kinds: value})
	}},
	{name: "pepfuncs", taps: true, forms: []form{
		{value: "regexp", text: "tap only functions whose linker symbol matches"},
	}, set: func(a *Args, value string) error {
		a.Taps.Funcs = value
		return checkTaps(plan.Taps{Kinds: "all", Funcs: value})
	}},
	{name: "peprange", taps: true, forms: []form{
		{value: "ranges", text: "tap only these lines: file.go:10-20, file.go:10 or file.go, separated by commas; a file that a //line directive names, too"},
	}, set: func(a *Args, value string) error {
		a.Taps.Ranges = value
		return checkTaps(plan.Taps{Kinds: "all", Ranges: value})
	}},
	{name: "pepsites", taps: true, forms: []form{
		{value: "n", text: "at most n taps in a package, those in the innermost loops first"},
	}, set: func(a *Args, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return usagef("-pepsites=%s: want a number from 1 on", value)
		}
		a.Taps.Sites = n
		return nil
	}},
}

// usage makes a usage error of an error.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err.Error()}
}

func checkTaps(t plan.Taps) error {
	if t.Kinds == "" {
		return nil
	}
	_, err := t.Options()
	return usage(err)
}

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

// parsePEPFLAGS takes the flags in the variable PEPFLAGS, which the go command does for its own and GOFLAGS: they come
// before those of the command line, which override them.
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

// parseOurs takes a flag of pepbuild's own.
func (a *Args) parseOurs(name, value string) error {
	i := slices.IndexFunc(ourFlags, func(f ourFlag) bool { return f.name == name })
	if i < 0 {
		return a.unknownFlag(name)
	}
	f := ourFlags[i]
	if known := slices.ContainsFunc(f.forms, func(o form) bool { return o.value == value }); f.choice && !known {
		return usagef("-%s=%s: want %s", name, value, strings.Join(f.values(), " or "))
	}
	return f.set(a, value)
}

func (f ourFlag) values() (values []string) {
	for _, form := range f.forms {
		values = append(values, form.value)
	}
	return values
}

// unknownFlag says that there is no such flag, and which one it may be.
func (a *Args) unknownFlag(name string) error {
	known := slices.Concat(buildFlags.names(), verbFlags[a.Verb].names())
	if a.Verb == "test" {
		known = append(known, testFlags.names()...)
	}
	for _, f := range ourFlags {
		if !f.hidden {
			known = append(known, f.name)
		}
	}
	hint := ""
	if best, ok := nearest(name, known); ok {
		hint = "did you mean -" + best + "? "
	}
	return usagef("unknown flag -%s: %spepbuild help lists the flags of pepbuild, go help %s those of the go command",
		name, hint, a.Verb)
}

// nearest returns the word that is most like name. It reports false if no word is like
// it: if more than half of the letters, not counting "pep", differ.
func nearest(name string, words []string) (best string, ok bool) {
	slices.Sort(words)
	least := len(strings.TrimPrefix(name, "pep"))/2 + 1
	for _, w := range words {
		if d := distance(name, w); d < least {
			best, least = w, d
		}
	}
	return best, best != ""
}

// distance is how many bytes must be inserted, deleted or replaced to make b of a
// (Levenshtein 1966).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a[:i] to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// FlagHelp describes pepbuild's own flags for its help: those about paths, or those
// about taps.
func FlagHelp(taps bool) string {
	var b strings.Builder
	for _, f := range ourFlags {
		if f.taps != taps || f.hidden {
			continue
		}
		for _, form := range f.forms {
			describe(&b, "-"+f.name+"="+form.value, form.text)
			for _, w := range form.words {
				describe(&b, "    "+w[0], w[1])
			}
		}
	}
	return b.String()
}

// describe writes a term and, in a column of its own, a text.
func describe(b *strings.Builder, term, text string) {
	const column, width = 18, 72
	line := term
	if len(line) >= column {
		b.WriteString("\t" + line + "\n")
		line = ""
	}
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > width {
			b.WriteString("\t" + line + "\n")
			line, empty = "", true
		}
		if empty {
			line += strings.Repeat(" ", column-len(line)) + word
		} else {
			line += " " + word
		}
		empty = false
	}
	b.WriteString("\t" + line + "\n")
}

// FlagTable describes pepbuild's own flags for docs/reference/pepbuild.md.
func FlagTable() string {
	var b strings.Builder
	b.WriteString("| flag of pepbuild | |\n|---|---|\n")
	for _, f := range ourFlags {
		if f.hidden {
			continue
		}
		for _, form := range f.forms {
			text := form.text
			for i, w := range form.words {
				text += [2]string{": ", ", "}[min(i, 1)] + "`" + w[0] + "`"
			}
			if form.see != "" {
				text += " (" + form.see + ")"
			}
			b.WriteString("| `-" + f.name + "=" + form.value + "` | " + text + " |\n")
		}
	}
	return b.String()
}
