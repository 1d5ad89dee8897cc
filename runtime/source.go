// Package runtime holds the source of what is linked into instrumented programs.
//
// The packages below this one are compiled twice: as packages of this module,
// for their tests and for the tools that read what they write, and by pepbuild,
// under the import path 0pep, as part of the program that is profiled:
//
//	pdag      the numbered graph of a function; from path numbers to paths
//	wire      the format of site tables
//	sites     the site tables of the program
//	core      polls, sampling, the table of samples, start and end of the program
//	report    from samples to profiles
//	pprofenc  pprof's file format
//	tuple     the record of what taps see
//	trace     files of such records
//	crc32     the checksum of both kinds of files
//	digits    integers as text
//	libc      two functions of the C library, for programs with C code
//	ring      memory in which another process reads such records
//	items     text taken apart at commas and the like
//	schema    names of what is in profiles: sample types, labels
//
// So are hwsim and hwsim/engines, with the engines that such records go to, for
// programs with taps. They have their source with them.
//
// They import nothing but each other and what package runtime of the standard
// library imports itself, since everything else may be instrumented.
package runtime

import "embed"

// Source is the source of the packages, one directory each.
//
//go:embed */*.go */*.s
var Source embed.FS

// ModulePath is how the packages import each other in this module, LinkedPath
// how they do in a program.
const (
	ModulePath = "github.com/pepgo/pep/runtime/"
	LinkedPath = "0pep/"
)

// CoverageConfig is the file for the compiler's -coveragecfg with which core is
// compiled in programs: it says that core's variable free is a counter, and that
// there is nothing else. See runtime/core/free.go.
const CoverageConfig = `{
	"Strategy": "normal",
	"CounterPrefix": "free", "CounterMode": "testmain", "CounterGranularity": "perblock",
	"MetaVar": "_", "PkgIdVar": "_", "MetaLen": 0, "MetaHash": "00000000000000000000000000000000"
}
`
