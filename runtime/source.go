// Package runtime holds the source of the packages that are linked into instrumented programs.
//
// The packages below this one are compiled twice: as packages of this module,
// for their tests and for the tools that read what they write, and by pepbuild,
// under the import path 0pep, as part of the program that is profiled:
//
//	poll        the kind of a build
//	doors       the names of core that instrumented code uses
//	core        what instrumented code calls, signal handlers, start and end
//	taps        the way of tuples from taps to the table of words
//	sampler     which polls are samples
//	pace        how far apart ticks are, within a budget
//	pepfile     the .pep file, in which a program counts
//	options     the settings in PEPOPTS
//	sys         system calls, files, facts about processes
//	golink      functions and data of package runtime of std, for the other packages
//	libc        two functions of the C library, for programs with C code
//	sites       the site tables of the program, and its table of actions
//	sitetables  reads them in the program
//	write       writes profiles, in the program or in another process
//	convert     from the counts in a .pep file to profiles
//	symbol      from addresses to functions, lines and type names
//	report      from samples to profiles
//	window      from instructions to their actions
//	follow      keeps path registers for it
//
// So are the packages in format, machine/interp, which interprets the program's instructions, and for programs with
// taps hwsim and hwsim/engines, with the engines that the records of taps go to. They have their source with them.
//
// They import nothing but each other and what package runtime of the standard
// library imports itself, since everything else may be instrumented.
package runtime

import "embed"

// Source is the source of the packages, one directory each, without files whose names end in test.go: a change of a
// test would make another pepbuild, for which the go command's cache has no package.
//
//go:embed */*[^t].go */*[^s]t.go */*.s
var Source embed.FS

// ModulePath is how the packages import each other in this module, LinkedPath
// how they do in a program.
const (
	ModulePath = "github.com/pepgo/pep/runtime/"
	LinkedPath = "0pep/"
)

// CoverageConfig is the file for the compiler's -coveragecfg with which core is
// compiled in programs: it says that core's variable uncharged is a counter, and that
// there is nothing else. See runtime/core/state_uncharged.go.
const CoverageConfig = `{
	"Strategy": "normal",
	"CounterPrefix": "uncharged", "CounterMode": "testmain", "CounterGranularity": "perblock",
	"MetaVar": "_", "PkgIdVar": "_", "MetaLen": 0, "MetaHash": "00000000000000000000000000000000"
}
`
