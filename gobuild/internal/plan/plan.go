// Package plan says what a build is: what the user chooses, and what follows from it for the compiler, the
// linker and the tags of packages. Package gobuild parses the command line into a [Plan]:
//
//	pepbuild build -pepmode=cover -peppkg=./... -o app .
//
//	Plan{Mode: Cover, Packages: []string{"./..."}}
//
// The table of modes, [Mode.Kind], says all that a mode means. Its row for cover says that packages are
// rewritten, that rewritten code counts paths, which end at decisions, and that the runtime is built with the
// tags pepexact and pepcover. From the plan each package gets a [Tag], and the go command passes it to the
// package's compile command:
//
//	-pep=rewrite,mode=cover,truncate=header,tool=5d0c…,compiler=a3f1…
//
// The go command compiles a package anew if its tag is another one, so a tag has all that changes what becomes
// of the package. Where things are, which changes nothing, pepbuild's tools learn from the whole plan, in one
// variable of the environment:
//
//	PEPBUILD_PLAN={"Mode":"cover","Packages":["./..."],…,"Compiler":"/home/me/.cache/pepbuild/…/compile"}
//
// Other command lines become plans in the same way:
//
//	-peppkg=all                          Plan{Mode: Windows, Packages: {"all"}}   the mode where no other flag says one
//	-peptaps=loads                       Plan{Mode: TapsAlone, Taps: {Kinds: "loads"}}
//	-peptaps=loads -pepmode=polls        Plan{Mode: Polls, Taps: {Kinds: "loads"}}
//	-pepmode=polls -pepguide=p.pb.gz     Plan{Mode: Polls, Guide: "p.pb.gz"}
//	-peptable=t                          Plan{Mode: Table, Table: "t"}
//	-pepopt=p.pb.gz                      Plan{Mode: Layout, Opt: "p.pb.gz"}
package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// A Plan says what a build is.
type Plan struct {
	Mode     Mode     // -pepmode, or what takes its place
	Packages []string // -peppkg: patterns; nil if the flag is not there
	Truncate string   // -peptruncate: "backedge" or "join"; "" for "header"
	Order    string   // -peporder: "hottest" or "coldest"; "" for "hottest"
	Dump     string   // -pepdump: directory
	Table    string   // -peptable: name of the file
	// -pepvalues: "all": tables have rows of loads, arguments and results; "" for those of calls and types
	Values  string
	Opt     string // -pepopt: names of profiles
	Bisect  string // -pepbisect: pattern of functions to instrument
	Guide   string // -pepguide: name of a profile
	Without string // -pepwithout: inserted code that is left out: "registers", "polls" or "atomics"; "" for nothing
	Taps    Taps   // -peptaps, -pepfuncs, -peprange, -pepsites
	Places         // where pepbuild's tools find things
}

// Places say where pepbuild's tools find what they need, and for how many programs. They change nothing of what
// is built.
type Places struct {
	Release   string   // of the toolchain: go1.27
	Compiler  string   // the compiler for packages with tags
	Linked    string   // a file in the format of an importcfg that says where the linked runtime is
	WithC     []string // import paths of packages with C code that are not of the standard library
	GuideDir  string   // has a file for the Guide of each tag
	CountsDir string   // has a file for the Counts of each tag
	Mains     int      // how many programs the user names; 0 for tests
	Progress  string   // a file to which each compilation of a package with a tag adds the import path; may be empty
}

// Env names the environment variable in which the tools find the plan.
const Env = "PEPBUILD_PLAN"

// Environment returns the plan as a setting of Env.
func (p *Plan) Environment() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return Env + "=" + string(text)
}

// FromEnvironment returns the plan that Environment has written; an empty one if Env is not set.
func FromEnvironment() (*Plan, error) {
	p := new(Plan)
	text := os.Getenv(Env)
	if text == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("%s: %w: pepbuild sets it for its own tools", Env, err)
	}
	return p, nil
}

// Settle chooses the mode if the user has not, and returns an error if what the user has chosen does not go together.
func (p *Plan) Settle(verb string) error {
	switch {
	case p.Taps.Kinds == "" && p.Taps != Taps{}:
		return errors.New("-pepfuncs, -peprange and -pepsites select among taps: choose taps with -peptaps")
	case p.Table != "" && (verb != "build" || p.Mode != "" || slices.ContainsFunc(p.chosen(), Table.refuses)):
		return fmt.Errorf("-peptable=%s: it is for pepbuild build and has nothing instrumented: leave out the other flags "+
			"of pepbuild", p.Table)
	case p.Opt != "" && (p.Mode != "" || slices.ContainsFunc(p.chosen(), Layout.refuses)):
		return fmt.Errorf("-pepopt=%s: it builds a faster program, in which nothing is instrumented: leave out the other "+
			"flags of pepbuild", p.Opt)
	}
	if p.Mode == "" {
		p.Mode = p.usual()
	}
	kind := p.Mode.Kind()
	for _, flag := range p.chosen() {
		switch {
		case !p.Mode.refuses(flag):
		case flag == "pepvalues":
			return errors.New("-pepvalues=all: it is about values that windows note, and this program has no windows: leave it " +
				"out, or build without -pepmode and -peptaps")
		case flag == "peptaps" && p.Mode == Windows:
			return errors.New("-pepmode=windows: programs with windows have no taps: leave out -pepmode for taps alone, or " +
				"take -pepmode=polls or -pepmode=exact for paths beside them")
		case flag == "peptaps":
			return fmt.Errorf("-pepmode=%s: there are no taps in builds for coverage: leave out -peptaps, or choose another "+
				"mode", p.Mode)
		default:
			return fmt.Errorf("-%s: it is about code that pepbuild instruments, and %s leave the code as it is: add "+
				"-pepmode=polls (or exact, or cover)", flag, p.Mode)
		}
	}
	if w := p.Without; w != "" && (!slices.Contains(kind.Without, w) || p.Taps.Kinds != "") {
		return fmt.Errorf("-pepwithout=%s: registers and polls can be left out of sampled code, atomics of exact counts, "+
			"and nothing of code with taps", w)
	}
	if p.Mode == TapsAlone && p.Taps.Kinds == "" {
		return errors.New("-pepmode=taps: without paths only taps can be profiled: choose taps with -peptaps")
	}
	return nil
}

// usual returns the mode of a build for which -pepmode chooses none.
func (p *Plan) usual() Mode {
	switch {
	case p.Table != "":
		return Table
	case p.Opt != "":
		return Layout
	case p.Taps.Kinds != "":
		return TapsAlone
	}
	return Windows
}

// chosen returns the flags whose values differ from those of a build without flags, beside -pepmode.
func (p *Plan) chosen() (flags []string) {
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"peptaps", p.Taps != Taps{}},
		{"peppkg", p.Packages != nil},
		{"pepguide", p.Guide != ""},
		{"pepdump", p.Dump != ""},
		{"pepbisect", p.Bisect != ""},
		{"peptruncate", p.Truncate != ""},
		{"peporder", p.Order != ""},
		{"pepwithout", p.Without != ""},
		{"pepvalues", p.Values != ""},
		{"peptable", p.Table != ""},
		{"pepopt", p.Opt != ""},
	} {
		if f.is {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// BuildTags returns the build tags of the runtime that is linked into the program.
func (p *Plan) BuildTags() []string {
	tags := slices.Clone(p.Mode.Kind().BuildTags)
	for _, t := range []struct {
		name string
		is   bool
	}{
		{"peppart", p.Without != ""},
		{"peptaps", p.Taps.Kinds != ""},
		{"pepgoroutines", p.Taps.Goroutines()},
	} {
		if t.is {
			tags = append(tags, t.name)
		}
	}
	return tags
}
