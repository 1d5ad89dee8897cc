// Package format holds the source of the formats that instrumented programs write and tools read:
//
//	tuple       the record of an event at a tap
//	trace       files of such records
//	pdag        the numbered graph of a function; from path numbers to paths
//	wire        the format of site tables
//	schema      names in profiles: kinds, sample types, labels
//	pprofenc    pprof's file format
//	layout      where a program's code stands
//	crc32       the checksum of traces and .pep files
//	digits      integers as text and back
//	items       text taken apart at commas and the like
//
// They import nothing but each other and what package runtime of the standard library imports: pepbuild
// compiles them into programs, too, as package runtime says.
package format

import "embed"

// Source is the source of the packages, one directory each, without files whose names end in test.go.
//
//go:embed */*[^t].go */*[^s]t.go
var Source embed.FS
