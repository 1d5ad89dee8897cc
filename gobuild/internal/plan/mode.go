package plan

import (
	"slices"

	"github.com/pepgo/pep/instrument/rewrite"
)

// A Mode is what -pepmode chooses, or -peptable or -pepopt in its place.
type Mode string

const (
	Windows   Mode = "windows" // sample paths of a program whose code stays as it is
	Polls     Mode = "polls"   // sample paths where they end
	Exact     Mode = "exact"   // count all paths
	Cover     Mode = "cover"   // count all paths, which end at decisions
	TapsAlone Mode = "taps"    // no paths

	Table  Mode = "table"  // -peptable: the plain program, and a file with its tables of branches
	Layout Mode = "layout" // -pepopt: the plain program, laid out by profiles
)

// A Kind says what a mode means: for packages, for the runtime, and beside which flags it stands.
type Kind struct {
	Mode Mode

	// Rewrites says that packages are rewritten on their way to the compiler. Rewritten code does Ends where a path
	// ends. If Decisions, paths end at decisions. The other modes leave code as it is.
	Rewrites  bool
	Ends      rewrite.Ends
	Decisions bool

	Runtime   bool     // a runtime is linked, and the program writes profiles
	BuildTags []string // of that runtime

	Flags   []string // that may stand beside the mode
	Without []string // values of -pepwithout
}

// modes is the table.
var modes = []Kind{
	{Mode: Windows, Runtime: true, BuildTags: []string{"pepwindows"}, Flags: []string{"peppkg", "pepvalues"}},
	{Mode: Polls, Rewrites: true, Ends: rewrite.Poll, Runtime: true,
		Flags: withTaps, Without: []string{string(rewrite.WithoutRegisters), string(rewrite.WithoutPolls)}},
	{Mode: Exact, Rewrites: true, Ends: rewrite.Count, Runtime: true, BuildTags: []string{"pepexact"},
		Flags: withTaps, Without: []string{string(rewrite.WithoutAtomics)}},
	{Mode: Cover, Rewrites: true, Ends: rewrite.Count, Decisions: true, Runtime: true,
		BuildTags: []string{"pepexact", "pepcover"},
		Flags:     aboutCode},
	{Mode: TapsAlone, Rewrites: true, Ends: rewrite.Nothing, Runtime: true, Flags: withTaps},
	{Mode: Table, Flags: []string{"peptable", "pepvalues"}},
	{Mode: Layout, Flags: []string{"pepopt"}},
}

// aboutCode are the flags that stand beside modes with rewritten code, and withTaps are these and -peptaps.
var (
	aboutCode = []string{"peppkg", "pepguide", "pepdump", "pepbisect", "peptruncate", "peporder", "pepwithout"}
	withTaps  = append(slices.Clone(aboutCode), "peptaps")
)

// refuses reports whether a flag may not stand beside the mode.
func (m Mode) refuses(flag string) bool { return !slices.Contains(m.Kind().Flags, flag) }

// Kind returns the row of the table; one of nothing for a mode that there is not.
func (m Mode) Kind() Kind {
	if i := slices.IndexFunc(modes, func(k Kind) bool { return k.Mode == m }); i >= 0 {
		return modes[i]
	}
	return Kind{}
}
